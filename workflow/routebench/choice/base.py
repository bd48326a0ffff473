"""What a choice model is: the contract between arms and one module per kind (METHODS M)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from routebench.errors import CaseError, RoutebenchError

NONE_TEXT = "None contains direct answer evidence"


class BudgetExceeded(RoutebenchError):
    """A limit of money, calls or tokens is reached: the job stops, its answers stay recorded."""


class MissingAnswer(RoutebenchError):
    """A replay met a request without a recorded answer; names the case and the request key."""


class ModelParameters(BaseModel):
    """Base of the typed parameters of a model kind; unknown names are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @property
    def identity(self) -> Mapping[str, Any]:
        """What tells this model's answers from another's: JSON, part of every request key."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What an answer cost when it was asked; a recorded answer keeps the numbers.

    Attributes:
        input_tokens: tokens read by the model, as the provider counts them.
        output_tokens: tokens written by the model.
        calls: answered calls, a repeated question included.
        retries: requests sent again because the provider was busy.
        cost_usd: US dollars at the configured price.
        seconds: time from asking to the answer, waits included; 0 for `static`.
            A cap on an arm's time must add these up instead of reading a clock, or
            a replay would stop elsewhere than the recorded run.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    retries: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0


def total_usage(usages: Iterable[Usage]) -> Usage:
    """Returns the sum of usages, field by field."""
    listed = list(usages)
    names = [field.name for field in fields(Usage)]
    return Usage(**{name: sum(getattr(usage, name) for usage in listed) for name in names})


class ChoiceError(CaseError):
    """The model gave no usable answer: one line without secrets; the case fails.

    ``usage`` is what was spent on it, and on the answers before it of the same batch.
    """

    def __init__(self, message: str, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()


@dataclass(frozen=True, slots=True)
class ChoiceRequest:
    """A menu: which option leads to the answer?

    Attributes:
        state: the issue, as the model sees it.
        instruction: how to choose.
        options: texts of the options, in menu order; they may repeat.
        repeat: number of the repeat from 0; another number is another question.
        none_text: text of the extra option "none of these".
        case_id: the case it is asked for; not part of the question.
    """

    state: str
    instruction: str
    options: tuple[str, ...]
    repeat: int = 0
    none_text: str = NONE_TEXT
    case_id: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.options:
            raise RoutebenchError(f"case {self.case_id}: a menu needs at least one option")


@dataclass(frozen=True, slots=True)
class Choice(Usage):
    """A probability in [0, 1] per option, in menu order, and one for "none of these".

    They need not sum to 1. ``model`` is the provider's id of the model that answered.
    """

    probabilities: tuple[float, ...]
    none: float
    model: str

    def __post_init__(self) -> None:
        check_probabilities((*self.probabilities, self.none))


@dataclass(frozen=True, slots=True)
class RelevanceRequest:
    """Yes/no questions about one state, asked together (METHODS R11, nouls).

    Attributes:
        state: the issue, as the model sees it.
        questions: (id, text) pairs with distinct ids, in the order asked.
        instruction: put before each question's text, with an empty line between; may be empty.
        repeat: number of the repeat from 0.
        case_id: the case it is asked for; not part of the question.
    """

    state: str
    questions: tuple[tuple[str, str], ...]
    instruction: str = ""
    repeat: int = 0
    case_id: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        ids = [name for name, _ in self.questions]
        if not ids or len(set(ids)) < len(ids):
            raise RoutebenchError(f"case {self.case_id}: expected questions with distinct ids")

    @property
    def texts(self) -> tuple[str, ...]:
        """The questions' full texts, the instruction in front of each."""
        lead = f"{self.instruction}\n\n" if self.instruction else ""
        return tuple(lead + text for _, text in self.questions)


@dataclass(frozen=True, slots=True)
class Relevance(Usage):
    """The probability in [0, 1] of "yes" for each question id, in the order asked."""

    probabilities: Mapping[str, float]
    model: str

    def __post_init__(self) -> None:
        check_probabilities(tuple(self.probabilities.values()))


class ChoiceModel(Protocol):
    """A configured model; its methods may be called from several threads at once."""

    def choose(self, request: ChoiceRequest) -> Choice:
        """Answers a menu.

        Raises:
            ChoiceError: no usable answer; the case fails and the next is asked.
            BudgetExceeded: a limit is reached; the job stops.
            MissingAnswer: a replay has no such answer; the job stops.
        """

    def choose_many(self, requests: Sequence[ChoiceRequest]) -> list[Choice]:
        """Answers menus, as many at once as the model allows; in the order of the requests.

        Raises:
            ChoiceError, BudgetExceeded, MissingAnswer: the error of the first request, in
                their order, that failed; nothing new is asked after a failure, and what was
                answered is recorded.
        """

    def judge(self, request: RelevanceRequest) -> Relevance:
        """Answers yes/no questions; every question has its probability.

        Raises:
            ChoiceError: a question was left unanswered or the answer is unusable.
            BudgetExceeded, MissingAnswer: as for ``choose``.
        """

    def judge_many(self, requests: Sequence[RelevanceRequest]) -> list[Relevance]:
        """Answers groups of yes/no questions; order and errors as in ``choose_many``."""


def check_probabilities(values: Sequence[object]) -> None:
    """Refuses anything that is not a number in [0, 1].

    Raises:
        ChoiceError: a value is no number, NaN or out of range.
    """
    for value in values:
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
            raise ChoiceError(f"probability {shown(value)}: expected a number from 0 to 1")


def shown(value: object) -> str:
    """Returns a value for an error text: a number as it is, else its type alone.

    A text from outside is not quoted: it might hold a key.
    """
    return str(value) if isinstance(value, int | float) else f"of type {type(value).__name__}"
