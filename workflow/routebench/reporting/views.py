"""DuckDB over the result files of one study: the views that every query reads.

=========== ==========================================================================
cases       the result table as it is; so are gold, exclusions, scores
statistics  the same, without bounds where one repository gives no interval
overlaps    the result table, without rows where the study has none
spans       audit of the spans of every selected case, excluded ones too
rankings    of the cases of the study, with the column arm
operations  of the cases of the study, with the column arm
arms        arm, position (from 1, the study's order), kind, parameters, family (the arm's
            name in the study file, which its repeats share), repeat (from 0)
families    family, position
main_scores scores at the study's values of k and its main budget
first_ranks arm, case_id, repo, first_rank: rank of the first gold file, empty if none is
published   values that the study's source printed: arm, measure, k, case_id, value,
            same_cohort (yes, no, not known); without rows where there is none
mean_recall family, case_id, repo, k, file_recall: its mean over the repeats
=========== ==========================================================================

``getvariable`` gives main_budget (empty without contexts), ks, comparator and what a
figure was asked for. The type ``arm_name`` has the arms in the study's order, and
``lower_quantile(x, q)`` is numpy's quantile by the method ``lower`` (METHODS E), and
``sign_test(better, worse)`` the exact two-sided p.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa

from routebench.errors import RoutebenchError
from routebench.reporting.published import Published, PublishedValue
from routebench.statistics.sign_test import sign_test_p
from routebench.tables import read_table, table_schema

# Nothing but the registered tables may be read: no files, no network, no extensions.
CLOSED: Mapping[str, str | bool | int | float | list[str]] = {
    "threads": 1,
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
Setting = str | int | None
NOTHING_PUBLISHED = Published()

DEFINITIONS = (
    "CREATE TYPE arm_name AS ENUM (SELECT arm FROM arms ORDER BY position)",
    """CREATE MACRO lower_quantile(x, q) AS
       list_sort(list(x))[1 + CAST(floor((count(x) - 1) * q) AS BIGINT)]""",
    """CREATE VIEW statistics AS SELECT * REPLACE (
           CASE WHEN n_clusters > 1 THEN lower END AS lower,
           CASE WHEN n_clusters > 1 THEN upper END AS upper
       ) FROM all_statistics""",
    "CREATE VIEW rankings AS SELECT * FROM all_rankings SEMI JOIN cases USING (case_id)",
    "CREATE VIEW operations AS SELECT * FROM all_operations SEMI JOIN cases USING (case_id)",
    """CREATE VIEW main_scores AS SELECT * FROM scores
       WHERE budget IS NOT DISTINCT FROM getvariable('main_budget')
         AND list_contains(getvariable('ks'), k)""",
    """CREATE VIEW first_ranks AS
       SELECT arm, cases.case_id, cases.repo, min(rank) AS first_rank
       FROM cases CROSS JOIN arms
       LEFT JOIN (
           SELECT arm, case_id, rank FROM rankings SEMI JOIN gold USING (case_id, path)
       ) USING (arm, case_id)
       GROUP BY arm, cases.case_id, cases.repo""",
    "CREATE VIEW families AS SELECT family, min(position) AS position FROM arms GROUP BY family",
    """CREATE VIEW mean_recall AS
       SELECT family, case_id, repo, k, avg(file_recall) AS file_recall
       FROM main_scores JOIN arms USING (arm) GROUP BY family, case_id, repo, k""",
)

STRANGE_ROWS = """
    SELECT 'scores' AS result, arm, case_id FROM scores
    WHERE arm NOT IN (SELECT arm FROM arms) OR case_id NOT IN (SELECT case_id FROM cases)
    UNION ALL
    SELECT 'operations', arm, case_id FROM operations WHERE arm NOT IN (SELECT arm FROM arms)
    ORDER BY ALL
"""

MISCOUNTED_ROWS = """
    WITH budgets AS (
        SELECT budget FROM scores UNION SELECT CAST(getvariable('main_budget') AS INTEGER)
    ),
    scored AS (
        SELECT arm, case_id, 'k ' || k || ', budget ' || coalesce(CAST(budget AS VARCHAR), 'none')
            AS place
        FROM scores
    ),
    expected AS (
        SELECT 'scores' AS result, arm, case_id,
            'k ' || k || ', budget ' || coalesce(CAST(budget AS VARCHAR), 'none') AS place
        FROM cases, arms, budgets, (SELECT unnest(getvariable('ks')) AS k)
        UNION ALL
        SELECT 'operations', arm, case_id, 'all k' FROM cases, arms
    ),
    found AS (
        SELECT 'scores' AS result, arm, case_id, place, count(*) AS n FROM scored GROUP BY ALL
        UNION ALL
        SELECT 'operations', arm, case_id, 'all k', count(*) FROM operations GROUP BY ALL
    )
    SELECT result, arm, case_id, place, coalesce(n, 0)
    FROM expected LEFT JOIN found USING (result, arm, case_id, place)
    WHERE n IS DISTINCT FROM 1
    ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class ArmEntry:
    """An arm, with its parameters as short text.

    ``family`` is its name in the study file, if it is one of several repeats.
    """

    name: str
    kind: str
    parameters: str = ""
    family: str = ""

    @property
    def repeat(self) -> int | None:
        """Its number among the repeats, from 0."""
        if self.family in ("", self.name):
            return None
        return int(self.name.removeprefix(f"{self.family}."))


@dataclass(frozen=True, slots=True)
class StudySettings:
    """What tables and figures must know of a study beside its results.

    Attributes:
        ks: values of k; the first is the one that figures and summaries show.
        arms: the arms in the study's order.
        comparator: name, in the study file, of the arm that others are compared with.
        main_budget: context budget of the main tables, tokens; None without contexts.
        provenance: one line that each Markdown, LaTeX and figure file records.
        published: what the study that this one repeats has printed.
    """

    ks: tuple[int, ...]
    arms: tuple[ArmEntry, ...]
    comparator: str
    main_budget: int | None = None
    provenance: str = ""
    published: Published = NOTHING_PUBLISHED

    def __post_init__(self) -> None:
        names = [arm.name for arm in self.arms]
        if not self.ks or not names:
            raise RoutebenchError("tables: expected at least one value of k and one arm")
        if len(set(names)) < len(names):
            raise RoutebenchError("tables: an arm is named twice")
        if self.comparator not in [arm.family or arm.name for arm in self.arms]:
            raise RoutebenchError(f"comparator {self.comparator!r}: not an arm of the study")


@dataclass(frozen=True, slots=True)
class ResultFiles:
    """Where the result tables of a study are; rankings and operations by arm."""

    cases: Path
    gold: Path
    exclusions: Path
    scores: Path
    statistics: Path
    overlaps: Path | None = None
    spans: Sequence[Path] = ()
    rankings: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    operations: Mapping[str, Sequence[Path]] = field(default_factory=dict)


@contextmanager
def open_results(
    files: ResultFiles, study: StudySettings, settings: Mapping[str, Setting] | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yields a connection with the views and variables of one study.

    Args:
        files: the result files.
        study: the study they belong to.
        settings: further variables for ``getvariable``.

    Raises:
        RoutebenchError: a file is not readable, or an arm lacks a case: means are over
            the whole cohort, never over the rows that happen to be there.
    """
    with duckdb.connect(":memory:", config=dict(CLOSED)) as connection:
        for name, content in _contents(files, study).items():
            connection.register(name, content)
        for name, value in _variables(study, settings or {}).items():
            connection.execute(f"SET VARIABLE {name} = ?", [value])
        connection.create_function("sign_test", sign_test_p, ["BIGINT", "BIGINT"], "DOUBLE")
        for definition in DEFINITIONS:
            connection.execute(definition)
        _check_rows(connection)
        yield connection


def values(
    connection: duckdb.DuckDBPyConnection,
    study: StudySettings,
    settings: Mapping[str, Setting] | None = None,
) -> dict[str, str]:
    """Returns the words that headers of queries may use in braces, by name."""
    counted = "SELECT count(*), count(DISTINCT repo) FROM cases"
    cases, repositories = connection.execute(counted).fetchall()[0]
    budget = "none" if study.main_budget is None else f"{study.main_budget:,} tokens"
    return {
        "cases": str(cases),
        "repositories": str(repositories),
        "k": str(study.ks[0]),
        "budget": budget,
        "comparator": study.comparator,
        **{name: str(value) for name, value in (settings or {}).items()},
    }


def _variables(study: StudySettings, settings: Mapping[str, Setting]) -> dict[str, object]:
    of_study = {
        "ks": list(study.ks),
        "main_budget": study.main_budget,
        "comparator": study.comparator,
    }
    return {**of_study, **settings}


def _contents(files: ResultFiles, study: StudySettings) -> dict[str, pa.Table]:
    cases = read_table(files.cases, "cases")
    return {
        "cases": cases,
        "gold": read_table(files.gold, "gold"),
        "exclusions": read_table(files.exclusions, "exclusions"),
        "scores": read_table(files.scores, "scores"),
        "all_statistics": read_table(files.statistics, "statistics"),
        "overlaps": _joined([files.overlaps] if files.overlaps else [], "overlaps"),
        "spans": _joined(files.spans, "spans"),
        "all_rankings": _by_arm(files.rankings, "rankings"),
        "all_operations": _by_arm(files.operations, "operations"),
        "arms": _arms(study),
        "published": _published(study.published, cases.column("case_id").to_pylist()),
    }


def _joined(paths: Sequence[Path], table: str) -> pa.Table:
    empty = table_schema(table).empty_table()
    return pa.concat_tables([empty, *(read_table(path, table) for path in paths)])


def _by_arm(paths: Mapping[str, Sequence[Path]], table: str) -> pa.Table:
    parts = [_with_arm(_joined((), table), "")]
    parts += [_with_arm(_joined(of_arm, table), arm) for arm, of_arm in paths.items()]
    return pa.concat_tables(parts)


def _with_arm(content: pa.Table, arm: str) -> pa.Table:
    return content.append_column("arm", pa.array([arm] * content.num_rows, pa.string()))


def _arms(study: StudySettings) -> pa.Table:
    return pa.table(
        {
            "arm": [arm.name for arm in study.arms],
            "position": list(range(1, len(study.arms) + 1)),
            "kind": [arm.kind for arm in study.arms],
            "parameters": [arm.parameters for arm in study.arms],
            "family": [arm.family or arm.name for arm in study.arms],
            "repeat": pa.array([arm.repeat for arm in study.arms], pa.int32()),
        }
    )


def _published(published: Published, case_ids: Sequence[str]) -> pa.Table:
    columns = list(zip(*published.values, strict=True)) or [()] * len(PublishedValue._fields)
    types = (pa.string(), pa.string(), pa.int32(), pa.string(), pa.float64())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    content = pa.table(arrays, names=list(PublishedValue._fields))
    same = [published.same_cohort(case_ids)] * content.num_rows
    return content.append_column("same_cohort", pa.array(same, pa.string()))


def _check_rows(connection: duckdb.DuckDBPyConnection) -> None:
    strange = connection.execute(STRANGE_ROWS).fetchall()
    if strange:
        result, arm, case_id = strange[0]
        raise RoutebenchError(
            f"{result}: arm {arm}, case {case_id} is not in the study"
            f"{_others(strange)}; delete the {result} and rerun"
        )
    miscounted = connection.execute(MISCOUNTED_ROWS).fetchall()
    if miscounted:
        result, arm, case_id, place, found = miscounted[0]
        raise RoutebenchError(
            f"{result}: arm {arm} has {found} rows for case {case_id} ({place}), expected 1"
            f"{_others(miscounted)}; delete the {result} and rerun"
        )


def _others(rows: Sequence[object]) -> str:
    return f" (and {len(rows) - 1} others like it)" if len(rows) > 1 else ""
