"""The readable summary of a verification."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tabulate import tabulate

from routebench.verification import rankings
from routebench.verification.verdicts import DIFFERENT, EQUAL, NOT_COMPARABLE, Verdict

STATUSES = (EQUAL, DIFFERENT, NOT_COMPARABLE)
RULE = (
    "Ours is rounded as the number was printed, halves away from zero, and must have the same "
    "digits. Values that were published at full precision must agree within 1e-9."
)


def summary_text(study: str, verdicts: Sequence[Verdict]) -> str:
    """Returns the summary in Markdown: counts, differences, what cannot be compared and why.

    Args:
        study: name of the study.
        verdicts: all of them, in their order.
    """
    counts = Counter(verdict.status for verdict in verdicts)
    parts = [
        f"# Published numbers beside those of {study}",
        ", ".join(f"{counts[status]} {status}" for status in STATUSES) + f". {RULE}",
        "## By table",
        _counts(verdicts),
        "## Differences",
        _differences([v for v in verdicts if v.status == DIFFERENT]),
        "## Not comparable",
        _reasons([v for v in verdicts if v.status == NOT_COMPARABLE]),
        "## Rankings",
        _rankings([v for v in verdicts if v.table == rankings.TABLE]),
    ]
    return "\n\n".join(parts) + "\n"


def count_statuses(verdicts: Iterable[Verdict]) -> Mapping[str, Counter[str]]:
    """Returns how many numbers of each table have which status, tables in their order."""
    tables: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        tables.setdefault(verdict.table, Counter())[verdict.status] += 1
    return tables


def _counts(verdicts: Iterable[Verdict]) -> str:
    tables = count_statuses(verdicts)
    rows = [[table, *(counts[s] for s in STATUSES)] for table, counts in tables.items()]
    return _table(["Table", *STATUSES], rows)


def _differences(verdicts: Sequence[Verdict]) -> str:
    rows = [[v.table, v.row, v.column, v.published, v.rounded, v.ours, v.reason] for v in verdicts]
    return _table(["Table", "Row", "Column", "Published", "Ours", "Unrounded", "Note"], rows)


def _reasons(verdicts: Sequence[Verdict]) -> str:
    counts = Counter((v.table, v.reason) for v in verdicts)
    return _table(["Table", "Reason", "Numbers"], [[*key, n] for key, n in counts.items()])


def _rankings(verdicts: Sequence[Verdict]) -> str:
    arms: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        said = verdict.reason if verdict.status == EQUAL else verdict.status
        arms.setdefault(verdict.column, Counter())[said] += 1
    kinds = (rankings.IDENTICAL, rankings.UP_TO_TIES, DIFFERENT, NOT_COMPARABLE)
    return _table(["Arm", *kinds], [[arm, *(n[kind] for kind in kinds)] for arm, n in arms.items()])


def _table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    if not rows:
        return "None."
    escaped = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    return tabulate(escaped, headers=headings, tablefmt="github", disable_numparse=True)
