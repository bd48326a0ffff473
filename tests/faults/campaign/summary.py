"""The table of a campaign: inputs by kind and outcome, and what failed."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from campaign.faults import OUTCOMES
from campaign.sandbox import ROOT

PAGE = ROOT / "docs" / "faults.md"
BLOCK = re.compile(r"(?<=<!-- campaign -->\n).*?(?=<!-- end -->)", re.DOTALL)


class Ran(NamedTuple):
    """An input that ran."""

    kind: str
    name: str
    outcome: str
    failure: str = ""


def table_text(ran: Iterable[tuple[str, str]]) -> str:
    """Returns the table in Markdown, from kind and outcome of each input."""
    counts: dict[str, Counter[str]] = {}
    for kind, outcome in ran:
        counts.setdefault(kind, Counter())[outcome] += 1
    whole = sum(counts.values(), Counter[str]())
    head = ["Kind of input", "Inputs", *(name.capitalize() for name in OUTCOMES)]
    rows = [[kind, *_numbers(found)] for kind, found in counts.items()]
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows, ["All", *_numbers(whole)]]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def _numbers(found: Counter[str]) -> list[str]:
    return [str(found.total()), *(str(found[name]) for name in OUTCOMES)]


def write_block(table: str) -> None:
    """Writes the table into the page."""
    PAGE.write_text(BLOCK.sub(lambda _: table, PAGE.read_text()))


def read_block() -> str:
    """Returns the table of the page."""
    found = BLOCK.search(PAGE.read_text())
    assert found
    return found[0]


def save(file: Path, ran: Iterable[Ran]) -> None:
    """Keeps what ran, for the summary of several processes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(list(ran)))


def show(files: Iterable[Path]) -> int:
    """Prints the summary of all processes; writes the page's table where nothing failed."""
    ran = [Ran(*entry) for file in sorted(files) for entry in json.loads(file.read_text())]
    failed = [entry for entry in ran if entry.failure]
    table = table_text((entry.kind, entry.outcome) for entry in ran if not entry.failure)
    print(table)
    for entry in failed:
        print(f"FAILED {entry.kind}: {entry.name}: {entry.failure.splitlines()[0][:300]}")
    print(f"{len(ran)} inputs, {len(failed)} failures")
    if not failed:
        write_block(table)
    return 1 if failed else 0
