"""A small study from end to end: right numbers, recorded failures, nothing to do twice."""

import csv
import shutil
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

# Mean file recall of the first 1 and 2 candidates, over a1, a2, b1, b2.
#
# a1 "parser", "frobnicate": src/parser.py has one in its name and the other in its text.
#    ripgrep finds one word each in src/names.py and src/parser.py: equal, names goes first;
#    the program counts "parser" twice in names.py. Fused: 1/61 + 1/62 each, names first.
# a2 "quuxbuffer" is in the text of src/writer.py alone; no path has a word of the issue.
# b1 has two gold files. "zorkpacket" is in lib/packet.js alone; "server" only in paths, of
#    lib/server.js and of test/server.test.js, which is the shorter text for FTS5.
# b2 "client", "glimtimeout": lib/client.js by every method.
FILE_RECALL = {
    "fts5": ((1 + 1 + 0.5 + 1) / 4, (1 + 1 + 0.5 + 1) / 4),
    "path-fts5": ((1 + 0 + 0.5 + 1) / 4, (1 + 0 + 0.5 + 1) / 4),
    "rg": ((0 + 1 + 0.5 + 1) / 4, (1 + 1 + 0.5 + 1) / 4),
    "basename": ((1 + 0 + 0.5 + 1) / 4, (1 + 0 + 0.5 + 1) / 4),
    "own": ((0 + 1 + 0.5 + 1) / 4, (1 + 1 + 0.5 + 1) / 4),
    "rg+fts5": ((0 + 1 + 0.5 + 1) / 4, (1 + 1 + 0.5 + 1) / 4),
}


def table(workspace: Any, name: str) -> list[dict[str, str]]:
    with (workspace.results / "tables" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return found


def test_recall_is_what_the_files_say(base: tuple[Any, Any]) -> None:
    found = {(row["arm"], int(row["k"])): row for row in table(base[0], "arms")}
    recalls = {
        arm: tuple(float(found[arm, k]["file_recall"]) for k in (1, 2)) for arm in FILE_RECALL
    }
    assert recalls == FILE_RECALL
    # Files of one or two lines fit whole, so what is nominated is delivered.
    for row in found.values():
        assert row["line_recall"] == row["file_recall"]
        assert (row["cases"], row["failures"]) == ("4", "0")


def test_rankings_are_those_of_each_method(base: tuple[Any, Any]) -> None:
    folder = base[0].results / "rankings"
    found = {
        arm: [(r["case_id"], r["path"]) for r in rows(folder / arm / "acme__alpha.parquet")]
        for arm in ("basename", "rg", "fts5")
    }
    assert found == {
        "basename": [("a1", "src/parser.py")],
        "rg": [("a1", "src/names.py"), ("a1", "src/parser.py"), ("a2", "src/writer.py")],
        "fts5": [("a1", "src/parser.py"), ("a1", "src/names.py"), ("a2", "src/writer.py")],
    }


def test_every_table_and_figure_is_there(base: tuple[Any, Any]) -> None:
    results = base[0].results
    names = {path.stem for path in (results / "tables").iterdir()}
    assert names >= {"arms", "differences", "repositories", "operations", "exclusions"}
    for name in names:
        assert all((results / "tables" / f"{name}.{form}").stat().st_size for form in TABLE_FORMS)
    for figure in ("cost-recall", "repository-differences"):
        assert (results / "figures" / f"{figure}.svg").read_text().startswith("<?xml")
        assert (results / "figures" / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
    assert (results / "summary.txt").read_text().startswith("small: 4 cases of 2 repositories, ")


TABLE_FORMS = ("csv", "md", "tex")


def test_a_second_run_does_nothing_and_says_so(copy: Any) -> None:
    before = {path: path.stat().st_mtime_ns for path in copy.results.rglob("*")}
    finished = copy.make_study()
    print(f"second run: {finished.seconds:.1f} s")
    assert finished.status == 0
    lines = finished.output.splitlines()
    assert lines[0] == "small: A study of four issues"
    assert lines[1] == "Nothing to be done (all requested files are present and up to date)."
    assert "small: 4 cases of 2 repositories" in finished.output
    assert {path: path.stat().st_mtime_ns for path in copy.results.rglob("*")} == before
    assert finished.seconds < 6


@pytest.fixture(scope="module")
def dirty(tmp_path_factory: pytest.TempPathFactory, small_study: Any, issues: Any) -> Any:
    """A run in which a commit, a repository and an arm's program are not what they should be."""
    workspace = small_study(tmp_path_factory.mktemp("dirty") / "project")
    by_id = {issue["id"]: issue for issue in issues}
    workspace.write_issues(
        [
            by_id["a1"],
            {**by_id["a2"], "commit": "0" * 40},
            {**by_id["b1"], "path": "/nowhere/beta"},
            {**by_id["b2"], "path": "/nowhere/beta"},
            {**by_id["a1"], "id": "a3", "gold": ["src/none.py"]},
            {**by_id["a1"], "id": "a4", "commit": "main"},
        ]
    )
    program = "import sys; sys.exit('no model today')"
    workspace.configure(
        arms={
            "basename": {"kind": "basename"},
            "broken": {"kind": "command", "argv": [sys.executable, "-c", program]},
            "both": {"kind": "rrf", "sources": ["broken", "basename"]},
        },
        comparisons=[{"arm": "broken", "against": "basename"}],
        context={"budgets": [100]},
    )
    finished = workspace.make_study()
    assert finished.status == 0, finished.output
    return workspace, finished


def test_what_cannot_be_had_is_excluded_with_its_reason(dirty: Any) -> None:
    found = {row["case_ids"]: row for row in table(dirty[0], "exclusions")}
    assert set(found) == {"a2", "b1, b2", "a3", "a4"}
    places = {ids: (row["repo"], row["stage"]) for ids, row in found.items()}
    assert places == {
        "a2": ("acme/alpha", "repository"),
        "b1, b2": ("acme/beta", "repository"),
        "a3": ("acme/alpha", "audit"),
        "a4": ("acme/alpha", "dataset"),
    }
    assert "0" * 40 in found["a2"]["reason"]
    assert "/nowhere/beta" in found["b1, b2"]["reason"]
    assert "src/none.py" in found["a3"]["reason"] or "not" in found["a3"]["reason"]
    assert "40 lower-case hex digits" in found["a4"]["reason"]


def test_the_rest_is_scored(dirty: Any) -> None:
    scores = rows(dirty[0].results / "scores.parquet")
    assert {row["case_id"] for row in scores} == {"a1"}
    recalls = {row["arm"]: row["file_recall"] for row in scores if row["k"] == 1}
    assert recalls == {"basename": 1.0, "broken": 0.0, "both": 1.0}


def test_a_failed_case_is_recorded_counted_and_shown(dirty: Any) -> None:
    workspace, finished = dirty
    operations = rows(workspace.results / "operations" / "broken" / "acme__alpha.parquet")
    errors = {row["case_id"]: row["error"] for row in operations}
    assert errors["a1"] == "program ended with exit code 1: no model today"
    arms = {row["arm"]: row for row in table(workspace, "arms") if row["k"] == "1"}
    assert [arms[arm]["failures"] for arm in ("basename", "broken", "both")] == ["0", "1", "0"]
    assert "Failed: broken 1 (counted as empty rankings)." in finished.output
    assert "Excluded: 1 (audit), 1 (dataset), 3 (repository)." in finished.output


def test_a_repository_that_was_not_there_is_tried_again(small: Any, issues: Any) -> None:
    """RETRY=1 named it, and then there was nothing to be done."""
    later = small.folder / "later"
    small.configure(arms={"basename": {"kind": "basename"}}, comparisons=[], statistics={})
    moved = [i if i["repo"] == "acme/alpha" else {**i, "path": str(later)} for i in issues]
    small.write_issues(moved)
    assert "Excluded: 2 (repository)." in small.make_study().output
    shutil.copytree(issues[-1]["path"], later)
    finished = small.make_study("--retry")
    assert finished.status == 0, finished.output
    assert "Trying again: acme/beta" in finished.output
    assert "Excluded: none." in finished.output
