"""What the contexts of one arm delivered, as far as scores need it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from routebench.errors import RoutebenchError
from routebench.evaluation.line_scores import Lines
from routebench.evaluation.readers import GoldLines
from routebench.tables import read_table

ContextKey = tuple[str, int, int]
_KEY = ["case_id", "k", "budget"]
_FILE = ["case_id", "path"]


class Delivered(NamedTuple):
    """Contents of contexts by (case_id, k, budget); an empty context has no entry.

    Attributes:
        tokens: tokens packed.
        lines: line ranges of gold files by path, in any order.
    """

    tokens: Mapping[ContextKey, int]
    lines: Mapping[ContextKey, Mapping[str, list[Lines]]]


def read_delivered(
    paths: Iterable[Path], gold: Mapping[str, GoldLines], settings: Collection[tuple[int, int]]
) -> Delivered:
    """Reads the contexts of one arm; blocks of files without gold count for tokens only.

    Args:
        paths: one file per repository.
        gold: gold lines of each case.
        settings: the pairs of k and budget that are going to be scored.

    Raises:
        RoutebenchError: a file has rows, but none for one of the pairs.
    """
    tokens: dict[ContextKey, int] = {}
    lines: dict[ContextKey, dict[str, list[Lines]]] = defaultdict(lambda: defaultdict(list))
    gold_files = _gold_files(gold)
    for path in paths:
        blocks = read_table(path, "contexts")
        _check_settings(path, blocks, settings)
        included = blocks.filter(blocks["included"])
        tokens.update(_tokens(included))
        for case_id, k, budget, file, start, end in _gold_blocks(included, gold_files):
            lines[case_id, k, budget][file].append((start, end))
    return Delivered(tokens, lines)


def _gold_files(gold: Mapping[str, GoldLines]) -> pa.Table:
    pairs = [(case_id, path) for case_id, of_case in gold.items() for path in of_case]
    columns = list(zip(*pairs, strict=True)) or [(), ()]
    return pa.table(
        {name: pa.array(column, pa.string()) for name, column in zip(_FILE, columns, strict=True)}
    )


def _check_settings(path: Path, blocks: pa.Table, settings: Collection[tuple[int, int]]) -> None:
    if not blocks.num_rows:
        return
    pairs = blocks.group_by(["k", "budget"]).aggregate([]).to_pylist()
    for k, budget in sorted(set(settings) - {(pair["k"], pair["budget"]) for pair in pairs}):
        raise RoutebenchError(f"{path}: nothing packed for k {k}, budget {budget}; rerun contexts")


def _tokens(included: pa.Table) -> dict[ContextKey, int]:
    sums = included.group_by(_KEY).aggregate([("tokens", "sum")])
    keys = zip(*(sums[name].to_pylist() for name in _KEY), strict=True)
    return dict(zip(keys, sums["tokens_sum"].to_pylist(), strict=True))


def _gold_blocks(
    included: pa.Table, gold_files: pa.Table
) -> list[tuple[str, int, int, str, int, int]]:
    names = [*_KEY, "path", "start_line", "end_line"]
    kept = included.select(names).join(gold_files, _FILE, join_type="left semi")
    return list(zip(*(kept[name].to_pylist() for name in names), strict=True))
