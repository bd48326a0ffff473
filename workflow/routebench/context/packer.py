"""How selected ranges become a context of at most so many tokens (METHODS S2)."""

from collections.abc import Sequence
from dataclasses import dataclass

from routebench.context.selector import LineRange


@dataclass(frozen=True, slots=True)
class Block:
    """A rendered range of a nominated file.

    Attributes:
        rank: rank of the file, from 1.
        path: path of the file.
        start_line: first line, 1-based.
        end_line: last line, inclusive.
        tokens: tokens of the rendering; None if surely more than any budget.
    """

    rank: int
    path: str
    start_line: int
    end_line: int
    tokens: int | None


def render_block(path: str, lines: Sequence[str], found: LineRange) -> str:
    """Returns a range as the agent reads it: a heading with the path, then numbered lines.

    Args:
        path: path of the file.
        lines: all lines of the file, each with its own line end.
        found: the range.
    """
    shown = lines[found.start_line - 1 : found.end_line]
    numbered = (f"{number:05d}: {line}" for number, line in enumerate(shown, found.start_line))
    return f"\n===== {path} =====\n{''.join(numbered)}"


def pack(blocks: Sequence[Block], budget: int) -> tuple[bool, ...]:
    """Tells for each block, in packing order, whether it is in the context.

    A block that would take the context over the budget (tokens) is skipped and packing goes
    on with the next one.
    """
    packed = []
    left = budget
    for block in blocks:
        fits = block.tokens is not None and block.tokens <= left
        left -= block.tokens or 0 if fits else 0
        packed.append(fits)
    return tuple(packed)
