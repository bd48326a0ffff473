"""Outlines of source files: what a model is shown of a file in place of its text (METHODS R11).

METHODS names the parts and the size; what it leaves open is settled here. Imports are those
before the first definition, definitions are lines at the left margin, both by patterns that
know Python and the usual languages with braces. Imports take at most 15 % of the size and
definitions 45 %; lines that match the query have the rest, best first while they fit, shown
in the order of the file. A line is cut at 160 characters.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

IMPORT_PERCENT, DEFINITION_PERCENT = 15, 45
LINE_CHARACTERS = 160
_IMPORT = re.compile(
    r"from\s+\S+\s+import\b|import\s+\S|#\s*include\b|(?:use|using)\s+[\w:.]+.*;|package\s+\w+|"
    r"(?:const|let|var)\s+\S.*\brequire\("
)
_DEFINITION = re.compile(
    r"(?:(?:export|default|async|public|abstract|static|final|unsafe|declare|pub(?:\([^)]*\))?)\s+)*"
    r"(?:(?:def|class|func|function|fn|struct|enum|trait|impl|interface)\b\s*[\w(<*]|"
    r"type\s+\w+\s*(?:=|struct\b|interface\b))"
)


class Line(NamedTuple):
    """A line of a file, its number counted from 1."""

    number: int
    text: str


class Outline(NamedTuple):
    """What is told of a blob whatever is asked.

    Attributes:
        lines: number of its lines.
        imports: lines before the first definition that import.
        definitions: definitions at the left margin.
    """

    lines: int
    imports: tuple[Line, ...]
    definitions: tuple[Line, ...]


def outline_text(text: str) -> Outline:
    """Returns the outline of a text with universal newlines."""
    lines = [Line(number, line) for number, line in enumerate(text.splitlines(), start=1)]
    definitions = tuple(line for line in lines if _DEFINITION.match(line.text))
    leading = lines[: definitions[0].number - 1] if definitions else lines
    imports = tuple(line for line in leading if _IMPORT.match(line.text))
    return Outline(len(lines), imports, definitions)


def render_outline(path: str, outline: Outline, matches: Iterable[Line], *, limit: int) -> str:
    """Returns the outline as text of at most ``limit`` UTF-8 bytes.

    Args:
        path: path of the file.
        outline: of its text.
        matches: lines that match the query, best first.
        limit: most bytes.
    """
    imports = _fitting(outline.imports, limit * IMPORT_PERCENT // 100)
    definitions = _fitting(outline.definitions, limit * DEFINITION_PERCENT // 100)
    parts = [f"{path} ({outline.lines} lines)"]
    parts += _part("imports", imports) + _part("definitions", definitions)
    shown = {line.number for line in (*imports, *definitions)}
    new = [line for line in matches if line.number not in shown]
    room = limit - len("\n".join([*parts, "matches:", ""]).encode())
    parts += _part("matches", sorted(_fitting(new, room)))
    return _cut("\n".join(parts), limit)


def _part(title: str, lines: Sequence[Line]) -> list[str]:
    return [f"{title}:", *map(_shown, lines)] if lines else []


def _fitting(lines: Iterable[Line], room: int) -> list[Line]:
    fitting = []
    for line in lines:
        room -= len(_shown(line).encode()) + 1
        if room < 0:
            break
        fitting.append(line)
    return fitting


def _shown(line: Line) -> str:
    return f"{line.number}: {line.text.strip()[:LINE_CHARACTERS]}"


def _cut(text: str, limit: int) -> str:
    return text.encode()[:limit].decode("utf-8", "ignore")
