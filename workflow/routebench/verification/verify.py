"""Puts every published number beside ours (METHODS P)."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, fields
from pathlib import Path

from routebench.errors import RoutebenchError
from routebench.files import write_text
from routebench.reporting.markup import csv_text
from routebench.reporting.views import ResultFiles
from routebench.verification.cohort import Gaps, find_gaps
from routebench.verification.finding import Found, find_number
from routebench.verification.ledger import compare_ledger, read_ledger
from routebench.verification.published import Claim, PublishedValues
from routebench.verification.rankings import compare_rankings, pinned
from routebench.verification.relations import Results, read_results
from routebench.verification.summary import summary_text
from routebench.verification.verdicts import DIFFERENT, Verdict, judge


def verify_study(
    *,
    study: str,
    results: ResultFiles,
    arms: Mapping[str, str],
    published: Path,
    pins: Mapping[str, Path],
    output: Path,
    summary: Path,
) -> int:
    """Writes a row for each published number, and the summary; returns how many differ.

    Args:
        study: name of the study.
        results: its result files.
        arms: kind of each of its arms.
        published: folder of the published values, ``workflow/pins/published``.
        pins: the pinned files that ``published_pins`` names.
        output: ``verify.csv``; written whatever differs.
        summary: ``verify.md``.

    Raises:
        RoutebenchError: results, published values or a pinned file are not readable.
    """
    verdicts = compare_study(
        results=results, arms=arms, published=PublishedValues(published), pins=pins
    )
    names = [column.name for column in fields(Verdict)]
    write_text(output, csv_text(names, map(astuple, verdicts)))
    write_text(summary, summary_text(study, verdicts))
    return sum(verdict.status == DIFFERENT for verdict in verdicts)


def check_differences(verdicts: Path) -> None:
    """Refuses results that differ from what was published.

    Apart from ``verify_study`` because Snakemake deletes the output of a job that fails.

    Args:
        verdicts: ``verify.csv``.

    Raises:
        RoutebenchError: a comparable number differs.
    """
    with verdicts.open(encoding="utf-8", newline="") as file:
        differing = [row for row in csv.DictReader(file) if row["status"] == DIFFERENT]
    if differing:
        first = ", ".join(differing[0][name] for name in ("table", "row", "column"))
        verb = "number differs" if len(differing) == 1 else "numbers differ"
        raise RoutebenchError(
            f"verify: {len(differing)} published {verb}, first {first}; "
            f"see {verdicts.with_suffix('.md')}"
        )


def count_verdicts(verdicts: Path) -> str:
    """Returns how many rows of ``verify.csv`` have each status, a line each."""
    with verdicts.open(encoding="utf-8", newline="") as file:
        counts = Counter(row["status"] for row in csv.DictReader(file))
    return "".join(f"{status}: {count}\n" for status, count in sorted(counts.items()))


def published_pins(published: Path) -> tuple[str, ...]:
    """Returns the names of the pinned files that a verification reads."""
    return PublishedValues(published).pins


def compare_study(
    *,
    results: ResultFiles,
    arms: Mapping[str, str],
    published: PublishedValues,
    pins: Mapping[str, Path],
) -> Sequence[Verdict]:
    """Returns the verdicts: numbers in the order published, then cases, then rankings.

    Args:
        results: result files of the study.
        arms: kind of each of its arms.
        published: the published values.
        pins: the pinned files by name.
    """
    ledger = read_ledger(pinned(pins, published.rankings.ledger))
    ours = read_results(results, arms, published.flags)
    gaps = find_gaps(ours, published.flags, ledger.excluded)
    return [
        *_numbers(ours, gaps, published.claims),
        *compare_ledger(ours, gaps, ledger, results.gold),
        *compare_rankings(ours, gaps, published, pins),
    ]


def _numbers(results: Results, gaps: Gaps, claims: Sequence[Claim]) -> Iterator[Verdict]:
    for claim in claims:
        if claim.measure is None:
            found = Found(None, claim.reason)
        else:
            found = find_number(results, gaps, claim.measure, claim.rows)
        yield judge(claim, found)
