"""The rerank study from end to end on odd issues, each with a defined outcome."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

EDIT = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-old\n+new\n"
ADD = "diff --git a/{0} b/{0}\nnew file mode 100644\n--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+x\n"
RENAME = "diff --git a/{0} b/{1}\nsimilarity index 100%\nrename from {0}\nrename to {1}\n"
GONE = "diff --git a/{0} b/{0}\ndeleted file mode 100644\n--- a/{0}\n+++ /dev/null\n"
DELETE = GONE + "@@ -1 +0,0 @@\n-x\n"

# Gold files found among the first five by bm25-harness (Python alone) and bm25-pipeline (text).
ISSUES = {
    "plain": ("The parser loses frobnicate", EDIT.format("src/parser.py"), 1, 1),
    # The added file counts and cannot be found.
    "added": ("The writer loses", EDIT.format("src/writer.py") + ADD.format("src/n.py"), 0.5, 0.5),
    "gone": (
        "Of names and the writer",
        RENAME.format("src/names.py", "src/x.py") + DELETE.format("src/writer.py"),
        1,
        1,
    ),
    "silent": ("the of ???", EDIT.format("src/names.py"), 0, 0),
    "long": ("frobnicate " * 4000, EDIT.format("src/parser.py"), 1, 1),
    # A repository without Python.
    "script": ("Client waits after glimtimeout", EDIT.format("lib/client.js"), 0, 1),
    "empty": ("No patch", " ", None, None),
}


def write_dataset(path: Path, repositories: Any) -> None:
    rows = [
        {
            "instance_id": name,
            "repo": "acme/beta" if name == "script" else "acme/alpha",
            "base_commit": repositories.beta[0] if name == "script" else repositories.alpha[0],
            "patch": patch,
            "problem_statement": text,
            "difficulty": "<15 min fix",
        }
        for name, (text, patch, *_) in ISSUES.items()
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)


@pytest.fixture(scope="module")
def run(
    project: Callable[[Path, str], Any],
    repositories: Any,
    tmp_path_factory: pytest.TempPathFactory,
) -> Any:
    """The study `rerank`, its dataset and one sweep apart, run once."""
    workspace = project(tmp_path_factory.mktemp("rerank") / "project", "study.yaml")
    write_dataset(workspace.path("issues.parquet"), repositories)
    values = yaml.safe_load(workspace.path("workflow/studies/rerank.yaml").read_text())
    values["arms"]["bm25-pipeline"]["sweep"] = {"files": ["python"]}
    del values["cohort"], values["arms"]["rerank-pipeline"]["sweep"]
    values["statistics"] = {"resamples": 100, "instances": True}
    values["dataset"] = {"kind": "swebench", "path": "issues.parquet"}
    values["repositories"] = {"url": repositories.url, "releases": None}
    workspace.path("study.yaml").write_text(yaml.safe_dump(values, sort_keys=False))
    finished = workspace.snakemake()
    assert finished.status == 0, finished.output
    return workspace


def table(workspace: Any, name: str) -> list[dict[str, str]]:
    with (workspace.results / "tables" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("arm", "place"),
    [
        ("bm25-harness", 2),
        ("rerank-harness", 2),
        ("bm25-pipeline", 3),
        ("rerank-pipeline", 3),
        ("bm25-pipeline@files=python", 2),
    ],
)
def test_every_issue_has_its_outcome(run: Any, arm: str, place: int) -> None:
    scores = pq.read_table(run.results / "scores.parquet").to_pylist()
    found = {r["case_id"]: r["file_recall"] for r in scores if (r["arm"], r["k"]) == (arm, 5)}
    expected = {name: facts[place] for name, facts in ISSUES.items()}
    assert found == {name: recall for name, recall in expected.items() if recall is not None}


def test_only_the_issue_without_a_patch_is_left_out(run: Any) -> None:
    (row,) = table(run, "exclusions")
    assert (row["case_ids"], row["stage"], row["reason"]) == ("empty", "dataset", "patch is empty")


def test_no_case_fails_or_falls_back(run: Any) -> None:
    for row in table(run, "usage"):
        assert (row["failures"], row["fallbacks"], row["truncated"]) == ("0", "0", "0")


def test_tables_of_the_study_are_made(run: Any) -> None:
    ranks = {row["arm"]: row for row in table(run, "rerank-ranks")}
    assert list(ranks) == ["bm25-harness", "rerank-harness", "bm25-pipeline", "rerank-pipeline"]
    assert ranks["bm25-harness"]["not_listed"] == "2"
    assert [row["value"] for row in table(run, "rerank-ablations")] == ["python"]
    assert {row["same_cohort"] for row in table(run, "rerank-recall")} == {"no", ""}
    assert {row["sign_p"] for row in table(run, "paired-intervals")} <= {"1.0", "0.5"}


def test_nothing_is_left_to_do(run: Any) -> None:
    assert run.planned() == []
