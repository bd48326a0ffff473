"""Tables of used answers: same bytes, one file to hand on, replayed elsewhere."""

from pathlib import Path
from typing import Any

import pytest

from routebench.choice.answers import export_answers, import_answers, main, write_answers
from routebench.choice.base import ChoiceError, ChoiceRequest, RelevanceRequest
from routebench.choice.budget import Budget
from routebench.choice.journal import Payer, Recorded
from routebench.choice.recorded import StudyModel, UsedAnswer
from routebench.choice.registry import create_model, parse_model_parameters
from routebench.errors import RoutebenchError
from routebench.tables import read_rows

pytestmark = pytest.mark.enable_socket
MENUS = [ChoiceRequest(f"issue {n}", "i", ("a", "b"), case_id=f"c{n % 2}") for n in range(6)]
QUESTIONS = RelevanceRequest("s", (("f1", "abc"), ("f2", "a")), case_id="c1")


def model(answers: Path, kind: str, values: dict[str, Any], arm: str = "tree") -> StudyModel:
    parameters = parse_model_parameters(kind, values)
    return create_model("jev", kind, parameters, answers=answers, payer=Payer("demo", arm))


def replay(answers: Path, arm: str = "tree") -> StudyModel:
    return model(answers, "replay", {"recorded": "jev", "of": {"kind": "typesafe"}}, arm)


def run(one: StudyModel, path: Path) -> None:
    one.choose_many(MENUS)
    one.judge(QUESTIONS)
    write_answers(path, one.used())


def test_an_exported_study_is_replayed_to_the_byte_elsewhere(server: Any, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    run(model(here, "typesafe", {"base_url": server.url}), tmp_path / "used/tree/a.parquet")
    assert export_answers([tmp_path / "used"], tmp_path / "all.parquet") == 7
    assert import_answers(tmp_path / "all.parquet", there) == 7
    run(replay(there), tmp_path / "again.parquet")
    assert (tmp_path / "again.parquet").read_bytes() == (
        tmp_path / "used/tree/a.parquet"
    ).read_bytes()


def test_rows_say_what_was_asked_and_answered(server: Any, tmp_path: Path) -> None:
    run(model(tmp_path, "typesafe", {"base_url": server.url}), tmp_path / "a.parquet")
    rows = read_rows(tmp_path / "a.parquet", "answers")
    assert [row["case_id"] for row in rows] == ["c0"] * 3 + ["c1"] * 4
    first = next(row for row in rows if row["type"] == "choice")
    assert (first["probabilities"], first["none"]) == ([1 / 2, 1 / 3], 0.05)
    assert (first["arm"], first["model"], first["answered_by"]) == ("tree", "jev", "jev-1.13.0")
    assert next(row for row in rows if row["type"] == "relevance")["none"] is None


def test_failures_travel_too(server: Any, reply: Any, tmp_path: Path) -> None:
    server.script.append(reply(500, "down"))
    one = model(tmp_path / "here", "typesafe", {"base_url": server.url})
    with pytest.raises(ChoiceError):
        one.choose(MENUS[0])
    write_answers(tmp_path / "a.parquet", one.used())
    import_answers(tmp_path / "a.parquet", tmp_path / "there")
    with pytest.raises(ChoiceError, match='HTTP 500: "down"'):
        replay(tmp_path / "there").choose(MENUS[0])


def test_importing_twice_changes_nothing_and_is_no_spending(server: Any, tmp_path: Path) -> None:
    run(model(tmp_path / "here", "typesafe", {"base_url": server.url}), tmp_path / "a.parquet")
    there = tmp_path / "there"
    for _ in range(2):
        import_answers(tmp_path / "a.parquet", there)
    files = list((there / "jev").iterdir())
    assert len(files) == 1
    assert len(files[0].read_text().splitlines()) == 7
    study, arm = Budget(there, Payer("demo", "tree")).spent()
    assert (study.calls, arm.calls) == (0, 0)


def test_bytes_do_not_depend_on_the_order_of_use(tmp_path: Path) -> None:
    used = [
        UsedAnswer(case, "tree", "jev", Recorded(key=key, type="choice", repeat=0, none=0.5))
        for case in ("a", "b")
        for key in ("1" * 64, "2" * 64)
    ]
    write_answers(tmp_path / "1.parquet", used)
    write_answers(tmp_path / "2.parquet", reversed(used))
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "2.parquet").read_bytes()


@pytest.mark.parametrize(
    ("name", "probability", "problem"),
    [("../../x", 0.5, "model"), ("jev", 1.5, "probability 1.5"), ("jev", float("nan"), "nan")],
)
def test_a_foreign_file_is_checked(
    tmp_path: Path, name: str, probability: float, problem: str
) -> None:
    bad = Recorded(key="1" * 64, type="choice", repeat=0, probabilities=(probability,), none=0.0)
    write_answers(tmp_path / "a.parquet", [UsedAnswer("c", "tree", name, bad)])
    with pytest.raises(RoutebenchError, match=problem):
        import_answers(tmp_path / "a.parquet", tmp_path / "answers")
    assert not (tmp_path / "answers").exists()


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = UsedAnswer("c", "tree", "jev", Recorded(key="1" * 64, type="choice", repeat=0, none=0.0))
    write_answers(tmp_path / "used/a.parquet", [one, one])
    everything = str(tmp_path / "all.parquet")
    assert main(["export", str(tmp_path / "used"), everything]) == 0
    assert main(["import", everything, str(tmp_path / "answers")]) == 0
    assert capsys.readouterr().out.startswith("1 answers -> ")
    assert main(["export", str(tmp_path / "none"), everything]) == 1
    assert "no tables of answers" in capsys.readouterr().err
