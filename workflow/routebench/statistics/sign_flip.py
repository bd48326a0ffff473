"""Exact cluster sign-flip test (METHODS Intervals)."""

from collections.abc import Sequence

import numpy as np

MOST_CLUSTERS = 20
TOLERANCE = 1e-12


def sign_flip_p(sums: Sequence[float]) -> float | None:
    """Returns the share of sign patterns whose total is at least as far from 0 as observed.

    All 2ⁿ patterns are tried. Beyond 20 clusters the test is left out (None): a sampled or
    rounded p would be another measure under the same name.

    Args:
        sums: sum of the case differences of each cluster.
    """
    if len(sums) > MOST_CLUSTERS:
        return None
    totals = np.zeros(1)
    for value in sums:
        totals = np.concatenate((totals + value, totals - value))
    return float(np.mean(np.abs(totals) >= abs(totals[0]) - TOLERANCE))
