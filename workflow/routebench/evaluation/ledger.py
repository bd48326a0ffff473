"""Cases, gold and audits of the published study, straight from its archive (METHODS D3).

No repository is read: the archive says which cases passed and which spans are aligned.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from routebench.datasets.ledger import read_ledger
from routebench.errors import RoutebenchError
from routebench.evaluation.alignment import ALIGNED
from routebench.evaluation.cases import Row, SpanKey, case_row, gold_row, read_aligned
from routebench.records import Case
from routebench.tables import write_rows


def cases_from_ledger(
    *,
    ledger: Path,
    gold_audit: Path,
    annotation_audit: Path,
    cases: Path,
    gold: Path,
    spans: Path,
    exclusions: Path,
    queries: Mapping[str, str] | None = None,
) -> None:
    """Writes the tables cases, gold, spans and exclusions of the published study.

    Args:
        ledger: ``contextbench-case-ledger.json``.
        gold_audit: ``contextbench-paper-gold-audit.json``.
        annotation_audit: ``contextbench-annotation-audit.json``.
        cases: where the 82 cases are written, in the ledger's order.
        gold: where their spans are written, as annotated: clipping needs the source.
        spans: where the audits of the spans are written.
        exclusions: where the excluded cases are written.
        queries: issue texts by case id, which the archive lacks; cases without one get an
            empty query and no flags of what the issue names.

    Raises:
        RoutebenchError: a file has another form, the audits do not cover the ledger, or a
            text has not the SHA-256 of the ledger.
    """
    published = read_ledger(ledger, queries)
    listed = published.cases
    kinds = {_key(row): row["kind"] for row in _read(annotation_audit)["mismatches"]}
    audited = _audited_spans(listed, read_aligned(gold_audit), kinds)
    of_cases = {
        case.case_id: [gold_row(span, {}) for span in audited[case.case_id]] for case in listed
    }
    write_rows(cases, "cases", (_case_row(case, of_cases[case.case_id]) for case in listed))
    write_rows(gold, "gold", (row for rows in of_cases.values() for row in rows))
    write_rows(spans, "spans", (row for rows in audited.values() for row in rows))
    write_rows(exclusions, "exclusions", map(asdict, published.exclusions))


def _read(path: Path) -> Mapping[str, Any]:
    try:
        content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RoutebenchError(f"{path}: not JSON ({error})") from error
    return content


def _audited_spans(
    cases: Sequence[Case], aligned: Mapping[SpanKey, bool], kinds: Mapping[SpanKey, str]
) -> dict[str, list[Row]]:
    return {case.case_id: list(_span_rows(case, aligned, kinds)) for case in cases}


def _span_rows(
    case: Case, aligned: Mapping[SpanKey, bool], kinds: Mapping[SpanKey, str]
) -> Iterator[Row]:
    for span in case.gold:
        place = {"path": span.path, "start_line": span.start_line, "end_line": span.end_line}
        key = (case.case_id, span.path, span.start_line, span.end_line)
        if key not in aligned or aligned[key] == (key in kinds):
            raise RoutebenchError(f"case {case.case_id}: audits disagree on {span.path}")
        yield {
            "case_id": case.case_id,
            **place,
            "file_lines": None,
            "problem": None,
            "aligned": aligned[key],
            "alignment": kinds.get(key, ALIGNED),
        }


def _key(row: Mapping[str, Any]) -> SpanKey:
    return row["id"], row["path"], row["start_line"], row["end_line"]


def _case_row(case: Case, gold: list[Row]) -> Row:
    return {**case_row(case, gold), "clipped_spans": None}
