"""Two arms with two repeats each on two cases, worked out by hand at k = 8.

==== ===== ===== ========== =========================================
arm  case1 case2 mean       over repeats
==== ===== ===== ========== =========================================
x.0  1     0     0.5        means 0.5 and 1: mean 0.75, SD sqrt(0.125)
x.1  1     1     1          cases 1 and 0.5: SD sqrt(0.125)
y.0  0     0     0          variances 0 and 0.5: within sqrt(0.25)
y.1  1     0     0.5        y: means 0 and 0.5, cases 0.5 and 0
==== ===== ===== ========== =========================================
"""

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from routebench.reporting.figures import write_figure_files
from routebench.reporting.forest import whiskers
from routebench.reporting.tables import write_table_files
from routebench.reporting.views import ArmEntry, ResultFiles, StudySettings
from routebench.tables import read_rows, write_rows

RECALLS = {"x.0": (1, 0), "x.1": (1, 1), "y.0": (0, 0), "y.1": (1, 0)}
SPREAD = math.sqrt(0.125)


@pytest.fixture
def repeated(unpacked: ResultFiles, tmp_path: Path) -> ResultFiles:
    """The small study's first two cases, with the recalls above."""
    cases = read_rows(unpacked.cases, "cases")[:2]
    write_rows(unpacked.cases, "cases", cases)
    scores = [row for row in read_rows(unpacked.scores, "scores") if row["k"] == 8][:2]
    operations = read_rows(unpacked.operations["rg"][0], "operations")[:2]
    found: dict[str, list[Path]] = {}
    rows = []
    for number, (arm, recalls) in enumerate(RECALLS.items()):
        rows += [
            {**row, "arm": arm, "file_recall": recall}
            for row, recall in zip(scores, recalls, strict=True)
        ]
        found[arm] = [tmp_path / f"{arm}.parquet"]
        write_rows(found[arm][0], "operations", [{**row, "calls": number} for row in operations])
    write_rows(unpacked.scores, "scores", rows)
    statistic = read_rows(unpacked.statistics, "statistics")[0]
    compared = {"arm": "x", "comparator": "y", "subset": "all", "metric": "file_recall"}
    interval = {"delta": 0.5, "lower": 0.25, "upper": 0.75}
    write_rows(unpacked.statistics, "statistics", [{**statistic, **compared, **interval}])
    return ResultFiles(
        cases=unpacked.cases,
        gold=unpacked.gold,
        exclusions=unpacked.exclusions,
        scores=unpacked.scores,
        statistics=unpacked.statistics,
        operations=found,
    )


@pytest.fixture
def study() -> StudySettings:
    arms = tuple(ArmEntry(arm, "tree", "", arm[0]) for arm in RECALLS)
    return StudySettings(ks=(8,), arms=arms, comparator="y")


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_has_a_row_per_arm_and_comparison(
    repeated: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    write_table_files(
        query=queries / "repeats.sql", files=repeated, study=study, output=tmp_path / "repeats"
    )
    x, y = read_csv(tmp_path / "repeats.csv")
    assert (x["arm"], x["repeats"], x["calls"], x["comparator"]) == ("x", "2", "0.5", "y")
    assert (float(x["file_recall"]), float(x["delta"])) == (0.75, 0.5)
    assert [float(x[name]) for name in ("sd_repeats", "sd_within", "sd_between")] == [
        pytest.approx(value) for value in (SPREAD, 0.5, SPREAD)
    ]
    assert (y["arm"], float(y["file_recall"]), y["comparator"]) == ("y", 0.25, "")


def test_the_figure_has_a_dot_per_pair_of_repeats(
    repeated: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    write_figure_files(
        query=queries / "figure-repeats.sql", files=repeated, study=study, output=tmp_path / "r"
    )
    rows = read_csv(tmp_path / "r.csv")
    assert [(row["repeat"], float(row["difference"])) for row in rows] == [("0", 0.5), ("1", 0.5)]
    assert {float(row["delta"]) for row in rows} == {0.5}
    assert (tmp_path / "r.svg").stat().st_size > 1000


def test_an_arm_without_repeats_stands_beside_each_repeat_of_the_other(
    repeated: ResultFiles, queries: Path, tmp_path: Path
) -> None:
    """y.0 as an arm of its own: 0.5 - 0 and 1 - 0."""
    arms = [ArmEntry(arm, "tree", "", "x") for arm in ("x.0", "x.1")]
    study = StudySettings(ks=(8,), arms=(*arms, ArmEntry("y", "fts5")), comparator="y")
    rename(repeated, {"y.0": "y"}, without="y.1")
    write_figure_files(
        query=queries / "figure-repeats.sql", files=repeated, study=study, output=tmp_path / "r"
    )
    rows = read_csv(tmp_path / "r.csv")
    assert [(row["repeat"], float(row["difference"])) for row in rows] == [("0", 0.5), ("1", 1.0)]


def rename(files: ResultFiles, names: dict[str, str], *, without: str) -> None:
    rows = [row for row in read_rows(files.scores, "scores") if row["arm"] != without]
    renamed = [{**row, "arm": names.get(row["arm"], row["arm"])} for row in rows]
    write_rows(files.scores, "scores", renamed)
    operations: Any = files.operations
    operations.pop(without)
    for old, new in names.items():
        operations[new] = operations.pop(old)


def test_an_interval_that_is_the_mean_but_for_its_last_bit_can_be_drawn() -> None:
    """An error bar of -6e-17 is refused."""
    assert whiskers(0.3, 0.1 + 0.2, 0.1 + 0.2) == [[0.0], [pytest.approx(0.0)]]


def test_a_figure_without_comparisons_says_so(
    repeated: ResultFiles,
    study: StudySettings,
    queries: Path,
    tmp_path: Path,
    rewrite: Callable[..., None],
) -> None:
    rewrite(repeated.statistics, "statistics", lambda rows: [])
    write_figure_files(
        query=queries / "figure-repeats.sql", files=repeated, study=study, output=tmp_path / "r"
    )
    assert read_csv(tmp_path / "r.csv") == []
