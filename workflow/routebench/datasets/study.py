"""From a file of issues to the cohort of a study (METHODS D1, D4, D5)."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from routebench.datasets.cohort import CohortRule, Quota, Strata, select_cohort
from routebench.datasets.cohort_files import write_cohort
from routebench.datasets.contextbench import load_contextbench
from routebench.datasets.ledger import Ledger, check_cohort, read_ledger, take_published
from routebench.datasets.own import load_own
from routebench.datasets.selection import Loaded
from routebench.datasets.swebench import load_swebench
from routebench.errors import RoutebenchError


def build_cohort(
    *,
    file: Path,
    dataset: Mapping[str, Any],
    rule: Mapping[str, Any],
    cohort: Path,
    issues: Path,
    commits: Path,
    left_out: Path,
    ledger: Path | None = None,
) -> None:
    """Loads a dataset, selects the cohort and writes its files.

    Args:
        file: file of issues.
        dataset: the section ``dataset`` of the configuration.
        rule: the section ``cohort`` of the configuration.
        cohort: folder of cases with gold, a file per repository.
        issues: folder of the same without gold.
        commits: folder of the commits needed.
        left_out: table of the rows that are no case.
        ledger: the published ledger, where the study must have its cohort.

    Raises:
        RoutebenchError: the file cannot be read, or the rule does not fit it.
    """
    loaded = load_dataset(file, dataset)
    chosen = choose_cases(loaded, rule, read_ledger(ledger) if ledger else None)
    write_cohort(
        chosen.cases,
        chosen.exclusions,
        folder=cohort,
        issues=issues,
        commits=commits,
        left_out=left_out,
    )


def choose_cases(loaded: Loaded, rule: Mapping[str, Any], ledger: Ledger | None) -> Loaded:
    """Returns the cohort, and what is left out of it with the reason.

    With a ledger the cohort must be the published one; a dataset that is declared
    partial gives those of its cases that it holds, and the others are left out.

    Raises:
        RoutebenchError: the rule does not fit the dataset, or the cohort is another.
    """
    if ledger and rule["partial"]:
        taken, absent = take_published(loaded.cases, ledger)
        return Loaded(tuple(taken), (*loaded.exclusions, *absent))
    if loaded.exclusions and not loaded.cases:
        first = loaded.exclusions[0]
        raise RoutebenchError(
            f"dataset: none of {len(loaded.exclusions)} rows is a case; "
            f"of the first, {first.case_id[:80]!r}: {first.reason}"
        )
    if not loaded.cases and loaded.exclusions:
        raise RoutebenchError(
            f"dataset: none of the {len(loaded.exclusions)} rows can be used; the first, "
            f"{loaded.exclusions[0].case_id}: {loaded.exclusions[0].reason}"
        )
    cases = select_cohort(loaded.cases, parse_rule(rule))
    if ledger:
        check_cohort(cases, ledger)
        # Rows of the dataset that no published case stands for are not the study's loss.
        return Loaded(cases, ())
    return Loaded(cases, loaded.exclusions)


def load_dataset(file: Path, dataset: Mapping[str, Any]) -> Loaded:
    """Reads a file of issues with the loader of its kind."""
    if dataset["kind"] == "ledger":
        return Loaded(read_ledger(file).cases, ())
    if dataset["kind"] == "own":
        return load_own(file)
    if dataset["kind"] == "swebench":
        return load_swebench(file)
    return load_contextbench(file, mend=dataset["mend"])


def parse_rule(rule: Mapping[str, Any]) -> CohortRule:
    """Returns the rule of selection that a section ``cohort`` states."""
    quotas = {language: Quota(**quota) for language, quota in rule["quotas"].items()}
    names = {field.name for field in fields(CohortRule)}
    values = {name: value for name, value in rule.items() if name in names}
    strata = Strata(**rule["stratified"]) if rule["stratified"] else None
    return CohortRule(**{**values, "quotas": quotas, "stratified": strata})
