from decimal import Decimal

import pytest

from routebench.verification.printed import round_like, split_numbers


@pytest.mark.parametrize(
    ("cell", "numbers"),
    [
        ("+0.113 [0.053, 0.168]", ["+0.113", "0.053", "0.168"]),
        ("+0.026 [-0.013, 0.069]", ["+0.026", "-0.013", "0.069"]),
        ("12/82", ["12", "82"]),
        ("108/391 (0.276)", ["108", "391", "0.276"]),
        ("$0.000512", ["0.000512"]),
        ("12.2K", ["12.2K"]),
        ("9.08/13.52", ["9.08", "13.52"]),
    ],
)
def test_numbers_of_a_printed_cell(cell: str, numbers: list[str]) -> None:
    assert split_numbers(cell) == numbers


@pytest.mark.parametrize(
    ("value", "printed", "shown"),
    [
        ("0.35163857", "0.352", "0.352"),
        # Halves go away from zero; half to even would give 0.12 and -0.12.
        ("0.125", "0.13", "0.13"),
        ("-0.125", "-0.13", "-0.13"),
        # A half that floats left a little short of itself.
        ("12.49999999999999", "13", "13"),
        ("12.4999999999", "13", "12"),
        ("0.1134", "+0.113", "+0.113"),
        ("-0.0204", "-0.020", "-0.020"),
        ("-0.0001", "+0.113", "+0.000"),
        ("156436.8", "156K", "156K"),
        ("12249", "12.2K", "12.2K"),
        ("1927.1", "1.93K", "1.93K"),
        ("82", "82", "82"),
        ("0.00051178", "0.000512", "0.000512"),
    ],
)
def test_our_value_is_rounded_as_printed(value: str, printed: str, shown: str) -> None:
    assert round_like(Decimal(value), printed) == shown
