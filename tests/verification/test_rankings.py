import pytest

from routebench.arms.base import Ranked
from routebench.verification.rankings import CUT, IDENTICAL, UP_TO_TIES, compare_lists
from routebench.verification.verdicts import DIFFERENT, EQUAL, NOT_COMPARABLE

SHORT = [Ranked("a", 3.0), Ranked("b", 2.0), Ranked("c", 2.0)]
# Sixteen paths, of which the last three have equal scores.
FULL = [Ranked(f"p{place:02}", float(max(20 - place, 6))) for place in range(1, 17)]
PATHS = [item.path for item in FULL]


def test_identical_lists() -> None:
    assert compare_lists(SHORT, ["a", "b", "c"], ties=False) == (EQUAL, IDENTICAL)


def test_equal_scores_in_another_order_where_ties_are_open() -> None:
    assert compare_lists(SHORT, ["a", "c", "b"], ties=True) == (EQUAL, UP_TO_TIES)
    status, said = compare_lists(SHORT, ["a", "c", "b"], ties=False)
    assert (status, said) == (DIFFERENT, "rank 2 is b, published c")


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        (["b", "a", "c"], "rank 1 is a, published b"),
        (["a", "b"], "3 paths, published 2"),
        (["a", "b", "x"], "rank 3 is c, published x"),
    ],
)
def test_lists_that_differ(theirs: list[str], said: str) -> None:
    assert compare_lists(SHORT, theirs, ties=True) == (DIFFERENT, said)


def test_a_list_cut_inside_a_group_of_equal_scores_is_left_open() -> None:
    assert FULL[13].score == FULL[14].score == FULL[15].score
    assert compare_lists(FULL, [*PATHS[:15], "beyond"], ties=True) == (NOT_COMPARABLE, CUT)
    status, _ = compare_lists(FULL, [*PATHS[:12], "beyond", *PATHS[13:]], ties=True)
    assert status == DIFFERENT
