"""Our number for a published one, or why there is none."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from math import fsum
from operator import sub, truediv
from statistics import fmean, median
from typing import Any, NamedTuple

from routebench.errors import RoutebenchError
from routebench.evaluation.alignment import NOT_ANNOTATED
from routebench.statistics.subgroups import SUBSETS
from routebench.verification.cohort import FLAGS, Gaps
from routebench.verification.forms import Measure, Rows, Take, Where
from routebench.verification.relations import ISSUE_FLAGS, Results, Row

NO_CONTEXTS = "line-level: needs the repositories, this study packs no contexts"
NO_TEXTS = "needs the issue texts, which the archive does not hold"
NO_SOURCE = "needs the source, which the archive does not hold"
NO_ANNOTATION = "needs the annotated texts, which the dataset does not hold"
LIVE = "measured in this run; the published cost is of another machine or model"
LACKS: Mapping[str, str] = {
    "line_recall": NO_CONTEXTS,
    "complete_lines": NO_CONTEXTS,
    "context_tokens": NO_CONTEXTS,
    "clipped_spans": NO_SOURCE,
    "aligned": NO_ANNOTATION,
    "names_gold_path": NO_TEXTS,
    "names_gold_file": NO_TEXTS,
    "query_characters": NO_TEXTS,
}
ARCHIVE = "archive"
OF_NO_ROWS = ("count", "distinct", "rank")
Number = int | float


class Found(NamedTuple):
    """Our number.

    Attributes:
        value: the number, exact; None if it cannot be compared.
        note: why it cannot be, or what must be known of it.
    """

    value: Decimal | None
    note: str = ""


def find_number(results: Results, gaps: Gaps, measure: Measure, rows: Rows) -> Found:
    """Returns our number for a measure.

    Args:
        results: the study.
        gaps: what cases it lacks.
        measure: how the number is found.
        rows: the rows it is made from.
    """
    found = _find_part(results, gaps, measure, rows.where)
    for change, combine in ((rows.minus, sub), (rows.per, truediv)):
        if change:
            other = _find_part(results, gaps, measure, {**rows.where, **change})
            found = _combined(found, other, combine)
    return found


def _combined(one: Found, other: Found, combine: Callable[[Decimal, Decimal], Decimal]) -> Found:
    if one.value is None or other.value is None:
        return Found(None, one.note if one.value is None else other.note)
    return Found(combine(one.value, other.value), one.note or other.note)


def _find_part(results: Results, gaps: Gaps, measure: Measure, where: Where) -> Found:
    for reason in (
        _unable(results, measure, where),
        gaps.reason(measure.of, where),
        _undecided(results, measure, where),
    ):
        if reason:
            return Found(None, reason)
    chosen = results.relations[measure.of].select(where)
    if not chosen and measure.take not in OF_NO_ROWS:
        return Found(None, _no_rows(measure, where))
    if measure.value and any(row[measure.value] is None for row in chosen):
        return Found(None, LACKS.get(measure.value, f"{measure.value} is empty in {measure.of}"))
    number = Decimal(take(measure, chosen)) * Decimal(measure.times)
    return Found(number, _borrowed(results, measure, where))


def _unable(results: Results, measure: Measure, where: Where) -> str:
    for name in ("arm", "comparator"):
        if name in where and where[name] not in results.arms:
            return f"the study has no arm {where[name]}"
    if measure.of == "operations" and results.arms.get(str(where.get("arm"))) != ARCHIVE:
        return LIVE
    return ""


def _undecided(results: Results, measure: Measure, where: Where) -> str:
    """Tells why it is not known which rows count, where a case lacks a flag."""
    relation = results.relations[measure.of]
    for name in FLAGS:
        if name in where and relation.select({**where, name: None}):
            return LACKS[name]
    for subset in SUBSETS:
        cases = results.relations["cases"]
        if (
            subset.name == where.get("subset")
            and subset.column
            and cases.select({subset.column: None})
        ):
            return LACKS[subset.column]
    if measure.of == "spans" and relation.select({"alignment": NOT_ANNOTATED}):
        return NO_ANNOTATION
    return ""


def _no_rows(measure: Measure, where: Where) -> str:
    if where.get("metric") == "line_recall":
        return NO_CONTEXTS
    asked = ", ".join(f"{name} {value}" for name, value in where.items())
    return f"{measure.of}: the study has no row with {asked}"


def _borrowed(results: Results, measure: Measure, where: Where) -> str:
    used = [n for n in ISSUE_FLAGS if n in where and n in results.borrowed]
    return f"{used[0]} as published: no issue texts" if used and measure.of == "scores" else ""


def take(measure: Measure, rows: Sequence[Row]) -> Number:
    """Returns the one number of rows.

    Raises:
        RoutebenchError: a measure of one row finds several.
    """
    if measure.take == "count":
        return len(rows)
    values = [row[measure.value] for row in rows]
    if measure.over:
        return fsum(values) / fsum(row[measure.over] for row in rows)
    return TAKES[measure.take](values)


def _only(values: Sequence[Any]) -> Number:
    if len(values) != 1:
        raise RoutebenchError(f"verify: {len(values)} rows where one was expected; rerun the study")
    only: Number = values[0]
    return only


def _lower_p95(values: Sequence[Any]) -> Number:
    ordered: list[Number] = sorted(values)
    return ordered[(len(ordered) - 1) * 95 // 100]


def _sum(values: Sequence[Any]) -> Number:
    total = fsum(values)
    return int(total) if total.is_integer() else total


TAKES: Mapping[Take, Callable[[Sequence[Any]], Number]] = {
    "mean": fmean,
    "sum": _sum,
    "distinct": lambda values: len(set(values)),
    "median": median,
    "p95": _lower_p95,
    "only": _only,
    "rank": lambda values: _only(values) if values else 0,
}
