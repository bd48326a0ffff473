"""What came of one published number."""

from dataclasses import dataclass
from decimal import Decimal

from routebench.verification.finding import Found
from routebench.verification.printed import round_like
from routebench.verification.published import Claim

EQUAL = "equal"
DIFFERENT = "different"
NOT_COMPARABLE = "not comparable"
TOLERANCE = Decimal("1e-9")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A published number beside ours, under the names of the columns of ``verify.csv``.

    Attributes:
        table: table or section.
        row: its row.
        column: its column.
        published: the number as published.
        ours: ours at full precision; empty if there is none.
        rounded: ours as it would have been printed.
        status: equal, different or not comparable.
        reason: why not comparable, or what must be known of the comparison.
        source: where the number was published.
    """

    table: str
    row: str
    column: str
    published: str
    ours: str
    rounded: str
    status: str
    reason: str
    source: str


def judge(claim: Claim, found: Found) -> Verdict:
    """Compares a published number with ours.

    Ours is equal if it has the same digits when rounded as printed; a number at full
    precision, if it differs by at most 1e-9.
    """
    if found.value is None:
        return _verdict(claim, "", "", NOT_COMPARABLE, found.note)
    ours = _text(found.value)
    rounded = ours if claim.exact else round_like(found.value, claim.printed)
    near = abs(found.value - Decimal(claim.printed)) <= TOLERANCE if claim.exact else False
    is_equal = near or rounded == claim.printed
    return _verdict(claim, ours, rounded, EQUAL if is_equal else DIFFERENT, found.note)


def _text(value: Decimal) -> str:
    return str(int(value)) if value == value.to_integral_value() else repr(float(value))


def _verdict(claim: Claim, ours: str, rounded: str, status: str, reason: str) -> Verdict:
    return Verdict(
        table=claim.table,
        row=claim.row,
        column=claim.column,
        published=claim.printed,
        ours=ours,
        rounded=rounded,
        status=status,
        reason=reason,
        source=claim.source,
    )
