import pytest

from routebench.statistics.sign_test import sign_test_p


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),  # 2 · 1/2
        (5, 0, 2 / 32),
        (0, 5, 2 / 32),
        (4, 1, 2 * (1 + 5) / 32),
        (3, 3, 1.0),  # 2 · (1 + 6 + 15 + 20) / 64 is above 1
        (15, 0, 2 / 2**15),
    ],
)
def test_p_worked_by_hand(better: int, worse: int, p: float) -> None:
    assert sign_test_p(better, worse) == p


def test_large_counts_do_not_overflow() -> None:
    assert 0 < sign_test_p(400, 100) < 1e-40
