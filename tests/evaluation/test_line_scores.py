import pytest

from routebench.errors import RoutebenchError
from routebench.evaluation.line_scores import (
    Lines,
    LineScores,
    count_shared,
    merge_lines,
    score_lines,
)


@pytest.mark.parametrize(
    ("ranges", "merged"),
    [
        ([], ()),
        ([(5, 6), (1, 3)], ((1, 3), (5, 6))),
        ([(1, 3), (4, 6)], ((1, 6),)),  # touching
        ([(1, 9), (2, 3)], ((1, 9),)),  # nested
        ([(1, 4), (3, 6), (3, 6)], ((1, 6),)),
    ],
)
def test_merged_ranges(ranges: list[Lines], merged: tuple[Lines, ...]) -> None:
    assert merge_lines(ranges) == merged


@pytest.mark.parametrize(
    ("left", "right", "shared"),
    [
        (((1, 10),), ((3, 4), (9, 20)), 4),  # 3 4 9 10
        (((1, 2), (5, 6)), ((2, 5),), 2),  # 2 5
        (((1, 2),), ((3, 4),), 0),
        (((7, 7),), ((7, 7),), 1),
        ((), ((1, 4),), 0),
    ],
)
def test_shared_lines(left: tuple[Lines, ...], right: tuple[Lines, ...], shared: int) -> None:
    assert count_shared(left, right) == count_shared(right, left) == shared


@pytest.mark.parametrize(
    ("delivered", "expected"),
    [
        ({}, LineScores(0.0, False)),
        ({"a": [(1, 5)]}, LineScores(0.25, False)),  # 4 5 of a: 2 of 8
        ({"a": [(6, 20), (1, 5)], "b": [(1, 1)]}, LineScores(1.0, True)),
        ({"a": [(4, 10), (4, 10)]}, LineScores(0.875, False)),  # a line counts once: 7 of 8
        ({"z": [(1, 99)]}, LineScores(0.0, False)),
    ],
)
def test_scores_worked_by_hand(delivered: dict[str, list[Lines]], expected: LineScores) -> None:
    gold = {"a": ((4, 10),), "b": ((1, 1),)}
    assert score_lines(gold, delivered) == expected


def test_a_whole_file_of_two_billion_lines_costs_nothing() -> None:
    assert score_lines({"a": ((1, 2**31 - 1),)}, {"a": [(1, 2**31 - 1)]}).complete_lines


def test_a_case_without_gold_lines_is_refused() -> None:
    with pytest.raises(RoutebenchError, match="gold lines: expected at least one"):
        score_lines({}, {})
