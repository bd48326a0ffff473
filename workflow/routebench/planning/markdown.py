"""Markdown of generated pages: tables whose cells cannot break them."""

import re
from collections.abc import Iterable, Sequence

# What is only of use to who knows the definitions by their numbers.
DEFINITION = re.compile(r"\s*\((?:METHODS [^()]*|[A-Z]\d*(?:, [A-Z]\d+)*)\)")
LITERAL = re.compile(r"``(.+?)``")
CODE = re.compile(r"(`[^`]*`)")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table; cells hold Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines)


def cell(text: str) -> str:
    """Returns text that stays in its cell."""
    return " ".join(text.split()).replace("|", r"\|")


def prose(text: str) -> str:
    """Returns a description as Markdown, in the words of YAML, without numbers of definitions."""
    plain = LITERAL.sub(r"`\1`", DEFINITION.sub("", text)).replace("None for", "`null` for")
    return "".join(
        part if part.startswith("`") else part.replace("*", r"\*").replace("<", r"\<")
        for part in CODE.split(plain)
    )


def code(text: str) -> str:
    """Returns a literal."""
    return f"`{text}`"
