"""SQL files of tables and figures, and what their headers tell the writers.

The comment lines at the top of a query are data, one declaration a line::

    -- title: Arm summary
    -- caption: Means over {cases} cases.
    -- column wall_ms: Time; ,.1f; ms
    -- interval lower upper: 95 % interval; +z.3f
    -- column *: ; .3f

A declaration of a column is its label, the Python format of its numbers and its unit;
an interval shows two columns as ``[lower, upper]``; ``*`` stands for every column not
named, under its own name. Further caption lines continue the first. Words in braces
are replaced by values of the study (``views.values``).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from routebench.errors import RoutebenchError

DECLARATION = re.compile(r"-- (title|caption|column|interval)(?: ([\w* ]+))?: (.*)")
FORMAT = re.compile(r"(\+?z?,?\.\d+f|\+?,?d)?")
REST = "*"


@dataclass(frozen=True, slots=True)
class Column:
    """How one column of a table is shown.

    Attributes:
        name: column of the query, or ``*`` for every column that has no declaration.
        label: heading without the unit.
        format: Python format of its numbers; empty for text.
        unit: unit of the numbers, empty for none.
        upper: the column with the upper bound, where this one holds the lower.
    """

    name: str
    label: str
    format: str = ""
    unit: str = ""
    upper: str | None = None

    @property
    def heading(self) -> str:
        """The label with its unit in brackets."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True, slots=True)
class Query:
    """A query with the words that go with its result."""

    name: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    sql: str

    def filled(self, values: Mapping[str, str]) -> "Query":
        """Returns the query with ``{words}`` in its captions and labels replaced.

        Raises:
            RoutebenchError: a word has no value.
        """
        try:
            return replace(
                self,
                title=self.title.format_map(values),
                caption=self.caption.format_map(values),
                columns=tuple(
                    replace(column, label=column.label.format_map(values))
                    for column in self.columns
                ),
            )
        except (KeyError, ValueError, IndexError) as error:
            known = ", ".join(sorted(values))
            raise RoutebenchError(
                f"{self.name}.sql: no value for {error} in the header; known: {known}"
            ) from error


def read_query(path: Path) -> Query:
    """Reads a query file with its header.

    Raises:
        RoutebenchError: a header line is not a declaration, or title or columns lack.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    header = list(takewhile(lambda line: line.startswith("--"), lines))
    words: dict[str, list[str]] = {"title": [], "caption": []}
    columns: list[Column] = []
    for kind, names, text in _declarations(path, header):
        if kind in words and not names:
            words[kind].append(text)
        else:
            columns.append(_column(path, kind, names, text))
    _check_header(path, words["title"], columns)
    return Query(
        name=path.stem,
        title=words["title"][0],
        caption=" ".join(words["caption"]),
        columns=tuple(columns),
        sql="\n".join(lines[len(header) :]),
    )


def _declarations(path: Path, header: list[str]) -> Iterator[tuple[str, list[str], str]]:
    for number, line in enumerate(header, start=1):
        match = DECLARATION.fullmatch(line)
        if not match:
            raise RoutebenchError(
                f"{path.name}:{number}: {line!r} is not a declaration; "
                "expected title, caption, column or interval"
            )
        yield match[1], (match[2] or "").split(), match[3].strip()


def _column(path: Path, kind: str, names: list[str], text: str) -> Column:
    label, form, unit = ([part.strip() for part in text.split(";")] + ["", ""])[:3]
    expected = {"column": 1, "interval": 2}.get(kind, 0)
    if len(names) != expected or text.count(";") > 2 or not FORMAT.fullmatch(form):
        raise RoutebenchError(
            f"{path.name}: {kind} {' '.join(names)}: {text!r}; "
            "expected 'column NAME: LABEL; FORMAT; UNIT' or 'interval LOWER UPPER: …'"
        )
    return Column(names[0], label, form, unit, names[1] if expected == 2 else None)


def _check_header(path: Path, titles: list[str], columns: list[Column]) -> None:
    names = [name for column in columns for name in (column.name, column.upper) if name]
    if len(titles) != 1 or not columns:
        raise RoutebenchError(f"{path.name}: expected one title and at least one column")
    if len(set(names)) < len(names):
        raise RoutebenchError(f"{path.name}: a column is declared twice")
