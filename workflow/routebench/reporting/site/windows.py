"""Packed contexts of a case: the blocks of all arms once, and who packed which."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from routebench.reporting.site.paths import PathTable


class Block(NamedTuple):
    """A row of the table contexts, its case left out."""

    k: int
    budget: int
    path: str
    start_line: int
    end_line: int
    tokens: int | None
    included: bool


def pack_windows(arms: Sequence[Iterable[Block]], paths: PathTable) -> dict[str, Any]:
    """Returns the blocks of a case and, by ``k/budget``, those that each arm packed.

    Args:
        arms: the blocks that the packer considered, in its order, for each arm.
        paths: the case's paths, which those of the blocks are added to.

    Returns:
        ``blocks``: path, first line, last line, tokens. ``packs``: for each arm the numbers
        of its blocks in the packer's order; a block that did not fit has ``-1 - number``.
    """
    blocks: dict[tuple[int, int, int, int | None], int] = {}
    packs: dict[str, list[list[int]]] = defaultdict(lambda: [[] for _ in arms])
    for place, of_arm in enumerate(arms):
        for block in of_arm:
            path = paths.place(block.path)
            key = (path, block.start_line, block.end_line, block.tokens)
            number = blocks.setdefault(key, len(blocks))
            packed = packs[f"{block.k}/{block.budget}"][place]
            packed.append(number if block.included else -1 - number)
    return {"blocks": list(blocks), "packs": dict(packs)}
