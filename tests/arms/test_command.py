import json
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from routebench.arms import command
from routebench.arms.base import Resources
from routebench.arms.command import parse_answer, program_environment
from routebench.errors import CaseError


@pytest.fixture
def rank(tmp_path, snapshot_of, issue_of):
    """Asks a Python script about three files."""

    def ask(script, k=16, **parameters):
        snapshot = snapshot_of({"a.py": "alpha", "src/b.py": "beta", "c.py": ""}, tmp_path)
        chosen = command.PARAMETERS(argv=(sys.executable, "-c", script), **parameters)
        return command.create(chosen, Resources()).rank(issue_of("an issue"), snapshot, k)

    return ask


def test_the_program_is_told_the_case_and_can_read_the_files(rank):
    script = """
import json, pathlib, sys
asked = json.load(sys.stdin)
assert asked.pop("folder") and sorted(asked) == ["case_id", "commit", "issue", "k", "repo"]
assert (asked["case_id"], asked["repo"], asked["issue"]) == ("case-1", "owner/name", "an issue")
assert (asked["commit"], asked["k"]) == ("0" * 40, 16)
print(json.dumps(["src/b.py"]))
"""
    answer = rank(script)
    assert answer.ranking == (("src/b.py", 1.0),)
    assert answer.operations.calls == 1
    script = """
import json, pathlib, sys
folder = pathlib.Path(json.load(sys.stdin)["folder"])
print(json.dumps([str(p.relative_to(folder)) for p in folder.rglob("*") if "beta" in
                  (p.read_text() if p.is_file() else "")]))
"""
    assert rank(script).ranking == (("src/b.py", 1.0),)


def test_unknown_paths_are_dropped_and_counted_duplicates_dropped(rank):
    printed = ["/etc/passwd", "a.py", "../a.py", "a.py", "./c.py", "nowhere.py", "src/b.py", ""]
    answer = rank(f"print({json.dumps(json.dumps(printed))})")
    assert [item.path for item in answer.ranking] == ["a.py", "c.py", "src/b.py"]
    assert answer.operations.dropped_paths == 4


def test_whole_paths_below_the_folder_count_as_what_they_mean(rank):
    """They used to be dropped, which scored a good program 0."""
    script = """
import json, pathlib, sys
folder = pathlib.Path(json.load(sys.stdin)["folder"])
print(json.dumps([str(folder / "src/b.py"), str(folder) + "-other/a.py"]))
"""
    answer = rank(script)
    assert [item.path for item in answer.ranking] == ["src/b.py"]
    assert answer.operations.dropped_paths == 1


def test_at_most_k_paths(rank):
    answer = rank("""print('["c.py", "a.py", "src/b.py"]')""", k=2)
    assert [item.path for item in answer.ranking] == ["c.py", "a.py"]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (b'["a", "b"]', [("a", 1.0), ("b", 0.5)]),
        (
            b'[{"path": "a", "score": 7}, {"path": "b"}, "c"]',
            [("a", 7.0), ("b", 0.5), ("c", 1 / 3)],
        ),
        (b' {"paths": ["a"]}\n', [("a", 1.0)]),
        ('["é\U0001f600"]'.encode(), [("é\U0001f600", 1.0)]),
        (b"[]", []),
    ],
)
def test_forms_of_an_answer(output, expected):
    assert list(parse_answer(output)) == expected


@pytest.mark.parametrize(
    "output",
    [b"", b"a.py\n", b"\xff\xfe", b'["a"] ["b"]', b"[" * 100_000, b'["a",]', b"["],
)
def test_what_is_not_json_is_told(output):
    with pytest.raises(CaseError, match="answer is not JSON"):
        parse_answer(output)


@pytest.mark.parametrize("output", [b"3", b'"a.py"', b"null", b'{"files": []}', b'{"paths": 3}'])
def test_what_is_no_list_is_told(output):
    with pytest.raises(CaseError, match="answer is not a list"):
        parse_answer(output)


@pytest.mark.parametrize(
    "entry",
    ["3", "null", '["b"]', "{}", '{"path": 1}', '{"path": "a", "line": 3}']
    + [f'{{"path": "a", "score": {score}}}' for score in ("true", "NaN", "Infinity", '"1"', "null")]
    + [f'{{"path": "a", "score": 1{"0" * 400}}}'],
)
def test_an_entry_that_is_no_path_is_an_error_and_its_place_is_told(entry):
    with pytest.raises(CaseError, match="entry 2 of the answer is not a path"):
        parse_answer(f'["a", {entry}]'.encode())


def test_a_failing_program_is_told_by_its_last_line_of_error(rank):
    with pytest.raises(CaseError, match=r"^program ended with exit code 1: ValueError: no model$"):
        rank("raise ValueError('no model')")
    with pytest.raises(CaseError, match=r"^program ended with exit code 7$"):
        rank("raise SystemExit(7)")
    with pytest.raises(CaseError, match=r"^program ended with signal 9$"):
        rank("import os; os.kill(os.getpid(), 9)")


def test_a_long_error_line_is_cut(rank):
    with pytest.raises(CaseError) as caught:
        rank("raise SystemExit('x' * 5000)")
    assert len(str(caught.value)) < 300


def test_time_and_output_limits(rank):
    with pytest.raises(CaseError, match=r"took longer than 0\.5 s"):
        rank("import time; time.sleep(60)", time_limit_s=0.5)
    with pytest.raises(CaseError, match="printed more than 1000000 bytes"):
        rank("print('x' * 100_000_000)", output_limit_bytes=1_000_000)


def test_the_scratch_folder_is_private_and_goes_away(rank, tmp_path):
    script = """
import os, json, pathlib, stat
pathlib.Path("left").write_text("x")
assert os.environ["TMPDIR"] == os.getcwd()
assert stat.S_IMODE(os.stat(".").st_mode) == 0o700
raise SystemExit(os.getcwd())
"""
    with pytest.raises(CaseError) as caught:
        rank(script)
    folder = Path(str(caught.value).rpartition(" ")[2])
    assert folder.name.startswith("routebench-scratch.")
    assert not folder.exists()


def test_a_scratch_folder_of_any_depth_goes_away(rank):
    """Python's recursion limit failed the job of the whole repository."""
    script = """
import os
folder = os.getcwd()
for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
raise SystemExit(folder)
"""
    with pytest.raises(CaseError, match="exit code 1") as caught:
        rank(script)
    assert not Path(str(caught.value).rpartition(" ")[2]).exists()


def test_secrets_stay_out_unless_asked_for(tmp_path):
    given = {"PATH": "/bin", "LANG": "C", "API_KEY": "secret", "MODEL_KEY": "wanted"}
    parameters = command.PARAMETERS(argv=("x",), environment=("MODEL_KEY", "ABSENT"))
    assert program_environment(parameters, given, tmp_path) == {
        "PATH": "/bin",
        "LANG": "C",
        "MODEL_KEY": "wanted",
        "TMPDIR": str(tmp_path),
    }


def test_files_among_the_arguments_are_part_of_the_settings(
    tmp_path, monkeypatch, snapshot_of, issue_of
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.py").write_text("print('[\"a.py\"]')")
    (tmp_path / "python").write_text("not the one in PATH")
    parameters = command.PARAMETERS(argv=(sys.executable, "arm.py", "--fast"))
    assert parameters.fingerprint_files() == (Path(sys.executable), Path("arm.py"))
    assert command.PARAMETERS(argv=("python", "absent.py")).fingerprint_files() == ()
    arm = command.create(parameters, Resources())
    answer = arm.rank(issue_of("x"), snapshot_of({"a.py": ""}, tmp_path), 16)
    assert answer.ranking == (("a.py", 1.0),)


def test_an_argument_longer_than_any_file_name_is_no_file():
    parameters = command.PARAMETERS(argv=("python", "-c", "pass;" * 1000, "nul\0"))
    assert parameters.fingerprint_files() == ()


def test_an_empty_command_is_refused():
    with pytest.raises(ValidationError):
        command.PARAMETERS(argv=())
