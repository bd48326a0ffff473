"""The forms of the files in ``workflow/pins/published``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from routebench.errors import RoutebenchError

Where = Mapping[str, str | int | bool | tuple[str, ...] | None]
Relation = Literal[
    "cases",
    "excluded",
    "operations",
    "overlaps",
    "rankings",
    "scores",
    "selected",
    "spans",
    "standings",
    "statistics",
]
Take = Literal["mean", "sum", "count", "distinct", "median", "p95", "only", "rank"]
Form = TypeVar("Form", bound=BaseModel)
Names = Annotated[
    tuple[str, ...], BeforeValidator(lambda names: (names,) if isinstance(names, str) else names)
]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Measure(_Record):
    """How a number is found in the results.

    Attributes:
        of: the relation (``relations``).
        take: how the values of its rows become one number; ``only`` needs exactly one row,
            ``rank`` is 0 without any.
        value: column of the values; none is needed to count rows.
        over: column whose sum the sum of the values is divided by.
        times: factor from our unit to the published one, a decimal number.
    """

    of: Relation
    take: Take
    value: str = ""
    over: str = ""
    times: str = "1"


class Rows(_Record):
    """Which rows a number is made from.

    Attributes:
        where: what rows must have in which columns.
        minus: changes to ``where`` that give the number to subtract; none for nothing.
        per: changes to ``where`` that give the number to divide by; none for nothing.
    """

    where: Where = {}
    minus: Where = {}
    per: Where = {}


class Shown(Rows):
    """What a cell shows: names of measures, one for each of its numbers."""

    measure: Names = ()


class Line(_Record):
    """A row of a table: its part of the condition and its cells, one for each column."""

    where: Where = {}
    cells: tuple[str | int | float, ...]


class PublishedTable(_Record):
    """A table; table, row and column share the condition of a cell.

    Attributes:
        name: as the paper numbers it, or a name of ours.
        source: where its values are from.
        columns: what each column shows.
        exact: its values are at full precision, not rounded for print.
        where: the table's part of the condition.
        rows: the rows by name; or else
        file: a CSV file beside, whose rows are named by the columns ``keys``.
        keys: these columns, which are conditions too.
    """

    name: str
    source: str
    columns: Mapping[str, Shown]
    exact: bool = False
    where: Where = {}
    rows: Mapping[str, Line] = {}
    file: str = ""
    keys: tuple[str, ...] = ()


class Item(Shown):
    """Numbers of a sentence; ``reason`` says why no results can give them."""

    row: str
    column: str
    printed: str
    reason: str = ""


class PublishedSection(_Record):
    """The numbers of a section's text; ``reason`` holds for items without their own."""

    name: str
    source: str
    items: tuple[Item, ...]
    reason: str = ""


class ValuesFile(_Record):
    """A file of published values."""

    tables: tuple[PublishedTable, ...] = ()
    sections: tuple[PublishedSection, ...] = ()


class MeasuresFile(_Record):
    """The measures that values name."""

    measures: Mapping[str, Measure]


class PublishedRanking(_Record):
    """Where the ranking of an arm was published.

    Attributes:
        pin: a pinned file; or else
        file: a file beside; or else
        fused: arms whose published lists are fused (METHODS R7).
        entries: key of the rankings in the file.
        query_mode: which of several rankings of a case.
        variant: the same by variant.
        ties: equal scores stand in an order that cannot be computed again (R3).
    """

    pin: str = ""
    file: str = ""
    fused: tuple[str, ...] = ()
    entries: str = "results"
    query_mode: str | None = None
    variant: str | None = None
    ties: bool = False


class RankingsFile(_Record):
    """Where the ledger of cases and the rankings were published."""

    ledger: str
    rankings: Mapping[str, PublishedRanking]


def read_form(path: Path, form: type[Form]) -> Form:
    """Reads a YAML file of a form.

    Raises:
        RoutebenchError: it is not YAML, or not of this form.
    """
    try:
        content: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        return form.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise RoutebenchError(f"{path.name}: {place}: {first['msg']}") from error
    except (OSError, yaml.YAMLError) as error:
        raise RoutebenchError(f"{path}: not published values ({error})") from error
