"""Traces of model-guided arms, short enough to be read: what was offered, taken, left."""

from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from routebench.reporting.site.paths import PathTable, short

# Of a menu's options the likeliest are shown, and those that lead to gold wherever they stand.
SHOWN_OPTIONS = 12
DIGITS = 3
Step = list[Any]


class Trace(NamedTuple):
    """A row of the table traces, its case and number left out."""

    kind: str
    path: str
    menu: str | None
    probability: float | None
    kept: bool | None
    depth: int
    rank: int | None
    reason: str | None


def condense_walk(rows: Iterable[Trace], gold: Collection[str], paths: PathTable) -> list[Step]:
    """Returns the steps of a walk, menus as one step each.

    Args:
        rows: the trace of a case, in its order.
        gold: the case's gold files.
        paths: the case's paths, which those of the steps are added to.

    Returns:
        Steps, told apart by the first item: ``enter`` path, depth, probability; ``menu``
        label, options offered, options kept, probability of none, options (path,
        probability, kept, whether it leads to gold); ``file`` path, rank, probability;
        ``skip`` path, reason; ``stop`` reason.
    """
    return [step for menu in _menus(rows) for step in _steps(menu, gold, paths)]


def leads_to(path: str, gold: Collection[str]) -> bool:
    """Tells whether a path is a gold file or a directory above one."""
    return path == "." or any(file == path or file.startswith(f"{path}/") for file in gold)


def _menus(rows: Iterable[Trace]) -> Iterator[list[Trace]]:
    """Yields the rows of each menu together, and every other row alone."""
    numbers = _numbered(rows)
    yield from ([row for _, row in group] for _, group in groupby(numbers, lambda pair: pair[0]))


def _numbered(rows: Iterable[Trace]) -> Iterator[tuple[int, Trace]]:
    number, open_menu = 0, None
    for row in rows:
        offered = row.kind in ("option", "none")
        if not offered or open_menu != row.menu:
            number += 1
        # "None of these" is the last row of a menu; a further part of a split one is new.
        open_menu = row.menu if row.kind == "option" else None
        yield number, row


def _steps(rows: list[Trace], gold: Collection[str], paths: PathTable) -> Iterator[Step]:
    first = rows[0]
    if first.kind in ("option", "none"):
        yield _menu(rows, gold, paths)
    elif first.kind == "enter":
        yield ["enter", paths.place(first.path), first.depth, short(first.probability, DIGITS)]
    elif first.kind == "file":
        yield ["file", paths.place(first.path), first.rank, short(first.probability, DIGITS)]
    elif first.kind == "skip":
        yield ["skip", paths.place(first.path), first.reason]
    else:
        yield ["stop", first.reason]


def _menu(rows: list[Trace], gold: Collection[str], paths: PathTable) -> Step:
    options = [row for row in rows if row.kind == "option"]
    none = next((row.probability for row in rows if row.kind == "none"), None)
    likeliest = sorted(options, key=lambda row: -(row.probability or 0.0))
    shown = [
        [paths.place(row.path), short(row.probability, DIGITS), row.kept is not False, leads]
        for place, row in enumerate(likeliest)
        if (leads := leads_to(row.path, gold)) or place < SHOWN_OPTIONS
    ]
    kept = sum(row.kept is not False for row in options)
    return ["menu", rows[0].menu, len(options), kept, short(none, DIGITS), shown]
