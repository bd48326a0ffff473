import json
from collections.abc import Callable
from pathlib import Path

import pytest

from routebench.evaluation.audit import TreeFile, audit_repository, span_problem
from routebench.records import WHOLE_FILE, GoldSpan
from routebench.tables import read_rows

COMMIT, GONE = "a" * 40, "b" * 40


@pytest.mark.parametrize(
    ("span", "file", "problem"),
    [
        (GoldSpan("a.py", 3, 9), TreeFile("0", 3), None),
        (GoldSpan("a.py", 1, WHOLE_FILE), TreeFile("0", 1), None),
        (
            GoldSpan("a.py", 4, 4),
            TreeFile("0", 3),
            "Gold span starts after the last line: a.py:4 (3 lines)",
        ),
        (
            GoldSpan("a.py", 1, WHOLE_FILE),
            TreeFile("0", 0),
            "Gold span starts after the last line: a.py:1 (0 lines)",
        ),
        (
            GoldSpan("build/a.go", 1, 1),
            TreeFile("0", None),
            "Gold file outside common searchable corpus: build/a.go",
        ),
        (GoldSpan("a.py", 1, 1), None, "Gold file not in the tree at the base commit: a.py"),
    ],
)
def test_problems_of_a_span(span: GoldSpan, file: TreeFile | None, problem: str | None) -> None:
    assert span_problem(span, file) == problem


def test_audit_of_a_repository(write: Callable[..., Path], tmp_path: Path) -> None:
    gold = [
        {"path": "a.py", "start_line": 1, "end_line": 9, "text": "x = 1"},
        {"path": "a.py", "start_line": 2, "end_line": 2, "text": "x = 1"},
        {"path": "a.py", "start_line": 1, "end_line": 2, "text": None},
        {"path": "dist/b.js", "start_line": 1, "end_line": 1, "text": "b"},
        {"path": "c.py", "start_line": 1, "end_line": 1, "text": "c"},
    ]
    cases = [
        {"case_id": "c1", "repo": "o/n", "base_commit": COMMIT, "gold": json.dumps(gold)},
        {"case_id": "c2", "repo": "o/n", "base_commit": GONE, "gold": json.dumps(gold[:1])},
        {"case_id": "c3", "repo": "o/other", "base_commit": COMMIT, "gold": json.dumps(gold)},
    ]
    files = [
        {"path": "a.py", "blob": "0a", "lines": 2, "eligible": True},
        {"path": "dist/b.js", "blob": "0b", "eligible": False, "reason": "ignored path part"},
    ]
    audit_repository(
        cohort=write("cohort", "cohort", cases),
        repo="o/n",
        snapshots=write(f"snapshots/{COMMIT}.parquet", "snapshots", files).parent,
        blobs=write("blobs", "blobs", [{"blob": "0a", "text": "x = 1\ny = 2\n"}]),
        output=tmp_path / "spans",
        missing={GONE: "not our ref"},
    )
    rows = [tuple(row.values())[1:] for row in read_rows(tmp_path / "spans", "spans")]
    outside = "Gold file outside common searchable corpus: dist/b.js"
    absent = "Gold file not in the tree at the base commit: c.py"
    no_source = f"No source at base commit {GONE}: not our ref"
    assert rows == [
        ("a.py", 1, 9, 2, None, True, "aligned"),
        ("a.py", 2, 2, 2, None, False, "text_elsewhere_in_file"),
        ("a.py", 1, 2, 2, None, None, "not_annotated"),
        ("dist/b.js", 1, 1, None, outside, None, None),
        ("c.py", 1, 1, None, absent, None, None),
        ("a.py", 1, 9, None, no_source, None, None),
    ]


def test_an_unknown_reason_of_a_missing_commit(write: Callable[..., Path], tmp_path: Path) -> None:
    gold = [{"path": "a.py", "start_line": 1, "end_line": 1, "text": None}]
    case = {"case_id": "c1", "repo": "o/n", "base_commit": GONE, "gold": json.dumps(gold)}
    audit_repository(
        cohort=write("cohort", "cohort", [case]),
        repo="o/n",
        snapshots=tmp_path / "none",
        blobs=write("blobs", "blobs", []),
        output=tmp_path / "spans",
    )
    [row] = read_rows(tmp_path / "spans", "spans")
    assert row["problem"] == f"No source at base commit {GONE}: not in the repository"


def test_gold_that_is_not_audited_never_excludes_its_case(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    """Gold of a patch (D2) counts where the base commit lacks the file, or its line."""
    gold = [
        {"path": path, "start_line": line, "end_line": 2, "audited": False}
        for path, line in (("a.py", 1), ("new.py", 1), ("empty.py", 1), ("i.png", 1), ("a.py", 2))
    ]
    files = [
        {"path": "a.py", "blob": "0a", "lines": 1, "eligible": True},
        {"path": "empty.py", "blob": "0b", "lines": 0, "eligible": True},
        {"path": "i.png", "blob": "0c", "eligible": False, "reason": "content holds NUL"},
    ]
    case = {"case_id": "c1", "repo": "o/n", "base_commit": COMMIT, "gold": json.dumps(gold)}
    (tmp_path / "snapshots").mkdir()
    write(f"snapshots/{COMMIT}.parquet", "snapshots", files)
    audit_repository(
        cohort=write("cohort", "cohort", [case]),
        repo="o/n",
        snapshots=tmp_path / "snapshots",
        blobs=write("blobs", "blobs", [{"blob": "0a", "text": "x = 1\n"}]),
        output=tmp_path / "spans",
    )
    rows = read_rows(tmp_path / "spans", "spans")
    assert [(row["path"], row["file_lines"]) for row in rows] == [
        ("a.py", 1),
        ("new.py", None),
        ("empty.py", None),
        ("i.png", None),
        ("a.py", None),
    ]
    assert {row["problem"] for row in rows} == {None}
