"""What the report tells of a study beside its results: its arms and where source came from.

Read with the Snakefile, so that nothing heavy is imported here.
"""

import re
from collections.abc import Mapping
from typing import Any

from routebench.arms.registry import kind_module
from routebench.planning.configuration import ArmSection, Configuration

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
