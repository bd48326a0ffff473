"""Git objects by hand: trees that no checkout could make, and damaged stores."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

FILE, PROGRAM, LINK, MODULE, FOLDER = "100644", "100755", "120000", "160000", "40000"
FACTS = {"NAME": "x", "EMAIL": "x@x", "DATE": "2020-01-01T00:00:00Z"}
IDENTITY = {f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in FACTS.items()}
CLOSED = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

Entry = tuple[str, str, bytes]


@dataclass(frozen=True)
class Objects:
    """The objects of a repository."""

    folder: Path

    def git(self, *arguments: str, content: bytes | None = None) -> str:
        """Runs git and returns what it printed."""
        done = subprocess.run(
            ["git", "-C", self.folder, *arguments],
            input=content,
            env={"PATH": os.environ["PATH"], **IDENTITY, **CLOSED},
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

    def start(self, *options: str) -> "Objects":
        """Makes the repository."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", *options)
        return self

    def blob(self, content: bytes) -> str:
        """Writes a blob."""
        return self.git("hash-object", "-w", "--stdin", content=content)

    def tree(self, entries: Iterable[Entry]) -> str:
        """Writes a tree as its entries stand, sorted and sound or not."""
        content = b"".join(
            mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, oid, name in entries
        )
        options = ("-t", "tree", "-w", "--literally", "--stdin")
        return self.git("hash-object", *options, content=content)

    def commit(self, tree: str) -> str:
        """Writes a commit, the head of main."""
        commit = self.git("commit-tree", tree, "-m", "x")
        self.git("update-ref", "refs/heads/main", commit)
        return commit

    def commit_files(self, files: Mapping[bytes, bytes], more: Iterable[Entry] = ()) -> str:
        """Commits files, by name in the root, and further entries."""
        entries = [(FILE, self.blob(content), name) for name, content in files.items()]
        return self.commit(self.tree(sorted([*entries, *more], key=lambda entry: entry[2])))
