"""The loader of a user's own issues: Parquet, CSV or JSON lines."""

import json
import re
from pathlib import Path
from typing import Any

from routebench.datasets.patches import spans_of_patch
from routebench.datasets.selection import Loaded, load_rows
from routebench.datasets.sources import read_any
from routebench.errors import RoutebenchError
from routebench.records import COMMIT, REPOSITORY, WHOLE_FILE, Case, GoldSpan

COLUMNS = ("id", "repo", "path", "commit", "text", "gold", "patch", "language", "difficulty")
SPAN = re.compile(r"(?P<path>.+?)(?::(?P<start>\d+)(?:-(?P<end>\d+))?)?")
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def load_own(path: Path) -> Loaded:
    """Reads a user's own issues, in the order of the file.

    Columns: ``id``; ``repo`` (owner/name) or ``path`` (a git repository, relative to
    the file); ``commit``; ``text``; and ``gold`` or ``patch``. ``gold`` is a list, or
    its text separated by semicolons, of ``file``, ``file:12`` or ``file:12-40``; a file
    without lines counts whole. ``language`` and ``difficulty`` may be there.

    Returns:
        Cases, and an exclusion with its reason for every row that is none.

    Raises:
        RoutebenchError: the file cannot be read, has an unknown column, or an id twice.
    """
    rows = read_any(path)
    names = {name for row in rows for name in row}
    if odd := sorted(str(name) for name in names.difference(COLUMNS)):
        known = ", ".join(COLUMNS)
        raise RoutebenchError(f"{path}: unknown column {odd[0][:80]!r}; known are {known}")
    if not rows:
        raise RoutebenchError(f"{path}: holds no row")
    named = ((_name(row) or f"row {n}", row) for n, row in enumerate(rows, start=1))
    return load_rows(named, lambda row: parse_own(row, folder=path.parent))


def parse_own(row: dict[str, Any], *, folder: Path) -> Case:
    """Turns one row into a case.

    Args:
        row: values by column.
        folder: what a relative ``path`` is relative to.

    Raises:
        RoutebenchError: a value is missing or bad; the message is the reason.
    """
    commit = _need(row, "commit")
    if not COMMIT.fullmatch(commit):
        raise RoutebenchError(
            f"commit {commit[:50]!r} is not 40 lower-case hex digits (git rev-parse gives them)"
        )
    repo, origin = _repository(row, folder)
    return Case(
        case_id=_need(row, "id"),
        repo=repo,
        language=_value(row, "language"),
        source="own",
        base_commit=commit,
        query=_need(row, "text"),
        gold=_gold(row),
        origin=origin,
        difficulty=_value(row, "difficulty") or None,
    )


def _name(row: dict[str, Any]) -> str:
    value = row.get("id")
    return value.strip() if isinstance(value, str) else ""


def _repository(row: dict[str, Any], folder: Path) -> tuple[str, str | None]:
    repo, path = _value(row, "repo"), _value(row, "path")
    if repo and not REPOSITORY.fullmatch(repo):
        raise RoutebenchError(f"repo {repo[:80]!r} is not owner/name")
    if not repo and not path:
        raise RoutebenchError("neither repo nor path is given")
    if not path:
        return repo, None
    origin = _resolved(folder / path)
    return repo or f"local/{UNSAFE.sub('-', origin.name) or 'root'}", str(origin)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a NUL
        raise RoutebenchError(f"path {str(path)[:80]!r} leads nowhere ({error})") from error


def _gold(row: dict[str, Any]) -> tuple[GoldSpan, ...]:
    given, patch = row.get("gold"), _value(row, "patch", strip=False)
    if patch.strip() and not given:
        spans = spans_of_patch(patch)
    else:
        spans = tuple(_span(item) for item in _gold_items(given))
    if not spans:
        raise RoutebenchError("no gold: neither gold nor a patch that changes an existing file")
    return spans


def _gold_items(given: Any) -> list[Any]:
    if isinstance(given, str) and given.lstrip().startswith("["):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise RoutebenchError("gold looks like a JSON list and is not one") from error
    if isinstance(given, str):
        return [item.strip() for item in given.split(";") if item.strip()]
    if given is None or isinstance(given, list):
        return given or []
    raise RoutebenchError("gold is neither text nor a list")


def _span(item: Any) -> GoldSpan:
    match = SPAN.fullmatch(item) if isinstance(item, str) else None
    if match is None:
        raise RoutebenchError(f"gold {item!r:.80}: expected file, file:12 or file:12-40")
    if match["start"] is None:
        return GoldSpan(match["path"], 1, WHOLE_FILE)
    try:
        start, end = int(match["start"]), int(match["end"] or match["start"])
    except ValueError as error:  # more digits than Python reads
        raise RoutebenchError(f"gold lines of {match['path']}: not a number of lines") from error
    return GoldSpan(match["path"], start, end)


def _value(row: dict[str, Any], column: str, *, strip: bool = True) -> str:
    value = row.get(column)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RoutebenchError(f"{column} is not text")
    return value.strip() if strip else value


def _need(row: dict[str, Any], column: str) -> str:
    value = _value(row, column)
    if not value:
        raise RoutebenchError(f"{column} is empty")
    return value
