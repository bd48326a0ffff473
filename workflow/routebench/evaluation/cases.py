"""The cases that pass the audits, with their gold, and those that do not (METHODS D6, D7)."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from routebench.datasets.cohort_files import read_cohort
from routebench.errors import RoutebenchError
from routebench.evaluation.audit import NO_SOURCE
from routebench.evaluation.flags import in_several_directories, names_gold_file, names_gold_path
from routebench.records import WHOLE_FILE, Case, Exclusion
from routebench.tables import read_rows, write_rows

Row = dict[str, Any]
SpanKey = tuple[str, str, int, int]


class Gathered(NamedTuple):
    """What came of the selected cases.

    Attributes:
        cases: rows of the table cases.
        gold: rows of the table gold, in the order of the cases.
        exclusions: cases that failed the audit.
    """

    cases: list[Row]
    gold: list[Row]
    exclusions: list[Exclusion]


def gather_cases(
    *,
    cohort: Sequence[Path],
    spans: Sequence[Path],
    exclusions_in: Path,
    cases: Path,
    gold: Path,
    exclusions: Path,
    published_audit: Path | None = None,
) -> None:
    """Writes the tables cases, gold and exclusions of a study.

    A case with any failing span is out, with all its reasons; it is never replaced. Gold
    ends past the last line are clipped and counted.

    Args:
        cohort: tables of the selected cases, whose order is kept.
        spans: audits of their repositories.
        exclusions_in: what left before the audit.
        cases: where the audited cases are written.
        gold: where their gold is written.
        exclusions: where all exclusions are written, those of ``exclusions_in`` first.
        published_audit: archived audit that says which spans are aligned, for spans whose
            annotated text the dataset lacks (METHODS D3).
    """
    before = [Exclusion(**row) for row in read_rows(exclusions_in, "exclusions")]
    out = {exclusion.case_id for exclusion in before}
    selected = [case for path in cohort for case in read_cohort(path) if case.case_id not in out]
    aligned = read_aligned(published_audit) if published_audit else {}
    found = sort_cases(selected, _by_case(spans), aligned)
    write_rows(cases, "cases", found.cases)
    write_rows(gold, "gold", found.gold)
    reasons = join_exclusions([*before, *found.exclusions])
    write_rows(exclusions, "exclusions", map(asdict, reasons))


def sort_cases(
    selected: Iterable[Case],
    audited: Mapping[str, Sequence[Mapping[str, Any]]],
    aligned: Mapping[SpanKey, bool],
) -> Gathered:
    """Parts the selected cases into those that pass the audit and those that do not.

    Args:
        selected: the cases.
        audited: rows of the table spans by case id.
        aligned: what is known of spans that the audit could not compare.
    """
    gathered = Gathered([], [], [])
    for case in selected:
        spans = audited.get(case.case_id, ())
        if exclusion := find_exclusion(case, spans):
            gathered.exclusions.append(exclusion)
        else:
            gold = [gold_row(span, aligned) for span in spans]
            gathered.cases.append(case_row(case, gold))
            gathered.gold.extend(gold)
    return gathered


def find_exclusion(case: Case, spans: Sequence[Mapping[str, Any]]) -> Exclusion | None:
    """Returns why a case is out by the audit of its spans, or None.

    The reason joins every distinct problem with ``; ``, sorted.
    """
    problems = sorted({span["problem"] for span in spans if span["problem"]})
    if not spans:
        problems = [f"No audit of repository {case.repo} in this study"]
    if not problems:
        return None
    of_repository = not spans or problems[0].startswith(NO_SOURCE)
    stage = "repository" if of_repository else "audit"
    return Exclusion(case.case_id, case.repo, stage, "; ".join(problems))


def join_exclusions(exclusions: Iterable[Exclusion]) -> list[Exclusion]:
    """Returns one exclusion per case, at its first stage, with all its reasons."""
    joined: dict[str, Exclusion] = {}
    for new in exclusions:
        old = joined.get(new.case_id)
        reason = f"{old.reason}; {new.reason}" if old else new.reason
        first = old or new
        joined[new.case_id] = Exclusion(new.case_id, first.repo, first.stage, reason)
    return list(joined.values())


def gold_row(span: Mapping[str, Any], aligned: Mapping[SpanKey, bool]) -> Row:
    """Returns the row of the table gold for an audited span without a problem.

    Args:
        span: row of the table spans.
        aligned: what is known of spans that the audit could not compare.
    """
    key = (span["case_id"], span["path"], span["start_line"], span["end_line"])
    end, lines = span["end_line"], span["file_lines"]
    return {
        "case_id": span["case_id"],
        "path": span["path"],
        "start_line": span["start_line"],
        "end_line": end if lines is None else min(end, lines),
        "annotated_end_line": end,
        "aligned": aligned.get(key) if span["aligned"] is None else span["aligned"],
    }


def case_row(case: Case, gold: Sequence[Mapping[str, Any]]) -> Row:
    """Returns the row of the table cases.

    Args:
        case: the case; a query that is not known is empty and leaves its flags open.
        gold: rows of the table gold.
    """
    columns = ("case_id", "repo", "language", "source", "base_commit", "query", "difficulty")
    files = case.gold_files
    return {
        **{name: getattr(case, name) for name in columns},
        "gold_files": len(files),
        "gold_spans": len(gold),
        "clipped_spans": sum(map(_is_clipped, gold)),
        "aligned": all_aligned([row["aligned"] for row in gold]),
        "names_gold_path": names_gold_path(case.query, files) if case.query else None,
        "names_gold_file": names_gold_file(case.query, files) if case.query else None,
        "several_directories": in_several_directories(files),
    }


def all_aligned(spans: Sequence[bool | None]) -> bool | None:
    """Tells whether all spans are aligned; None if that hangs on spans without text."""
    if False in spans:
        return False
    return None if None in spans else True


def read_aligned(audit: Path) -> dict[SpanKey, bool]:
    """Reads which spans an archived audit found aligned (``contextbench-paper-gold-audit.json``).

    A span that the dataset lists twice is aligned if both are.

    Raises:
        RoutebenchError: the file has another form.
    """
    aligned: dict[SpanKey, bool] = {}
    try:
        for row in json.loads(audit.read_text(encoding="utf-8"))["results"]:
            key = (row["id"], row["path"], row["start_line"], row["end_line"])
            aligned[key] = row["aligned"] and aligned.get(key, True)
    except (ValueError, KeyError, TypeError) as error:
        raise RoutebenchError(f"{audit}: not an audit of gold spans ({error!r})") from error
    return aligned


def _is_clipped(gold: Mapping[str, Any]) -> bool:
    annotated: int = gold["annotated_end_line"]
    return annotated != WHOLE_FILE and bool(gold["end_line"] < annotated)


def _by_case(spans: Iterable[Path]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for path in spans:
        for row in read_rows(path, "spans"):
            found[row["case_id"]].append(row)
    return found
