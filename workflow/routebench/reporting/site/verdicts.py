"""What came of the comparison with published numbers, from ``verify.csv``."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

STATUSES = ("equal", "different", "not comparable")
SHOWN = ("table", "row", "column", "published", "rounded", "ours", "reason", "source")


def read_verdicts(path: Path) -> dict[str, Any]:
    """Returns counts in all and by table, every difference, and why numbers lack.

    Tables and reasons are in the order of the file.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    tables: dict[str, Counter[str]] = {}
    for row in rows:
        tables.setdefault(row["table"], Counter())[row["status"]] += 1
    reasons = Counter(row["reason"] for row in rows if row["status"] == STATUSES[2])
    return {
        "statuses": STATUSES,
        "counts": _counts(Counter(row["status"] for row in rows)),
        "tables": [[table, *_counts(counts)] for table, counts in tables.items()],
        "differences": [
            [row[name] for name in SHOWN] for row in rows if row["status"] == STATUSES[1]
        ],
        "reasons": reasons.most_common(),
    }


def _counts(counts: Counter[str]) -> list[int]:
    return [counts[status] for status in STATUSES]
