"""Models as arms get them: each answer looked up, asked at most once, and kept."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import fields, replace
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from routebench.choice.base import (
    Choice,
    ChoiceError,
    ChoiceRequest,
    Relevance,
    RelevanceRequest,
    Usage,
    total_usage,
)
from routebench.choice.budget import Budget
from routebench.choice.journal import Journal, Recorded
from routebench.choice.keys import Request, request_facts, request_key, request_type

STRIPES = 1024
Asked = TypeVar("Asked", bound=Request)


class Provider(Protocol):
    """What a module of a kind implements: one question, one answer."""

    @property
    def at_once(self) -> int:
        """How many questions may be open at a time."""

    def choose(self, request: ChoiceRequest) -> Choice:
        """Answers a menu; raises ChoiceError where there is no usable answer."""

    def judge(self, request: RelevanceRequest) -> Relevance:
        """Answers yes/no questions; raises ChoiceError where one has no usable answer."""


class AnswerSource(Protocol):
    """Where the answer to a request with a key comes from."""

    @property
    def at_once(self) -> int:
        """How many requests may be open at a time."""

    def answer(self, key: str, request: Request) -> Recorded:
        """Returns the answer, or the failure to give one."""


class UsedAnswer(NamedTuple):
    """An answer that a case used, and the configured names of the arm and the model."""

    case_id: str
    arm: str
    model: str
    recorded: Recorded


def usage_of(spent: Usage) -> dict[str, Any]:
    """Returns the usage fields of an answer by name."""
    return {field.name: getattr(spent, field.name) for field in fields(Usage)}


def record_answer(key: str, request: Request, answer: Choice | Relevance) -> Recorded:
    """Returns an answer in the form in which it is kept."""
    if isinstance(answer, Choice):
        probabilities, none = answer.probabilities, answer.none
    else:
        probabilities, none = tuple(answer.probabilities.values()), None
    return Recorded(
        key=key,
        type=request_type(request),
        repeat=request.repeat,
        answered_by=answer.model,
        probabilities=probabilities,
        none=none,
        **usage_of(answer),
    )


def ask_provider(provider: Provider, key: str, request: Request) -> Recorded:
    """Asks; a ChoiceError becomes a recorded failure."""
    try:
        if isinstance(request, ChoiceRequest):
            return record_answer(key, request, provider.choose(request))
        return record_answer(key, request, provider.judge(request))
    except ChoiceError as error:
        return Recorded(
            key=key,
            type=request_type(request),
            repeat=request.repeat,
            failure=str(error),
            **usage_of(error.usage),
        )


class FailedRequest(ChoiceError):
    """The failure that was recorded in place of an answer."""

    def __init__(self, recorded: Recorded) -> None:
        super().__init__(str(recorded.failure), Usage(**usage_of(recorded)))
        self.recorded = recorded


def as_choice(recorded: Recorded) -> Choice:
    """Returns a recorded answer to a menu as the model gave it."""
    none = 0.0 if recorded.none is None else recorded.none
    return Choice(recorded.probabilities, none, recorded.answered_by, **usage_of(recorded))


def as_relevance(recorded: Recorded, request: RelevanceRequest) -> Relevance:
    """Returns a recorded answer to yes/no questions as the model gave it."""
    ids = (name for name, _ in request.questions)
    by_id = dict(zip(ids, recorded.probabilities, strict=True))
    return Relevance(by_id, recorded.answered_by, **usage_of(recorded))


class Direct:
    """Asks each time and records nothing: for a free model that always answers the same."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.at_once = provider.at_once

    def answer(self, key: str, request: Request) -> Recorded:
        """Returns the provider's answer."""
        return ask_provider(self._provider, key, request)


class Recording:
    """Looks an answer up and asks only for a missing one, which is recorded before it is used.

    Within a process a request is asked once, however many threads want it. Two processes
    that want it at the same moment may both ask; both answers are kept and each process
    uses its own (see ``Journal`` for which one a later run gets). A recorded failure is
    asked again.
    """

    def __init__(
        self,
        provider: Provider,
        journal: Journal,
        budget: Budget,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._provider, self._journal, self._budget, self._clock = provider, journal, budget, clock
        self._stripes = [threading.Lock() for _ in range(STRIPES)]
        self.at_once = provider.at_once

    def answer(self, key: str, request: Request) -> Recorded:
        """Returns the recorded or the fresh answer; raises BudgetExceeded."""
        with self._stripes[int(key[:8], 16) % STRIPES]:
            return self._journal.answer(key) or self._ask(key, request)

    def _ask(self, key: str, request: Request) -> Recorded:
        with self._budget.asking() as record:
            start = self._clock()
            answer = ask_provider(self._provider, key, request)
            timed = replace(answer, seconds=round(self._clock() - start, 6))
            record(partial(self._journal.append, timed, request_facts(request)))
            return timed


class StudyModel:
    """A configured model in the hands of an arm: a ``ChoiceModel`` that remembers its answers."""

    def __init__(
        self, name: str, arm: str, identity: Mapping[str, Any], source: AnswerSource
    ) -> None:
        self._name, self._arm, self._identity, self._source = name, arm, identity, source
        self._used: dict[tuple[str, str], Recorded] = {}

    def choose(self, request: ChoiceRequest) -> Choice:
        """Answers a menu (see ``ChoiceModel``)."""
        return as_choice(self._answer(request))

    def judge(self, request: RelevanceRequest) -> Relevance:
        """Answers yes/no questions (see ``ChoiceModel``)."""
        return as_relevance(self._answer(request), request)

    def choose_many(self, requests: Sequence[ChoiceRequest]) -> list[Choice]:
        """Answers menus, several at once (see ``ChoiceModel``)."""
        return [as_choice(recorded) for recorded in self._answer_many(requests)]

    def judge_many(self, requests: Sequence[RelevanceRequest]) -> list[Relevance]:
        """Answers groups of yes/no questions, several at once (see ``ChoiceModel``)."""
        return list(map(as_relevance, self._answer_many(requests), requests))

    def used(self) -> list[UsedAnswer]:
        """Returns each answer used so far, once per case, by case and request key."""
        return [
            UsedAnswer(case_id, self._arm, self._name, recorded)
            for (case_id, _), recorded in sorted(self._used.items(), key=lambda item: item[0])
        ]

    def _answer(self, request: Request) -> Recorded:
        return self._note(request, partial(self._fetch, request))

    def _answer_many(self, requests: Sequence[Request]) -> list[Recorded]:
        futures = ask_many(self._fetch, requests, self._source.at_once)
        answers: list[Recorded] = []
        # Noted in order and up to the first failure, as a replay would note them.
        for request, future in zip(requests, futures, strict=True):
            try:
                answers.append(self._note(request, future.result))
            except FailedRequest as error:
                raise ChoiceError(str(error), total_usage([*answers, error.usage])) from None
        return answers

    def _fetch(self, request: Request) -> Recorded:
        recorded = self._source.answer(request_key(self._identity, request), request)
        if recorded.failure is not None:
            raise FailedRequest(recorded)
        return recorded

    def _note(self, request: Request, fetch: Callable[[], Recorded]) -> Recorded:
        try:
            recorded = fetch()
        except FailedRequest as error:
            self._used[request.case_id, error.recorded.key] = error.recorded
            raise
        self._used[request.case_id, recorded.key] = recorded
        return recorded


def ask_many(
    ask: Callable[[Asked], Recorded], requests: Sequence[Asked], at_once: int
) -> list[Future[Recorded]]:
    """Asks at most ``at_once`` requests at a time, begun in their order.

    After an error nothing new is asked; what is open is waited for.

    Returns:
        A finished or cancelled future per request; no cancelled one before an error.
    """
    with ThreadPoolExecutor(at_once) as pool:
        futures = [pool.submit(ask, request) for request in requests]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            pool.shutdown(cancel_futures=True)
    return futures
