"""Killed and concurrent processes against one server; planted keys nowhere."""

import logging
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from routebench.choice.answers import write_answers
from routebench.choice.base import ChoiceRequest
from routebench.choice.budget import Limits
from routebench.choice.journal import Payer
from routebench.choice.recorded import StudyModel
from routebench.choice.registry import create_model, parse_model_parameters
from routebench.errors import RoutebenchError

pytestmark = pytest.mark.enable_socket
ROOT = Path(__file__).parents[2]
WORKER = """
import sys
from pathlib import Path
from routebench.choice.base import ChoiceRequest
from routebench.choice.budget import Limits
from routebench.choice.journal import Payer
from routebench.choice.registry import create_model, parse_model_parameters

url, answers, arm, first, last, calls = sys.argv[1:]
parameters = parse_model_parameters("typesafe", {"base_url": url})
model = create_model(
    "jev", "typesafe", parameters, answers=Path(answers), payer=Payer("demo", arm),
    study_limits=Limits(calls=int(calls)),
)
for number in range(int(first), int(last)):
    model.choose(ChoiceRequest(f"issue {number}", "i", ("a", "b")))
    print(number, flush=True)
"""


def start(server: Any, answers: Path, arm: str, first: int, last: int, calls: int = 10**6) -> Any:
    arguments = [server.url, str(answers), arm, str(first), str(last), str(calls)]
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, *arguments],
        cwd=ROOT / "workflow",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def states(bodies: list[dict[str, Any]]) -> Counter[str]:
    return Counter(body["state"] for body in bodies)


def test_nothing_answered_is_asked_again_after_a_kill(server: Any, tmp_path: Path) -> None:
    good, reached, go_on = server.answer, threading.Event(), threading.Event()

    def answer(body: dict[str, Any]) -> Any:
        if body["state"] == "issue 12":
            reached.set()
            go_on.wait(20)
        return good(body)

    server.answer = answer
    worker = start(server, tmp_path, "tree", 0, 30)
    assert reached.wait(20)
    os.kill(worker.pid, signal.SIGKILL)
    worker.communicate()
    go_on.set()
    assert start(server, tmp_path, "tree", 0, 30).wait(30) == 0
    # Only the request that was open at the kill, never answered, was sent a second time.
    expected = Counter({f"issue {n}": 1 for n in range(30)}) + Counter({"issue 12": 1})
    assert states(server.bodies) == expected


def test_eight_processes_at_once(server: Any, tmp_path: Path) -> None:
    workers = [start(server, tmp_path, f"arm{n}", n * 10, n * 10 + 14) for n in range(8)]
    assert [worker.wait(60) for worker in workers] == [0] * 8
    assert set(states(server.bodies)) == {f"issue {n}" for n in range(84)}
    # Two processes may ask the same at the same moment; here 4 of 14 are wanted by two.
    assert max(states(server.bodies).values()) <= 2
    asked = len(server.bodies)
    assert start(server, tmp_path, "new", 0, 84).wait(30) == 0
    assert len(server.bodies) == asked


def test_processes_share_a_budget(server: Any, tmp_path: Path) -> None:
    workers = [start(server, tmp_path, f"arm{n}", n * 30, n * 30 + 30, 60) for n in range(4)]
    errors = [worker.communicate(timeout=60)[1] for worker in workers]
    assert all(b"BudgetExceeded" in error for error in errors)
    # One request at a time in each of 4 processes: at most 3 open elsewhere at the check.
    assert 60 <= len(server.bodies) <= 63


def ask(model: StudyModel, number: int, texts: list[str]) -> None:
    try:
        model.choose(ChoiceRequest(f"issue {number}", "i", ("a", "b"), case_id="c"))
    except RoutebenchError as error:
        texts.extend([str(error), repr(error), *traceback.format_exception(error)])


def hostile_replies(reply: Any, key: str) -> list[Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    echoed = {"answers": {"route": {"probabilities": {"option_0": key}}}, "usage": usage}
    return [
        reply(401, f"Bearer {key} is not valid"),
        reply(500, {"error": {"headers": {"Authorization": f"Bearer {key}"}}}),
        reply(200, echoed),
        reply(200, {"answers": {}, "usage": {"input_tokens": key}}),
        reply(200, key.encode()),
        reply(200, b"x", cut=True),
    ]


def test_a_planted_key_appears_nowhere(
    server: Any, reply: Any, key: str, tmp_path: Path, caplog: Any, capfd: Any
) -> None:
    caplog.set_level(logging.DEBUG)
    texts: list[str] = []
    for kind in ("typesafe", "openai"):
        values: dict[str, Any] = {"base_url": server.url}
        if kind == "openai":
            price = {"input_usd": 1, "output_usd": 1, "date": "2026-08"}
            values |= {"model": "m", "price": price, "answer": "json"}
        model = create_model(
            kind, kind, parse_model_parameters(kind, values),
            answers=tmp_path / "answers", payer=Payer("demo", "tree"), study_limits=Limits(usd=1),
        )  # fmt: skip
        server.script.extend(hostile_replies(reply, key))
        for number in range(8):
            ask(model, number, texts)
        server.script.clear()
        texts.append(repr(vars(model._source)))
        write_answers(tmp_path / f"{kind}.parquet", model.used())
    assert any("[key]" in text for text in texts)
    texts.extend([caplog.text, *capfd.readouterr()])
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 6
    assert not any(key in text for text in texts)
    assert not any(key.encode() in path.read_bytes() for path in files)


def test_a_worker_that_fails_prints_no_key(
    server: Any, reply: Any, key: str, tmp_path: Path
) -> None:
    server.script.append(reply(403, f"no: {key}"))
    out, err = start(server, tmp_path, "tree", 0, 3).communicate(timeout=30)
    assert b"HTTP 403" in err
    assert key.encode() not in out + err
