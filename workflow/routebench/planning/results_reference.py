"""``docs/results.md``: result tables from their schemas, printed tables from their queries."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from routebench.planning.configuration import FIGURE_PREFIX, QUERIES
from routebench.planning.markdown import code, prose, table
from routebench.planning.settings import SCHEMAS
from routebench.planning.study import FIGURES, TABLES
from routebench.reporting.queries import REST, Query, read_query

SUFFIX = ".schema.yaml"
OTHER_SCHEMAS = ("config",)
# Tables in the order in which a run makes them.
ORDER = (
    *("cohort", "issues", "snapshots", "blobs", "spans", "cases", "gold", "exclusions"),
    *("rankings", "operations", "traces", "answers", "contexts"),
    *("scores", "statistics", "overlaps"),
)
# What stands for the words of a study in captions.
WORDS = {
    "cases": "N",
    "repositories": "R",
    "k": "k",
    "budget": "the main one",
    "arm": "the arm",
    "comparator": "the main comparator",
}
HEAD = """# Results

<!-- Written by `make references`. Do not edit. -->

Everything of a study is in `results/<study>/`. Below: the [result files](#result-files) in
Parquet, the [printed tables](#printed-tables) and [figures](#figures) that are made from them,
and [other files](#other-files). `<arm>` is the name of an arm, `<owner>__<name>` a repository.

A column that *may be empty* holds null there; all others always hold a value. *share* is a
number from 0 to 1, *line* the number of a line from 1. Columns without a unit are names,
flags, counts or scores.

Any SQL over them, for instance:

```sh
.venv/bin/python -c "import duckdb; print(duckdb.sql(\\"\\"\\"
    SELECT arm, avg(file_recall) FROM 'results/demo/scores.parquet' WHERE k = 8 GROUP BY arm
\\"\\"\\"))"
```
"""
PRINTED = """## Printed tables

`tables/<name>.csv` (full precision), `.md` and `.tex`. *every study* marks the ones that are
always made; the others are made where `reporting.tables` names them. *Heading* is what `.md`
and `.tex` show above the column; CSV has the names. In captions N and R are the numbers of
cases and repositories. Each is a query of [workflow/queries](../workflow/queries).
"""
DRAWN = """## Figures

`figures/<name>.svg`, `.png`, and `.csv` with what is drawn. Others than those of *every study*
are made where `reporting.figures` names them.
"""
OTHER = """## Other files

| file | holds |
| --- | --- |
| `summary.txt` | what the run printed at its end |
| `report/index.html` | everything on one page |
| `commits/<owner>__<name>.json` | which commits the study needs, and where they come from |
| `mirrors/<owner>__<name>.json` | whether it could be had, what is missing, and why |
| `files/<owner>__<name>/` | its files, named by blob, where an arm runs a program |
| `settings/` | what each stage and arm depends on; an unchanged file means nothing to rerun |
| `versions.json` | versions of the programs and libraries that ran |
| `verify.csv`, `verify.md` | published numbers beside ours, where `verify` is set |
| `logs/` | one log for each job |
"""


def results_text() -> str:
    """Returns the page."""
    found = {path.name.removesuffix(SUFFIX) for path in SCHEMAS.glob(f"*{SUFFIX}")}
    left = sorted(found.difference(ORDER, OTHER_SCHEMAS))
    schemas = {name: _schema(name) for name in (*ORDER, *left)}
    queries = [read_query(path).filled(WORDS) for path in sorted(QUERIES.glob("*.sql"))]
    queries.sort(key=lambda query: query.name not in TABLES)
    return "\n".join(
        [
            HEAD,
            "## Result files\n",
            table(["table", "a row is"], _contents(schemas)),
            *(_result_table(name, schema) for name, schema in schemas.items()),
            PRINTED,
            *(_printed_table(query) for query in queries if not _is_figure(query)),
            DRAWN,
            table(["figure", "shows"], (_figure_row(q) for q in queries if _is_figure(q))),
            OTHER,
        ]
    )


def _schema(name: str) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = yaml.safe_load(
        (SCHEMAS / f"{name}{SUFFIX}").read_text(encoding="utf-8")
    )
    return schema


def _contents(schemas: Mapping[str, Mapping[str, Any]]) -> Iterator[list[str]]:
    for name, schema in schemas.items():
        yield [f"[{name}](#{name})", schema["row"]]


def _result_table(name: str, schema: Mapping[str, Any]) -> str:
    required = set(schema["required"])
    rows = (
        [
            code(column),
            _type_text(facts),
            "" if column in required else "yes",
            prose(facts["description"]),
        ]
        for column, facts in schema["properties"].items()
    )
    return (
        f"### {name}\n\n{', '.join(map(code, schema['files']))}\n\n{prose(schema['description'])} "
        f"Key: {', '.join(map(code, schema['key']))}.\n\n"
        + table(["column", "type", "may be empty", "holds"], rows)
    )


def _type_text(facts: Mapping[str, Any]) -> str:
    unit = f", {facts['unit']}" if "unit" in facts else ""
    return code(facts["arrow"]) + unit


def _is_figure(query: Query) -> bool:
    return query.name.startswith(FIGURE_PREFIX)


def _mark(name: str, standard: tuple[str, ...]) -> str:
    return " *(every study)*" if name in standard else ""


def _words(query: Query) -> str:
    return f"{query.title}. {query.caption}"


def _printed_table(query: Query) -> str:
    rows = (
        [
            "one column for each arm" if column.name == REST else _names(column.name, column.upper),
            column.heading,
        ]
        for column in query.columns
    )
    return (
        f"### Table {query.name}{_mark(query.name, TABLES)}\n\n{prose(_words(query))}\n\n"
        + table(["column", "heading"], rows)
    )


def _names(name: str, upper: str | None) -> str:
    return ", ".join(code(column) for column in (name, upper) if column)


def _figure_row(query: Query) -> list[str]:
    name = query.name.removeprefix(FIGURE_PREFIX)
    return [f"{code(name)}{_mark(name, FIGURES)}", prose(_words(query))]
