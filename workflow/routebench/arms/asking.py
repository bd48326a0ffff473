"""Asks a choice model about one case and keeps account of it (METHODS M)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import Field

from routebench.arms.base import (
    Answer,
    FailedAnswer,
    Operations,
    Parameters,
    Ranked,
    Resources,
    TraceStep,
)
from routebench.choice.base import (
    NONE_TEXT,
    Choice,
    ChoiceError,
    ChoiceModel,
    ChoiceRequest,
    Usage,
)
from routebench.errors import RoutebenchError
from routebench.records import Issue


class AskingParameters(Parameters):
    """What every arm that asks a choice model is told.

    Attributes:
        model: name of the choice model.
        instruction: how the model is told to choose.
        none_text: text of the option "none of these".
        state_prefix: what stands before the issue.
        query_characters: leading characters of the issue that are shown; None for all.
        repeat: number of the repeat from 0; another number asks anew.
    """

    model: str
    instruction: str
    none_text: str = NONE_TEXT
    state_prefix: str
    query_characters: int | None = Field(default=500, ge=1)
    repeat: int = Field(default=0, ge=0)

    @property
    def models(self) -> tuple[str, ...]:
        """The choice model."""
        return (self.model,)

    def state(self, query: str) -> str:
        """Returns the issue as the model sees it."""
        return self.state_prefix + query[: self.query_characters]


def configured_model(resources: Resources, name: str) -> ChoiceModel:
    """Returns the choice model that an arm names.

    Raises:
        RoutebenchError: no such model; the known ones are named.
    """
    if name not in resources.models:
        known = ", ".join(sorted(resources.models)) or "none"
        raise RoutebenchError(f"choice model {name!r}: not configured; expected one of {known}")
    return resources.models[name]


def rank_scores(paths: Sequence[str], k: int) -> tuple[Ranked, ...]:
    """Returns the first k paths with 1/rank as their score."""
    return tuple(Ranked(path, 1 / rank) for rank, path in enumerate(paths[:k], start=1))


@dataclass(slots=True)
class Inquiry:
    """The questions about one case, what they cost and what came of them.

    Attributes:
        model: who answers.
        issue: the case.
        parameters: how it is asked.
        calls: menus asked.
        trace: what happened, in order.
    """

    model: ChoiceModel
    issue: Issue
    parameters: AskingParameters
    calls: int = 0
    trace: list[TraceStep] = field(default_factory=list)
    _usages: list[Usage] = field(default_factory=list)
    _started: float = field(default_factory=time.perf_counter)
    _waited: float = 0.0
    _built: float = 0.0

    @property
    def state(self) -> str:
        """The issue as the model sees it."""
        return self.parameters.state(self.issue.query)

    @property
    def seconds(self) -> float:
        """Time in the model as recorded with its answers, so that a replay has the same."""
        return sum(usage.seconds for usage in self._usages)

    def built(self) -> None:
        """Marks the end of what has to be prepared for the snapshot."""
        self._built = time.perf_counter() - self._started

    def ask(self, menus: Sequence[Sequence[str]]) -> list[Choice]:
        """Asks menus, several at once where the model allows; answers in their order.

        Raises:
            FailedAnswer: an answer was unusable; it holds cost and trace so far.
        """
        asked = time.perf_counter()
        try:
            choices = self.model.choose_many([self._request(menu) for menu in menus])
        except ChoiceError as error:
            self._usages.append(error.usage)
            raise self.failure(str(error)) from error
        finally:
            self._waited += time.perf_counter() - asked
        self.calls += len(menus)
        self._usages.extend(choices)
        return choices

    def note(self, step: TraceStep) -> None:
        """Adds a step to the trace, with the calls so far."""
        self.trace.append(replace(step, calls=self.calls))

    def note_none(self, choice: Choice, menu: str, depth: int) -> None:
        """Adds the probability of "none of these" to the trace."""
        self.note(TraceStep(kind="none", menu=menu, probability=choice.none, depth=depth))

    def failure(self, message: str) -> FailedAnswer:
        """Returns the error that ends the case; it holds what the case cost."""
        self.note(TraceStep(kind="stop", reason=message))
        return FailedAnswer(message, self.answer((), truncated=False))

    def answer(self, ranking: tuple[Ranked, ...], *, truncated: bool) -> Answer:
        """Returns the answer; ``query_ms`` is own work plus the model's recorded time.

        Menus asked at once count as if asked one after another: the time depends neither
        on how many requests the model takes at once nor on whether it was replayed.
        """
        own = time.perf_counter() - self._started - self._built - self._waited
        operations = Operations(
            build_ms=self._built * 1e3,
            query_ms=(own + self.seconds) * 1e3,
            calls=sum(usage.calls for usage in self._usages),
            input_tokens=sum(usage.input_tokens for usage in self._usages),
            output_tokens=sum(usage.output_tokens for usage in self._usages),
            cost_usd=sum(usage.cost_usd for usage in self._usages),
            retries=sum(usage.retries for usage in self._usages),
            truncated=truncated,
        )
        return Answer(ranking, operations, tuple(self.trace))

    def _request(self, menu: Sequence[str]) -> ChoiceRequest:
        return ChoiceRequest(
            state=self.state,
            instruction=self.parameters.instruction,
            options=tuple(menu),
            repeat=self.parameters.repeat,
            none_text=self.parameters.none_text,
            case_id=self.issue.case_id,
        )
