"""How a rule's script ends: one line for what a user can act on, else a traceback."""

from pathlib import Path

import pytest

from routebench.errors import RoutebenchError
from routebench.planning.jobs import logged
from routebench.planning.study import open_study

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (RoutebenchError("two\nlines"), "routebench: two lines\n"),
        (OSError(28, "Full", "x"), "routebench: Full: x; make room and run again\n"),
    ],
)
def test_what_a_user_can_act_on_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], error: Exception, line: str
) -> None:
    log = tmp_path / "logs" / "job.log"
    with pytest.raises(SystemExit), logged([str(log)]):
        raise error
    assert log.read_text() == capsys.readouterr().err == line


def test_the_line_is_said_where_even_the_log_has_no_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_text(*_: object, **__: object) -> None:
        raise OSError(28, "No space left")

    monkeypatch.setattr(Path, "write_text", write_text)
    with pytest.raises(SystemExit), logged([str(tmp_path / "job.log")]):
        pass
    assert capsys.readouterr().err.startswith("routebench: No space left: ")


def test_an_error_that_was_not_expected_keeps_its_traceback(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    with pytest.raises(KeyError), logged([str(log)]):
        raise KeyError("x")
    assert log.read_text().startswith("Traceback")


def test_settings_that_cannot_be_written_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakemake showed a traceback of its Snakefile on a full disk."""
    monkeypatch.chdir(ROOT)
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit, match=r"^routebench: \[Errno 20\] Not a directory"):
        open_study({"results": f"{tmp_path}/file"}, ROOT)
