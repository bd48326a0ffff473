"""Compares the gold lines of the demo study with the difference of the pinned releases."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from routebench.datasets.demo_issues import DemoIssue, find_repository
from routebench.datasets.release_pins import ReleaseRepository
from routebench.datasets.release_wheels import fetch_release_files
from routebench.datasets.wheel_files import read_package_files
from routebench.errors import RoutebenchError
from routebench.records import GoldSpan

Lines = Mapping[str, list[str]]


def check_gold(
    issues: Iterable[DemoIssue], repositories: Iterable[ReleaseRepository], *, wheels: Path
) -> None:
    """Verifies that every gold range exists and overlaps lines that really changed.

    Args:
        issues: what to verify.
        repositories: pins that have the issues' versions.
        wheels: folder of the wheels; missing ones are fetched into it.

    Raises:
        RoutebenchError: a range is past the end of its file or covers no changed line.
    """
    pinned = {repository.repository: repository for repository in repositories}
    for issue in issues:
        repository = find_repository(pinned, issue)
        files = fetch_release_files(repository, folder=wheels, mirror=None)
        by_name = {path.name: path for path in files}
        paths = {span.path for span in issue.gold}
        base = _lines(by_name[repository.release(issue.base).wheel], paths)
        fixed = _lines(by_name[repository.release(issue.fixed).wheel], paths)
        for span in issue.gold:
            check_span(issue.id, span, base=base, fixed=fixed)


def check_span(issue_id: str, span: GoldSpan, *, base: Lines, fixed: Lines) -> None:
    """Verifies one gold range against the lines of both versions.

    Raises:
        RoutebenchError: the range does not exist or covers no changed line.
    """
    where = f"{issue_id}: {span.path} {span.start_line}-{span.end_line}"
    before = base.get(span.path)
    if before is None or span.end_line > len(before):
        raise RoutebenchError(f"{where} is not in the base version; correct the gold")
    changed = changed_lines(before, fixed.get(span.path, []))
    if changed.isdisjoint(range(span.start_line, span.end_line + 1)):
        raise RoutebenchError(f"{where} did not change; correct the gold")


def changed_lines(before: Sequence[str], after: Sequence[str]) -> set[int]:
    """Returns the 1-based lines of ``before`` that ``after`` replaces or drops.

    An insertion counts for the lines on its two sides.
    """
    changed: set[int] = set()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        if tag == "insert":
            changed |= {start, start + 1}
        elif tag != "equal":
            changed |= set(range(start + 1, end + 1))
    return changed


def _lines(wheel: Path, paths: Iterable[str]) -> Lines:
    wanted = set(paths)
    return {
        path: content.decode().splitlines()
        for path, content in read_package_files(wheel)
        if path in wanted
    }
