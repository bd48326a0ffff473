"""The published values, one by one."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from routebench.errors import RoutebenchError
from routebench.verification.forms import (
    Line,
    Measure,
    MeasuresFile,
    PublishedSection,
    PublishedTable,
    RankingsFile,
    Rows,
    Shown,
    ValuesFile,
    read_form,
)
from routebench.verification.printed import split_numbers

VALUES = ("paper.yaml", "aggregates.yaml", "cases.yaml")
MEASURES, RANKINGS, FLAGS = "measures.yaml", "rankings.yaml", "case-flags.csv"


@dataclass(frozen=True, slots=True)
class Claim:
    """One published number.

    Attributes:
        table: table or section.
        row: row of the table, or what the sentence is about.
        column: column of the table, or what of it.
        printed: the number as published.
        source: where it was published.
        exact: it is at full precision, not rounded for print.
        measure: how ours is found; None if no results can give it.
        rows: the rows that ours is made from.
        reason: why no results can give it.
    """

    table: str
    row: str
    column: str
    printed: str
    source: str
    exact: bool = False
    measure: Measure | None = None
    rows: Rows = field(default_factory=Rows)
    reason: str = ""


@dataclass(frozen=True)
class PublishedValues:
    """Everything that was published, read from one folder.

    Attributes:
        folder: ``workflow/pins/published``.
    """

    folder: Path

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """All published numbers, in the order of the files.

        Raises:
            RoutebenchError: a file is not of its form, or numbers and measures do not match.
        """
        return tuple(claim for name in VALUES for claim in self._of_file(name))

    @cached_property
    def measures(self) -> Mapping[str, Measure]:
        """How numbers are found, by name."""
        return read_form(self.folder / MEASURES, MeasuresFile).measures

    @cached_property
    def rankings(self) -> RankingsFile:
        """Where rankings were published, by arm, and the ledger of cases."""
        return read_form(self.folder / RANKINGS, RankingsFile)

    @cached_property
    def flags(self) -> Mapping[str, Mapping[str, str]]:
        """What was published of each case, by its id."""
        return {row["case_id"]: row for row in _csv_rows(self.folder / FLAGS)}

    @property
    def pins(self) -> tuple[str, ...]:
        """The pinned files that hold the ledger and the rankings."""
        of_arms = [ranking.pin for ranking in self.rankings.rankings.values() if ranking.pin]
        return tuple(dict.fromkeys([self.rankings.ledger, *of_arms]))

    def _of_file(self, name: str) -> Iterator[Claim]:
        file = read_form(self.folder / name, ValuesFile)
        for table in file.tables:
            yield from self._of_table(table)
        for section in file.sections:
            yield from self._of_section(section)

    def _of_table(self, table: PublishedTable) -> Iterator[Claim]:
        for row, line in self._lines(table):
            if len(line.cells) != len(table.columns):
                raise RoutebenchError(f"{table.name}, row {row}: expected a cell for each column")
            for (column, shown), cell in zip(table.columns.items(), line.cells, strict=True):
                cell_rows = Rows(where={**table.where, **line.where, **shown.where})
                claim = Claim(table.name, row, column, str(cell), table.source, table.exact)
                yield from self._numbers(replace(claim, rows=cell_rows), shown)

    def _lines(self, table: PublishedTable) -> Iterator[tuple[str, Line]]:
        yield from table.rows.items()
        for row in _csv_rows(self.folder / table.file) if table.file else ():
            where = {key: row[key] for key in table.keys}
            cells = tuple(row[column] for column in table.columns)
            yield " ".join(where.values()), Line(where=where, cells=cells)

    def _of_section(self, section: PublishedSection) -> Iterator[Claim]:
        for item in section.items:
            claim = Claim(
                table=section.name,
                row=item.row,
                column=item.column,
                printed=item.printed,
                source=section.source,
                rows=Rows(where=item.where, minus=item.minus, per=item.per),
                reason="" if item.measure else item.reason or section.reason,
            )
            yield from self._numbers(claim, item)

    def _numbers(self, cell: Claim, shown: Shown) -> Iterator[Claim]:
        """Yields a claim for each number of a cell; an empty cell has none."""
        exact = [cell.printed] if cell.printed else []
        numbers = exact if cell.exact else split_numbers(cell.printed)
        if cell.reason:
            yield from (replace(cell, printed=number) for number in numbers)
            return
        if numbers and len(numbers) != len(shown.measure):
            raise RoutebenchError(
                f"published values: {cell.table}, {cell.row}, {cell.column}: {len(numbers)} "
                f"numbers in {cell.printed!r}, but measures {list(shown.measure)}"
            )
        for number, name in zip(numbers, shown.measure, strict=False):
            column = cell.column if len(numbers) == 1 else f"{cell.column}: {name}"
            yield replace(cell, printed=number, column=column, measure=self._measure(name))

    def _measure(self, name: str) -> Measure:
        if name not in self.measures:
            raise RoutebenchError(f"published values: no measure {name!r} in {MEASURES}")
        return self.measures[name]


def _csv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
