"""The example of docs/own-data.md: its commands, its files and its results.

Numbers are worked out from the files of ``examples/own/source``.

``mine`` counts the words of four or more letters that stand anywhere in a file's text:

rounding  docs/usage.md (hour, prints, report), tally/clock.py (hour, minutes, seconds),
          tally/formats.py (hour, minutes, rounded) and tally/report.py (hour, minutes,
          report) have three each: by name, the first three go on. Gold: formats.py, found.
midnight  tally/clock.py and tests/test_clock.py (elapsed, midnight, time) have three;
          README.md is the first of three with two. Gold: clock.py, found.
encoding  tally/cli.py (project, sessions, settings) has three; docs/usage.md and
          tally/config.py are the first of five with two. Gold: config.py, one line, found;
          storage.py, seven lines, not found.
"""

import csv
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = "examples/own"
STUDY = f"{EXAMPLE}/study.yaml"
PAGE = (ROOT / "docs" / "own-data.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
MINE = {
    "rounding": ["docs/usage.md", "tally/clock.py", "tally/formats.py"],
    "midnight": ["tally/clock.py", "tests/test_clock.py", "README.md"],
    "encoding": ["tally/cli.py", "docs/usage.md", "tally/config.py"],
}


def blocks(kind: str) -> list[str]:
    return [match["text"] for match in BLOCK.finditer(PAGE) if match["kind"] == kind]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory, project: Any) -> Any:
    """The example after the first commands of the page, as a reader runs them."""
    workspace = project(tmp_path_factory.mktemp("own") / "project", STUDY)
    ignored = shutil.ignore_patterns("repository")
    shutil.copytree(ROOT / EXAMPLE, workspace.path(EXAMPLE), ignore=ignored)
    make, study = blocks("sh")[0].splitlines()
    made = workspace.run(shlex.split(make))
    assert made.output.strip() == table(workspace.path(f"{EXAMPLE}/issues.csv"))[0]["commit"]
    assert study == f"make study STUDY={STUDY}"
    finished = workspace.make_study()
    assert finished.status == 0, finished.output
    return workspace, finished


def table(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def ranked(workspace: Any, arm: str) -> dict[str, list[str]]:
    rows = pq.read_table(workspace.results / "rankings" / arm).to_pylist()
    found: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: row["rank"]):
        found.setdefault(row["case_id"], []).append(row["path"])
    return found


def test_the_page_shows_the_files_of_the_example() -> None:
    for kind, name in (
        ("csv", "issues.csv"),
        ("python", "my_retriever.py"),
        ("yaml", "study.yaml"),
    ):
        assert blocks(kind) == [(ROOT / EXAMPLE / name).read_text(encoding="utf-8")]


def test_it_ends_as_the_page_says(example: Any) -> None:
    workspace, finished = example
    summary = (workspace.results / "summary.txt").read_text(encoding="utf-8")
    assert finished.output.endswith(summary)
    assert summary in blocks("")
    assert (workspace.results / "report" / "index.html").stat().st_size > 10_000


def test_the_program_finds_what_its_words_are_in(example: Any) -> None:
    assert ranked(example[0], "mine") == MINE


def test_full_text_search_finds_all_gold(example: Any) -> None:
    found = ranked(example[0], "fts5")
    assert "tally/formats.py" in found["rounding"]
    assert "tally/clock.py" in found["midnight"]
    assert {"tally/storage.py", "tally/config.py"} < set(found["encoding"])


def test_recall_is_what_the_gold_says(example: Any) -> None:
    rows = {row["arm"]: row for row in table(example[0].results / "tables" / "arms.csv")}
    mine, fts5 = rows["mine"], rows["fts5"]
    assert float(mine["file_recall"]) == pytest.approx((1 + 1 + 1 / 2) / 3)
    assert float(mine["line_recall"]) == pytest.approx((1 + 1 + 1 / 8) / 3)
    assert float(mine["micro_recall"]) == pytest.approx(3 / 4)
    assert mine["complete_files"] == "2"
    assert [float(fts5[name]) for name in ("file_recall", "line_recall")] == [1, 1]


def test_the_difference_is_that_of_one_lost_case(example: Any) -> None:
    rows = table(example[0].results / "tables" / "paired-intervals.csv")
    row = next(row for row in rows if row["comparator"] == "fts5")
    assert float(row["delta"]) == pytest.approx((0 + 0 - 1 / 2) / 3)
    assert [row[name] for name in ("wins", "ties", "losses")] == ["0", "2", "1"]


def test_the_program_can_be_tried_alone() -> None:
    command = blocks("sh")[1]
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout in blocks("")
    assert done.stdout.startswith('["tally/formats.py"')


def test_an_edit_of_the_program_asks_it_alone(example: Any) -> None:
    workspace = example[0]
    program = f"{EXAMPLE}/my_retriever.py"
    workspace.edit(program, "len(word) > 3", "len(word) > 4")
    jobs = workspace.planned()
    workspace.edit(program, "len(word) > 4", "len(word) > 3")
    asked = [job for job in jobs if job.startswith(("rank/", "ask/"))]
    assert asked == ["rank/mine/local__repository"]
    assert len(jobs) == 10
    assert "[19/19] all" in example[1].output
    assert "10 jobs instead of 18" in PAGE
