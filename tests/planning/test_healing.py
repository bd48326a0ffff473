"""Results that are not whole are found before a run."""

import json
from pathlib import Path

import pytest

from routebench.planning.healing import find_damaged
from routebench.tables import write_rows

ARMS = ("fts5",)
COMMIT = "0" * 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Results of one repository, all of them whole."""
    for place, table in (("cohort", "cohort"), ("issues", "issues"), ("spans", "spans")):
        write_rows(tmp_path / place / "a__b.parquet", table, [])
    write_rows(tmp_path / "rankings" / "fts5" / "a__b.parquet", "rankings", [])
    write_rows(tmp_path / "snapshots" / "a__b" / f"{COMMIT}.parquet", "snapshots", [])
    write_rows(tmp_path / "cases.parquet", "cases", [])
    write_rows(tmp_path / "left_out.parquet", "exclusions", [])
    for place in ("commits", "mirrors"):
        (tmp_path / place).mkdir()
        text = json.dumps({"repo": "a/b", "origin": None, "commits": [COMMIT]})
        (tmp_path / place / "a__b.json").write_text(text)
    return tmp_path


def test_whole_results_are_left_alone(folder: Path) -> None:
    # Files of the user's, and what arms and repositories of former settings left.
    for name in ("mine.parquet", "rankings/old/a__b.parquet", "rankings/fts5/c__d.parquet"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    assert find_damaged(folder, ARMS) == {}


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("cases.parquet", "cases.parquet"),
        ("left_out.parquet", "cohort"),
        ("cohort/a__b.parquet", "cohort"),
        ("commits/a__b.json", "cohort"),
        ("mirrors/a__b.json", "mirrors/a__b.json"),
        ("rankings/fts5/a__b.parquet", "rankings/fts5/a__b.parquet"),
        (f"snapshots/a__b/{COMMIT}.parquet", "snapshots/a__b"),
    ],
)
@pytest.mark.parametrize("damage", ["cut", "empty", "another table", "a folder"])
def test_what_is_damaged_is_forced(folder: Path, name: str, target: str, damage: str) -> None:
    path = folder / name
    content = path.read_bytes()
    path.unlink()
    if damage == "a folder":
        path.mkdir()
    elif damage == "another table":
        path.write_bytes((folder / "spans" / "a__b.parquet").read_bytes())
    else:
        path.write_bytes(content[: len(content) // 2] if damage == "cut" else b"")
    forced = target if target == "cohort" else str(folder / target)
    assert find_damaged(folder, ARMS) == {path: forced}


@pytest.mark.parametrize(
    ("name", "lacking", "target"),
    [
        ("issues/a__b.parquet", "cohort", "cohort"),
        (f"snapshots/a__b/{COMMIT}.parquet", f"snapshots/a__b/{COMMIT}.parquet", "snapshots/a__b"),
    ],
)
def test_a_gap_in_a_folder_is_found(folder: Path, name: str, lacking: str, target: str) -> None:
    (folder / name).unlink()
    forced = target if target == "cohort" else str(folder / target)
    assert find_damaged(folder, ARMS) == {folder / lacking: forced}
