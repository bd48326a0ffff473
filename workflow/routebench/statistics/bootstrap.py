"""Paired cluster bootstrap (METHODS Intervals).

The draws are those of ``random.Random(seed).choices(names, k=n)``, one after another, so
intervals equal the published ones; only the arithmetic is done on whole arrays.
"""

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from routebench.errors import RoutebenchError

Numbers = npt.NDArray[np.float64]
FEWEST_RESAMPLES = 40
# As many as there are subsets of cases, each drawn by repositories and by cases.
DRAWS_KEPT = 20


class Interval(NamedTuple):
    """A mean difference with the bounds of its 95 % interval."""

    mean: float
    lower: float
    upper: float


class Clustered(NamedTuple):
    """Values summed by cluster, clusters sorted by name.

    Attributes:
        sums: sum of the values of each cluster.
        sizes: number of values of each cluster.
    """

    sums: Numbers
    sizes: Numbers


def cluster_values(values: Sequence[float], clusters: Sequence[str]) -> Clustered:
    """Returns the sums and sizes of clusters.

    Args:
        values: one per case.
        clusters: name of each case's cluster, in the same order.
    """
    _, index = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    sums = np.bincount(index, weights=np.asarray(values, dtype=np.float64)).astype(np.float64)
    return Clustered(sums, np.bincount(index).astype(np.float64))


def bootstrap_interval(clustered: Clustered, *, seed: int, resamples: int) -> Interval:
    """Returns the mean of all values and its percentile interval.

    Each resample draws as many clusters as there are and takes the mean over all their
    values, each with equal weight. The bounds are elements ⌊0.025·R⌋ and ⌊0.975·R⌋ - 1,
    from 0, of the R sorted means.

    Raises:
        RoutebenchError: no values, or fewer than 40 resamples.
    """
    if not clustered.sizes.size or resamples < FEWEST_RESAMPLES:
        raise RoutebenchError(
            f"bootstrap: {clustered.sizes.size} clusters, {resamples} resamples; "
            f"expected at least 1 and {FEWEST_RESAMPLES}"
        )
    drawn = draw_counts(clustered.sizes.size, seed=seed, resamples=resamples)
    means = np.sort((drawn @ clustered.sums) / (drawn @ clustered.sizes))
    mean = clustered.sums.sum() / clustered.sizes.sum()
    lower, upper = resamples * 25 // 1000, resamples * 975 // 1000 - 1
    return Interval(float(mean), float(means[lower]), float(means[upper]))


@lru_cache(DRAWS_KEPT)
def draw_counts(clusters: int, *, seed: int, resamples: int) -> Numbers:
    """Returns how often each resample drew each cluster: shape (resamples, clusters).

    ``choices`` takes one random number per item, so one call for all resamples draws the
    same clusters as one call for each.
    """
    drawn = random.Random(seed).choices(range(clusters), k=clusters * resamples)
    places = np.asarray(drawn).reshape(resamples, clusters)
    offsets = np.arange(resamples)[:, None] * clusters
    counts = np.bincount((places + offsets).ravel(), minlength=resamples * clusters)
    table: Numbers = counts.reshape(resamples, clusters).astype(np.float64)
    table.setflags(write=False)
    return table
