"""How commands end: streams that are closed or full, folders that are gone, faults of our own."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from routebench.command_line import compare

ROOT = Path(__file__).parents[2]


def buffered() -> dict[str, str]:
    """Returns an environment in which Python writes late, as most users' does."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return {**kept, "PYTHONPATH": str(ROOT / "workflow")}


@pytest.fixture
def ask_in_shell(repository, issue, tmp_path):
    """Runs ask with the redirections of a shell."""

    def call(redirections, issue_name=issue):
        command = f'exec "$0" -P -m routebench ask --repo "$1" --issue "$2" {redirections}'
        return subprocess.run(
            ["sh", "-c", command, sys.executable, repository, issue_name],
            cwd=tmp_path,
            env=buffered(),
            capture_output=True,
            text=True,
        )

    return call


def test_a_closed_standard_input_is_an_empty_issue(ask_in_shell):
    ran = ask_in_shell("<&-", "-")
    assert ran.returncode == 1
    assert ran.stderr == (
        "routebench: --issue standard input: empty; expected the text of an issue\n"
    )


def test_a_closed_standard_output_is_no_error(ask_in_shell):
    ran = ask_in_shell(">&-")
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has /dev/full")
@pytest.mark.parametrize("form", ["", "--json"])
def test_a_full_disk_under_standard_output_is_one_line(ask_in_shell, form):
    ran = ask_in_shell(f"{form} >/dev/full")
    assert ran.returncode == 1
    assert ran.stderr == "routebench: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has /dev/full")
def test_a_full_standard_error_keeps_the_status(tmp_path):
    program = [sys.executable, "-m", "routebench", "compare", tmp_path / "a", tmp_path / "b"]
    environment = buffered()
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(program, env=environment, stdout=full, stderr=full, check=False)
    assert ran.returncode == 2


def test_letters_that_the_terminal_lacks_are_escapes(
    run, tmp_path, commit_files, issue, monkeypatch
):
    commit_files(tmp_path / "r", {"café.py": "parser\n"})
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    from routebench.command_line.main import main

    assert main(["ask", "--repo", str(tmp_path / "r"), "--issue", str(issue)]) == 0
    assert b"  1.  caf\\xe9.py  (" in raw.getvalue()


def test_a_folder_that_is_gone_is_one_line(run, repository, issue, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = run("ask", "--repo", repository, "--issue", issue)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == "routebench: the current folder is gone; go to another and ask again\n"


def test_a_fault_of_our_own_is_not_taken_for_worse(run, monkeypatch):
    def fail(given):
        raise ZeroDivisionError

    monkeypatch.setattr(compare, "run", fail)
    ran = run("compare", "a", "b")
    assert ran.status == 2
    assert "ZeroDivisionError" in ran.err
