"""The cases of a study beside the published ledger (METHODS D3, D5, D6)."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from routebench.errors import RoutebenchError
from routebench.tables import read_rows
from routebench.verification.cohort import Gaps
from routebench.verification.finding import NO_TEXTS
from routebench.verification.relations import Results, Row
from routebench.verification.verdicts import DIFFERENT, EQUAL, NOT_COMPARABLE, Verdict

TABLE = "Case ledger"
SOURCE = "archive, case ledger"
Span = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class LedgerCase:
    """What the ledger says of an audited case; spans as annotated."""

    base_commit: str
    query_sha256: str
    gold: frozenset[Span]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The published ledger.

    Attributes:
        cases: the audited cases by id.
        excluded: repository of each excluded case, by id.
        reasons: why it was excluded: all reasons joined with ``; ``.
    """

    cases: Mapping[str, LedgerCase]
    excluded: Mapping[str, str]
    reasons: Mapping[str, str]


def read_ledger(path: Path) -> Ledger:
    """Reads ``contextbench-case-ledger.json``.

    Raises:
        RoutebenchError: the file has another form.
    """
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
        excluded = content["excluded"]
        return Ledger(
            cases={entry["id"]: _ledger_case(entry) for entry in content["cases"]},
            excluded={entry["id"]: entry["repo"] for entry in excluded},
            reasons={entry["id"]: "; ".join(entry["reasons"]) for entry in excluded},
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RoutebenchError(f"{path}: not the ledger of cases ({error!r})") from error


def _ledger_case(entry: Mapping[str, Any]) -> LedgerCase:
    spans = ((s["path"], s["start_line"], s["end_line"]) for s in entry["gold"])
    return LedgerCase(entry["base_commit"], entry["query_sha256"], frozenset(spans))


def compare_ledger(results: Results, gaps: Gaps, ledger: Ledger, gold: Path) -> Iterator[Verdict]:
    """Yields verdicts on each case's base commit, issue text and gold, and each exclusion.

    Args:
        results: the study.
        gaps: what cases it lacks.
        ledger: the published ledger.
        gold: table of gold of the study.
    """
    ours = {row["case_id"]: row for row in results.relations["cases"].rows}
    spans = _our_spans(gold)
    for case_id, case in ledger.cases.items():
        yield from _case_verdicts(case_id, case, ours.get(case_id), spans, gaps)
    for case_id, reason in ledger.reasons.items():
        found = results.exclusions.get(case_id, {}).get("reason", "")
        lacks = "the case is missing" if case_id in gaps.missing else ""
        yield _verdict(case_id, "excluded", reason, found or "not excluded", lacks)


def _case_verdicts(
    case_id: str,
    case: LedgerCase,
    ours: Row | None,
    spans: Mapping[str, frozenset[Span]],
    gaps: Gaps,
) -> Iterator[Verdict]:
    lacks = "the case is missing" if case_id in gaps.missing else ""
    commit, query = (ours["base_commit"], ours["query"]) if ours else ("excluded", "")
    digest = hashlib.sha256(query.encode()).hexdigest() if query else ""
    yield _verdict(case_id, "base_commit", case.base_commit, commit, lacks)
    yield _verdict(
        case_id, "query_sha256", case.query_sha256, digest, lacks or NO_TEXTS * (not query)
    )
    found = spans.get(case_id, frozenset())
    yield _verdict(case_id, "gold", _digest(case.gold), _digest(found), lacks)


def _our_spans(gold: Path) -> Mapping[str, frozenset[Span]]:
    spans: dict[str, set[Span]] = defaultdict(set)
    for row in read_rows(gold, "gold"):
        spans[row["case_id"]].add((row["path"], row["start_line"], row["annotated_end_line"]))
    return {case_id: frozenset(of_case) for case_id, of_case in spans.items()}


def _digest(spans: frozenset[Span]) -> str:
    text = "\n".join(f"{path}:{start}-{end}" for path, start, end in sorted(spans))
    return f"{len(spans)} spans, SHA-256 {hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _verdict(case_id: str, column: str, published: str, ours: str, lacks: str) -> Verdict:
    if lacks:
        return Verdict(TABLE, case_id, column, published, "", "", NOT_COMPARABLE, lacks, SOURCE)
    status = EQUAL if ours == published else DIFFERENT
    return Verdict(TABLE, case_id, column, published, ours, ours, status, "", SOURCE)
