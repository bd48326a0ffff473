"""Request keys: equal for the same question, different for any other."""

from dataclasses import replace

import pytest

from routebench.choice.base import Choice, ChoiceError, ChoiceRequest, RelevanceRequest
from routebench.choice.keys import request_key
from routebench.choice.openai import OpenAi
from routebench.choice.typesafe import Typesafe
from routebench.errors import RoutebenchError

MENU = ChoiceRequest("s", "i", ("a", "b"), case_id="c1")
FREE = {"input_usd": 0, "output_usd": 0, "date": "2026-08"}


def test_a_key_is_the_sha_256_of_canonical_json() -> None:
    # printf '{"model":{"m":1},"request":{"instruction":"i",…}}' | sha256sum
    text = (
        '{"model":{"m":1},"request":{"instruction":"i",'
        '"none_text":"None contains direct answer evidence","options":["a","b"],'
        '"repeat":0,"state":"s","type":"choice"}}'
    )
    import hashlib

    assert request_key({"m": 1}, MENU) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "other",
    [
        replace(MENU, state="s2"),
        replace(MENU, instruction="i2"),
        replace(MENU, options=("b", "a")),
        replace(MENU, options=("ab",)),
        replace(MENU, repeat=1),
        replace(MENU, none_text="none"),
        RelevanceRequest("s", (("a", "b"),), "i"),
    ],
)
def test_another_question_has_another_key(other: ChoiceRequest) -> None:
    assert request_key({}, other) != request_key({}, MENU)


def test_the_case_is_no_part_of_the_question() -> None:
    assert request_key({}, replace(MENU, case_id="c2")) == request_key({}, MENU)


def test_only_what_changes_answers_is_in_the_identity() -> None:
    moved = Typesafe(base_url="http://localhost:1", at_once=9, timeout_s=1)
    assert moved.identity == Typesafe().identity
    assert Typesafe(model="jev-2").identity != Typesafe().identity
    assert (
        OpenAi(model="m", price=FREE, answer="json").identity
        != OpenAi(model="m", price=FREE).identity
    )


@pytest.mark.parametrize("value", [float("nan"), -0.1, 1.1, True, "0.5", None])
def test_a_choice_holds_probabilities_only(value: object) -> None:
    with pytest.raises(ChoiceError):
        Choice((value,), 0.0, "m")  # type: ignore[arg-type]


def test_requests_are_checked_when_made() -> None:
    with pytest.raises(RoutebenchError, match="at least one option"):
        ChoiceRequest("s", "i", ())
    with pytest.raises(RoutebenchError, match="distinct ids"):
        RelevanceRequest("s", (("a", "x"), ("a", "y")))
