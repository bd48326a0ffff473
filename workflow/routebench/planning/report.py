"""From the configuration, and the inputs of the rule, to what the report takes."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from routebench.arms.registry import kind_module
from routebench.planning.configuration import ArmSection, Configuration
from routebench.planning.jobs import files_by_arm
from routebench.planning.reporting import parse_reporting, result_files
from routebench.reporting.site.study import SiteArm, SiteFiles, SiteStudy

REFERENCE = re.compile(r" \((?:METHODS )?[A-Z]\d*(?:, [A-Z]\d+)*\)| \(METHODS [^)]*\)")


def report_values(config: Configuration) -> Mapping[str, Any]:
    """Returns what the report depends on beside the results, as JSON values.

    Addresses are those of the configuration, not of a mirror that stands in for them.
    """
    return {
        "arms": {name: _arm_values(arm, config) for name, arm in config.arms.items()},
        "url": None if config.repositories.releases else config.repositories.url,
    }


def _arm_values(arm: ArmSection, config: Configuration) -> dict[str, Any]:
    parameters = arm.parameters
    return {
        "kind": arm.kind,
        "summary": _summary(arm.kind),
        "parameters": parameters.model_dump(mode="json"),
        "given": sorted(arm.model_extra or {}),
        "models": {name: dict(config.models[name].identity) for name in parameters.models},
        "sources": list(parameters.source_arms),
    }


def _summary(kind: str) -> str:
    """Returns the first line of the kind's description, references left out."""
    line = (kind_module(kind).__doc__ or "").partition("\n")[0]
    return REFERENCE.sub("", line)


def parse_report(settings: Mapping[str, Any], report: Mapping[str, Any]) -> SiteStudy:
    """Returns the study as the report shows it.

    Args:
        settings: values of the reporting stage.
        report: values of the report stage (``report_values``).
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
