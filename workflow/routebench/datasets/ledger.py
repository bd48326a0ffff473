"""The published case ledger: which cases the study kept and which it left out (METHODS D3)."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from routebench.errors import RoutebenchError
from routebench.records import Case, Exclusion, GoldSpan

CASE_ID = re.compile(r"(?P<source>[\w-]+?)__(?P<language>[a-z]+)__[a-z]+__[a-z]+__[0-9a-f]+")
SOURCES = {
    "Multi-SWE-Bench": "Multi",
    "SWE-Bench-Pro": "Pro",
    "SWE-Bench-Verified": "Verified",
    "SWE-PolyBench": "Poly",
}
ABSENT = "Not in the dataset file of this run"


@dataclass(frozen=True, slots=True)
class Ledger:
    """The audited cases in published order, and the excluded ones with all reasons."""

    cases: tuple[Case, ...]
    exclusions: tuple[Exclusion, ...]


def read_ledger(path: Path, queries: Mapping[str, str] | None = None) -> Ledger:
    """Reads ``contextbench-case-ledger.json``.

    Args:
        path: the file.
        queries: issue texts by case id, which the archive lacks; cases without one have
            an empty query.

    Raises:
        RoutebenchError: the file has another form, or a text has not the SHA-256 of the
            ledger.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        cases = tuple(_case(entry, queries or {}) for entry in content["cases"])
        return Ledger(cases, tuple(map(_exclusion, content["excluded"])))
    except (ValueError, KeyError, TypeError) as error:
        raise RoutebenchError(f"{path}: not a case ledger ({error!r})") from error


def check_cohort(cases: Sequence[Case], ledger: Ledger) -> None:
    """Checks a selected cohort against the published one (METHODS D5).

    Raises:
        RoutebenchError: an id is missing or too many, or a base commit differs.
    """
    selected = {case.case_id: case.base_commit for case in cases}
    published = {case.case_id: case.base_commit for case in ledger.cases}
    known = published.keys() | {exclusion.case_id for exclusion in ledger.exclusions}
    if odd := sorted(known ^ selected.keys()):
        raise RoutebenchError(
            f"cohort: {len(selected)} cases selected, {len(known)} published; "
            f"{len(odd)} differ, first {odd[0]}"
        )
    if moved := [i for i, commit in published.items() if selected[i] != commit]:
        raise RoutebenchError(f"cohort: base commit of {moved[0]} differs from the ledger's")


def take_published(cases: Sequence[Case], ledger: Ledger) -> tuple[list[Case], list[Exclusion]]:
    """Returns the published cases that a partial dataset holds, and the others as excluded.

    Raises:
        RoutebenchError: none is there.
    """
    there = {case.case_id: case for case in cases}
    wanted = [(case.case_id, case.repo) for case in ledger.cases]
    wanted += [(exclusion.case_id, exclusion.repo) for exclusion in ledger.exclusions]
    taken = [there[case_id] for case_id, _ in wanted if case_id in there]
    if not taken:
        raise RoutebenchError("cohort: the dataset holds none of the published cases")
    reasons = {exclusion.case_id: exclusion for exclusion in ledger.exclusions}
    absent = [
        reasons.get(case_id, Exclusion(case_id, repo, "dataset", ABSENT))
        for case_id, repo in wanted
        if case_id not in there
    ]
    return taken, absent


def _case(entry: Mapping[str, Any], queries: Mapping[str, str]) -> Case:
    case_id = entry["id"]
    query = queries.get(case_id, "")
    if query and hashlib.sha256(query.encode()).hexdigest() != entry["query_sha256"]:
        raise RoutebenchError(f"case {case_id}: issue text differs from the ledger's SHA-256")
    named = CASE_ID.fullmatch(case_id)
    if not named or named["source"] not in SOURCES:
        raise RoutebenchError(f"case {case_id}: expected source__language__kind__type__hash")
    return Case(
        case_id=case_id,
        repo=entry["repo"],
        language=named["language"],
        source=SOURCES[named["source"]],
        base_commit=entry["base_commit"],
        query=query,
        gold=tuple(GoldSpan(**span) for span in entry["gold"]),
    )


def _exclusion(entry: Mapping[str, Any]) -> Exclusion:
    return Exclusion(entry["id"], entry["repo"], "audit", "; ".join(entry["reasons"]))
