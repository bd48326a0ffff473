"""Keys of requests: one name for the same question to the same model, everywhere."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from routebench.choice.base import ChoiceRequest, RelevanceRequest

Request = ChoiceRequest | RelevanceRequest
RequestType = Literal["choice", "relevance"]


def request_type(request: Request) -> RequestType:
    """Returns what kind of question it is."""
    return "choice" if isinstance(request, ChoiceRequest) else "relevance"


def request_facts(request: Request) -> dict[str, Any]:
    """Returns the question as JSON values: all that the answer may depend on, no case."""
    facts: dict[str, Any] = {
        "type": request_type(request),
        "state": request.state,
        "instruction": request.instruction,
        "repeat": request.repeat,
    }
    if isinstance(request, ChoiceRequest):
        return facts | {"options": request.options, "none_text": request.none_text}
    return facts | {"questions": request.questions}


def request_key(identity: Mapping[str, Any], request: Request) -> str:
    """Returns the SHA-256, 64 hex digits, of a question to a model as canonical JSON.

    Canonical: names sorted, no spaces, everything beyond ASCII escaped.

    Args:
        identity: what tells the model from others (``ModelParameters.identity``).
        request: the question; its case does not count.
    """
    facts = {"model": identity, "request": request_facts(request)}
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
