"""The published provider, typesafe.ai, over HTTP (METHODS M)."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import Field

from routebench.choice.base import (
    Choice,
    ChoiceError,
    ChoiceRequest,
    Relevance,
    RelevanceRequest,
    Usage,
)
from routebench.choice.desk import Desk
from routebench.choice.http import BaseUrl, HttpParameters, JsonClient, Price, Reply
from routebench.choice.recorded import Recording
from routebench.choice.systemone import (
    body_bytes,
    choice_body,
    read_choice,
    read_relevance,
    read_tokens,
    relevance_body,
)

PATH = "/v1/systemone"


class Typesafe(HttpParameters):
    """The provider of the published studies; `model` alone names what answers."""

    model: str = Field(
        default="jev-1.13.0", min_length=1, description="Model id sent to the provider."
    )
    base_url: BaseUrl = Field(
        default="https://api.typesafe.ai",
        description="Address of the service, without /v1/systemone.",
    )
    key_env: str = Field(
        default="TYPESAFE_API_KEY", description="Environment variable that holds the key."
    )
    price: Price = Field(
        default=Price(input_usd=0.042, output_usd=0.0, date="2026-08"),
        description="Price, for costs and budgets; the default is the paper's.",
    )
    max_options: int = Field(
        default=254, ge=1, description="Most options of a menu; a longer one fails unasked."
    )
    max_request_bytes: int = Field(
        default=200_000,
        ge=1,
        description="Largest request body, bytes; a larger one fails unasked.",
    )

    @property
    def identity(self) -> Mapping[str, Any]:
        """Kind and model id: nothing else is sent that could change an answer."""
        return {"kind": "typesafe", "model": self.model}


PARAMETERS = Typesafe


class TypesafeModel:
    """Asks the provider, every question once."""

    def __init__(
        self, name: str, parameters: Typesafe, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._parameters = parameters
        self._client = JsonClient(name, parameters, sleep=sleep)
        self.at_once = parameters.at_once

    def choose(self, request: ChoiceRequest) -> Choice:
        """Answers a menu."""
        if len(request.options) > self._parameters.max_options:
            raise ChoiceError(
                f"menu of {len(request.options)} options: at most {self._parameters.max_options}"
            )
        reply = self._post(choice_body(request, self._parameters.model))
        usage = self._usage(reply)
        try:
            probabilities, none = read_choice(reply.payload, len(request.options))
        except ChoiceError as error:
            raise ChoiceError(str(error), Usage(**usage)) from None
        return Choice(probabilities, none, self._parameters.model, **usage)

    def judge(self, request: RelevanceRequest) -> Relevance:
        """Answers yes/no questions, all in one call."""
        reply = self._post(relevance_body(request, self._parameters.model))
        usage = self._usage(reply)
        try:
            by_id = read_relevance(reply.payload, [name for name, _ in request.questions])
        except ChoiceError as error:
            raise ChoiceError(str(error), Usage(**usage)) from None
        return Relevance(by_id, self._parameters.model, **usage)

    def _post(self, body: Mapping[str, Any]) -> Reply:
        content = body_bytes(body)
        if len(content) > self._parameters.max_request_bytes:
            raise ChoiceError(
                f"request of {len(content)} bytes: at most {self._parameters.max_request_bytes}"
            )
        return self._client.post(PATH, content)

    def _usage(self, reply: Reply) -> dict[str, Any]:
        tokens = read_tokens(reply.payload)
        return {
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "calls": 1,
            "retries": reply.retries,
            "cost_usd": self._parameters.price.cost_usd(*tokens),
        }


def open_source(parameters: Typesafe, desk: Desk) -> Recording:
    """Returns recorded answers, with the provider behind them."""
    return desk.recording(TypesafeModel(desk.name, parameters))
