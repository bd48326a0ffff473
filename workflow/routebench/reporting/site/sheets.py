"""Tables of the study as the page shows them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from routebench.reporting.queries import read_query
from routebench.reporting.site.study import SiteStudy
from routebench.reporting.tables import Table, display, evaluate
from routebench.reporting.views import values

MAIN_TABLE = "arms"
EXCLUSIONS = """
    SELECT stage, repo, reason, case_id FROM exclusions ORDER BY stage, repo, reason, case_id
"""
STATISTICS = """
    SELECT arm, comparator, metric, k, n_cases, n_clusters, delta, lower, upper,
        wins, ties, losses, p
    FROM statistics
    WHERE subset = 'all' AND (budget IS NULL OR budget = getvariable('main_budget'))
"""
FAILURES = """
    SELECT arm, case_id, error FROM operations JOIN arms USING (arm)
    WHERE error IS NOT NULL ORDER BY position, case_id
"""


def read_sheets(
    queries: Sequence[Path], connection: duckdb.DuckDBPyConnection, study: SiteStudy
) -> dict[str, Any]:
    """Returns the study's tables as JSON.

    ``sheets`` holds every table as text to show; ``summary`` the main table's values,
    ``statistics`` the paired differences over all cases at the main budget, main
    comparison first, ``exclusions`` a record for each excluded case and ``failures`` one for
    each failed one.
    """
    words = values(connection, study.settings)
    tables = [evaluate(read_query(path).filled(words), connection) for path in queries]
    main = [table for table in tables if table.name == MAIN_TABLE]
    return {
        "sheets": [_sheet(table) for table in tables],
        "summary": [_record(table.names, row) for table in main for row in table.rows],
        "statistics": _statistics(connection, study),
        "exclusions": _records(connection, EXCLUSIONS),
        "failures": _records(connection, FAILURES),
    }


def _sheet(table: Table) -> dict[str, Any]:
    shown = display(table)
    return {
        "name": shown.name,
        "title": shown.title,
        "caption": shown.caption,
        "headings": shown.headings,
        "numbers": [alignment == "right" for alignment in shown.alignments],
        "rows": [[cell.text for cell in row] for row in shown.rows],
    }


def _statistics(connection: duckdb.DuckDBPyConnection, study: SiteStudy) -> list[dict[str, Any]]:
    order = {pair: place for place, pair in enumerate(study.comparisons)}

    def key(row: Mapping[str, Any]) -> tuple[int, str, int]:
        pair = (row["arm"], row["comparator"])
        return order.get(pair, len(order)), row["metric"], row["k"]

    return sorted(_records(connection, STATISTICS), key=key)


def _records(connection: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description or ()]
    return [_record(names, row) for row in cursor.fetchall()]


def _record(names: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(names, row, strict=True))
