"""Result tables as what scores and statistics compare, by case."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from routebench.errors import RoutebenchError
from routebench.evaluation.line_scores import Lines, merge_lines
from routebench.tables import read_table

GoldLines = dict[str, tuple[Lines, ...]]


def read_columns(path: Path, table: str, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    """Returns the rows of some columns as tuples, in the order of the file."""
    content = read_table(path, table, columns)
    return zip(*(content.column(name).to_pylist() for name in columns), strict=True)


def read_gold(path: Path) -> dict[str, GoldLines]:
    """Returns the gold lines of each case by path, as disjoint ranges in order."""
    spans: dict[str, dict[str, list[Lines]]] = defaultdict(lambda: defaultdict(list))
    rows = read_columns(path, "gold", ["case_id", "path", "start_line", "end_line"])
    for case_id, file, start, end in rows:
        spans[case_id][file].append((start, end))
    return {
        case_id: {file: merge_lines(ranges) for file, ranges in of_case.items()}
        for case_id, of_case in spans.items()
    }


def read_rankings(paths: Iterable[Path]) -> dict[str, list[str]]:
    """Returns the ranked paths of each case, best first; cases without any are not there.

    Raises:
        RoutebenchError: the ranks of a case are not 1, 2, 3 and so on.
    """
    rankings: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for case_id, rank, file in read_columns(path, "rankings", ["case_id", "rank", "path"]):
            rankings[case_id].append(file)
            if rank != len(rankings[case_id]):
                raise RoutebenchError(
                    f"{path}: case {case_id} has rank {rank} in place "
                    f"{len(rankings[case_id])}; delete the file and rerun"
                )
    return dict(rankings)
