"""Paired differences between arms, with intervals (METHODS Intervals)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from routebench.errors import RoutebenchError
from routebench.evaluation.readers import read_columns
from routebench.statistics.bootstrap import bootstrap_interval, cluster_values
from routebench.statistics.sign_flip import sign_flip_p
from routebench.statistics.sign_test import sign_test_p
from routebench.statistics.subgroups import SUBSETS
from routebench.tables import read_rows, write_rows

Row = dict[str, Any]
Values = npt.NDArray[np.float64]
FILE_METRIC = "file_recall"
LINE_METRIC = "line_recall"


class Setting(NamedTuple):
    """What is compared: a metric at one k and, for line metrics, one budget."""

    metric: str
    budget: int | None
    k: int


@dataclass(frozen=True, slots=True)
class Paired:
    """The cases of a study and how resampling treats them.

    Attributes:
        repositories: cluster of each case.
        subsets: which cases are in each subset, by name; same order.
        seed: seed of the bootstrap.
        resamples: its number of draws.
        instances: id of each case, where cases are resampled too.
    """

    repositories: Sequence[str]
    subsets: Mapping[str, npt.NDArray[np.bool_]]
    seed: int
    resamples: int
    instances: Sequence[str] | None = None


def compare_arms(
    *,
    scores: Path,
    cases: Path,
    comparisons: Sequence[tuple[str, str]],
    families: Mapping[str, Sequence[str]] | None = None,
    seed: int,
    resamples: int,
    output: Path,
    instances: bool = False,
) -> None:
    """Writes the table statistics: comparisons as given, then metric, budget, k and subset.

    File recall is compared once, line recall at every budget that both arms have. A subset
    without cases has no row.

    Args:
        scores: table of scores.
        cases: table of cases.
        comparisons: pairs of arm and comparator; the comparator is subtracted.
        families: repeated arms: their repeats, whose scores of a case are averaged.
        seed: seed of the bootstrap.
        resamples: its number of draws, at least 40.
        output: where the table is written.
        instances: whether cases are resampled too, not only repositories.

    Raises:
        RoutebenchError: an arm has no score for one of the cases.
    """
    listed = read_rows(cases, "cases")
    paired = Paired(
        repositories=[case["repo"] for case in listed],
        subsets={s.name: np.array([s.holds(c) for c in listed], dtype=bool) for s in SUBSETS},
        seed=seed,
        resamples=resamples,
        instances=[case["case_id"] for case in listed] if instances else None,
    )
    arms = _read_grid(scores, [case["case_id"] for case in listed])
    grid = {**arms, **{name: average(names, arms) for name, names in (families or {}).items()}}
    rows = (row for pair in comparisons for row in _comparison_rows(pair, grid, paired))
    write_rows(output, "statistics", rows)


def compare_values(values: Values, comparator: Values, paired: Paired) -> Iterator[Row]:
    """Yields the statistics of every subset that has cases, under the names of the columns.

    Args:
        values: scores of the arm, one per case.
        comparator: scores of the other arm, in the same order.
        paired: the cases.
    """
    for subset, chosen in paired.subsets.items():
        if chosen.any():
            places = np.flatnonzero(chosen).tolist()
            yield {"subset": subset, **_statistics(values - comparator, places, paired)}


def _statistics(all_differences: Values, places: Sequence[int], paired: Paired) -> Row:
    differences = all_differences[places]
    clustered = cluster_values(differences.tolist(), [paired.repositories[p] for p in places])
    interval = bootstrap_interval(clustered, seed=paired.seed, resamples=paired.resamples)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return {
        "n_cases": len(differences),
        "n_clusters": len(clustered.sizes),
        "delta": interval.mean,
        "lower": interval.lower,
        "upper": interval.upper,
        "p": sign_flip_p(clustered.sums.tolist()),
        "wins": wins,
        "ties": len(differences) - wins - losses,
        "losses": losses,
        "sign_p": sign_test_p(wins, losses),
        **_instance_bounds(differences, places, paired),
    }


def _instance_bounds(differences: Values, places: Sequence[int], paired: Paired) -> Row:
    if paired.instances is None:
        return {"instance_lower": None, "instance_upper": None}
    clustered = cluster_values(differences.tolist(), [paired.instances[p] for p in places])
    interval = bootstrap_interval(clustered, seed=paired.seed, resamples=paired.resamples)
    return {"instance_lower": interval.lower, "instance_upper": interval.upper}


Grid = Mapping[str, Mapping[Setting, Values]]


def _read_grid(scores: Path, case_ids: Sequence[str]) -> Grid:
    """Reads the scores of each arm and setting as one value per case; NaN where there is none."""
    places = {case_id: place for place, case_id in enumerate(case_ids)}
    columns = ["arm", "case_id", "k", "budget", FILE_METRIC, LINE_METRIC]
    grid: dict[str, dict[Setting, Values]] = defaultdict(
        lambda: defaultdict(lambda: np.full(len(case_ids), np.nan))
    )
    for arm, case_id, k, budget, files, lines in read_columns(scores, "scores", columns):
        grid[arm][Setting(FILE_METRIC, None, k)][places[case_id]] = files
        if lines is not None:
            grid[arm][Setting(LINE_METRIC, budget, k)][places[case_id]] = lines
    return grid


def average(arms: Sequence[str], grid: Grid) -> Mapping[Setting, Values]:
    """Returns the mean scores of several arms at the settings that all of them have."""
    found = [grid.get(arm, {}) for arm in arms]
    shared = (setting for setting in found[0] if all(setting in scores for scores in found))
    return {setting: np.mean([scores[setting] for scores in found], axis=0) for setting in shared}


def _comparison_rows(pair: tuple[str, str], grid: Grid, paired: Paired) -> Iterator[Row]:
    arm, comparator = pair
    name = {"comparison": f"{arm}-{comparator}", "arm": arm, "comparator": comparator}
    first, second = (_scores_of(each, grid, paired) for each in pair)
    for setting in sorted(first.keys() & second.keys(), key=_order):
        head = {**name, **setting._asdict()}
        for row in compare_values(first[setting], second[setting], paired):
            yield {**head, **row}


def _scores_of(arm: str, grid: Grid, paired: Paired) -> Mapping[Setting, Values]:
    found = grid.get(arm, {})
    if paired.repositories and (not found or any(np.isnan(v).any() for v in found.values())):
        raise RoutebenchError(f"statistics: arm {arm} lacks scores of some cases; rerun scores")
    return found


def _order(setting: Setting) -> tuple[str, int, int]:
    return setting.metric, setting.budget or 0, setting.k
