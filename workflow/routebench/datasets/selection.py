"""What every loader gives: cases, and the reason for each row that is none."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from routebench.errors import RoutebenchError
from routebench.records import Case, Exclusion

STAGE = "dataset"
# Ids stand in tables, pages and messages.
LONGEST_ID = 200


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
            raise RoutebenchError(f"dataset: id {name!r:.200} stands twice; ids must be unique")
        seen.add(name)
        try:
            cases.append(_writable(parse(row)))
        except RoutebenchError as error:
            told = (name[:LONGEST_ID], str(row.get("repo") or "")[:LONGEST_ID], STAGE, str(error))
            exclusions.append(Exclusion(*map(_shown, told)))
    return Loaded(tuple(cases), tuple(exclusions))


def _writable(case: Case) -> Case:
    """Returns the case if all its texts can be written, and its id can be shown.

    JSON can escape half of a surrogate pair, which no file of text can hold.
    """
    if len(case.case_id) > LONGEST_ID:
        raise RoutebenchError(f"id is longer than {LONGEST_ID} characters")
    try:
        json.dumps(asdict(case), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise RoutebenchError(f"holds {half!r}, half a character") from error
    return case


def _shown(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
