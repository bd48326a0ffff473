"""What a run may change of its study: another dataset file, another try at repositories."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from routebench.errors import RoutebenchError
from routebench.files import read_json, write_if_changed


def replace_dataset(values: dict[str, Any], dataset: Path) -> dict[str, Any]:
    """Returns a study's values with a local file in place of its pinned dataset.

    A study whose cohort must be a published one takes what the file holds of it.
    """
    cohort = values.get("cohort") or {}
    if cohort.get("ledger"):
        cohort = {**cohort, "partial": True}
    section = {**(values.get("dataset") or {}), "pin": None, "path": str(dataset)}
    return {**values, "dataset": section, "cohort": cohort}


def write_study(values: dict[str, Any], file: Path) -> Path:
    """Writes the study of this run where Snakemake can read it; returns the file."""
    write_if_changed(file, yaml.safe_dump(values, sort_keys=False, allow_unicode=True))
    return file


def find_failures(folder: Path) -> dict[str, str]:
    """Finds the repositories that lack something.

    Args:
        folder: of the study's results.

    Returns:
        The file of the record by the name of the repository, in the order of the files. It
        stays until its job runs: a missing one makes Snakemake run nothing where the results
        that were made from it are there.
    """
    records = {}
    for path in folder.glob("mirrors/*.json"):
        # One that is damaged is made again in any case.
        with suppress(RoutebenchError):
            records[path] = read_json(path)
    return {
        str(record["repo"]): str(path)
        for path, record in sorted(records.items())
        if not record["available"] or record["missing"]
    }
