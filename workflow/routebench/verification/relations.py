"""The results of a study as relations: rows that numbers are found in.

=========== ==========================================================================
cases       the table, with query_characters
selected    cases and what the audit excluded: case_id, repo, language
excluded    what the audit excluded
spans       audits of the spans of the cases
scores      at the published budget or without any, joined with the cases, with reachable
            (no more gold files than k) and unreachable
standings   arm, comparator, k, repo: delta of mean file recall, and standing (ahead,
            level, behind)
statistics  the table; so is overlaps
operations  of the cases, with arm, failed and total_ms (preparing and answering)
rankings    of the cases, with arm and top (8 or 16)
=========== ==========================================================================
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from statistics import fmean
from typing import Any

from routebench.reporting.views import ResultFiles
from routebench.tables import read_rows
from routebench.verification.forms import Where

Row = dict[str, Any]
BUDGET = 16_000
TOP = 8
LEVEL = 1e-12
ISSUE_FLAGS = ("names_gold_path", "names_gold_file")
AUDIT = "audit"


@dataclass(frozen=True, slots=True)
class Indexed:
    """Rows that are looked up by the values of columns, quickly the second time.

    Attributes:
        rows: the rows.
    """

    rows: Sequence[Row]
    _indexes: dict[tuple[str, ...], dict[tuple[Any, ...], list[Row]]] = field(default_factory=dict)

    def select(self, where: Where) -> list[Row]:
        """Returns the rows that have these values in these columns, in their order."""
        names = tuple(sorted(where))
        if names not in self._indexes:
            index: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
            for row in self.rows:
                index[tuple(_key(row.get(name)) for name in names)].append(row)
            self._indexes[names] = index
        return self._indexes[names].get(tuple(_key(where[name]) for name in names), [])


def _key(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Results:
    """What verification needs of a study.

    Attributes:
        relations: the relations by name.
        arms: kind of each arm.
        exclusions: the cases that are out, by id.
        borrowed: flags of the cases that are the published ones, for want of issue texts.
    """

    relations: Mapping[str, Indexed]
    arms: Mapping[str, str]
    exclusions: Mapping[str, Row]
    borrowed: frozenset[str]


def read_results(
    files: ResultFiles, arms: Mapping[str, str], flags: Mapping[str, Mapping[str, str]]
) -> Results:
    """Reads the results of a study.

    Args:
        files: the result files.
        arms: kind of each arm.
        flags: what was published of each case: stands in for the flags of cases without
            an issue text, in the relation scores alone.

    Raises:
        RoutebenchError: a file is not what it should be.
    """
    cases = [_case_row(row) for row in read_rows(files.cases, "cases")]
    exclusions = read_rows(files.exclusions, "exclusions")
    known = {case["case_id"] for case in cases}
    filled, borrowed = _fill_flags(cases, flags)
    scores = list(_score_rows(read_rows(files.scores, "scores"), filled))
    audited = [row for row in exclusions if row["stage"] == AUDIT]
    relations: Mapping[str, Iterable[Row]] = {
        "cases": cases,
        "excluded": audited,
        "selected": [*cases, *map(_excluded_row, audited)],
        "spans": [r for p in files.spans for r in read_rows(p, "spans") if r["case_id"] in known],
        "scores": scores,
        "standings": _standing_rows(scores),
        "statistics": read_rows(files.statistics, "statistics"),
        "overlaps": read_rows(files.overlaps, "overlaps") if files.overlaps else [],
        "operations": map(_operation_row, _of_arms(files.operations, "operations", known)),
        "rankings": map(_ranking_row, _of_arms(files.rankings, "rankings", known)),
    }
    return Results(
        relations={name: Indexed(list(rows)) for name, rows in relations.items()},
        arms=arms,
        exclusions={row["case_id"]: row for row in exclusions},
        borrowed=borrowed,
    )


def language_of(case_id: str) -> str:
    """Returns the language that the id of a ContextBench case names."""
    return case_id.split("__")[1] if case_id.count("__") > 1 else ""


def _case_row(row: Row) -> Row:
    return {**row, "query_characters": len(row["query"]) if row["query"] else None}


def _excluded_row(row: Row) -> Row:
    return {**row, "language": language_of(row["case_id"])}


def _fill_flags(
    cases: Iterable[Row], flags: Mapping[str, Mapping[str, str]]
) -> tuple[dict[str, Row], frozenset[str]]:
    filled: dict[str, Row] = {}
    borrowed: set[str] = set()
    for case in cases:
        published = flags.get(case["case_id"], {})
        open_flags = [name for name in ISSUE_FLAGS if case[name] is None and name in published]
        borrowed.update(open_flags)
        filled[case["case_id"]] = {**case, **{n: published[n] == "1" for n in open_flags}}
    return filled, frozenset(borrowed)


def _score_rows(scores: Iterable[Row], cases: Mapping[str, Row]) -> Iterator[Row]:
    for row in scores:
        if row["budget"] in (None, BUDGET):
            reachable = row["gold_files"] <= row["k"]
            yield {
                **cases[row["case_id"]],
                **row,
                "reachable": reachable,
                "unreachable": not reachable,
            }


def _standing_rows(scores: Iterable[Row]) -> Iterator[Row]:
    recalls: dict[tuple[int, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in scores:
        recalls[row["k"], row["repo"]][row["arm"]].append(row["file_recall"])
    for (k, repo), of_arms in recalls.items():
        for arm, comparator in permutations(of_arms, 2):
            delta = fmean(of_arms[arm]) - fmean(of_arms[comparator])
            head = {"arm": arm, "comparator": comparator, "k": k, "repo": repo}
            yield {**head, "delta": delta, "standing": standing(delta)}


def standing(delta: float) -> str:
    """Names the sign of a difference of means: ahead, level or behind."""
    if abs(delta) < LEVEL:
        return "level"
    return "ahead" if delta > 0 else "behind"


def _of_arms(files: Mapping[str, Sequence[Path]], table: str, known: set[str]) -> Iterator[Row]:
    for arm, paths in files.items():
        for row in (row for path in paths for row in read_rows(path, table)):
            if row["case_id"] in known:
                yield {**row, "arm": arm}


def _operation_row(row: Row) -> Row:
    total = row["build_ms"] + row["query_ms"]
    return {**row, "failed": row["error"] is not None, "total_ms": total}


def _ranking_row(row: Row) -> Row:
    return {**row, "top": TOP if row["rank"] <= TOP else 2 * TOP}
