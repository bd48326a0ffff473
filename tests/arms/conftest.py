"""A snapshot in memory, for arms to rank."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from routebench.records import Issue, SourceFile


@dataclass(frozen=True)
class MemorySnapshot:
    """Files given as text by path; with a folder, also on disk."""

    contents: Mapping[str, str]
    folder: Path | None = None

    @property
    def commit(self) -> str:
        return hashlib.sha1(repr(sorted(self.contents.items())).encode()).hexdigest()

    @property
    def files(self) -> list[SourceFile]:
        return [
            SourceFile(path, blob_id(text), len(text.encode()), len(text.splitlines()))
            for path, text in sorted(self.contents.items())
        ]

    def text(self, blob: str) -> str:
        return next(text for text in self.contents.values() if blob_id(text) == blob)

    def texts(self, blobs: Iterable[str]) -> Iterator[tuple[str, str]]:
        return ((blob, self.text(blob)) for blob in dict.fromkeys(blobs))

    def tree_folder(self) -> Path:
        assert self.folder is not None
        for path, text in self.contents.items():
            target = self.folder / "tree" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        return self.folder / "tree"


def blob_id(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


@pytest.fixture
def snapshot_of() -> Callable[..., MemorySnapshot]:
    """Makes a snapshot from texts by path."""
    return MemorySnapshot


@pytest.fixture
def issue_of() -> Callable[[str], Issue]:
    """Makes an issue from its text."""
    return lambda query: Issue("case-1", "owner/name", "0" * 40, query)
