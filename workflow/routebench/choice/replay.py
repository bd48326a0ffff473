"""Recorded answers only: what a paid model once said, again, without asking it."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from routebench.choice.base import MissingAnswer, ModelParameters
from routebench.choice.desk import Desk
from routebench.choice.journal import Journal, Recorded
from routebench.choice.keys import Request


class Replay(ModelParameters):
    """Which model's recorded answers are given."""

    recorded: str = Field(
        min_length=1,
        description="Name under which the model was configured when its answers were recorded.",
    )
    of: dict[str, Any] = Field(
        description="That model as it was configured: its kind, and every parameter that "
        "changes answers.",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.of.get("kind") in (None, "replay") or not self.identity:
            raise ValueError("of: expected the kind of the model that was recorded")
        return self

    @property
    def identity(self) -> Mapping[str, Any]:
        """The identity of the recorded model, so that the request keys are the same."""
        from routebench.choice.registry import parse_model_parameters

        values = {name: value for name, value in self.of.items() if name != "kind"}
        return parse_model_parameters(self.of["kind"], values).identity


PARAMETERS = Replay


class Replaying:
    """Gives recorded answers and recorded failures, and asks nothing."""

    at_once: ClassVar[int] = 1

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def answer(self, key: str, request: Request) -> Recorded:
        """Returns the recorded outcome.

        Raises:
            MissingAnswer: there is none.
        """
        outcome = self._journal.outcome(key)
        if outcome is None:
            raise MissingAnswer(
                f"case {request.case_id}: no recorded answer to request {key} "
                f"(repeat {request.repeat}) in {self._journal.folder}"
            )
        return outcome


def open_source(parameters: Replay, desk: Desk) -> Replaying:
    """Returns the recorded answers of the model that the parameters name."""
    return Replaying(desk.journal(parameters.recorded))
