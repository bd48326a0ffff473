from decimal import Decimal
from typing import Any

import pytest

from routebench.errors import RoutebenchError
from routebench.verification.cohort import Gaps
from routebench.verification.finding import LIVE, NO_CONTEXTS, NO_TEXTS, find_number, take
from routebench.verification.forms import Measure, Rows
from routebench.verification.relations import Indexed, Results

COMPLETE = Gaps(published={}, excluded={}, missing=frozenset(), extra=0)
RECALL = Measure(of="scores", take="mean", value="file_recall")


def scores() -> list[dict[str, Any]]:
    recalls = {"tree": (1.0, 0.5, 0.0), "fts5": (0.0, 0.5, 0.25)}
    return [
        {"arm": arm, "file_recall": recall, "line_recall": None, "names_gold_path": place > 0}
        for arm, values in recalls.items()
        for place, recall in enumerate(values)
    ]


def study(**relations: list[dict[str, Any]]) -> Results:
    names = ("cases", "scores", "operations", "statistics", "spans")
    filled = {name: Indexed(relations.get(name, [])) for name in names}
    arms = {"tree": "archive", "fts5": "fts5"}
    return Results(filled, arms, exclusions={}, borrowed=frozenset(["names_gold_path"]))


def test_a_mean_over_the_rows_that_count() -> None:
    found = find_number(study(scores=scores()), COMPLETE, RECALL, Rows(where={"arm": "tree"}))
    assert found == (Decimal("0.5"), "")


def test_differences_and_ratios_change_one_condition() -> None:
    results = study(scores=scores())
    minus = Rows(where={"arm": "tree"}, minus={"arm": "fts5"})
    per = Rows(where={"arm": "tree"}, per={"arm": "fts5"})
    assert find_number(results, COMPLETE, RECALL, minus).value == Decimal("0.25")
    assert find_number(results, COMPLETE, RECALL, per).value == Decimal(2)


def test_a_borrowed_flag_is_named() -> None:
    rows = Rows(where={"arm": "tree", "names_gold_path": True})
    found = find_number(study(scores=scores()), COMPLETE, RECALL, rows)
    assert found == (Decimal("0.25"), "names_gold_path as published: no issue texts")


def test_values_that_a_study_without_repositories_lacks() -> None:
    lines = Measure(of="scores", take="mean", value="line_recall")
    found = find_number(study(scores=scores()), COMPLETE, lines, Rows(where={"arm": "tree"}))
    assert found == (None, NO_CONTEXTS)


def test_a_flag_that_is_not_known_of_every_case_decides_nothing() -> None:
    cases = [{"names_gold_path": True}, {"names_gold_path": None}]
    counted = Measure(of="cases", take="count")
    rows = Rows(where={"names_gold_path": True})
    assert find_number(study(cases=cases), COMPLETE, counted, rows) == (None, NO_TEXTS)


def test_costs_are_compared_for_archived_arms_only() -> None:
    rows = [{"arm": arm, "query_ms": 1500.0} for arm in ("tree", "fts5")]
    seconds = Measure(of="operations", take="mean", value="query_ms", times="0.001")
    results = study(operations=rows)
    tree, fts5 = (Rows(where={"arm": arm}) for arm in ("tree", "fts5"))
    assert find_number(results, COMPLETE, seconds, tree).value == Decimal("1.5")
    assert find_number(results, COMPLETE, seconds, fts5) == (None, LIVE)


def test_an_arm_or_a_row_that_is_not_there() -> None:
    other = find_number(study(scores=scores()), COMPLETE, RECALL, Rows(where={"arm": "flat"}))
    assert other == (None, "the study has no arm flat")
    delta = Measure(of="statistics", take="only", value="delta")
    missing = find_number(study(), COMPLETE, delta, Rows(where={"comparison": "tree-rg"}))
    assert missing.note == "statistics: the study has no row with comparison tree-rg"


@pytest.mark.parametrize(
    ("kind", "number"),
    [("mean", 5.5), ("sum", 55), ("count", 10), ("distinct", 10), ("median", 5.5), ("p95", 9)],
)
def test_what_rows_become(kind: Any, number: float) -> None:
    """p95 is the element at floor(0.95 · 9) = 8 of ten, numpy's method ``lower``."""
    rows = [{"ms": value} for value in range(10, 0, -1)]
    assert take(Measure(of="operations", take=kind, value="ms"), rows) == number


def test_a_ratio_of_sums() -> None:
    micro = Measure(of="scores", take="sum", value="found", over="gold")
    assert take(micro, [{"found": 1, "gold": 1}, {"found": 0, "gold": 3}]) == 0.25


def test_one_row_is_one_row() -> None:
    with pytest.raises(RoutebenchError, match="2 rows where one was expected"):
        take(Measure(of="rankings", take="only", value="rank"), [{"rank": 1}, {"rank": 2}])
