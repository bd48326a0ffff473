"""What a commit holds, before any text is kept: its leaves and the facts of its blobs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from routebench.corpus.eligibility import (
    PathRule,
    content_problem,
    count_lines,
    decode,
    path_problem,
    shown_path,
    size_problem,
)
from routebench.corpus.git import ObjectFacts, TreeEntry, list_tree


class Leaf(NamedTuple):
    """An entry of a tree; ``problem`` tells why its path or mode is not eligible."""

    path: str
    blob: str
    mode: str
    problem: str | None


class BlobFacts(NamedTuple):
    """Size, lines, and why a blob is not eligible; None where that is not known or nothing."""

    bytes: int | None
    lines: int | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class SnapshotEntry:
    """An entry of the tree at a commit; ``bytes`` is None where the size is not known."""

    path: str
    mode: str
    eligible: bool
    bytes: int | None
    reason: str | None


def read_leaves(repository: Path, commit: str, rule: PathRule) -> list[Leaf]:
    """Returns the leaves of a commit, sorted by path (code points).

    A path that a tree holds twice becomes one ineligible leaf.

    Raises:
        GitError: the commit or part of its tree is not there or broken.
    """
    return _leaves(list_tree(repository, commit), rule)


def _leaves(entries: Iterable[TreeEntry], rule: PathRule) -> list[Leaf]:
    leaves = sorted(
        Leaf(shown_path(path), blob, mode, path_problem(path, mode, rule))
        for mode, blob, path in entries
    )
    groups = (list(group) for _, group in groupby(leaves, key=lambda leaf: leaf.path))
    return [
        group[0] if len(group) == 1 else group[0]._replace(problem="path occurs twice")
        for group in groups
    ]


def candidate_blobs(leaves: Iterable[Leaf]) -> list[str]:
    """Returns the blobs whose content decides, each once, by first use."""
    return list(dict.fromkeys(leaf.blob for leaf in leaves if leaf.problem is None))


def absent_paths(leaves: Iterable[Leaf], known: Mapping[str, ObjectFacts]) -> list[str]:
    """Returns the paths that might be eligible and whose blob the repository lacks."""
    return [leaf.path for leaf in leaves if leaf.problem is None and leaf.blob not in known]


def unread_facts(found: ObjectFacts, limit: int) -> BlobFacts | None:
    """Returns the facts of an object that need not be read, or None for one that must be."""
    if found.kind != "blob":
        return BlobFacts(None, None, f"a {found.kind}, no blob")
    excess = size_problem(found.bytes, limit)
    return BlobFacts(found.bytes, None, excess) if excess else None


class ReadBlob(NamedTuple):
    """The facts of a blob with its text, which is None where the blob is not eligible."""

    facts: BlobFacts
    text: str | None


def read_content(content: bytes) -> ReadBlob:
    """Returns what the content of a blob says: whether it is eligible, and its text."""
    size = len(content)
    if problem := content_problem(content):
        return ReadBlob(BlobFacts(size, None, problem), None)
    text = decode(content)
    return ReadBlob(BlobFacts(size, count_lines(text), None), text)


def leaf_facts(leaf: Leaf, facts: Mapping[str, BlobFacts]) -> BlobFacts:
    """Returns the facts of a leaf's blob.

    A blob excluded by its path may be absent from a partial clone: its size is never told.
    """
    return facts[leaf.blob] if leaf.problem is None else BlobFacts(None, None, leaf.problem)
