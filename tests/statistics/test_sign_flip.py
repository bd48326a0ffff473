from itertools import product

import pytest

from routebench.statistics.sign_flip import sign_flip_p


@pytest.mark.parametrize(
    ("sums", "p"),
    [
        ([1.0, 2.0, 3.0], 2 / 8),  # +++ and ---
        ([3.0, -1.0], 4 / 4),  # |2| is the smallest of |±3 ± 1|
        ([3.0, 1.0], 2 / 4),
        ([0.0, 5.0], 4 / 4),
        ([0.1, 0.2, -0.3], 8 / 8),  # 0.1 + 0.2 - 0.3 is 0 up to rounding
        ([2.0], 1.0),
        ([], 1.0),
    ],
)
def test_p_worked_by_hand(sums: list[float], p: float) -> None:
    assert sign_flip_p(sums) == p


def test_all_patterns_are_counted_once() -> None:
    sums = [0.5, -1.25, 0.75, 2.0, 0.0, -0.25]
    totals = [
        sum(s * v for s, v in zip(signs, sums, strict=True)) for signs in product((1, -1), repeat=6)
    ]
    expected = sum(abs(total) >= abs(sum(sums)) - 1e-12 for total in totals) / 64
    assert sign_flip_p(sums) == expected


def test_twenty_clusters_are_exact_and_more_are_left_out() -> None:
    assert sign_flip_p([1.0] * 20) == 2 / 2**20
    assert sign_flip_p([1.0] * 21) is None
