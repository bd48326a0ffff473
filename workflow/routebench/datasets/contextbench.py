"""The ContextBench loader: rows to cases, dirt mended or reported (METHODS D1, D4)."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from routebench.datasets.selection import Loaded, load_rows
from routebench.datasets.sources import read_records
from routebench.errors import RoutebenchError
from routebench.records import COMMIT, REPOSITORY, Case, GoldSpan

ALIASES = Path(__file__).parents[2] / "pins" / "aliases.yaml"
COLUMNS = ("instance_id", "repo", "language", "base_commit", "gold_context", "problem_statement")
ORIGINAL_ID = re.compile(r"(?P<owner>[A-Za-z0-9.-]+)__(?P<name>[A-Za-z0-9._-]+)-\d+")
WORKSPACE = re.compile(r"/workspace/[^/]+__[^/]+/")
NUMBERED = re.compile(r"\s*\d+\t")


def load_contextbench(path: Path, *, mend: bool = True) -> Loaded:
    """Reads cases in the ContextBench columns, in the order of the file.

    Args:
        path: Parquet file.
        mend: bring ``/workspace/…`` paths to their usual form; without it such rows fail
            the rule of eligibility. Names of repositories are always resolved.

    Returns:
        Eligible cases, and an exclusion with its reason for every other row.

    Raises:
        RoutebenchError: not a Parquet file with those columns, or an id stands twice.
    """
    return load_rows(read_records(path, COLUMNS), lambda row: parse_row(row, mend=mend))


def parse_row(row: dict[str, Any], *, mend: bool) -> Case:
    """Turns one row into an eligible case (METHODS D4).

    Raises:
        RoutebenchError: the row is not eligible; the message is the reason.
    """
    case_id, query = _text(row, "instance_id"), _text(row, "problem_statement")
    if not case_id.strip():
        raise RoutebenchError("instance_id is empty")
    if not query.strip():
        raise RoutebenchError("problem statement is empty")
    commit = _text(row, "base_commit")
    if not COMMIT.fullmatch(commit):
        raise RoutebenchError(f"base commit {commit[:50]!r} is not 40 lower-case hex digits")
    return Case(
        case_id=case_id,
        repo=_identity(row),
        language=_text(row, "language"),
        source=row.get("source") or "",
        base_commit=commit,
        query=query,
        gold=parse_gold(_text(row, "gold_context"), mend=mend),
    )


def parse_gold(text: str, *, mend: bool) -> tuple[GoldSpan, ...]:
    """Returns the spans of a ``gold_context`` cell, in its order.

    Raises:
        RoutebenchError: not a JSON list of spans, or a span that breaks the rule.
    """
    try:
        spans = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RoutebenchError("gold context is not JSON") from error
    if not isinstance(spans, list) or not spans:
        raise RoutebenchError("gold context is not a list with at least one span")
    return tuple(_span(span, mend=mend) for span in spans)


def _span(span: Any, *, mend: bool) -> GoldSpan:
    if not isinstance(span, dict) or not isinstance(span.get("file"), str):
        raise RoutebenchError("gold span without a file name")
    start, end = span.get("start_line"), span.get("end_line")
    if type(start) is not int or type(end) is not int or end > 2**31 - 1:
        raise RoutebenchError(f"gold span of {span['file']} without whole line numbers")
    content = span.get("content")
    if content is not None and not isinstance(content, str):
        raise RoutebenchError(f"gold span of {span['file']} whose content is not text")
    path = WORKSPACE.sub("", span["file"], count=1) if mend else span["file"]
    return GoldSpan(path, start, end, content and strip_numbers(content))


def strip_numbers(content: str) -> str:
    """Takes the ``12<TAB>`` prefixes off annotated text, where every line has one."""
    lines = content.splitlines(keepends=True)
    if not all(NUMBERED.match(line) for line in lines):
        return content
    return "".join(NUMBERED.sub("", line, count=1) for line in lines)


def _identity(row: dict[str, Any]) -> str:
    name = _text(row, "repo")
    if known := repository_aliases().get(name.lower()):
        return known
    if REPOSITORY.fullmatch(name):
        return name
    original = row.get("original_inst_id")
    match = ORIGINAL_ID.fullmatch(original) if isinstance(original, str) else None
    if match and match["name"].lower() == name.lower():
        full = f"{match['owner']}/{match['name']}"
        return repository_aliases().get(full.lower(), full)
    raise RoutebenchError(f"repository {name[:80]!r} is not owner/name and has no alias")


@cache
def repository_aliases() -> dict[str, str]:
    """Returns the repository identity for each name that is not one, by lower case."""
    aliases: dict[str, str] = yaml.safe_load(ALIASES.read_text(encoding="utf-8"))["aliases"]
    return aliases


def _text(row: dict[str, Any], column: str) -> str:
    value = row[column]
    if not isinstance(value, str):
        raise RoutebenchError(f"{column} is {'empty' if value is None else 'not text'}")
    return value
