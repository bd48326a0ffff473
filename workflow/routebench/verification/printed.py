"""Numbers as a paper prints them, and ours rounded likewise."""

import re
from decimal import ROUND_HALF_UP, Decimal

NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?K?")
THOUSAND = 3
# A mean of floats may fall short of a half by its last bits; this is far below any printed digit.
NOISE = Decimal("1e-12")


def split_numbers(cell: str) -> list[str]:
    """Returns the numbers of a printed cell: ``+0.113 [0.053, 0.168]`` holds three."""
    return NUMBER.findall(cell)


def round_like(value: Decimal, printed: str) -> str:
    """Returns a value as the paper would have printed it.

    It gets as many decimals as ``printed`` has, a plus sign if that has one, and thousands
    as K. Halves go away from zero: Table 7 prints 0.125 as 0.13.

    Args:
        value: our value.
        printed: a number as ``split_numbers`` returns it.
    """
    power = THOUSAND if printed.endswith("K") else 0
    decimals = len(printed.removesuffix("K").partition(".")[2])
    clean = value.quantize(NOISE)
    rounded = clean.quantize(Decimal(1).scaleb(power - decimals), ROUND_HALF_UP).scaleb(-power)
    sign = "+" if printed.startswith("+") else "-"
    shown = format(rounded if rounded else abs(rounded), f"{sign}.{decimals}f")
    return shown + "K" * bool(power)
