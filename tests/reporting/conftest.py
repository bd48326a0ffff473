"""A study worked out by hand: five cases, two repositories, three arms, one failed case.

Found gold files at k = 8 (the same at 16), of 1, 2, 4, 1 and 2 gold files:

=========== == == == == ==  =========================== ==== ==========
arm         c1 c2 c3 c4 c5  file recalls                mean micro
=========== == == == == ==  =========================== ==== ==========
rg          1  1  1  0  2   1, 0.5, 0.25, 0, 1          0.55 5/10
fts5        0  1  2  1  0   0, 0.5, 0.5, 1, 0           0.4  4/10
tree+fts5   1  2  2  1  -   1, 1, 0.5, 1, failed: 0     0.7  6/10
=========== == == == == ==  =========================== ==== ==========
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from routebench.reporting.views import ArmEntry, ResultFiles, StudySettings
from routebench.tables import read_rows, table_schema, write_rows

ROCKET, LIB, GONE = "acme/ro_cket", "zed/lib", "gone/away"
CASES = {"c1": (ROCKET, 1), "c2": (ROCKET, 2), "c3": (ROCKET, 4), "c4": (LIB, 1), "c5": (LIB, 2)}
FOUND = {"rg": (1, 1, 1, 0, 2), "fts5": (0, 1, 2, 1, 0), "tree+fts5": (1, 2, 2, 1, 0)}
FAILED = ("tree+fts5", "c5")
ALIGNED = {"c1": True, "c2": False, "c3": None, "c4": True, "c5": True}
ALIGNMENTS = {
    "c1": ["aligned"],
    "c2": ["aligned", "text_elsewhere_in_file", "text_not_found_in_file"],
    "c3": ["not_annotated", "not_annotated"],
    "c4": ["aligned"],
    "c5": ["aligned", "aligned"],
}


def case_row(case_id: str) -> dict[str, Any]:
    repo, gold_files = CASES[case_id]
    return {
        "case_id": case_id,
        "repo": repo,
        "language": "python",
        "source": "hand",
        "base_commit": "0" * 40,
        "query": "It breaks.",
        "difficulty": None,
        "gold_files": gold_files,
        "gold_spans": len(ALIGNMENTS[case_id]),
        "clipped_spans": int(case_id == "c2"),
        "aligned": ALIGNED[case_id],
        "names_gold_path": False,
        "names_gold_file": False,
        "several_directories": False,
    }


def score_row(arm: str, case_id: str, k: int, budget: int | None) -> dict[str, Any]:
    repo, gold = CASES[case_id]
    found = FOUND[arm][list(CASES).index(case_id)]
    returned = 0 if (arm, case_id) == FAILED else k // 2
    packed = budget is not None
    return {
        "case_id": case_id,
        "repo": repo,
        "arm": arm,
        "k": k,
        "budget": budget,
        "file_recall": found / gold,
        "complete_files": found == gold,
        "file_precision": found / returned if returned else 0.0,
        "gold_found": found,
        "gold_files": gold,
        "any_hit": found > 0,
        "capped_accuracy": found / gold,
        "returned": returned,
        "line_recall": found / gold / 2 if packed else None,
        "complete_lines": case_id == "c1" and found == gold if packed else None,
        "context_tokens": budget // 2 if budget is not None else None,
    }


def operation_row(arm: str, case_id: str) -> dict[str, Any]:
    place = list(CASES).index(case_id) + 1
    return {
        "case_id": case_id,
        "build_ms": 10.0,
        "query_ms": 0.5 * place,
        "wall_ms": float(place),
        "calls": 3 if arm == "tree+fts5" else 0,
        "input_tokens": 100 * place,
        "output_tokens": 0,
        "cost_usd": 0.001,
        "truncated": case_id == "c4",
        "retries": 2 if case_id == "c1" else 0,
        "dropped_paths": 1,
        "error": "HTTP 500 | 100 % down" if (arm, case_id) == FAILED else None,
    }


def fitting(row: dict[str, Any], table: str) -> dict[str, Any]:
    """Leaves columns that other founders may add at an empty value."""
    fields = {field.name: field for field in table_schema(table)}
    return {name: row.get(name, 0 if not f.nullable else None) for name, f in fields.items()}


def statistic_row(metric: str, budget: int | None, subset: str = "all") -> dict[str, Any]:
    return {
        "comparison": "tree+fts5-rg",
        "arm": "tree+fts5",
        "comparator": "rg",
        "metric": metric,
        "budget": budget,
        "k": 8,
        "subset": subset,
        "n_cases": 5,
        "n_clusters": 2,
        "delta": 0.1131,
        "lower": -0.0004,
        "upper": 0.168,
        "p": None if metric == "file_recall" else 0.0078125,
        "wins": 3,
        "ties": 1,
        "losses": 1,
    }


def write_results(folder: Path, budgets: tuple[int | None, ...]) -> ResultFiles:
    """Writes the result files of the study and returns where they are."""
    files = ResultFiles(
        cases=folder / "cases.parquet",
        gold=folder / "gold.parquet",
        exclusions=folder / "exclusions.parquet",
        scores=folder / "scores.parquet",
        statistics=folder / "statistics.parquet",
        spans=[folder / "spans.parquet"],
        rankings={},
        operations={arm: [folder / "operations" / f"{arm}.parquet"] for arm in FOUND},
    )
    write_rows(files.cases, "cases", [fitting(case_row(case), "cases") for case in CASES])
    write_rows(files.gold, "gold", [])
    write_rows(files.spans[0], "spans", [fitting(row, "spans") for row in span_rows()])
    write_rows(files.exclusions, "exclusions", EXCLUSIONS)
    scores = [
        fitting(score_row(arm, case, k, budget), "scores")
        for arm in FOUND
        for case in CASES
        for k in (8, 16)
        for budget in budgets
    ]
    write_rows(files.scores, "scores", scores)
    statistics = [statistic_row("line_recall", budget) for budget in budgets if budget]
    statistics += [
        statistic_row("file_recall", None),
        statistic_row("file_recall", None, "aligned"),
    ]
    write_rows(files.statistics, "statistics", [fitting(row, "statistics") for row in statistics])
    for arm, paths in files.operations.items():
        rows = [fitting(operation_row(arm, case), "operations") for case in CASES]
        write_rows(paths[0], "operations", rows)
    return files


EXCLUSIONS = [
    {"case_id": "g2", "repo": GONE, "stage": "audit", "reason": "gold below a_b | 50 % & more"},
    {"case_id": "g1", "repo": GONE, "stage": "audit", "reason": "gold below a_b | 50 % & more"},
    {"case_id": "d1", "repo": "far/off", "stage": "dataset", "reason": "empty text"},
]


def span_rows() -> list[dict[str, Any]]:
    """The audit of the spans, with one of an excluded case."""
    rows = [
        {
            "case_id": case_id,
            "path": "a.py",
            "start_line": line,
            "end_line": line,
            "file_lines": 9,
            "problem": None,
            "aligned": alignment == "aligned",
            "alignment": alignment,
        }
        for case_id, alignments in ALIGNMENTS.items()
        for line, alignment in enumerate(alignments, start=1)
    ]
    return [*rows, {**rows[0], "case_id": "g1", "problem": "not in the corpus"}]


@pytest.fixture
def files(tmp_path: Path) -> ResultFiles:
    return write_results(tmp_path / "results", (8000, 16000))


@pytest.fixture
def unpacked(tmp_path: Path) -> ResultFiles:
    """The same study without contexts."""
    return write_results(tmp_path / "unpacked", (None,))


@pytest.fixture
def study() -> StudySettings:
    arms = tuple(ArmEntry(arm, "archive", "pin: hand") for arm in FOUND)
    return StudySettings(
        ks=(8, 16), arms=arms, comparator="rg", main_budget=16000, provenance="study by hand"
    )


@pytest.fixture
def unpacked_study(study: StudySettings) -> StudySettings:
    return replace(study, main_budget=None)


@pytest.fixture
def queries() -> Path:
    return Path(__file__).parents[2] / "workflow" / "queries"


@pytest.fixture
def rewrite() -> Callable[
    [Path, str, Callable[[list[dict[str, Any]]], list[dict[str, Any]]]], None
]:
    """Returns a function that passes the rows of a result file through another one."""

    def change(path: Path, table: str, through: Callable[..., list[dict[str, Any]]]) -> None:
        write_rows(path, table, through(read_rows(path, table)))

    return change
