"""From the settings files and the inputs of its rule to what the report takes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from routebench.planning.jobs import files_by_arm
from routebench.planning.reporting import parse_reporting, result_files
from routebench.reporting.site.study import SiteArm, SiteFiles, SiteStudy


def parse_report(settings: Mapping[str, Any], report: Mapping[str, Any]) -> SiteStudy:
    """Returns the study as the report shows it.

    Args:
        settings: values of the reporting stage.
        report: values of the report stage (``report_settings.report_values``).
    """
    return SiteStudy(
        name=settings["study"],
        title=settings["title"],
        settings=parse_reporting(settings),
        comparisons=[(arm, comparator) for arm, comparator in settings["comparisons"]],
        arms=[SiteArm(name=name, **report["arms"][name]) for name, *_ in settings["arms"]],
        url=report["url"],
    )


def report_files(inputs: Any, settings: Mapping[str, Any]) -> SiteFiles:
    """Returns the files of the report from the named inputs of its rule."""
    arms = [name for name, *_ in settings["arms"]]
    verdicts = list(inputs.verdicts)
    return SiteFiles(
        results=result_files(inputs, settings),
        contexts=files_by_arm(inputs.contexts, arms),
        traces=files_by_arm(inputs.traces, arms),
        commits=[Path(path) for path in inputs.commits],
        queries=[Path(path) for path in inputs.queries],
        figures=[Path(path) for path in inputs.figures],
        verdicts=Path(verdicts[0]) if verdicts else None,
    )
