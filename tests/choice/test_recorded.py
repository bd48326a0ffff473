"""Recording and replay: asked once, kept at once, the same again."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from routebench.choice.base import (
    BudgetExceeded,
    ChoiceError,
    ChoiceRequest,
    MissingAnswer,
    RelevanceRequest,
)
from routebench.choice.budget import Limits
from routebench.choice.journal import Payer
from routebench.choice.recorded import StudyModel
from routebench.choice.registry import create_model, parse_model_parameters
from routebench.errors import CaseError, RoutebenchError

WORKFLOW = Path(__file__).parents[2] / "workflow"
pytestmark = pytest.mark.enable_socket


def menu(number: int = 0, case_id: str = "c1", repeat: int = 0) -> ChoiceRequest:
    return ChoiceRequest(f"issue {number}", "Choose.", ("a", "b"), repeat, case_id=case_id)


def jev(server: Any, answers: Path, arm: str = "tree", **limits: Any) -> StudyModel:
    parameters = parse_model_parameters("typesafe", {"base_url": server.url, "at_once": 4})
    return create_model(
        "jev", "typesafe", parameters, answers=answers, payer=Payer("demo", arm), **limits
    )


def replay(answers: Path, arm: str = "tree") -> StudyModel:
    values = {"recorded": "jev", "of": {"kind": "typesafe"}}
    parameters = parse_model_parameters("replay", values)
    return create_model(
        "jev-again", "replay", parameters, answers=answers, payer=Payer("demo", arm)
    )


def test_an_answer_is_asked_once_across_runs(server: Any, tmp_path: Path) -> None:
    first = jev(server, tmp_path).choose(menu())
    assert jev(server, tmp_path).choose(menu()) == first
    assert jev(server, tmp_path, arm="flat").choose(menu(case_id="c2")) == first
    assert len(server.bodies) == 1
    assert first.seconds > 0


def test_another_repeat_is_another_question(server: Any, tmp_path: Path) -> None:
    model = jev(server, tmp_path)
    model.choose(menu(repeat=0))
    model.choose(menu(repeat=1))
    assert len(server.bodies) == 2


def test_threads_that_want_the_same_ask_once(server: Any, tmp_path: Path) -> None:
    model = jev(server, tmp_path)
    threads = [threading.Thread(target=model.choose, args=(menu(),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.bodies) == 1


def test_many_menus_are_answered_in_order(server: Any, tmp_path: Path) -> None:
    requests = [ChoiceRequest("s", "i", ("o",) * (1 + n)) for n in range(12)]
    choices = jev(server, tmp_path).choose_many(requests)
    assert [len(choice.probabilities) for choice in choices] == list(range(1, 13))
    assert server.peak <= 4


def test_a_replay_gives_the_same_and_asks_nothing(server: Any, tmp_path: Path) -> None:
    questions = RelevanceRequest("s", (("f1", "abc"), ("f2", "a")), case_id="c1")
    model = jev(server, tmp_path)
    recorded = model.choose_many([menu(0), menu(1)]), model.judge(questions)
    asked = len(server.bodies)
    again = replay(tmp_path)
    assert (again.choose_many([menu(0), menu(1)]), again.judge(questions)) == recorded
    assert [use.recorded for use in again.used()] == [use.recorded for use in model.used()]
    assert len(server.bodies) == asked


def test_a_replay_names_the_case_and_the_request_that_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(MissingAnswer, match=r"case c7: .*request [0-9a-f]{64}") as caught:
        replay(tmp_path).choose(menu(case_id="c7"))
    # The job stops: a replay that goes on without an answer is another study.
    assert not isinstance(caught.value, CaseError)


def test_a_failure_is_kept_for_replay_and_asked_again_live(
    server: Any, reply: Any, tmp_path: Path
) -> None:
    server.script.append(reply(500, "down"))
    with pytest.raises(ChoiceError, match="HTTP 500") as live:
        jev(server, tmp_path).choose(menu())
    with pytest.raises(ChoiceError) as again:
        replay(tmp_path).choose(menu())
    assert str(again.value) == str(live.value)
    assert jev(server, tmp_path).choose(menu()).calls == 1
    assert replay(tmp_path).choose(menu()).calls == 1


def test_after_a_failure_used_answers_are_those_of_a_replay(
    server: Any, reply: Any, tmp_path: Path
) -> None:
    def answer(body: dict[str, Any]) -> Any:
        return reply(500, "down") if body["state"] == "issue 2" else good(body)

    good, server.answer = server.answer, answer
    live, again = jev(server, tmp_path), replay(tmp_path)
    for model in (live, again):
        with pytest.raises(ChoiceError, match="HTTP 500") as caught:
            model.choose_many([menu(n) for n in range(8)])
        # The two answers before the failure cost 1,000 tokens each.
        assert (caught.value.usage.calls, caught.value.usage.input_tokens) == (2, 2000)
    assert len(live.used()) == 3
    assert [use.recorded for use in again.used()] == [use.recorded for use in live.used()]


def test_the_budget_of_calls_is_exact_in_a_process(server: Any, tmp_path: Path) -> None:
    model = jev(server, tmp_path, study_limits=Limits(calls=5))
    with pytest.raises(BudgetExceeded, match="budget of study demo: the limit of 5 calls"):
        model.choose_many([menu(n) for n in range(20)])
    assert len(server.bodies) == 5
    # What was answered is kept: the rest of a larger budget goes to the others.
    jev(server, tmp_path, study_limits=Limits(calls=20)).choose_many([menu(n) for n in range(20)])
    assert len(server.bodies) == 20


def test_recorded_answers_cost_nothing_again(server: Any, tmp_path: Path) -> None:
    jev(server, tmp_path).choose(menu())
    jev(server, tmp_path, study_limits=Limits(calls=0)).choose(menu())
    assert len(server.bodies) == 1


# A call reads 1,000 and writes 7 tokens and costs 0.000042 USD.
@pytest.mark.parametrize(
    ("limits", "asked"),
    [
        (Limits(usd=0.0001), 3),
        (Limits(tokens=2014), 2),
        (Limits(tokens=2015), 3),
        (Limits(calls=0), 0),
        (Limits(usd=0), 0),
    ],
)
def test_no_request_is_sent_once_a_limit_is_reached(
    server: Any, tmp_path: Path, limits: Limits, asked: int
) -> None:
    model = jev(server, tmp_path, arm_limits=limits)
    for number in range(asked):
        model.choose(menu(number))
    with pytest.raises(BudgetExceeded, match="budget of arm tree"):
        model.choose(menu(asked))
    assert len(server.bodies) == asked


def test_arms_share_the_study_budget_and_nothing_else(server: Any, tmp_path: Path) -> None:
    jev(server, tmp_path, "flat").choose_many([menu(n) for n in range(4)])
    tree = jev(server, tmp_path, "tree", arm_limits=Limits(calls=2), study_limits=Limits(calls=5))
    tree.choose(menu(10))
    with pytest.raises(BudgetExceeded, match="study demo"):
        tree.choose(menu(11))


def test_failures_count_as_spending(server: Any, reply: Any, tmp_path: Path) -> None:
    usage = {"input_tokens": 9, "output_tokens": 0}
    server.script.append(reply(200, {"answers": {}, "usage": usage}))
    model = jev(server, tmp_path, arm_limits=Limits(calls=1))
    with pytest.raises(ChoiceError):
        model.choose(menu(0))
    with pytest.raises(BudgetExceeded):
        model.choose(menu(1))


def test_static_needs_no_journal(tmp_path: Path) -> None:
    parameters = parse_model_parameters("static", {})
    model = create_model(
        "words", "static", parameters, answers=tmp_path / "a", payer=Payer("s", "t")
    )
    assert model.choose_many([menu(0), menu(1)])[1] == model.choose(menu(1))
    assert [use.model for use in model.used()] == ["words", "words"]
    assert not (tmp_path / "a").exists()


def test_configuring_a_model_loads_nothing_heavy() -> None:
    code = (
        "import sys; from routebench.choice.registry import MODEL_KINDS, model_module;"
        "[model_module(kind) for kind in MODEL_KINDS];"
        "print(sorted({'httpx', 'numpy', 'wordllama', 'pyarrow'} & sys.modules.keys()))"
    )
    fresh = subprocess.run(
        [sys.executable, "-c", code], cwd=WORKFLOW, capture_output=True, text=True, check=True
    )
    assert fresh.stdout.strip() == "[]"


def test_unknown_kinds_and_parameters_are_refused() -> None:
    with pytest.raises(RoutebenchError, match="expected one of openai, replay, static, typesafe"):
        parse_model_parameters("jev", {})
    with pytest.raises(ValidationError, match="temprature"):
        parse_model_parameters("static", {"temprature": 1})
    with pytest.raises(ValidationError, match="of"):
        parse_model_parameters("replay", {"recorded": "jev", "of": {"kind": "replay"}})


@pytest.mark.parametrize("kind", ["openai", "replay", "static", "typesafe"])
def test_every_parameter_is_described(kind: str) -> None:
    from routebench.choice.registry import model_module

    schema = model_module(kind).PARAMETERS.model_json_schema()
    assert schema["additionalProperties"] is False
    assert all(facts.get("description") for facts in schema["properties"].values())
