"""Runs one arm on the issues of one repository and writes what it answered."""

import sqlite3
import subprocess
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from routebench.arms.answers import tidy_answer
from routebench.arms.base import Answer, FailedAnswer, Parameters, Ranker, Resources, Snapshot
from routebench.arms.failures import describe_failure
from routebench.arms.registry import create_ranker
from routebench.corpus.store import BlobStore, open_snapshot, order_commits
from routebench.errors import CaseError, RoutebenchError
from routebench.files import is_disk_full
from routebench.records import Issue
from routebench.tables import read_rows, write_rows

CASE_FAILURES = (CaseError, OSError, sqlite3.Error, UnicodeError, subprocess.SubprocessError)

SnapshotOpener = Callable[[str], Snapshot | None]


class CaseResult(NamedTuple):
    """What came of one case; ``error`` is one line, and the ranking empty, if it failed."""

    case_id: str
    answer: Answer
    wall_ms: float
    error: str | None


def rank_repository(
    *,
    kind: str,
    parameters: Parameters,
    issues: Path,
    rankings: Path,
    operations: Path,
    k: int,
    resources: Resources,
    snapshots: Path | None = None,
    blobs: Path | None = None,
    files: Path | None = None,
    traces: Path | None = None,
) -> None:
    """Ranks the issues of one repository with one arm.

    Cases are asked commit by commit in an order that keeps changes small, and written in
    the order of the issues. A failed case has an empty ranking and an error.

    Args:
        kind: kind of the arm.
        parameters: of that kind.
        issues: table issues, of one repository.
        rankings: table rankings to write.
        operations: table operations to write.
        k: how many paths per case at most.
        resources: what the job was given beside.
        snapshots: folder of the repository's tables snapshots; None for arms without corpus.
        blobs: table blobs of the repository; None with ``snapshots``.
        files: folder of blob files, for arms that need files.
        traces: table traces to write, if wanted.

    Raises:
        RoutebenchError: an input is not what it should be; nothing was written.
    """
    ranker = create_ranker(kind, parameters, resources)
    asked = [Issue(**row) for row in read_rows(issues, "issues")]
    opener = _corpus_opener(snapshots, blobs, files)
    order = order_commits(snapshots) if snapshots else []
    answered = {r.case_id: r for r in ask_all(ranker, _by_commit(asked, order), opener, k=k)}
    results = [answered[issue.case_id] for issue in asked]
    write_rows(rankings, "rankings", _ranking_rows(results))
    write_rows(operations, "operations", map(_operations_row, results))
    if traces:
        rows = (row for r in results for row in r.answer.trace_rows(r.case_id))
        write_rows(traces, "traces", rows)


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
        known = None if snapshot is None else {file.path for file in snapshot.files}
        for issue in group:
            yield _ask(ranker, issue, snapshot, known=known, k=k)


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


def _corpus_opener(
    snapshots: Path | None, blobs: Path | None, files: Path | None
) -> SnapshotOpener:
    if snapshots is None or blobs is None:
        return lambda commit: None
    folder, store = snapshots, BlobStore(blobs)
    return lambda commit: open_snapshot(folder, store, commit=commit, files=files)


def _by_commit(issues: Sequence[Issue], order: Sequence[str]) -> list[Issue]:
    place = {commit: number for number, commit in enumerate(order)}
    unknown = len(place)
    return sorted(issues, key=lambda i: (place.get(i.base_commit, unknown), i.base_commit))


def _ranking_rows(results: Iterable[CaseResult]) -> Iterator[dict[str, Any]]:
    for result in results:
        for rank, item in enumerate(result.answer.ranking, start=1):
            yield {"case_id": result.case_id, "rank": rank, **item._asdict()}


def _operations_row(result: CaseResult) -> dict[str, Any]:
    costs = asdict(result.answer.operations)
    wall_ms = result.wall_ms + costs.pop("sources_ms")
    return {"case_id": result.case_id, **costs, "wall_ms": wall_ms, "error": result.error}
