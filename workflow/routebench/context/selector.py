"""Which lines of a nominated file an agent is shown (METHODS S1)."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from routebench.arms.terms import tokens


class LineRange(NamedTuple):
    """Lines of a file, 1-based and inclusive, with the best line score among them."""

    start_line: int
    end_line: int
    score: int


def select_ranges(
    lines: Sequence[str], terms: Collection[str], *, best_lines: int = 4, margin: int = 200
) -> tuple[LineRange, ...]:
    """Returns the ranges of a file around the lines that hold most query terms.

    A line's score is the number of distinct terms among its lower-cased tokens; a term inside
    a longer word does not count. Ranges that touch or overlap become one.

    Args:
        lines: the file, as ``str.splitlines`` cuts it.
        terms: query terms of the whole issue (METHODS Q).
        best_lines: how many lines are widened; ties go to the earlier line.
        margin: lines added on both sides.

    Returns:
        Disjoint ranges, higher score first, then earlier. One range over all lines with score
        0 if no line holds a term; nothing for a file without lines.
    """
    scores = count_terms(lines, terms)
    hits = [number for number, score in enumerate(scores, start=1) if score]
    if not hits:
        return (LineRange(1, len(lines), 0),) if lines else ()
    best = sorted(hits, key=lambda number: (-scores[number - 1], number))[:best_lines]
    widened = [
        LineRange(max(1, number - margin), min(len(lines), number + margin), scores[number - 1])
        for number in sorted(best)
    ]
    return tuple(sorted(_merge(widened), key=lambda found: (-found.score, found.start_line)))


def count_terms(lines: Sequence[str], terms: Collection[str]) -> list[int]:
    """Returns the number of distinct terms among the tokens of each line, in line order."""
    wanted = frozenset(terms)
    return [len(wanted.intersection(tokens(line))) for line in lines]


def _merge(ranges: Sequence[LineRange]) -> list[LineRange]:
    merged: list[LineRange] = []
    for found in ranges:
        if merged and found.start_line <= merged[-1].end_line + 1:
            start_line, end_line, score = merged.pop()
            found = LineRange(start_line, max(end_line, found.end_line), max(score, found.score))
        merged.append(found)
    return merged
