"""The contexts of one arm in one repository (METHODS S)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from routebench.arms.base import Snapshot
from routebench.arms.terms import query_terms
from routebench.context.packer import Block, pack, render_block
from routebench.context.selector import select_ranges
from routebench.context.tokens import TokenCounter, load_counter
from routebench.corpus.store import BlobStore, open_snapshot
from routebench.errors import CaseError
from routebench.tables import read_rows, write_rows

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Packing:
    """What contexts are made of.

    Attributes:
        ks: how many ranked files are read, each a context of its own.
        budgets: tokens, each a context of its own.
        best_lines: lines per file around which ranges are cut.
        margin: lines on either side of each.
    """

    ks: Sequence[int]
    budgets: Sequence[int]
    best_lines: int = 4
    margin: int = 200


def pack_repository(
    *,
    issues: Path,
    rankings: Path,
    snapshots: Path,
    blobs: Path,
    output: Path,
    ks: Sequence[int],
    budgets: Sequence[int],
    best_lines: int = 4,
    margin: int = 200,
) -> None:
    """Writes the table contexts of one arm: cases as in ``issues``, ks, budgets, blocks packed.

    A ranked path that is not in the corpus is skipped; a case whose commit has no snapshot
    has no rows.

    Args:
        issues: table of the issues of the repository.
        rankings: table of the arm's rankings.
        snapshots: folder of the repository's snapshot tables.
        blobs: table of its texts.
        output: where the table is written.
        ks: see ``Packing``.
        budgets: see ``Packing``.
        best_lines: see ``Packing``.
        margin: see ``Packing``.
    """
    packing = Packing(ks, budgets, best_lines, margin)
    ranked = _ranked_paths(rankings)
    store = BlobStore(blobs)
    rows = (
        row
        for issue in read_rows(issues, "issues")
        for row in _case_rows(issue, ranked.get(issue["case_id"], {}), snapshots, store, packing)
    )
    write_rows(output, "contexts", rows)


def build_blocks(
    query: str, ranking: Mapping[int, str], snapshot: Snapshot, packing: Packing
) -> Iterator[Block]:
    """Yields the blocks of all ranked files in packing order, each counted once.

    Args:
        query: the whole issue.
        ranking: path by rank, best first.
        snapshot: the source; paths that it lacks yield nothing.
        packing: selector settings, largest k and largest budget.
    """
    files = {file.path: file.blob for file in snapshot.files}
    terms = query_terms(query)
    counter = load_counter()
    for rank, path in ranking.items():
        if path in files and rank <= max(packing.ks):
            lines = snapshot.text(files[path]).splitlines(keepends=True)
            yield from _file_blocks(rank, path, lines, terms, packing, counter)


def context_rows(case_id: str, blocks: Sequence[Block], packing: Packing) -> Iterator[Row]:
    """Yields the rows of one case: for each k and budget, the blocks in packing order."""
    for k, budget in product(packing.ks, packing.budgets):
        considered = [block for block in blocks if block.rank <= k]
        for block, included in zip(considered, pack(considered, budget), strict=True):
            yield {
                "case_id": case_id,
                "k": k,
                "budget": budget,
                "path": block.path,
                "start_line": block.start_line,
                "end_line": block.end_line,
                "tokens": block.tokens,
                "included": included,
            }


def _file_blocks(
    rank: int,
    path: str,
    lines: Sequence[str],
    terms: Sequence[str],
    packing: Packing,
    counter: TokenCounter,
) -> Iterator[Block]:
    ranges = select_ranges(lines, terms, best_lines=packing.best_lines, margin=packing.margin)
    for found in ranges:
        tokens = counter.count_within(render_block(path, lines, found), max(packing.budgets))
        yield Block(rank, path, found.start_line, found.end_line, tokens)


def _case_rows(
    issue: Row, ranking: Mapping[int, str], snapshots: Path, store: BlobStore, packing: Packing
) -> Iterator[Row]:
    try:
        snapshot = open_snapshot(snapshots, store, commit=issue["base_commit"])
    except CaseError:
        return
    blocks = list(build_blocks(issue["query"], ranking, snapshot, packing))
    yield from context_rows(issue["case_id"], blocks, packing)


def _ranked_paths(rankings: Path) -> dict[str, dict[int, str]]:
    ranked: dict[str, dict[int, str]] = {}
    for row in read_rows(rankings, "rankings"):
        ranked.setdefault(row["case_id"], {})[row["rank"]] = row["path"]
    return ranked
