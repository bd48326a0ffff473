"""Repositories built in the test, by git plumbing, down to trees git itself would refuse."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from routebench.corpus.git import git_environment

IDENTITY = "GIT_{0}_NAME=t GIT_{0}_EMAIL=t@example.invalid GIT_{0}_DATE=1577836800+0000"
Tree = Sequence[tuple[str, bytes, str]]


class Builder:
    """Writes objects into a new bare repository and returns their ids."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._git("init", "--quiet", "--bare", "--template=", "--initial-branch=main")

    def blob(self, content: bytes) -> str:
        return self._git("hash-object", "-w", "--stdin", stdin=content)

    def tree(self, entries: Tree) -> str:
        """Writes entries (mode, name, id) as they are: any order, any name, any mode."""
        raw = b"".join(
            mode.encode() + b" " + name + b"\0" + bytes.fromhex(entry)
            for mode, name, entry in entries
        )
        return self._git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)

    def commit_tree(self, tree: str, branch: str = "main", parents: Sequence[str] = ()) -> str:
        lineage = [flag for parent in parents for flag in ("-p", parent)]
        commit = self._git("commit-tree", tree, "-m", "m", *lineage)
        self._git("update-ref", f"refs/heads/{branch}", commit)
        return commit

    def commit_entries(self, entries: Tree, branch: str = "main") -> str:
        return self.commit_tree(self.tree(entries), branch)

    def commit(
        self, files: Mapping[str, bytes], branch: str = "main", parents: Sequence[str] = ()
    ) -> str:
        """Commits regular files by path; they are the whole tree."""
        return self.commit_tree(self._folder(files), branch, parents)

    def _folder(self, files: Mapping[str, bytes]) -> str:
        below: dict[str, dict[str, bytes]] = {}
        entries = []
        for path, content in files.items():
            name, _, rest = path.partition("/")
            if rest:
                below.setdefault(name, {})[rest] = content
            else:
                entries.append(("100644", name.encode(), self.blob(content)))
        entries += [("40000", n.encode(), self._folder(inner)) for n, inner in below.items()]
        return self.tree(sorted(entries, key=lambda e: e[1] + b"/" * (e[0] == "40000")))

    def _git(self, *arguments: str, stdin: bytes = b"") -> str:
        names = (IDENTITY.format("AUTHOR") + " " + IDENTITY.format("COMMITTER")).split()
        done = subprocess.run(
            ["git", f"--git-dir={self.folder}", *arguments],
            input=stdin,
            capture_output=True,
            check=True,
            env=git_environment() | dict(pair.split("=", 1) for pair in names),
        )
        return done.stdout.decode().strip()


@pytest.fixture
def source(tmp_path: Path) -> Builder:
    """An empty repository to fill."""
    return Builder(tmp_path / "source.git")
