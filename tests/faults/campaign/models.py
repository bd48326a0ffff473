"""A choice model behind HTTP that answers badly: one case asked, by the arm ``asked``."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from campaign import study
from campaign.faults import RECORDED, Fault
from campaign.sandbox import Sandbox

LIMIT_S = 2
CLOSED = "http://127.0.0.1:9"


def point(sandbox: Sandbox, url: str) -> None:
    """Makes the study ask the model of a server."""
    values = study.study_values()
    values["arms"] = {"fts5": {"kind": "fts5"}, "asked": {"kind": "flat", "model": "chat"}}
    values["models"] = {
        "chat": {
            "kind": "openai",
            "model": "m",
            "base_url": f"{url}/v1",
            "timeout_s": LIMIT_S,
            "price": {"input_usd": 1.0, "output_usd": 1.0, "date": "2026-01-01"},
        }
    }
    values["comparisons"] = []
    study.write_values(sandbox.path("study.yaml"), values)


def replies() -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """Yields a name, an outcome, what the server replies and words of the reason."""
    words = {"choices": [{"message": {"content": "no idea"}}]}
    yield "HTTP 500", RECORDED, {"status": 500, "body": {}}, "500"
    yield "HTTP 400", RECORDED, {"status": 400, "body": {"error": {"message": "\x1b[31m"}}}, "400"
    yield "HTTP 401", RECORDED, {"status": 401, "body": {}}, "401"
    yield "HTTP 429", RECORDED, {"status": 429, "body": {}, "headers": {"Retry-After": "0"}}, "429"
    yield "HTTP 404", RECORDED, {"status": 404, "body": {}}, "404"
    yield "a redirect to itself", RECORDED, {"status": 302, "headers": {"Location": "/v1"}}, "302"
    yield "malformed JSON", RECORDED, {"body": b"{"}, ""
    yield "no JSON", RECORDED, {"body": b"<html>"}, ""
    yield "nothing", RECORDED, {"body": b""}, ""
    yield "a list", RECORDED, {"body": []}, ""
    yield "words", RECORDED, {"body": words}, ""
    yield "no choices", RECORDED, {"body": {"choices": []}}, ""
    yield "100,000 brackets", RECORDED, {"body": b"[" * 100_000}, ""
    yield "NaN", RECORDED, {"body": b'{"choices": NaN}'}, ""
    yield "50 MB", RECORDED, {"body": b"x" * 50_000_000}, ""
    yield "an answer that is cut", RECORDED, {"body": words, "cut": True}, ""
    yield "too slow", RECORDED, {"body": words, "delay_s": LIMIT_S + 1.0}, ""
    yield "a byte at a time", RECORDED, {"body": words, "drip_s": 0.5}, ""


def faults_of(url: str, answer: Callable[[dict[str, Any]], None]) -> Iterator[Fault]:
    """Yields every input of this table.

    Args:
        url: of the server.
        answer: makes the server reply so to every question.
    """

    def make(sandbox: Sandbox, given: dict[str, Any]) -> None:
        answer(given)
        point(sandbox, url)

    for name, expect, given, says in replies():
        yield Fault("models", name, expect, partial(make, given=given), says)
    yield Fault("models", "a closed port", RECORDED, partial(point, url=CLOSED), "")
