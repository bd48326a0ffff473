"""The job of the rules rank and ask: one arm on one repository."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from routebench.arms.inputs import load_resources
from routebench.arms.registry import parse_parameters
from routebench.arms.run import rank_repository


def rank_arm(
    arm: str,
    *,
    settings: Mapping[str, Any],
    access: Mapping[str, Any],
    inputs: Any,
    outputs: Any,
) -> None:
    """Ranks the issues of one repository with one arm.

    Args:
        arm: name of the arm.
        settings: values of the arm's settings file.
        access: values of the access file.
        inputs: named inputs of the rule.
        outputs: named outputs of the rule; ``traces`` and ``answers`` where it asks models.

    Raises:
        RoutebenchError: an input is not what it should be, or a budget is reached.
    """
    parameters = parse_parameters(settings["kind"], settings["parameters"])
    models = _open_models(arm, settings, access)
    rank_repository(
        kind=settings["kind"],
        parameters=parameters,
        issues=Path(inputs.issues),
        rankings=Path(outputs.rankings),
        operations=Path(outputs.operations),
        traces=Path(outputs.traces) if models else None,
        k=settings["k"],
        resources=load_resources(
            parameters,
            sources=inputs.sources,
            costs=inputs.costs,
            pins=inputs.pins,
            models=models,
        ),
        snapshots=_only(inputs.snapshots),
        blobs=_only(inputs.blobs),
        files=_only(inputs.files),
    )
    if models:
        _write_answers(Path(outputs.answers), models)


def _open_models(
    arm: str, settings: Mapping[str, Any], access: Mapping[str, Any]
) -> dict[str, Any]:
    if not settings["models"]:
        return {}
    from routebench.choice.opening import open_models

    return dict(open_models(settings["models"], study=access["study"], arm=arm, access=access))


def _write_answers(path: Path, models: Mapping[str, Any]) -> None:
    from routebench.choice.answers import write_answers

    write_answers(path, [answer for model in models.values() for answer in model.used()])


def _only(paths: Sequence[str]) -> Path | None:
    return Path(paths[0]) if paths else None
