"""Opens the choice models of a ranking job from its settings."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from routebench.choice.budget import Limits
from routebench.choice.journal import Payer
from routebench.choice.recorded import StudyModel
from routebench.choice.registry import create_model, parse_model_parameters


def open_models(
    names: Iterable[str], *, study: str, arm: str, access: Mapping[str, Any]
) -> dict[str, StudyModel]:
    """Returns models by name, ready to be asked; nothing is asked yet.

    Args:
        names: the models that the arm uses.
        study: name of the study that pays.
        arm: name of the arm that pays.
        access: models, answers folder and limits, as the configuration gives them.
    """
    limits = access["limits"]
    opened = {}
    for name in names:
        values = dict(access["models"][name])
        kind = values.pop("kind")
        opened[name] = create_model(
            name,
            kind,
            parse_model_parameters(kind, values),
            answers=Path(access["answers"]),
            payer=Payer(study, arm),
            study_limits=Limits(**limits["study"]),
            arm_limits=Limits(**limits["arms"].get(arm, {})),
        )
    return opened
