"""Writes a linear history into a new bare repository with ``git fast-import``."""

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from routebench.corpus.fetching import create_mirror
from routebench.corpus.git import GitError, run_git
from routebench.datasets.wheel_files import PackageFile

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
        GitError: git is missing or refuses the import.
    """
    create_mirror(folder)
    with tempfile.TemporaryFile(dir=folder.parent) as stream:
        for index, snapshot in enumerate(snapshots):
            stream.writelines(_commit_commands(snapshot, index=index))
        stream.seek(0)
        run_git(folder, "fast-import", "--quiet", input=stream)


def read_history(folder: Path) -> tuple[str, ...]:
    """Returns the commit ids of ``refs/heads/main``, oldest first; empty if there is none."""
    if not folder.is_dir():
        return ()
    try:
        return tuple(run_git(folder, "rev-list", "--reverse", BRANCH, "--").decode().split())
    except GitError:
        return ()


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
