"""Exact sign test of better against worse, ties left out."""

from math import comb


def sign_test_p(better: int, worse: int) -> float:
    """Returns the two-sided p: how likely a fair coin is to part them at least so unevenly.

    2 · Σ C(n, i) / 2ⁿ for i up to the smaller count, at most 1; n counts both. Without any
    difference it is 1.

    Args:
        better: how many cases an arm wins.
        worse: how many it loses.
    """
    total = better + worse
    tail = sum(comb(total, i) for i in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / (1 << total))
