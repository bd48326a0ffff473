"""When a ranking counts as reproduced although equal scores are ordered otherwise (R3)."""

from collections.abc import Sequence
from itertools import groupby

from routebench.arms.base import Ranked


def same_up_to_ties(ours: Sequence[Ranked], published: Sequence[str], k: int) -> bool:
    """Tells whether a published list differs from ours only inside groups of equal score.

    Args:
        ours: our whole ranking, best first, not cut at k.
        published: the published paths, best first, cut at k, possibly inside a group.
        k: how many paths were published at most.
    """
    if len(published) != min(k, len(ours)):
        return False
    place = 0
    for _, group in groupby(ours, key=lambda item: item.score):
        paths = {item.path for item in group}
        here = published[place : place + len(paths)]
        if len(set(here)) != len(here) or not paths.issuperset(here):
            return False
        place += len(paths)
    return True
