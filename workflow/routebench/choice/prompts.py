"""Prompts for chat models, and the strict reading of what they answer.

An option's label is its number from 1; 0 stands for "none of these". Two forms:

- *token*: the model answers with one label. The probabilities are those of the first
  answer token's alternatives that are labels, divided by their sum. A label that is not
  among the alternatives given (20 at most, as a rule) gets 0.
- *json*: the model answers ``{"probabilities": {label: number, ...}}`` and nothing else.
  A label left out gets 0; the numbers are taken as they are.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from routebench.choice.base import ChoiceError, ChoiceRequest, check_probabilities

Messages = list[dict[str, str]]

TOKEN_RULE = "Answer with the number of one option and nothing else."
YES_NO_RULE = "Answer with the single word yes or no."
JSON_RULE = (
    'Answer with one JSON object and nothing else: {"probabilities": {"<number>": p, ...}}, '
    "where p from 0 to 1 is how probable it is that the answer is that number. "
    "Leave out numbers that are improbable."
)
JSON_YES_RULE = (
    'Answer with one JSON object and nothing else: {"probabilities": {"<number>": p, ...}}, '
    "where p from 0 to 1 is how probable it is that the answer to that question is yes. "
    "Give every number."
)
YES, NO = "yes", "no"


def messages(system: str, user: str) -> Messages:
    """Returns a conversation of a system and a user message."""
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def numbered(texts: Sequence[str], first: int) -> str:
    """Returns texts one per line, each after its number."""
    return "\n".join(f"{number}: {text}" for number, text in enumerate(texts, first))


def menu_messages(request: ChoiceRequest, rule: str) -> Messages:
    """Returns the conversation that asks a menu; "none of these" is option 0."""
    options = numbered((request.none_text, *request.options), 0)
    return messages(f"{request.instruction}\n\n{rule}", f"{request.state}\n\n{options}")


def question_messages(state: str, texts: Sequence[str], rule: str) -> Messages:
    """Returns the conversation that asks yes/no questions, numbered from 1 if several."""
    asked = texts[0] if len(texts) == 1 else numbered(texts, 1)
    return messages(rule, f"{state}\n\n{asked}")


def read_token(choice: Mapping[str, Any], labels: Sequence[str]) -> dict[str, float]:
    """Returns the probability of each label from the alternatives of the first token.

    Case and surrounding space of a token do not count; tokens that are then the same
    label are added up.

    Raises:
        ChoiceError: no log-probabilities were given, or none of a label.
    """
    found = dict.fromkeys(labels, 0.0)
    for token, logprob in _alternatives(choice):
        label = token.strip().lower()
        if label in found:
            found[label] += math.exp(min(logprob, 0.0))
    total = math.fsum(found.values())
    if not total > 0:
        raise ChoiceError("no label among the probable answer tokens")
    return {label: value / total for label, value in found.items()}


def _alternatives(choice: Mapping[str, Any]) -> list[tuple[str, float]]:
    try:
        alternatives = choice["logprobs"]["content"][0]["top_logprobs"]
        return [(str(item["token"]), float(item["logprob"])) for item in alternatives]
    except (KeyError, IndexError, TypeError, ValueError):
        raise ChoiceError("the answer has no top_logprobs") from None


def read_json(choice: Mapping[str, Any], labels: Sequence[str], *, every: bool) -> dict[str, float]:
    """Returns the probability of each label from a JSON answer.

    Args:
        choice: the first of the answer's ``choices``.
        labels: the labels that were asked about.
        every: whether each label must be given; else one is enough and the others are 0.

    Raises:
        ChoiceError: it is not that JSON, names an unknown label, misses one or is out of range.
    """
    given = _json_probabilities(choice)
    check_probabilities(list(given.values()))
    if not given or given.keys() - set(labels) or (every and len(given) < len(labels)):
        raise ChoiceError("the JSON answer does not name the labels that were asked about")
    return {label: float(given.get(label, 0.0)) for label in labels}


def _json_probabilities(choice: Mapping[str, Any]) -> dict[str, Any]:
    try:
        given = json.loads(choice["message"]["content"])["probabilities"]
    except (KeyError, TypeError, ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise ChoiceError("the answer is not the JSON object asked for")
    return given
