"""Asks one arm about cases: what comes of each, failures included."""

import sqlite3
import subprocess
import time
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from routebench.arms.answers import tidy_answer
from routebench.arms.base import Answer, FailedAnswer, Ranker, Snapshot
from routebench.arms.failures import describe_failure
from routebench.errors import CaseError, RoutebenchError
from routebench.files import is_disk_full
from routebench.records import Issue

CASE_FAILURES = (CaseError, OSError, sqlite3.Error, UnicodeError, subprocess.SubprocessError)

SnapshotOpener = Callable[[str], Snapshot | None]


class CaseResult(NamedTuple):
    """What came of one case; ``error`` is one line, and the ranking empty, if it failed."""

    case_id: str
    answer: Answer
    wall_ms: float
    error: str | None


def ask_all(
    ranker: Ranker, issues: Iterable[Issue], opener: SnapshotOpener, *, k: int
) -> Iterator[CaseResult]:
    """Yields the result of each issue; a commit's snapshot is opened once per run of issues.

    Args:
        ranker: the arm at work.
        issues: issues of one repository, those of a commit after another.
        opener: returns the snapshot of a commit, None for arms without corpus.
        k: how many paths per case at most.

    Raises:
        RoutebenchError: the disk is full.
    """
    for commit, group in groupby(issues, key=lambda issue: issue.base_commit):
        try:
            snapshot = opener(commit)
        except CASE_FAILURES as error:
            _check_room(error)
            reason = describe_failure(error)
            yield from (CaseResult(issue.case_id, Answer(), 0.0, reason) for issue in group)
            continue
        known = _known_paths(snapshot)
        for issue in group:
            yield _ask(ranker, issue, snapshot, known=known, k=k)


def ask_case(ranker: Ranker, issue: Issue, snapshot: Snapshot | None, *, k: int) -> CaseResult:
    """Returns the result of one issue.

    Raises:
        RoutebenchError: the disk is full.
    """
    return _ask(ranker, issue, snapshot, known=_known_paths(snapshot), k=k)


def _known_paths(snapshot: Snapshot | None) -> Container[str] | None:
    return None if snapshot is None else {file.path for file in snapshot.files}


def _ask(
    ranker: Ranker, issue: Issue, snapshot: Snapshot | None, *, known: Container[str] | None, k: int
) -> CaseResult:
    started = time.perf_counter()
    error: str | None = None
    try:
        answer = ranker.rank(issue, snapshot, k)
    except FailedAnswer as failure:
        answer = Answer((), failure.answer.operations, failure.answer.trace)
        error = describe_failure(failure)
    except CASE_FAILURES as failure:
        _check_room(failure)
        answer, error = Answer(), describe_failure(failure)
    wall_ms = (time.perf_counter() - started) * 1e3
    return CaseResult(issue.case_id, tidy_answer(answer, known, k), wall_ms, error)


def _check_room(error: BaseException) -> None:
    # Recorded, it would be the case's result for good, and the arm's mean with it.
    if is_disk_full(error):
        line = f"{describe_failure(error)}; make room (also for temporary files) and run it again"
        raise RoutebenchError(line) from error
