"""Scores of a packed context against gold lines (METHODS E; definitions in ``measures``).

Lines are kept as ranges, never one by one: a gold span may be a whole file.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from routebench.errors import RoutebenchError

Lines = tuple[int, int]
LinesByPath = Mapping[str, Sequence[Lines]]


class LineScores(NamedTuple):
    """Line-level scores of one context, under the names of the table scores."""

    line_recall: float
    complete_lines: bool


def score_lines(gold: LinesByPath, delivered: LinesByPath) -> LineScores:
    """Returns the line-level scores of one context.

    Args:
        gold: gold lines by path, as disjoint ranges in order (``merge_lines``).
        delivered: lines in the context by path, as ranges in any order.

    Raises:
        RoutebenchError: there are no gold lines.
    """
    wanted = sum(count_lines(ranges) for ranges in gold.values())
    if not wanted:
        raise RoutebenchError("gold lines: expected at least one")
    found = sum(
        count_shared(ranges, merge_lines(delivered[path]))
        for path, ranges in gold.items()
        if path in delivered
    )
    return LineScores(found / wanted, found == wanted)


def merge_lines(ranges: Iterable[Lines]) -> tuple[Lines, ...]:
    """Returns the same lines as disjoint ranges in order; ends are inclusive."""
    merged: list[Lines] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1] + 1:
            start, previous = merged.pop()
            end = max(previous, end)
        merged.append((start, end))
    return tuple(merged)


def count_lines(ranges: Iterable[Lines]) -> int:
    """Returns the number of lines of disjoint ranges."""
    return sum(end - start + 1 for start, end in ranges)


def count_shared(left: Sequence[Lines], right: Sequence[Lines]) -> int:
    """Returns the number of lines that are in both; each is disjoint and in order."""
    shared = i = j = 0
    while i < len(left) and j < len(right):
        start, end = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        shared += max(0, end - start + 1)
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return shared
