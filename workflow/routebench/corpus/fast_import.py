"""Writes a linear history into a new bare repository with ``git fast-import``."""

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from routebench.datasets.wheel_files import PackageFile
from routebench.errors import RoutebenchError

BRANCH = "refs/heads/main"
_IDENTITY = "routebench <routebench@example.invalid>"
_FIRST_COMMIT_SECONDS = 1_577_836_800
_SECONDS_BETWEEN_COMMITS = 86_400


class Snapshot(NamedTuple):
    """One commit to write: its message and the whole content of its tree."""

    message: str
    files: Iterable[PackageFile]


def create_repository(folder: Path, snapshots: Iterable[Snapshot]) -> None:
    """Creates a bare repository at ``folder`` with one commit per snapshot on ``refs/heads/main``.

    Author, committer and dates are fixed (2020-01-01 UTC and one day more per commit), so the
    commit ids depend on messages and files alone.

    Args:
        folder: where the repository goes; must not exist, its parent must.
        snapshots: commits in history order; each is consumed before the next is asked for.

    Raises:
        RoutebenchError: git is missing or refuses the import.
    """
    init = ["init", "--bare", "--quiet", "--template=", "--object-format=sha1"]
    run_git([*init, "--initial-branch=main", str(folder)])
    with tempfile.TemporaryFile(dir=folder.parent) as stream:
        for index, snapshot in enumerate(snapshots):
            stream.writelines(_commit_commands(snapshot, index=index))
        stream.seek(0)
        run_git(["--git-dir", str(folder), "fast-import", "--quiet"], stdin=stream)


def read_history(folder: Path) -> tuple[str, ...]:
    """Returns the commit ids of ``refs/heads/main``, oldest first; empty if there is none."""
    if not folder.is_dir():
        return ()
    arguments = ["--git-dir", str(folder), "rev-list", "--reverse", BRANCH, "--"]
    try:
        return tuple(run_git(arguments).split())
    except RoutebenchError:
        return ()


def run_git(arguments: list[str], *, stdin: IO[bytes] | None = None) -> str:
    """Runs git without hooks, system or user configuration; returns its standard output.

    Raises:
        RoutebenchError: git cannot be started or fails; the message ends with git's last line.
    """
    command = ["git", "-c", "core.hooksPath=/dev/null", *arguments]
    try:
        done = subprocess.run(
            command, stdin=stdin or subprocess.DEVNULL, capture_output=True, env=_environment()
        )
    except OSError as error:
        raise RoutebenchError(f"git: cannot be started ({error}); install git") from error
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise RoutebenchError(f"git {' '.join(arguments)}: {reason or 'failed'}")
    return done.stdout.decode()


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # git before 2.32 does not know GIT_CONFIG_GLOBAL; a HOME without files does the same.
    off = dict.fromkeys(("GIT_CONFIG_GLOBAL", "HOME", "XDG_CONFIG_HOME"), os.devnull)
    return kept | off | {"GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}


def _commit_commands(snapshot: Snapshot, *, index: int) -> Iterator[bytes]:
    seconds = _FIRST_COMMIT_SECONDS + index * _SECONDS_BETWEEN_COMMITS
    yield f"commit {BRANCH}\n".encode()
    for role in ("author", "committer"):
        yield f"{role} {_IDENTITY} {seconds} +0000\n".encode()
    yield _data(snapshot.message.encode())
    yield b"deleteall\n"
    for path, content in snapshot.files:
        quoted = path.replace('"', '\\"')
        yield f'M 100644 inline "{quoted}"\n'.encode()
        yield _data(content)


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)
