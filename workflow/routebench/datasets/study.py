"""From a file of issues to the cohort of a study (METHODS D1, D4, D5)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from routebench.datasets.cohort import CohortRule, Quota, select_cohort
from routebench.datasets.cohort_files import write_cohort
from routebench.datasets.contextbench import load_contextbench
from routebench.datasets.own import load_own
from routebench.datasets.selection import Loaded


def build_cohort(
    *,
    file: Path,
    dataset: Mapping[str, Any],
    rule: Mapping[str, Any],
    cohort: Path,
    issues: Path,
    commits: Path,
    left_out: Path,
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

    Raises:
        RoutebenchError: the file cannot be read, or the rule does not fit it.
    """
    loaded = load_dataset(file, dataset)
    cases = select_cohort(loaded.cases, parse_rule(rule))
    write_cohort(
        cases, loaded.exclusions, folder=cohort, issues=issues, commits=commits, left_out=left_out
    )


def load_dataset(file: Path, dataset: Mapping[str, Any]) -> Loaded:
    """Reads a file of issues with the loader of its kind."""
    if dataset["kind"] == "own":
        return load_own(file)
    return load_contextbench(file, mend=dataset["mend"])


def parse_rule(rule: Mapping[str, Any]) -> CohortRule:
    """Returns the rule of selection that a section ``cohort`` states."""
    quotas = {language: Quota(**quota) for language, quota in rule["quotas"].items()}
    return CohortRule(**{**rule, "quotas": quotas})
