"""Any OpenAI-compatible chat endpoint, hosted or on your own machine (METHODS M)."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Literal, NamedTuple

from pydantic import Field

from routebench.choice import prompts
from routebench.choice.base import (
    Choice,
    ChoiceError,
    ChoiceRequest,
    Relevance,
    RelevanceRequest,
    Usage,
    shown,
    total_usage,
)
from routebench.choice.desk import Desk
from routebench.choice.http import BaseUrl, HttpParameters, JsonClient, Price, Reply
from routebench.choice.recorded import Recording
from routebench.choice.systemone import body_bytes

PATH = "/chat/completions"
TOKEN_LIMIT = 8


class OpenAi(HttpParameters):
    """A chat model behind an OpenAI-compatible address.

    A model whose tokenizer splits numbers into digits cannot answer a menu of more than
    9 options in one token: set `answer: json` for it.
    """

    model: str = Field(min_length=1, description="Model id sent to the endpoint.")
    base_url: BaseUrl = Field(
        default="https://api.openai.com/v1", description="Address, up to /chat/completions."
    )
    key_env: str = Field(
        default="OPENAI_API_KEY",
        description="Environment variable that holds the key; empty for a server without keys.",
    )
    price: Price = Field(
        description="Price, for costs and budgets; zeros for a server of your own."
    )
    answer: Literal["token", "json", "auto"] = Field(
        default="auto",
        description="How probabilities are asked for: `token`, the log-probabilities of the answer "
        "token; `json`, numbers written by the model; `auto`, token and, where the server gives "
        "no log-probabilities, json.",
    )
    top_logprobs: int = Field(
        default=20, ge=1, le=100, description="Alternatives of the answer token asked for."
    )
    temperature: float | None = Field(
        default=0.0, ge=0, description="Sampling temperature; null: none is sent."
    )
    json_tokens: int = Field(default=4096, ge=16, description="Most tokens of a JSON answer.")
    token_limit_name: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_tokens", description="What the endpoint calls its limit of answer tokens."
    )

    @property
    def identity(self) -> Mapping[str, Any]:
        """Kind, model id and all that shapes the answer; not the address or the price."""
        names = {"model", "answer", "top_logprobs", "temperature", "json_tokens"}
        return {"kind": "openai"} | self.model_dump(include=names)


PARAMETERS = OpenAi


class Attempt(NamedTuple):
    """One way to ask: the request's body and how its answer is read."""

    body: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], dict[str, float]]


class Labelled(NamedTuple):
    """Probabilities by label, and what they cost."""

    by_label: dict[str, float]
    usage: Usage


class OpenAiModel:
    """Asks a chat model; a malformed answer is asked for once more."""

    def __init__(
        self, name: str, parameters: OpenAi, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._parameters = parameters
        self._client = JsonClient(name, parameters, sleep=sleep)
        self.at_once = parameters.at_once

    def choose(self, request: ChoiceRequest) -> Choice:
        """Answers a menu, in one conversation."""
        labels = [str(number) for number in range(len(request.options) + 1)]
        token = Attempt(
            self._token_body(prompts.menu_messages(request, prompts.TOKEN_RULE)),
            partial(prompts.read_token, labels=labels),
        )
        written = Attempt(
            self._json_body(prompts.menu_messages(request, prompts.JSON_RULE)),
            partial(prompts.read_json, labels=labels, every=False),
        )
        given, usage = self._ask(token, written)
        none, *options = (given[label] for label in labels)
        return Choice(tuple(options), none, self._parameters.model, **asdict(usage))

    def judge(self, request: RelevanceRequest) -> Relevance:
        """Answers yes/no questions: together as JSON, one by one where tokens are read."""
        ids = [name for name, _ in request.questions]
        if self._parameters.answer == "json":
            values, usage = self._judge_json(request.state, request.texts)
        else:
            values, usage = self._judge_tokens(request.state, request.texts)
        return Relevance(
            dict(zip(ids, values, strict=True)), self._parameters.model, **asdict(usage)
        )

    def _judge_json(self, state: str, texts: Sequence[str]) -> tuple[list[float], Usage]:
        attempt = self._json_questions(state, texts)
        by_label, usage = self._ask(attempt, attempt)
        return list(by_label.values()), usage

    def _judge_tokens(self, state: str, texts: Sequence[str]) -> tuple[list[float], Usage]:
        values, usage = [], Usage()
        for text in texts:
            token = Attempt(
                self._token_body(prompts.question_messages(state, [text], prompts.YES_NO_RULE)),
                partial(prompts.read_token, labels=[prompts.YES, prompts.NO]),
            )
            try:
                given, spent = self._ask(token, self._json_questions(state, [text]))
            except ChoiceError as error:
                raise ChoiceError(str(error), total_usage([usage, error.usage])) from None
            values.append(given.get(prompts.YES, given.get("1", 0.0)))
            usage = total_usage([usage, spent])
        return values, usage

    def _json_questions(self, state: str, texts: Sequence[str]) -> Attempt:
        labels = [str(number) for number in range(1, len(texts) + 1)]
        return Attempt(
            self._json_body(prompts.question_messages(state, texts, prompts.JSON_YES_RULE)),
            partial(prompts.read_json, labels=labels, every=True),
        )

    def _ask(self, token: Attempt, written: Attempt) -> Labelled:
        first = written if self._parameters.answer == "json" else token
        second = token if self._parameters.answer == "token" else written
        usage = Usage()
        for attempt in (first, second):
            reply = self._post(attempt.body, usage)
            try:
                usage = total_usage([usage, self._usage(reply)])
                return Labelled(attempt.read(first_choice(reply.payload)), usage)
            except ChoiceError as error:
                fault = str(error)
        raise ChoiceError(f"asked twice: {fault}", usage)

    def _post(self, body: Mapping[str, Any], spent: Usage) -> Reply:
        try:
            return self._client.post(PATH, body_bytes(body))
        except ChoiceError as error:
            raise ChoiceError(str(error), total_usage([spent, error.usage])) from None

    def _token_body(self, messages: prompts.Messages) -> dict[str, Any]:
        wanted = {"logprobs": True, "top_logprobs": self._parameters.top_logprobs}
        return self._body(messages, TOKEN_LIMIT) | wanted

    def _json_body(self, messages: prompts.Messages) -> dict[str, Any]:
        return self._body(messages, self._parameters.json_tokens)

    def _body(self, messages: prompts.Messages, most_tokens: int) -> dict[str, Any]:
        settings = self._parameters
        body = {
            "model": settings.model,
            "messages": messages,
            settings.token_limit_name: most_tokens,
        }
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        return body

    def _usage(self, reply: Reply) -> Usage:
        price = self._parameters.price
        free = not (price.input_usd or price.output_usd)
        tokens = [
            count(reply.payload, name, optional=free)
            for name in ("prompt_tokens", "completion_tokens")
        ]
        return Usage(
            input_tokens=tokens[0],
            output_tokens=tokens[1],
            calls=1,
            retries=reply.retries,
            cost_usd=price.cost_usd(*tokens),
        )


def first_choice(payload: Any) -> Mapping[str, Any]:
    """Returns the first of the answer's ``choices``; raises ChoiceError where there is none."""
    try:
        choice = payload["choices"][0]
    except (KeyError, IndexError, TypeError):
        choice = None
    if not isinstance(choice, dict):
        raise ChoiceError("the answer has no choices")
    return choice


def count(payload: Any, name: str, *, optional: bool) -> int:
    """Returns a token count of the answer's ``usage``.

    Args:
        payload: the answer.
        name: the count.
        optional: whether a missing one is 0; where tokens cost money it must be there.

    Raises:
        ChoiceError: it is missing or no count.
    """
    usage = payload.get("usage") if isinstance(payload, dict) else None
    value = usage.get(name) if isinstance(usage, dict) else None
    if value is None and optional:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ChoiceError(f"usage.{name} {shown(value)}: expected a count")
    return value


def open_source(parameters: OpenAi, desk: Desk) -> Recording:
    """Returns recorded answers, with the endpoint behind them."""
    return desk.recording(OpenAiModel(desk.name, parameters))
