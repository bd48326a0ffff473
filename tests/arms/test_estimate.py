"""Estimates against what the arms then ask."""

from types import SimpleNamespace

import pytest

from routebench.arms.estimate import (
    Estimate,
    TokenRates,
    estimate_flat,
    estimate_tree,
    random_descent,
    total,
    tree_bound,
)
from routebench.arms.flat import FlatParameters
from routebench.arms.menus import build_tree
from routebench.arms.tree import TreeParameters

TREE = TreeParameters(model="m", instruction="II", state_prefix="S", query_characters=1)
FLAT = FlatParameters(model="m", instruction="II", state_prefix="S", query_characters=1)


def tree_of(*paths):
    return build_tree(SimpleNamespace(path=path, mode="100644") for path in paths)


def test_flat_counts_what_a_tournament_asks():
    """Three menus of 200, 200 and 1 options leave 33: 434 options of 13 + 4 characters."""
    paths = [f"{i:04}" for i in range(401)]
    estimate = estimate_flat(paths, FLAT, case_id="c", query="Why?")
    assert estimate == Estimate(4, 434, 434 * 17 + 4 * 4)


def test_flat_with_matched_calls_counts_the_menus_played():
    paths = [f"{i:04}" for i in range(401)]
    estimate = estimate_flat(paths, FLAT, case_id="c", query="Why?", limit=1)
    assert estimate == Estimate(1, 200, 200 * 17 + 4)
    assert estimate_flat([], FLAT, case_id="c", query="Why?") == Estimate()


def test_a_random_descent_opens_each_child_alike():
    """The root has three children, so its directory is opened in one walk of three."""
    visits = random_descent(tree_of("a", "b", "d/x", "d/y", "d/z"), "", TREE)
    assert [(v.chance, v.parts, v.options) for v in visits] == [
        (1, 1, 3),
        (pytest.approx(1 / 3), 1, 3),
    ]


def test_directories_with_one_child_cost_nothing():
    assert estimate_tree(tree_of("d/e/f"), TREE, "Why?") == Estimate()
    assert tree_bound(tree_of("d/e/f"), TREE, "Why?") == Estimate()


def test_the_tree_is_expected_to_ask_menus_of_a_descent():
    """One menu: ``a: - [a](a)`` and ``b: - [b](b)``, 11 characters each, and 4 around."""
    assert estimate_tree(tree_of("a", "b"), TREE, "Why?") == Estimate(1, 2, 26)


def test_the_tree_asks_at_most_its_largest_menus():
    tree = tree_of(*(f"d{i}/{name}" for i in range(40) for name in "xy"))
    bound = tree_bound(tree, TREE, "Why?")
    assert (bound.calls, bound.options) == (32, 40 + 31 * 2)
    assert estimate_tree(tree, TREE, "Why?").calls == 9


def test_tokens_are_linear_in_calls_options_and_characters():
    rates = TokenRates(100, 10, 0.25, 5, 2)
    estimate = total([Estimate(1, 2, 30), Estimate(1, 1, 11)])
    assert estimate == Estimate(2, 3, 41)
    assert (estimate.input_tokens(rates), estimate.output_tokens(rates)) == (241, 16)
