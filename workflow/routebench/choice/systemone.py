"""The published provider's requests and answers as JSON, apart from how they travel (METHODS M)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from routebench.choice.base import (
    ChoiceError,
    ChoiceRequest,
    RelevanceRequest,
    check_probabilities,
    shown,
)

ROUTE = "route"
NONE_KEY = "none_of_these"


class Tokens(NamedTuple):
    """Tokens read and written, as the provider counts them."""

    input: int
    output: int


def body_bytes(body: Mapping[str, Any]) -> bytes:
    """Returns a body as compact UTF-8 JSON; what is no text in UTF-8 becomes `?`."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def choice_body(request: ChoiceRequest, model: str) -> dict[str, Any]:
    """Returns the body that asks a menu: one question, a criterion per option."""
    criteria = {f"option_{number}": text for number, text in enumerate(request.options)}
    question = {
        "type": "choice",
        "instructions": request.instruction,
        "criteria": criteria | {NONE_KEY: request.none_text},
    }
    return {"state": request.state, "model": model, "questions": {ROUTE: question}}


def relevance_body(request: RelevanceRequest, model: str) -> dict[str, Any]:
    """Returns the body that asks yes/no questions: a noul for each."""
    ids = [name for name, _ in request.questions]
    questions = {
        name: {"type": "noul", "instructions": text}
        for name, text in zip(ids, request.texts, strict=True)
    }
    return {"state": request.state, "model": model, "questions": questions}


def read_choice(payload: Any, options: int) -> tuple[tuple[float, ...], float]:
    """Returns the probability of each option, in menu order, and of "none of these".

    Raises:
        ChoiceError: one is missing, no number or out of range; other keys are ignored.
    """
    given = _member(payload, "answers", ROUTE, "probabilities")
    values = [_member(given, f"option_{number}") for number in range(options)]
    none = _member(given, NONE_KEY)
    check_probabilities([*values, none])
    return tuple(map(float, values)), float(none)


def read_relevance(payload: Any, ids: Sequence[str]) -> dict[str, float]:
    """Returns the probability of "yes" for each question id, in their order.

    Raises:
        ChoiceError: one is missing, no number or out of range; other keys are ignored.
    """
    answers = _member(payload, "answers")
    values = [_member(answers, name, "noul") for name in ids]
    check_probabilities(values)
    return dict(zip(ids, map(float, values), strict=True))


def read_tokens(payload: Any) -> Tokens:
    """Returns the tokens used.

    Raises:
        ChoiceError: a number is missing or no count, so the cost is unknown.
    """
    return Tokens(_count(payload, "input_tokens"), _count(payload, "output_tokens"))


def _count(payload: Any, name: str) -> int:
    value = _member(payload, "usage", name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ChoiceError(f"usage.{name} {shown(value)}: expected a count")
    return value


def _member(value: Any, *path: str) -> Any:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            raise ChoiceError(f"the answer has no {'.'.join(path)[:80]}")
        value = value[name]
    return value
