"""The contexts of all arms in one repository (METHODS S)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

from routebench.arms.base import Snapshot
from routebench.arms.terms import query_terms
from routebench.context.packer import Block, pack, render_block
from routebench.context.selector import LineRange, select_ranges
from routebench.context.tokens import TokenCounter, load_counter
from routebench.corpus.store import BlobStore, open_snapshot
from routebench.errors import CaseError
from routebench.tables import read_rows, write_rows

Row = dict[str, Any]


class Part(NamedTuple):
    """Lines of a file that are packed together, and their tokens as in ``Block``."""

    start_line: int
    end_line: int
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Packing:
    """What contexts are made of.

    Attributes:
        ks: how many ranked files are packed, each a context of its own.
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
    rankings: Mapping[str, Path],
    snapshots: Path,
    blobs: Path,
    outputs: Mapping[str, Path],
    ks: Sequence[int],
    budgets: Sequence[int],
    best_lines: int = 4,
    margin: int = 200,
) -> None:
    """Writes the table contexts of each arm: cases as in ``issues``, ks, budgets, blocks packed.

    A ranked path that is not in the corpus is skipped; a case whose commit has no snapshot
    has no rows. What several arms nominate for a case is read, cut and counted once.

    Args:
        issues: table of the issues of the repository.
        rankings: table of each arm's rankings.
        snapshots: folder of the repository's snapshot tables.
        blobs: table of its texts.
        outputs: where the table of each arm is written.
        ks: see ``Packing``.
        budgets: see ``Packing``.
        best_lines: see ``Packing``.
        margin: see ``Packing``.
    """
    packing = Packing(ks, budgets, best_lines, margin)
    ranked = {arm: _ranked_paths(path) for arm, path in rankings.items()}
    store = BlobStore(blobs)
    rows: dict[str, list[Row]] = {arm: [] for arm in outputs}
    for issue in read_rows(issues, "issues"):
        case_id = issue["case_id"]
        try:
            snapshot = open_snapshot(snapshots, store, commit=issue["base_commit"])
        except CaseError:
            continue
        of_case = {arm: ranked[arm].get(case_id, {}) for arm in outputs}
        cut = cut_files(
            issue["query"], chain(*map(dict.values, of_case.values())), snapshot, packing
        )
        for arm, ranking in of_case.items():
            rows[arm] += context_rows(case_id, in_order(ranking, cut), packing)
    for arm, path in outputs.items():
        write_rows(path, "contexts", rows[arm])


def cut_files(
    query: str, paths: Iterable[str], snapshot: Snapshot, packing: Packing
) -> dict[str, list[Part]]:
    """Returns the parts of each nominated file in packing order, each counted once.

    Args:
        query: the whole issue.
        paths: nominated files, repeats allowed; those that the snapshot lacks are left out.
        snapshot: the source.
        packing: selector settings and largest budget.
    """
    terms, counter = query_terms(query), load_counter()
    wanted = set(paths)
    by_blob: dict[str, list[str]] = {}
    for file in snapshot.files:
        if file.path in wanted:
            by_blob.setdefault(file.blob, []).append(file.path)
    cut = {}
    for blob, text in snapshot.texts(by_blob):
        lines = text.splitlines(keepends=True)
        ranges = select_ranges(lines, terms, best_lines=packing.best_lines, margin=packing.margin)
        for path in by_blob[blob]:
            cut[path] = [_count(path, lines, found, packing, counter) for found in ranges]
    return cut


def in_order(ranking: Mapping[int, str], cut: Mapping[str, Sequence[Part]]) -> list[Block]:
    """Returns the blocks of a ranking, path by rank and best first, in packing order."""
    return [
        Block(rank, path, *part) for rank, path in ranking.items() for part in cut.get(path, ())
    ]


def render_context(blocks: Sequence[Block], snapshot: Snapshot) -> str:
    """Returns blocks as the agent reads them, in the order given."""
    files = {file.path: file.blob for file in snapshot.files}
    return "".join(
        render_block(
            block.path,
            snapshot.text(files[block.path]).splitlines(keepends=True),
            LineRange(block.start_line, block.end_line, 0),
        )
        for block in blocks
    )


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


def _count(
    path: str, lines: Sequence[str], found: LineRange, packing: Packing, counter: TokenCounter
) -> Part:
    tokens = counter.count_within(render_block(path, lines, found), max(packing.budgets))
    return Part(found.start_line, found.end_line, tokens)


def _ranked_paths(rankings: Path) -> dict[str, dict[int, str]]:
    ranked: dict[str, dict[int, str]] = {}
    for row in read_rows(rankings, "rankings"):
        ranked.setdefault(row["case_id"], {})[row["rank"]] = row["path"]
    return ranked
