"""What every loader gives: cases, and the reason for each row that is none."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from routebench.errors import RoutebenchError
from routebench.records import Case, Exclusion

STAGE = "dataset"


@dataclass(frozen=True, slots=True)
class Loaded:
    """Eligible cases in the order of the file, and the rows left out."""

    cases: tuple[Case, ...]
    exclusions: tuple[Exclusion, ...]


def load_rows(
    rows: Iterable[tuple[str, dict[str, Any]]], parse: Callable[[dict[str, Any]], Case]
) -> Loaded:
    """Parses rows one by one; a row that fails is an exclusion with the reason.

    Args:
        rows: a name for each row, its id where it has one, and its values.
        parse: makes a case or raises RoutebenchError with the reason.

    Raises:
        RoutebenchError: two rows have one id.
    """
    cases: list[Case] = []
    exclusions: list[Exclusion] = []
    seen: set[str] = set()
    for name, row in rows:
        if name in seen:
            raise RoutebenchError(f"dataset: id {name!r} stands twice; ids must be unique")
        seen.add(name)
        try:
            cases.append(parse(row))
        except RoutebenchError as error:
            repo = row.get("repo")
            exclusions.append(Exclusion(name, str(repo or ""), STAGE, str(error)))
    return Loaded(tuple(cases), tuple(exclusions))
