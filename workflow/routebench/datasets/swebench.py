"""The SWE-bench loader: rows to cases, gold from their patches (METHODS D2)."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from routebench.datasets.patches import spans_of_patch
from routebench.datasets.selection import Loaded, load_rows
from routebench.datasets.sources import read_records
from routebench.errors import RoutebenchError
from routebench.records import COMMIT, REPOSITORY, Case, GoldSpan, is_relative_posix

COLUMNS = ("instance_id", "repo", "base_commit", "patch", "problem_statement")
LANGUAGE, SOURCE = "python", "swe-bench"
HEADER = re.compile(
    r"^diff --git (?:"
    r"a/(?P<same>.+) b/(?P=same)|"  # a path may hold " b/"
    r"a/(?P<old>.+?) b/.+|"
    r'"a/(?P<quoted>(?:[^"\\]|\\.)+)" .+'
    r")$",
    re.MULTILINE,
)
HUNK = re.compile(r"^@@ ", re.MULTILINE)


def load_swebench(path: Path) -> Loaded:
    """Reads cases in the SWE-bench columns, in the order of the file.

    Args:
        path: Parquet file.

    Returns:
        Cases, and an exclusion with its reason for every row that is none.

    Raises:
        RoutebenchError: not a Parquet file with those columns, or an id stands twice.
    """
    return load_rows(read_records(path, COLUMNS), parse_row)


def parse_row(row: dict[str, Any]) -> Case:
    """Turns one row into a case.

    Raises:
        RoutebenchError: a value is missing or bad; the message is the reason.
    """
    repo, commit = _text(row, "repo"), _text(row, "base_commit")
    if not REPOSITORY.fullmatch(repo):
        raise RoutebenchError(f"repository {repo[:80]!r} is not owner/name")
    if not COMMIT.fullmatch(commit):
        raise RoutebenchError(f"base commit {commit[:50]!r} is not 40 lower-case hex digits")
    return Case(
        case_id=_text(row, "instance_id"),
        repo=repo,
        language=LANGUAGE,
        source=SOURCE,
        base_commit=commit,
        query=_text(row, "problem_statement"),
        gold=gold_of_patch(_text(row, "patch")),
        difficulty=row.get("difficulty") or None,
    )


def gold_of_patch(patch: str) -> tuple[GoldSpan, ...]:
    """Returns the gold of a patch: every file of a header, with the lines it changes.

    The files are exactly those of METHODS D2, in the order of the headers. A file without
    old lines (added, renamed, of another mode, binary) counts with its first line. No span
    is audited: a file that the base commit lacks counts and cannot be found.

    Raises:
        RoutebenchError: the patch is empty or no git patch, or names an unsafe path.
    """
    paths = gold_files(patch)
    if not paths:
        raise RoutebenchError("patch has no `diff --git` header, so there is no gold")
    if odd := [path for path in paths if not is_relative_posix(path)]:
        raise RoutebenchError(f"patch names {odd[0][:80]!r}, no relative POSIX path")
    spans = _by_path(spans_of_patch(patch) if HUNK.search(patch) else ())
    return tuple(
        replace(span, audited=False)
        for path in paths
        for span in spans.get(path) or (GoldSpan(path, 1, 1),)
    )


def gold_files(patch: str) -> tuple[str, ...]:
    """Returns the distinct ``a/`` paths of the ``diff --git`` headers, in their order."""
    matches = HEADER.finditer(patch)
    return tuple(dict.fromkeys(m["same"] or m["old"] or _unquoted(m["quoted"]) for m in matches))


def _unquoted(path: str) -> str:
    # git writes bytes beyond ASCII as octal escapes of C, which Python reads as Latin-1.
    return path.encode().decode("unicode_escape").encode("latin-1").decode("utf-8", "replace")


def _by_path(spans: Iterable[GoldSpan]) -> dict[str, list[GoldSpan]]:
    found: dict[str, list[GoldSpan]] = defaultdict(list)
    for span in spans:
        found[span.path].append(span)
    return found


def _text(row: dict[str, Any], column: str) -> str:
    value = "" if row[column] is None else row[column]
    if not isinstance(value, str):
        raise RoutebenchError(f"{column} is not text")
    if not value.strip():
        raise RoutebenchError(f"{column} is empty")
    return value
