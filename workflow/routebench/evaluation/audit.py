"""Is every gold span there, and does it still hold its text? (METHODS D6, D7)."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from routebench.corpus.store import BlobStore
from routebench.datasets.cohort_files import read_cohort
from routebench.evaluation.alignment import ALIGNED, NOT_ANNOTATED, classify_span
from routebench.records import Case, GoldSpan
from routebench.tables import read_table, write_rows

Row = dict[str, Any]
NO_SOURCE = "No source at base commit"
NO_REASONS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of the tree at the base commit; ``lines`` is None outside the corpus."""

    blob: str
    lines: int | None


def audit_repository(
    *,
    cohort: Path,
    repo: str,
    snapshots: Path,
    blobs: Path,
    output: Path,
    missing: Mapping[str, str] = NO_REASONS,
) -> None:
    """Writes the table spans of one repository, in the order of cohort and gold.

    Args:
        cohort: table of the selected cases; those of other repositories are passed over.
        repo: the repository, owner/name.
        snapshots: folder of its snapshot tables, one per commit.
        blobs: table of its texts.
        output: where the table is written.
        missing: why a commit has no snapshot, where that is known.
    """
    store = BlobStore(blobs)
    cases = (case for case in read_cohort(cohort) if case.repo == repo)
    rows = (row for case in cases for row in _audit_case(case, snapshots, store, missing))
    write_rows(output, "spans", rows)


def missing_source(commit: str, reason: str | None) -> str:
    """Returns the problem of every span whose commit has no snapshot."""
    return f"{NO_SOURCE} {commit}: {reason or 'not in the repository'}"


def span_problem(span: GoldSpan, file: TreeFile | None) -> str | None:
    """Tells why a span fails the source audit, or returns None.

    Args:
        span: the gold span; one that is not audited never fails.
        file: its file at the base commit; None if the tree has no such path.
    """
    if not span.audited:
        return None
    if file is None:
        return f"Gold file not in the tree at the base commit: {span.path}"
    if file.lines is None:
        return f"Gold file outside common searchable corpus: {span.path}"
    if span.start_line > file.lines:
        return (
            f"Gold span starts after the last line: {span.path}:{span.start_line} "
            f"({file.lines} lines)"
        )
    return None


def _audit_case(
    case: Case, snapshots: Path, store: BlobStore, missing: Mapping[str, str]
) -> Iterator[Row]:
    snapshot = snapshots / f"{case.base_commit}.parquet"
    if not snapshot.is_file():
        reason = missing_source(case.base_commit, missing.get(case.base_commit))
        yield from (_row(case, span, lines=None, problem=reason) for span in case.gold)
        return
    files = _tree_files(snapshot, case.gold_files)
    for span in case.gold:
        file = _file_of(span, files)
        problem = span_problem(span, file)
        lines = file.lines if file else None
        alignment = None if problem or not file else _alignment(span, store.text(file.blob))
        yield _row(case, span, lines=lines, problem=problem, alignment=alignment)


def _file_of(span: GoldSpan, files: Mapping[str, TreeFile]) -> TreeFile | None:
    # Without a file, gold that is not audited keeps its lines, which no context can deliver.
    file = files.get(span.path)
    holds = file is not None and (file.lines or 0) >= span.start_line
    return file if span.audited or holds else None


def _tree_files(snapshot: Path, paths: Collection[str]) -> Mapping[str, TreeFile]:
    tree = read_table(snapshot, "snapshots", ["path", "blob", "lines", "eligible"])
    found = tree.filter(pc.is_in(tree["path"], pa.array(paths, pa.string()))).to_pylist()
    return {
        row["path"]: TreeFile(row["blob"], row["lines"] if row["eligible"] else None)
        for row in found
    }


def _alignment(span: GoldSpan, text: str) -> str:
    return classify_span(
        span.text, text.splitlines(), start_line=span.start_line, end_line=span.end_line
    )


def _row(
    case: Case,
    span: GoldSpan,
    *,
    lines: int | None,
    problem: str | None,
    alignment: str | None = None,
) -> Row:
    known = alignment not in (None, NOT_ANNOTATED)
    return {
        "case_id": case.case_id,
        "path": span.path,
        "start_line": span.start_line,
        "end_line": span.end_line,
        "file_lines": lines,
        "problem": problem,
        "aligned": alignment == ALIGNED if known else None,
        "alignment": alignment,
    }
