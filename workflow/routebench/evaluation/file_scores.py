"""Scores of a ranking against gold files (METHODS E; definitions in ``measures``)."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from routebench.errors import RoutebenchError


class FileScores(NamedTuple):
    """File-level scores of one case at one k, under the names of the table scores."""

    file_recall: float
    complete_files: bool
    file_precision: float
    gold_found: int
    gold_files: int
    any_hit: bool
    capped_accuracy: float
    returned: int


def score_files(gold: Collection[str], ranking: Sequence[str], *, k: int) -> FileScores:
    """Returns the file-level scores of the first k ranked paths.

    Args:
        gold: the gold paths, distinct.
        ranking: ranked paths, distinct, best first; may be empty.
        k: how many of them count.

    Raises:
        RoutebenchError: there is no gold.
    """
    if not gold:
        raise RoutebenchError("gold files: expected at least one")
    returned = ranking[:k]
    found = len(set(gold).intersection(returned))
    return FileScores(
        file_recall=found / len(gold),
        complete_files=found == len(gold),
        file_precision=found / len(returned) if returned else 0.0,
        gold_found=found,
        gold_files=len(gold),
        any_hit=found > 0,
        capped_accuracy=float(found == min(len(gold), k)),
        returned=len(returned),
    )
