"""Writes the report of a study: one page, and side files for the cases of a large one."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from routebench.files import remove_folder, replacing_folder, write_text
from routebench.reporting.site.catalogue import (
    describe_arms,
    describe_repositories,
    describe_study,
    read_cases,
)
from routebench.reporting.site.details import OPERATIONS, read_details
from routebench.reporting.site.drawings import read_drawing
from routebench.reporting.site.embedding import json_text
from routebench.reporting.site.page import render_page
from routebench.reporting.site.scores import read_scores
from routebench.reporting.site.sheets import read_sheets
from routebench.reporting.site.study import SiteFiles, SiteStudy
from routebench.reporting.site.verdicts import read_verdicts
from routebench.reporting.views import open_results

# A page of 15 MB opens without delay; the rest of it is left to catalogue and figures.
EMBEDDED_BYTES = 10_000_000


def write_site(
    *, files: SiteFiles, study: SiteStudy, page: Path, cases: Path, limit: int = EMBEDDED_BYTES
) -> None:
    """Writes the report of a study.

    It holds timings: two runs differ in them, and in nothing else.

    Args:
        files: what it is made from.
        study: the study.
        page: the page to write.
        cases: folder of side files beside the page; not there where the page holds
            everything.
        limit: most bytes of case details inside the page.

    Raises:
        RoutebenchError: results are missing or inconsistent.
    """
    catalogue = read_catalogue(files, study)
    details = list(_details(files, study, catalogue["cases"]["case_id"]))
    embedded = sum(len(text.encode()) for text in details) <= limit
    catalogue["folder"] = None if embedded else cases.name
    if embedded:
        remove_folder(cases)
    else:
        _write_cases(cases, details)
    text = render_page(
        catalogue=catalogue,
        cases=details if embedded else [],
        drawings=[read_drawing(path) for path in files.figures],
        loads_cases=not embedded,
    )
    write_text(page, text)


def read_catalogue(files: SiteFiles, study: SiteStudy) -> dict[str, Any]:
    """Returns what every page of the report shares, as JSON values.

    Raises:
        RoutebenchError: results are missing or inconsistent.
    """
    with open_results(files.results, study.settings) as connection:
        tables = read_sheets(files.queries, connection, study)
    cases = read_cases(files.results.cases)
    arms = [arm.name for arm in study.arms]
    return {
        "study": describe_study(study),
        "arms": describe_arms(study),
        "repositories": describe_repositories(cases, files, study),
        "cases": cases,
        "scores": read_scores(files.results.scores, cases["case_id"], arms),
        "operations": OPERATIONS,
        "verdicts": read_verdicts(files.verdicts) if files.verdicts else None,
        **tables,
    }


def _details(files: SiteFiles, study: SiteStudy, cases: Sequence[str]) -> Iterator[str]:
    details = read_details(files, [arm.name for arm in study.arms])
    return (json_text(details.case(case_id)) for case_id in cases)


def _write_cases(folder: Path, details: Sequence[str]) -> None:
    with replacing_folder(folder) as private:
        for number, text in enumerate(details):
            write_text(private / f"{number}.js", f"routebench.receive({number}, {text});\n")
