"""The published provider, against a server that speaks its format."""

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from routebench.choice.base import ChoiceError, ChoiceRequest, RelevanceRequest
from routebench.choice.http import retry_wait
from routebench.choice.systemone import choice_body, read_choice, relevance_body
from routebench.choice.typesafe import Typesafe, TypesafeModel
from routebench.errors import RoutebenchError

pytestmark = pytest.mark.enable_socket
MENU = ChoiceRequest("User question: é", "Choose.", ("a", "b"), case_id="c1")
QUESTIONS = RelevanceRequest("issue", (("f1", "abcd"), ("f2", "ab")), instruction="")
NOW = datetime(2026, 8, 1, 12, 0, 0, tzinfo=UTC)


def good(probabilities: Any, usage: Any = None) -> dict[str, Any]:
    usage = {"input_tokens": 1000, "output_tokens": 7} if usage is None else usage
    return {"answers": {"route": {"probabilities": probabilities}}, "usage": usage}


def make(server: Any, waits: list[float] | None = None, **settings: Any) -> TypesafeModel:
    sleep = (waits if waits is not None else []).append
    return TypesafeModel("jev", Typesafe(base_url=server.url, **settings), sleep=sleep)


def test_a_menu_is_sent_as_published() -> None:
    assert choice_body(MENU, "jev-1.13.0") == {
        "state": "User question: é",
        "model": "jev-1.13.0",
        "questions": {
            "route": {
                "type": "choice",
                "instructions": "Choose.",
                "criteria": {
                    "option_0": "a",
                    "option_1": "b",
                    "none_of_these": "None contains direct answer evidence",
                },
            }
        },
    }


def test_yes_no_questions_are_sent_as_nouls() -> None:
    request = RelevanceRequest("s", (("f1", "abcd"),), instruction="Relevant?")
    asked = relevance_body(request, "m")["questions"]
    assert asked == {"f1": {"type": "noul", "instructions": "Relevant?\n\nabcd"}}


def test_an_answer_has_probabilities_tokens_and_cost(server: Any, key: str) -> None:
    choice = make(server).choose(MENU)
    assert choice.probabilities == (1 / 2, 1 / 3)
    assert choice.none == 0.05
    assert (choice.input_tokens, choice.output_tokens, choice.calls) == (1000, 7, 1)
    # 1,000 tokens at 0.042 USD per million, output free.
    assert choice.cost_usd == pytest.approx(0.000042)
    assert server.headers[0]["Authorization"] == f"Bearer {key}"
    assert "temperature" not in server.bodies[0]


def test_yes_no_answers_by_id(server: Any) -> None:
    relevance = make(server).judge(QUESTIONS)
    assert relevance.probabilities == {"f1": 1 / 4, "f2": 1 / 2}


def test_connections_are_reused(server: Any) -> None:
    model = make(server)
    for _ in range(5):
        model.choose(MENU)
    assert server.connections == 1


@pytest.mark.parametrize("status", [429, 529])
@pytest.mark.parametrize(
    ("header", "waited"),
    [({}, 1.0), ({"Retry-After": "3"}, 3.0), ({"Retry-After": "0"}, 1.0)],
)
def test_a_busy_service_is_asked_again(
    server: Any, reply: Any, status: int, header: dict[str, str], waited: float
) -> None:
    waits: list[float] = []
    server.script.append(reply(status, "busy", header))
    choice = make(server, waits).choose(MENU)
    assert (choice.retries, choice.calls, waits) == (1, 1, [waited])


def test_a_busy_service_is_left_after_three_retries(server: Any, reply: Any) -> None:
    waits: list[float] = []
    server.script.extend(reply(429, "busy") for _ in range(5))
    with pytest.raises(ChoiceError, match="HTTP 429") as caught:
        make(server, waits).choose(MENU)
    assert waits == [1.0, 2.0, 4.0]
    assert len(server.bodies) == 4
    assert caught.value.usage.retries == 3


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, 4.0),
        ("7", 7.0),
        ("99", 15.0),
        ("0", 1.0),
        ("Sat, 01 Aug 2026 12:00:09 GMT", 9.0),
        ("Sat, 01 Aug 2026 12:10:00 GMT", 15.0),
        ("Sat, 01 Aug 2026 11:00:00 GMT", 1.0),
        ("soon", 4.0),
        ("-5", 4.0),
        ("1.5", 4.0),
    ],
)
def test_retry_after_is_seconds_or_a_date_held_within_1_and_15(
    header: str | None, seconds: float
) -> None:
    assert retry_wait(header, 2, NOW) == seconds


def test_a_date_is_honoured_on_the_wire(server: Any, reply: Any) -> None:
    waits: list[float] = []
    then = (datetime.now(UTC) + timedelta(seconds=8)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    server.script.append(reply(529, "busy", {"Retry-After": then}))
    make(server, waits).choose(MENU)
    assert 5.0 < waits[0] <= 8.0


@pytest.mark.parametrize("status", [302, 400, 401, 404, 500, 503])
def test_any_other_status_fails_at_once(server: Any, reply: Any, status: int) -> None:
    server.script.append(reply(status, "no", {"Location": "/elsewhere"}))
    with pytest.raises(ChoiceError, match=f"HTTP {status}"):
        make(server).choose(MENU)
    assert len(server.bodies) == 1


BAD = [
    b"{not json",
    b"",
    b"[" * 100_000,
    [],
    {"answers": {}},
    good({"option_0": 0.5, "none_of_these": 0.1}),
    good({"option_0": 0.5, "option_1": 0.5}),
    good({"option_0": 0.5, "option_1": 1.01, "none_of_these": 0.1}),
    good({"option_0": 0.5, "option_1": -0.01, "none_of_these": 0.1}),
    good({"option_0": 0.5, "option_1": "0.5", "none_of_these": 0.1}),
    good({"option_0": 0.5, "option_1": None, "none_of_these": 0.1}),
    good({"option_0": 0.5, "option_1": True, "none_of_these": 0.1}),
    good({"option_0": 0.5, "option_1": float("nan"), "none_of_these": 0.1}),
    good({"option_0": 0.5, "option_1": float("inf"), "none_of_these": 0.1}),
    good([0.5, 0.5, 0.1]),
    good({"option_0": 0.5, "option_1": 0.5, "none_of_these": 0.1}, usage={}),
    good({"option_0": 0.5, "option_1": 0.5, "none_of_these": 0.1}, {"input_tokens": -1}),
]


@pytest.mark.parametrize("body", BAD)
def test_an_unusable_answer_fails(server: Any, reply: Any, body: Any) -> None:
    server.script.append(reply(200, body))
    with pytest.raises(ChoiceError):
        make(server).choose(MENU)
    assert len(server.bodies) == 1


def test_what_an_unusable_answer_cost_is_known(server: Any, reply: Any) -> None:
    server.script.append(reply(200, good({"option_0": 2})))
    with pytest.raises(ChoiceError) as caught:
        make(server).choose(MENU)
    assert (caught.value.usage.calls, caught.value.usage.input_tokens) == (1, 1000)


def test_keys_that_nobody_asked_for_are_ignored() -> None:
    given = {"option_0": 1, "none_of_these": 0, "option_1": "x", "more": None}
    assert read_choice(good(given) | {"id": 1}, 1) == ((1.0,), 0.0)


@pytest.mark.parametrize("noul", [None, 1.5, "yes"])
def test_an_unanswered_yes_no_question_fails(server: Any, reply: Any, noul: Any) -> None:
    answers = {"f1": {"type": "noul", "noul": 0.5}, "f2": {"type": "noul", "noul": noul}}
    usage = {"input_tokens": 1, "output_tokens": 1}
    server.script.append(reply(200, {"answers": answers, "usage": usage}))
    with pytest.raises(ChoiceError):
        make(server).judge(QUESTIONS)


@pytest.mark.parametrize("fault", [{"delay_s": 1.0}, {"cut": True}, {"drip_s": 0.05}])
def test_late_and_cut_answers_fail(server: Any, reply: Any, fault: dict[str, Any]) -> None:
    server.script.append(reply(200, good({"option_0": 0.5}), **fault))
    with pytest.raises(ChoiceError, match="model jev: "):
        make(server, timeout_s=0.3).choose(MENU)
    assert len(server.bodies) == 1


def test_a_slow_answer_in_time_is_taken(server: Any, reply: Any) -> None:
    given = {"option_0": 0.5, "option_1": 0.5, "none_of_these": 0.1}
    server.script.append(reply(200, good(given), delay_s=0.2))
    assert make(server, timeout_s=5.0).choose(MENU).none == 0.1


def test_nobody_listening_fails(server: Any) -> None:
    model = TypesafeModel("jev", Typesafe(base_url="http://127.0.0.1:9"))
    with pytest.raises(ChoiceError, match="ConnectError"):
        model.choose(MENU)


def test_no_more_requests_are_open_than_allowed(server: Any, reply: Any) -> None:
    given = {"option_0": 0.5, "option_1": 0.5, "none_of_these": 0.1}
    server.answer = lambda body: reply(200, good(given), delay_s=0.05)
    model = make(server, at_once=3)
    threads = [threading.Thread(target=model.choose, args=(MENU,)) for _ in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.peak == 3
    assert len(server.bodies) == 9


def test_requests_beyond_the_limits_are_not_sent(server: Any) -> None:
    with pytest.raises(ChoiceError, match="menu of 2 options: at most 1"):
        make(server, max_options=1).choose(MENU)
    with pytest.raises(ChoiceError, match="bytes: at most 100"):
        make(server, max_request_bytes=100).choose(MENU)
    assert server.bodies == []


@pytest.mark.parametrize("value", [None, " ", "sk\u00e9", "sk-1\nx: y", "two words"])
def test_a_missing_or_odd_key_is_named_not_shown(
    server: Any, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.delenv("TYPESAFE_API_KEY")
    if value is not None:
        monkeypatch.setenv("TYPESAFE_API_KEY", value)
    with pytest.raises(RoutebenchError, match="TYPESAFE_API_KEY") as caught:
        make(server).choose(MENU)
    assert not isinstance(caught.value, ChoiceError)
    assert not (value or "").strip() or value not in str(caught.value)


@pytest.mark.parametrize("url", ["ftp://x", "https://", "https://u:p@x", "https://x?key=1", "x"])
def test_an_address_with_a_secret_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="expected http"):
        Typesafe(base_url=url)
