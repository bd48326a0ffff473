from decimal import Decimal

import pytest

from routebench.verification.finding import Found
from routebench.verification.published import Claim
from routebench.verification.summary import summary_text
from routebench.verification.verdicts import DIFFERENT, EQUAL, NOT_COMPARABLE, judge


def claim(printed: str, *, exact: bool = False) -> Claim:
    return Claim("Table 2", "Tree", "File@8", printed, "paper", exact=exact)


@pytest.mark.parametrize(
    ("printed", "exact", "ours", "status"),
    [
        ("0.465", False, "0.46472", EQUAL),
        ("0.465", False, "0.46449", DIFFERENT),
        ("0.465", True, "0.4650000009", EQUAL),
        ("0.465", True, "0.4650000011", DIFFERENT),
        ("82", True, "82", EQUAL),
        ("82", False, "81", DIFFERENT),
    ],
)
def test_printed_digits_or_nine_places(printed: str, exact: bool, ours: str, status: str) -> None:
    assert judge(claim(printed, exact=exact), Found(Decimal(ours))).status == status


def test_a_verdict_shows_ours_in_full_and_as_printed() -> None:
    verdict = judge(claim("0.465"), Found(Decimal("0.46472"), "a note"))
    assert (verdict.ours, verdict.rounded, verdict.reason) == ("0.46472", "0.465", "a note")


def test_without_a_number_there_is_a_reason() -> None:
    verdict = judge(claim("0.443"), Found(None, "no contexts"))
    assert (verdict.status, verdict.ours, verdict.reason) == (NOT_COMPARABLE, "", "no contexts")


def test_the_summary_counts_and_lists_what_differs() -> None:
    verdicts = [
        judge(claim("0.465"), Found(Decimal("0.46472"))),
        judge(claim("0.591"), Found(Decimal("0.58"))),
        judge(claim("0.443"), Found(None, "no contexts")),
    ]
    text = summary_text("paper", verdicts)
    assert "1 equal, 1 different, 1 not comparable." in text
    assert "| Table 2 | Tree  | File@8   | 0.591       | 0.580  | 0.58        |" in text
    assert "| Table 2 | no contexts | 1         |" in text
    assert "No differences" not in text
