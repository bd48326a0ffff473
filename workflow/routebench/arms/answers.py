"""What every answer is held to before it becomes a result."""

from collections.abc import Container, Iterable
from dataclasses import replace

from routebench.arms.base import Answer, Ranked


def tidy_ranking(
    ranking: Iterable[Ranked], known: Container[str] | None, k: int
) -> tuple[tuple[Ranked, ...], int]:
    """Drops unknown and repeated paths, then cuts at k; order stays.

    Args:
        ranking: paths, best first.
        known: paths of the corpus; None where the arm has none.
        k: how many paths at most.

    Returns:
        The ranking and how many distinct unknown paths were dropped.
    """
    distinct: dict[str, Ranked] = {}
    for item in ranking:
        distinct.setdefault(item.path, item)
    kept = [item for item in distinct.values() if known is None or item.path in known]
    return tuple(kept[:k]), len(distinct) - len(kept)


def tidy_answer(answer: Answer, known: Container[str] | None, k: int) -> Answer:
    """Returns the answer with its ranking tidied and the dropped paths counted."""
    ranking, dropped = tidy_ranking(answer.ranking, known, k)
    total = answer.operations.dropped_paths + dropped
    return replace(
        answer, ranking=ranking, operations=replace(answer.operations, dropped_paths=total)
    )
