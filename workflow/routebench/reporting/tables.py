"""Tables: the result of a query, as CSV, Markdown and LaTeX."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from routebench.errors import RoutebenchError
from routebench.files import write_text
from routebench.reporting.markup import (
    NOTHING,
    Alignment,
    Cell,
    Display,
    Value,
    csv_text,
    latex_text,
    markdown_text,
)
from routebench.reporting.queries import REST, Column, Query, read_query
from routebench.reporting.views import ResultFiles, StudySettings, open_results, values

SUFFIXES = (".csv", ".md", ".tex")
SCALARS = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class Table:
    """A query's result, in the query's order.

    Attributes:
        name: name of the query.
        title: heading.
        caption: what the table shows.
        columns: how columns are shown, in order; an interval stands for two.
        names: columns of the rows.
        rows: values at full precision.
    """

    name: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    def column(self, name: str) -> tuple[Value, ...]:
        """Returns the values of one column."""
        place = self.names.index(name)
        return tuple(row[place] for row in self.rows)

    def heading(self, name: str) -> str:
        """Returns the heading of one column, with its unit."""
        return next(column.heading for column in self.columns if column.name == name)

    def where(self, name: str, value: Value) -> "Table":
        """Returns the rows that have ``value`` in the column ``name``."""
        place = self.names.index(name)
        return replace(self, rows=tuple(row for row in self.rows if row[place] == value))

    def showing(self, names: Iterable[str]) -> "Table":
        """Returns the table with only these columns on display, in their old order."""
        shown = set(names)
        return replace(self, columns=tuple(c for c in self.columns if c.name in shown))


def write_tables(
    *, queries: Sequence[Path], files: ResultFiles, study: StudySettings, folder: Path
) -> None:
    """Writes every query's table to ``folder`` under the query's name (``SUFFIXES``).

    Raises:
        RoutebenchError: results are missing or inconsistent, or a query's header is wrong.
    """
    with open_results(files, study) as connection:
        words = values(connection, study)
        for path in queries:
            table = evaluate(read_query(path).filled(words), connection)
            _write(table, folder / path.stem, study.provenance)


def write_table_files(
    *, query: Path, files: ResultFiles, study: StudySettings, output: Path
) -> None:
    """Writes one query's table as ``output`` with each of ``SUFFIXES`` added.

    Raises:
        RoutebenchError: results are missing or inconsistent, or the query's header is wrong.
    """
    with open_results(files, study) as connection:
        table = evaluate(read_query(query).filled(values(connection, study)), connection)
    _write(table, output, study.provenance)


def evaluate(query: Query, connection: duckdb.DuckDBPyConnection) -> Table:
    """Runs a query.

    Raises:
        RoutebenchError: the query fails, or its columns are not those of its header.
    """
    try:
        cursor = connection.execute(query.sql)
        names = tuple(column[0] for column in cursor.description or ())
        rows = tuple(cursor.fetchall())
    except duckdb.Error as error:
        raise RoutebenchError(f"{query.name}.sql: {error}") from error
    odd = {type(value).__name__ for row in rows for value in row if not isinstance(value, SCALARS)}
    if odd:
        raise RoutebenchError(f"{query.name}.sql: values of type {sorted(odd)}; cast them")
    columns = _matched(query, names)
    return Table(query.name, query.title, query.caption, columns, names, rows)


def _matched(query: Query, names: Sequence[str]) -> tuple[Column, ...]:
    """Puts the declared columns in the order of the result, with ``*`` spelt out."""
    declared = {column.name: column for column in query.columns}
    uppers = {column.upper for column in query.columns if column.upper}
    missing = (declared.keys() - {REST} | uppers) - set(names)
    unnamed = [name for name in names if name not in declared and name not in uppers]
    if missing or (unnamed and REST not in declared):
        raise RoutebenchError(
            f"{query.name}.sql: header and result differ in {sorted(missing) + unnamed}"
        )
    return tuple(
        declared.get(name) or replace(declared[REST], name=name, label=name)
        for name in names
        if name not in uppers
    )


def display(table: Table, provenance: str = "") -> Display:
    """Sets a table: numbers formatted, columns without any value left out."""
    shown = [(column, _cells(column, table)) for column in table.columns]
    kept = [
        (column, cells)
        for column, cells in shown
        if not table.rows or any(cell.text != NOTHING for cell in cells)
    ]
    return Display(
        name=table.name,
        title=table.title,
        caption=table.caption,
        headings=tuple(column.heading for column, _ in kept),
        alignments=tuple(_alignment(column) for column, _ in kept),
        rows=tuple(zip(*(cells for _, cells in kept), strict=True)),
        provenance=provenance,
    )


def _alignment(column: Column) -> Alignment:
    return "right" if column.format else "left"


def _cells(column: Column, table: Table) -> list[Cell]:
    if column.upper is None:
        return [_cell(column.format, value) for value in table.column(column.name)]
    bounds = zip(table.column(column.name), table.column(column.upper), strict=True)
    return [_interval(column.format, lower, upper) for lower, upper in bounds]


def _cell(form: str, value: Value) -> Cell:
    if value is None:
        return Cell(NOTHING, number=bool(form))
    if form and not isinstance(value, str):
        return Cell(format(value, form), number=True)
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    return Cell(str(value))


def _interval(form: str, lower: Value, upper: Value) -> Cell:
    if lower is None or upper is None:
        return Cell(NOTHING, number=True)
    return Cell(f"[{_cell(form, lower).text}, {_cell(form, upper).text}]", number=True)


def _write(table: Table, output: Path, provenance: str) -> None:
    shown = display(table, provenance)
    texts: Mapping[str, Callable[[], str]] = {
        ".csv": lambda: csv_text(table.names, table.rows),
        ".md": lambda: markdown_text(shown),
        ".tex": lambda: latex_text(shown),
    }
    for suffix in SUFFIXES:
        write_text(output.with_name(output.name + suffix), texts[suffix]())
