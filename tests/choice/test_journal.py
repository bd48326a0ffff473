"""Journals: whole answers survive whatever happens to the process or its neighbours."""

import errno
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from routebench.choice.journal import (
    Entry,
    Journal,
    Payer,
    Recorded,
    entry_line,
    model_folder,
)
from routebench.errors import RoutebenchError

TREE, FLAT = Payer("demo", "tree"), Payer("demo", "flat")
KEY = "ab" * 32
ANSWER = Recorded(
    key=KEY, type="choice", repeat=0, answered_by="m", probabilities=(0.1, 1 / 3), none=0.2,
    input_tokens=5, output_tokens=1, calls=1, cost_usd=1e-5, seconds=0.25,
)  # fmt: skip
FAILURE = Recorded(key=KEY, type="choice", repeat=0, failure="HTTP 500")


def write(folder: Path, name: str, *entries: Entry) -> Path:
    path = folder / f"answers-{name}.jsonl"
    folder.mkdir(exist_ok=True)
    path.write_text("".join(map(entry_line, entries)))
    return path


def other(none: float) -> Recorded:
    return replace(ANSWER, none=none)


def test_an_answer_comes_back_as_it_went_in(tmp_path: Path) -> None:
    Journal(tmp_path, TREE).append(ANSWER, {})
    assert Journal(tmp_path, FLAT).answer(KEY) == ANSWER


def test_an_answer_of_another_process_is_seen_without_reopening(tmp_path: Path) -> None:
    mine, theirs = Journal(tmp_path, TREE), Journal(tmp_path, FLAT)
    assert mine.answer(KEY) is None
    theirs.append(ANSWER, {})
    assert mine.answer(KEY) == ANSWER


def test_no_file_has_two_writers(tmp_path: Path) -> None:
    for _ in range(3):
        Journal(tmp_path, TREE).append(ANSWER, {"state": "s"})
    assert len(list(tmp_path.glob("answers-*.jsonl"))) == 3
    assert len(list(tmp_path.glob("requests-*.jsonl"))) == 3


def test_a_person_can_read_the_question_beside_the_answer(tmp_path: Path) -> None:
    Journal(tmp_path, TREE).append(ANSWER, {"state": "s", "options": ["a"]})
    line = next(tmp_path.glob("requests-*.jsonl")).read_text()
    assert json.loads(line) == {"key": KEY, "state": "s", "options": ["a"]}
    Journal(tmp_path / "bare", TREE, keep_requests=False).append(ANSWER, {"state": "s"})
    assert [path.name[:8] for path in (tmp_path / "bare").iterdir()] == ["answers-"]


@pytest.mark.parametrize("kept", [1, 50, -1])
def test_a_torn_last_line_is_no_answer(tmp_path: Path, kept: int) -> None:
    path = write(tmp_path, "1", Entry(ANSWER, TREE, "1"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:kept])
    journal = Journal(tmp_path, TREE)
    assert journal.answer(KEY) == ANSWER
    assert journal.damaged == 0


def test_a_line_in_the_making_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = write(tmp_path, "1", Entry(ANSWER, TREE, "1"))
    whole = path.read_bytes()
    path.write_bytes(whole[:40])
    journal = Journal(tmp_path, TREE)
    assert journal.answer(KEY) is None
    path.write_bytes(whole)
    assert journal.answer(KEY) == ANSWER


@pytest.mark.parametrize("damage", [b"\n", b"{}\n", b'{"key": 1\n', b"\xff\xfe\n", b"[]\n", b"1\n"])
def test_a_damaged_line_is_reported_and_the_rest_read(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(tmp_path, "1", Entry(FAILURE, TREE, "1"))
    line = entry_line(Entry(ANSWER, TREE, "2")).encode()
    path.write_bytes(path.read_bytes() + damage + line)
    journal = Journal(tmp_path, TREE)
    assert journal.answer(KEY) == ANSWER
    assert journal.damaged == 1
    assert "answers-1.jsonl: damaged line at byte" in caplog.text


def test_of_several_answers_the_arm_keeps_its_own(tmp_path: Path) -> None:
    write(tmp_path, "1", Entry(other(0.1), FLAT, "1"), Entry(other(0.2), TREE, "3"))
    write(tmp_path, "2", Entry(other(0.3), TREE, "2"), Entry(other(0.4), Payer("", "tree"), ""))
    assert Journal(tmp_path, TREE).answer(KEY) == other(0.3)
    assert Journal(tmp_path, FLAT).answer(KEY) == other(0.1)
    assert Journal(tmp_path, Payer("demo", "new")).answer(KEY) == other(0.1)


def test_a_failure_is_asked_again_but_replayed(tmp_path: Path) -> None:
    write(tmp_path, "1", Entry(FAILURE, TREE, "1"), Entry(ANSWER, FLAT, "2"))
    tree = Journal(tmp_path, TREE)
    # Live, any arm's answer serves; a replay repeats what this arm met.
    assert (tree.answer(KEY), tree.outcome(KEY)) == (ANSWER, FAILURE)
    write(tmp_path, "2", Entry(other(0.9), TREE, "3"))
    assert Journal(tmp_path, TREE).outcome(KEY) == other(0.9)


def test_a_full_disk_fails_and_the_next_line_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path, TREE, keep_requests=False)
    real, calls = os.write, []

    def full(descriptor: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data[:10] if len(calls) == 1 else data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(RoutebenchError, match="answer not recorded"):
        journal.append(ANSWER, {})
    journal.append(ANSWER, {})
    assert Journal(tmp_path, TREE).answer(KEY) == ANSWER


def test_a_closed_journal_takes_no_further_line(tmp_path: Path) -> None:
    journal = Journal(tmp_path, TREE)
    journal.append(ANSWER, {})
    journal.close()
    with pytest.raises(RoutebenchError, match="answer not recorded"):
        journal.append(ANSWER, {})


def test_a_model_name_is_a_folder_name(tmp_path: Path) -> None:
    assert model_folder(tmp_path, "jev-1.13.0") == tmp_path / "jev-1.13.0"
    for name in ("../x", "", ".", "a/b", ".hidden"):
        with pytest.raises(RoutebenchError, match="model"):
            model_folder(tmp_path, name)


def test_a_hundred_thousand_answers_load_in_seconds(tmp_path: Path) -> None:
    line = entry_line(Entry(replace(ANSWER, probabilities=(1 / 3,) * 10), TREE, "1"))
    with (tmp_path / "answers-1.jsonl").open("w") as file:
        file.writelines(line.replace(KEY, f"{number:064x}") for number in range(100_000))
    start = time.perf_counter()
    assert Journal(tmp_path, TREE).answer(f"{99_999:064x}") is not None
    assert time.perf_counter() - start < 20
