import random
import time

import numpy as np
import pytest

from routebench.errors import RoutebenchError
from routebench.statistics.bootstrap import (
    Interval,
    bootstrap_interval,
    cluster_values,
    draw_counts,
)


def published_interval(values: list[float], clusters: list[str], resamples: int) -> Interval:
    """The definition word by word: METHODS Intervals."""
    names = sorted(set(clusters))
    members = {
        name: [v for v, c in zip(values, clusters, strict=True) if c == name] for name in names
    }
    generator, means = random.Random(0), []
    for _ in range(resamples):
        drawn = [v for name in generator.choices(names, k=len(names)) for v in members[name]]
        means.append(sum(drawn) / len(drawn))
    means.sort()
    bounds = means[int(0.025 * resamples)], means[int(0.975 * resamples) - 1]
    return Interval(sum(values) / len(values), *bounds)


def random_cases(cases: int, clusters: int) -> tuple[list[float], list[str]]:
    generator = random.Random(5)
    values = [generator.choice([-1.0, -0.5, 0.0, 1 / 3, 1.0]) for _ in range(cases)]
    return values, [f"o/{generator.randrange(clusters)}" for _ in range(cases)]


def test_clusters_are_sorted_by_name() -> None:
    clustered = cluster_values([1.0, 2.0, 4.0], ["o/b", "o/a", "o/b"])
    assert clustered.sums.tolist() == [2.0, 5.0]
    assert clustered.sizes.tolist() == [1.0, 2.0]


def test_draws_are_those_of_random_choices() -> None:
    names = ["a", "b", "c"]
    generator = random.Random(7)
    expected = [
        [drawn.count(name) for name in names]
        for drawn in (generator.choices(names, k=3) for _ in range(50))
    ]
    assert draw_counts(3, seed=7, resamples=50).tolist() == expected


@pytest.mark.parametrize(("cases", "clusters"), [(82, 11), (5, 3), (9, 1), (40, 25)])
@pytest.mark.parametrize("resamples", [40, 1_000])
def test_interval_equals_its_definition(cases: int, clusters: int, resamples: int) -> None:
    values, names = random_cases(cases, clusters)
    ours = bootstrap_interval(cluster_values(values, names), seed=0, resamples=resamples)
    assert ours == pytest.approx(published_interval(values, names, resamples), rel=0, abs=1e-12)


def test_cases_weigh_the_same_whatever_their_cluster() -> None:
    """One cluster of three cases and one of one: a mean is 0, 1/4 or 1, never 1/2."""
    clustered = cluster_values([1.0, 0.0, 0.0, 0.0], ["o/a", "o/b", "o/b", "o/b"])
    interval = bootstrap_interval(clustered, seed=0, resamples=1_000)
    assert interval == Interval(0.25, 0.0, 1.0)


def test_a_single_cluster_has_no_spread() -> None:
    interval = bootstrap_interval(cluster_values([1.0, 0.0], ["a", "a"]), seed=0, resamples=40)
    assert interval == Interval(0.5, 0.5, 0.5)


@pytest.mark.parametrize(("values", "resamples"), [([], 40), ([1.0], 39)])
def test_nothing_to_draw_is_refused(values: list[float], resamples: int) -> None:
    clustered = cluster_values(values, ["a"] * len(values))
    with pytest.raises(RoutebenchError, match="expected at least 1 and 40"):
        bootstrap_interval(clustered, seed=0, resamples=resamples)


def test_24_comparisons_of_82_cases_take_under_two_seconds() -> None:
    values, names = random_cases(82, 11)
    draw_counts.cache_clear()
    start = time.perf_counter()
    for comparison in range(24):
        shifted = (np.asarray(values) * comparison).tolist()
        bootstrap_interval(cluster_values(shifted, names), seed=0, resamples=10_000)
    assert time.perf_counter() - start < 2
