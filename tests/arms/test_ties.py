import pytest

from routebench.arms.base import Ranked
from routebench.arms.ties import same_up_to_ties

# Two groups of equal score, {b, c} and {d, e, f}, between single places.
OURS = [Ranked(path, score) for path, score in zip("abcdefg", [9, 7, 7, 5, 5, 5, 1], strict=True)]


@pytest.mark.parametrize("published", ["abcdefg", "acbdefg", "acbfedg"])
def test_orders_within_groups_are_the_same(published):
    assert same_up_to_ties(OURS, list(published), 16)


@pytest.mark.parametrize("published", ["bacdefg", "abcdegf", "abdcefg"])
def test_orders_across_groups_are_not(published):
    assert not same_up_to_ties(OURS, list(published), 16)


@pytest.mark.parametrize(
    ("published", "same"), [("abcd", 1), ("abcf", 1), ("acbe", 1), ("abcg", 0)]
)
def test_the_cut_may_fall_inside_a_group(published, same):
    assert same_up_to_ties(OURS, list(published), 4) == bool(same)


@pytest.mark.parametrize("published", ["abcdef", "abcdefgh", "abcdeeg", "abbdefg", ""])
def test_a_missing_added_or_repeated_path_is_not_the_same(published):
    assert not same_up_to_ties(OURS, list(published), 16)


def test_empty_lists_are_the_same():
    assert same_up_to_ties([], [], 16)
