"""What the page of one case shows, from the result files of all arms."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from routebench.evaluation.readers import read_columns
from routebench.reporting.site.paths import PathTable, short
from routebench.reporting.site.study import SiteFiles
from routebench.reporting.site.walks import Trace, condense_walk
from routebench.reporting.site.windows import Block, pack_windows

GOLD = ("path", "start_line", "end_line", "aligned")
RANKINGS = ("path", "score")
TIMES = ("wall_ms", "build_ms", "query_ms")
COUNTS = ("calls", "input_tokens", "output_tokens", "cost_usd")
MISHAPS = ("truncated", "retries", "dropped_paths", "tool_errors", "fallbacks", "error")
OPERATIONS = (*TIMES, *COUNTS, *MISHAPS)

Rows = Mapping[str, Sequence[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Details:
    """Result rows by case; those of arms are lists in the order of the arms.

    Attributes:
        gold: path, first and last line, aligned.
        lengths: path and lines of files that hold gold.
        rankings: path and score, best first.
        operations: values of ``OPERATIONS``.
        blocks: blocks that the packer considered.
        traces: what happened; empty for an arm without.
    """

    gold: Rows
    lengths: Rows
    rankings: Sequence[Rows]
    operations: Sequence[Rows]
    blocks: Sequence[Rows]
    traces: Sequence[Rows]

    def case(self, case_id: str) -> dict[str, Any]:
        """Returns what the page of a case shows, as JSON; paths are numbers."""
        paths = PathTable()
        gold = self.gold.get(case_id, ())
        blocks = [map(Block._make, rows.get(case_id, ())) for rows in self.blocks]
        traces = [map(Trace._make, rows.get(case_id, ())) for rows in self.traces]
        files = {path for path, *_ in gold}
        content = {
            "gold": [[paths.place(path), *rest] for path, *rest in gold],
            "lists": [_list(rows.get(case_id, ()), paths) for rows in self.rankings],
            "operations": [_costs(rows.get(case_id, ())) for rows in self.operations],
            **pack_windows(blocks, paths),
            "walks": [condense_walk(rows, files, paths) for rows in traces],
            "lengths": _lengths(self.lengths.get(case_id, ()), paths),
        }
        return {"paths": paths.paths, **content}


def read_details(files: SiteFiles, arms: Sequence[str]) -> Details:
    """Reads the rows of every case, excluded ones too.

    Raises:
        RoutebenchError: a file is not readable.
    """
    results = files.results
    return Details(
        gold=_by_case([results.gold], "gold", GOLD),
        lengths=_by_case(results.spans, "spans", ("path", "file_lines")),
        rankings=list(_by_arm(results.rankings, arms, "rankings", RANKINGS)),
        operations=list(_by_arm(results.operations, arms, "operations", OPERATIONS)),
        blocks=list(_by_arm(files.contexts, arms, "contexts", Block._fields)),
        traces=list(_by_arm(files.traces, arms, "traces", Trace._fields)),
    )


def _by_arm(
    paths: Mapping[str, Sequence[Path]], arms: Sequence[str], table: str, columns: Sequence[str]
) -> Iterator[Rows]:
    for arm in arms:
        yield _by_case(paths.get(arm, ()), table, columns)


def _by_case(paths: Iterable[Path], table: str, columns: Sequence[str]) -> Rows:
    rows: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for path in paths:
        for case_id, *values in read_columns(path, table, ["case_id", *columns]):
            rows[case_id].append(tuple(values))
    return rows


def _list(rows: Iterable[tuple[Any, ...]], paths: PathTable) -> list[list[Any]]:
    return [[paths.place(path), short(score)] for path, score in rows]


def _costs(rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    return [short(v) if isinstance(v, float) else v for v in rows[0]] if rows else []


def _lengths(rows: Iterable[tuple[Any, ...]], paths: PathTable) -> list[list[int]]:
    known = {path: lines for path, lines in rows if lines}
    return [[paths.place(path), lines] for path, lines in known.items()]
