"""The kinds of choice model, by name. A new kind is a module and a line here.

Each module has ``PARAMETERS``, a class of ``ModelParameters``, and
``open_source(parameters, desk)``, which returns an ``AnswerSource``.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from routebench.choice.base import ModelParameters
from routebench.choice.budget import Limits
from routebench.choice.desk import Desk
from routebench.choice.journal import Payer
from routebench.choice.recorded import StudyModel
from routebench.errors import RoutebenchError

MODEL_KINDS = {
    "openai": "routebench.choice.openai",
    "replay": "routebench.choice.replay",
    "static": "routebench.choice.static",
    "typesafe": "routebench.choice.typesafe",
}


def model_module(kind: str) -> Any:
    """Returns the module of a kind; only that one is imported.

    Raises:
        RoutebenchError: no such kind; the known ones are named.
    """
    if kind not in MODEL_KINDS:
        raise RoutebenchError(f"model kind {kind!r}: expected one of {', '.join(MODEL_KINDS)}")
    return import_module(MODEL_KINDS[kind])


def parse_model_parameters(kind: str, values: dict[str, Any]) -> ModelParameters:
    """Checks the parameters of a model against the class of its kind.

    Raises:
        RoutebenchError: no such kind.
        pydantic.ValidationError: a parameter is unknown or has a bad value.
    """
    parameters: ModelParameters = model_module(kind).PARAMETERS(**values)
    return parameters


def create_model(
    name: str,
    kind: str,
    parameters: ModelParameters,
    *,
    answers: Path,
    payer: Payer,
    study_limits: Limits | None = None,
    arm_limits: Limits | None = None,
    keep_requests: bool = True,
) -> StudyModel:
    """Returns a model ready for an arm; nothing is asked and no key is needed yet.

    Args:
        name: its name in the config, also the folder of its answers.
        kind: its kind.
        parameters: its checked parameters.
        answers: folder of recorded answers; may be shared by studies.
        payer: the study and the arm that ask.
        study_limits: what all arms of the study may spend.
        arm_limits: what this arm may spend.
        keep_requests: whether questions are kept in full beside their answers.
    """
    desk = Desk(name, answers, payer, study_limits, arm_limits, keep_requests)
    source = model_module(kind).open_source(parameters, desk)
    return StudyModel(name, payer.arm, parameters.identity, source)
