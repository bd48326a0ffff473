"""Chat models: token and JSON answers, read strictly, asked for twice at most."""

import json
import math
from typing import Any

import pytest

from routebench.choice.base import ChoiceError, ChoiceRequest, RelevanceRequest
from routebench.choice.openai import OpenAi, OpenAiModel

pytestmark = pytest.mark.enable_socket
PRICE = {"input_usd": 2.0, "output_usd": 10.0, "date": "2026-08-01"}
MENU = ChoiceRequest("issue", "Choose.", ("a.py", "b.py"), none_text="None fits")
QUESTIONS = RelevanceRequest("issue", (("f1", "Is a.py?"), ("f2", "Is b.py?")), "Relevant?")
USAGE = {"prompt_tokens": 100, "completion_tokens": 10}


def make(server: Any, **settings: Any) -> OpenAiModel:
    parameters = OpenAi(**{"model": "m", "base_url": server.url + "/v1", "price": PRICE} | settings)
    return OpenAiModel("chat", parameters, sleep=lambda seconds: None)


def token(reply: Any, **shares: float) -> Any:
    top = [{"token": name.strip("_"), "logprob": math.log(p)} for name, p in shares.items()]
    choice = {"message": {"content": "?"}, "logprobs": {"content": [{"top_logprobs": top}]}}
    return reply(200, {"choices": [choice], "usage": USAGE})


def written(reply: Any, content: Any, usage: Any = USAGE) -> Any:
    text = content if isinstance(content, str) else json.dumps(content)
    return reply(200, {"choices": [{"message": {"content": text}}], "usage": usage})


def test_options_are_numbered_and_none_is_0(server: Any, reply: Any, key: str) -> None:
    server.script.append(token(reply, _1=0.5))
    make(server).choose(MENU)
    body = server.bodies[0]
    assert body["messages"][1]["content"] == "issue\n\n0: None fits\n1: a.py\n2: b.py"
    assert body["messages"][0]["content"].startswith("Choose.\n\n")
    assert (body["model"], body["logprobs"], body["top_logprobs"]) == ("m", True, 20)
    assert server.headers[0]["Authorization"] == f"Bearer {key}"


def test_token_probabilities_are_shared_among_the_labels_seen(server: Any, reply: Any) -> None:
    # Labels seen: "1" 0.3 and " 1" 0.1, "0" 0.1; the word is no label; "2" was not seen.
    reply_ = token(reply, _1=0.3, **{" 1": 0.1, "0": 0.1, "The": 0.4})
    server.script.append(reply_)
    choice = make(server).choose(MENU)
    assert choice.probabilities == pytest.approx((0.8, 0.0))
    assert choice.none == pytest.approx(0.2)
    # 100 tokens at 2 and 10 at 10 USD per million.
    assert choice.cost_usd == pytest.approx(0.0003)


def test_without_logprobs_numbers_are_asked_for(server: Any, reply: Any) -> None:
    server.script.append(written(reply, "1"))
    server.script.append(written(reply, {"probabilities": {"1": 0.7, "0": 0.1}}))
    choice = make(server).choose(MENU)
    assert (choice.probabilities, choice.none, choice.calls) == ((0.7, 0.0), 0.1, 2)
    assert (choice.input_tokens, choice.output_tokens) == (200, 20)


def test_json_mode_asks_for_json_at_once(server: Any, reply: Any) -> None:
    server.script.append(written(reply, {"probabilities": {"2": 1}}))
    assert make(server, answer="json").choose(MENU).probabilities == (0.0, 1.0)
    assert "logprobs" not in server.bodies[0]


BAD = [
    "",
    "1",
    "[]",
    '{"probabilities": []}',
    {"probabilities": {}},
    {"probabilities": {"3": 0.5}},
    {"probabilities": {"1": 1.5}},
    {"probabilities": {"1": "0.5"}},
    '{"probabilities": {"1": NaN}}',
    '```json\n{"probabilities": {"1": 0.5}}\n```',
]


@pytest.mark.parametrize("content", BAD)
def test_a_malformed_answer_is_asked_again_once(server: Any, reply: Any, content: Any) -> None:
    server.script.extend([written(reply, content), written(reply, {"probabilities": {"1": 1}})])
    assert make(server, answer="json").choose(MENU).calls == 2
    server.script.extend([written(reply, content)] * 2)
    with pytest.raises(ChoiceError, match="asked twice") as caught:
        make(server, answer="json").choose(MENU)
    assert (caught.value.usage.calls, caught.value.usage.input_tokens) == (2, 200)
    assert len(server.bodies) == 4


@pytest.mark.parametrize("body", [[], {}, {"choices": []}, {"choices": [1]}])
def test_an_answer_without_choices_is_malformed(server: Any, reply: Any, body: Any) -> None:
    server.script.extend([reply(200, body)] * 2)
    with pytest.raises(ChoiceError, match="asked twice"):
        make(server).choose(MENU)


def test_a_refused_second_question_fails_with_the_cost_of_the_first(
    server: Any, reply: Any
) -> None:
    server.script.extend([written(reply, "?"), reply(500, "down")])
    with pytest.raises(ChoiceError, match="HTTP 500") as caught:
        make(server).choose(MENU)
    assert caught.value.usage.calls == 1


def test_yes_no_by_token_asks_each_question_alone(server: Any, reply: Any) -> None:
    server.script.extend([token(reply, Yes=0.6, no=0.2), token(reply, No=0.5)])
    relevance = make(server, answer="token").judge(QUESTIONS)
    assert relevance.probabilities == pytest.approx({"f1": 0.75, "f2": 0.0})
    assert relevance.calls == 2
    assert server.bodies[1]["messages"][1]["content"] == "issue\n\nRelevant?\n\nIs b.py?"


def test_yes_no_by_json_asks_together_and_needs_all(server: Any, reply: Any) -> None:
    server.script.append(written(reply, {"probabilities": {"1": 0.9, "2": 0.2}}))
    relevance = make(server, answer="json").judge(QUESTIONS)
    assert (relevance.probabilities, relevance.calls) == ({"f1": 0.9, "f2": 0.2}, 1)
    server.script.extend([written(reply, {"probabilities": {"1": 0.9}})] * 2)
    with pytest.raises(ChoiceError, match="asked twice"):
        make(server, answer="json").judge(QUESTIONS)


def test_yes_no_falls_back_to_json_by_question(server: Any, reply: Any) -> None:
    server.script.extend([token(reply, yes=0.5), written(reply, "yes")])
    server.script.append(written(reply, {"probabilities": {"1": 0.4}}))
    assert make(server).judge(QUESTIONS).probabilities == {"f1": 1.0, "f2": 0.4}


def test_a_local_server_needs_no_key_and_no_counts(server: Any, reply: Any) -> None:
    free = {"input_usd": 0, "output_usd": 0, "date": "2026-08"}
    server.script.append(written(reply, {"probabilities": {"1": 1}}, None))
    choice = make(server, key_env="", price=free, answer="json").choose(MENU)
    assert choice.input_tokens == 0
    assert "Authorization" not in server.headers[0]


def test_a_priced_answer_without_counts_is_malformed(server: Any, reply: Any) -> None:
    server.script.extend([written(reply, {"probabilities": {"1": 1}}, None)] * 2)
    with pytest.raises(ChoiceError, match=r"usage\.prompt_tokens"):
        make(server, answer="json").choose(MENU)
