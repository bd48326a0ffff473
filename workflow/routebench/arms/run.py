"""Runs one arm on the issues of one repository and writes what it answered."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from routebench.arms.base import Parameters, Resources
from routebench.arms.cases import CaseResult, SnapshotOpener, ask_all
from routebench.arms.registry import create_ranker
from routebench.corpus.store import BlobStore, open_snapshot, order_commits
from routebench.records import Issue
from routebench.tables import read_rows, write_rows


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
