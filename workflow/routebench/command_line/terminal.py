"""Text for people: hostile names are shown, never obeyed by the terminal."""

import textwrap
from collections.abc import Sequence


def visible(text: str) -> str:
    r"""Returns text with everything that a terminal would obey as its escape (``\x1b``).

    Line ends, control and bidirectional characters count; spaces and letters stay.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def visible_lines(text: str) -> str:
    """Returns text of several lines likewise; line ends and tabs stay."""
    return "\n".join(
        "\t".join(visible(part) for part in line.split("\t")) for line in text.split("\n")
    )


def wrapped(parts: Sequence[str], *, width: int, indent: str, between: str = ", ") -> str:
    """Returns parts in lines of at most ``width`` columns; none is broken if it fits a line.

    Args:
        parts: text of one line each.
        width: columns of the terminal.
        indent: what stands before each line.
        between: what stands between two parts.
    """
    # A part is one word to textwrap; the stand-in for its spaces cannot be in visible text.
    words = between.replace(" ", "\n").join(part.replace(" ", "\0") for part in parts)
    lines = textwrap.wrap(
        words.replace("\n", " "),
        max(width, len(indent) + 20),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\0", " ")
