"""Scratch folders of killed processes, and files that are damaged."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from routebench.errors import RoutebenchError
from routebench.files import Scratch, read_json, scratch_folder, sweep_scratch

KILLED = """\
import os
import signal
from routebench.files import Scratch
scratch = Scratch()
print(scratch.folder, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, of this test alone."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_what_a_killed_process_left_is_swept(temporary: Path) -> None:
    workflow = Path(__file__).parents[1] / "workflow"
    done = subprocess.run(
        [sys.executable, "-c", KILLED],
        env={"TMPDIR": str(temporary), "PYTHONPATH": str(workflow)},
        capture_output=True,
        text=True,
        check=False,
    )
    left = Path(done.stdout.strip())
    assert left.parent == temporary
    assert left.is_dir()
    (left / "deep").mkdir()
    (left / "deep" / "file").write_text("x")
    sweep_scratch()
    assert not left.exists()


def test_what_is_in_use_or_of_others_stays(temporary: Path) -> None:
    mine = temporary / "routebench-clone"
    mine.mkdir()
    link = temporary / "routebench-scratch.link"
    link.symlink_to(mine)
    with scratch_folder() as folder:
        sweep_scratch()
        assert sorted(temporary.iterdir()) == sorted([folder, link, mine])
    assert not folder.exists()


def test_a_scratch_folder_goes_away_with_its_object() -> None:
    scratch = Scratch()
    folder = scratch.folder
    assert folder.is_dir()
    del scratch
    assert not folder.exists()


@pytest.mark.parametrize("content", [b"", b'{"repo": ', b"\xff", b"[" * 100_000])
def test_damaged_json_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(content)
    with pytest.raises(
        RoutebenchError, match=r"record\.json: damaged .* delete it and run make st"
    ):
        read_json(path)
