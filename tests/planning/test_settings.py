"""Settings files change only with what a stage depends on."""

import json
import os
from pathlib import Path

from routebench.planning.settings import (
    digest_files,
    read_settings,
    settings_text,
    write_settings,
)

LONG_AGO = 1_000_000_000


def test_a_file_is_written_only_where_it_differs(tmp_path: Path) -> None:
    path = tmp_path / "settings" / "arm.json"
    write_settings(path, settings_text({"a": 2, "b": 1}))
    os.utime(path, (LONG_AGO, LONG_AGO))
    write_settings(path, settings_text({"b": 1, "a": 2}))
    assert path.stat().st_mtime == LONG_AGO
    write_settings(path, settings_text({"a": 1, "b": 2}))
    assert path.stat().st_mtime > LONG_AGO
    assert read_settings(path) == {"a": 1, "b": 2}


def test_swapped_numbers_are_a_change() -> None:
    """Snakemake 9.27 compares params as an unnamed set and does not see this."""
    one = settings_text({"path_weight": 2.0, "content_weight": 1.0})
    assert one != settings_text({"path_weight": 1.0, "content_weight": 2.0})


def test_each_part_counts(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("1")
    texts = {
        settings_text({}),
        settings_text({"a": 1}),
        settings_text({}, modules=["routebench.errors"]),
        settings_text({}, tables=["cases"]),
        settings_text({}, files=[file]),
        settings_text({}, tools={"git": "2.30"}),
    }
    assert len(texts) == 6
    before = settings_text({}, files=[file])
    file.write_text("2")
    assert settings_text({}, files=[file]) != before


def test_order_of_tables_does_not_count() -> None:
    assert settings_text({}, tables=["cases", "gold"]) == settings_text(
        {}, tables=["gold", "cases", "gold"]
    )


def test_no_path_of_the_machine_is_in_it(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("1")
    text = settings_text({}, modules=["routebench.errors"], tables=["cases"], files=[file])
    assert str(tmp_path) not in text
    assert list(json.loads(text)["files"]) == ["program.py"]


def test_a_missing_file_has_a_digest_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    assert digest_files([tmp_path / "none"]) != digest_files([tmp_path / "empty"])
    assert digest_files([tmp_path / "none"]) != digest_files([])
