import os
import sys
import time

import pytest

from routebench.arms.processes import Limits, run_group
from routebench.errors import CaseError


def run(tmp_path, script, *, question=b"", time_s=20.0, output_bytes=10_000):
    return run_group(
        ["/bin/sh", "-c", script],
        question,
        folder=tmp_path,
        environment={"PATH": os.environ["PATH"]},
        limits=Limits(time_s, output_bytes),
    )


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends_soon(pid):
    """Waits a little: a signal is sent before it is obeyed."""
    deadline = time.monotonic() + 5
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)


def test_code_and_both_outputs(tmp_path):
    assert run(tmp_path, "cat; echo oops >&2; exit 3", question=b"asked") == (
        3,
        b"asked",
        b"oops\n",
    )


def test_it_works_in_the_folder_with_the_environment_given(tmp_path):
    assert run(tmp_path, "pwd; env | grep -c SECRET").stdout.decode() == f"{tmp_path}\n0\n"


def test_a_question_that_is_never_read_does_not_block(tmp_path):
    assert run(tmp_path, "echo done", question=b"x" * 1_000_000).stdout == b"done\n"


def test_only_the_end_of_standard_error_is_kept(tmp_path):
    finished = run(tmp_path, "yes error | head -c 3000000 >&2; echo last >&2")
    assert finished.stderr.endswith(b"error\nlast\n")
    assert len(finished.stderr) <= 4096


def test_a_hanging_program_ends_with_its_children(tmp_path):
    started = time.monotonic()
    with pytest.raises(CaseError, match=r"took longer than 0\.5 s"):
        run(tmp_path, "sleep 60 & echo $! > child; echo $$ > self; wait", time_s=0.5)
    assert time.monotonic() - started < 5
    for name in ("child", "self"):
        assert ends_soon(int((tmp_path / name).read_text()))


def test_a_program_that_ignores_signals_ends(tmp_path):
    with pytest.raises(CaseError, match="took longer"):
        run(tmp_path, "trap '' TERM INT HUP; while :; do sleep 1; done", time_s=0.3)


def test_a_program_that_closes_its_output_and_hangs_ends(tmp_path):
    with pytest.raises(CaseError, match="took longer"):
        run(tmp_path, "exec >&- 2>&-; sleep 60", time_s=0.3)


def test_a_child_that_outlives_the_answer_is_ended(tmp_path):
    finished = run(tmp_path, "sleep 60 & echo $! > child; echo done")
    assert finished.stdout == b"done\n"
    assert ends_soon(int((tmp_path / "child").read_text()))


def test_a_child_that_left_the_group_does_not_hold_the_answer(tmp_path):
    script = "import os,time\nif os.fork()==0:\n os.setsid()\n time.sleep(3)\nelse: print('done')"
    started = time.monotonic()
    finished = run_group(
        [sys.executable, "-c", script],
        b"",
        folder=tmp_path,
        environment={},
        limits=Limits(20, 100),
    )
    assert finished.stdout == b"done\n"
    assert time.monotonic() - started < 2.5


def test_too_much_output_is_stopped_early(tmp_path):
    with pytest.raises(CaseError, match="printed more than 10000 bytes"):
        run(tmp_path, "head -c 100000000 /dev/zero; sleep 60")


def test_output_of_exactly_the_limit_is_whole(tmp_path):
    assert len(run(tmp_path, "head -c 10000 /dev/zero").stdout) == 10_000


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["/no/such/program"], "program program cannot be started: No such file"),
        (["/etc/passwd"], "program passwd cannot be started: Permission denied"),
        (["nul\0"], "cannot be started: embedded null byte"),
    ],
)
def test_a_program_that_cannot_start_is_told_without_its_folder(tmp_path, argv, reason):
    with pytest.raises(CaseError, match=reason):
        run_group(argv, b"", folder=tmp_path, environment={}, limits=Limits(1, 1))


def test_a_signal_is_a_negative_code(tmp_path):
    assert run(tmp_path, "kill -11 $$").code == -11
