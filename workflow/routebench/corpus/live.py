"""One commit of a repository on this disk, read into memory: no mirror and no result file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from routebench.corpus.eligibility import DEFAULT_MAX_FILE_BYTES, PathRule, decode
from routebench.corpus.git import GitError, ObjectFacts, describe_objects, read_blobs
from routebench.corpus.materialize import RenewedCheckout, write_files
from routebench.corpus.trees import (
    BlobFacts,
    Leaf,
    SnapshotEntry,
    absent_paths,
    candidate_blobs,
    leaf_facts,
    read_content,
    read_leaves,
    unread_facts,
)
from routebench.files import Scratch
from routebench.records import SourceFile


class LiveSnapshot:
    """A commit as arms see it (``routebench.arms.base.Snapshot``), held in memory.

    Attributes:
        commit: 40 hex digits.
        files: eligible files, sorted by path.
        entries: every entry of the tree but directories, sorted by path.
    """

    def __init__(
        self,
        commit: str,
        entries: Sequence[SnapshotEntry],
        files: Sequence[SourceFile],
        contents: Mapping[str, bytes],
    ) -> None:
        self.commit, self.entries, self.files = commit, entries, files
        # Original bytes, not text: programs of other arms read them as files.
        self._contents = contents
        self._checkout = RenewedCheckout()

    def text(self, blob: str) -> str:
        """Returns the text of an eligible blob, with universal newlines."""
        return decode(self._contents[blob])

    def texts(self, blobs: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yields each distinct blob with its text, by first use."""
        for blob in dict.fromkeys(blobs):
            yield blob, self.text(blob)

    @cached_property
    def blob_folder(self) -> Path:
        """Folder with one file per blob; made when asked for, gone with the snapshot."""
        self._scratch = Scratch()
        write_files(self._contents.items(), self._scratch.folder / "blobs")
        return self._scratch.folder / "blobs"

    def tree_folder(self) -> Path:
        """Returns a folder with the eligible files under their paths.

        Raises:
            CaseError: the paths cannot be written on this file system.
        """
        return self._checkout.intact_folder(self.blob_folder, self.files)


def read_snapshot(
    repository: Path,
    commit: str,
    *,
    max_file_bytes: int = DEFAULT_MAX_FILE_BYTES,
    rule: PathRule = "contextbench",
) -> LiveSnapshot:
    """Reads a commit as ``build_corpus`` would write it.

    Args:
        repository: the git directory.
        commit: 40 hex digits.
        max_file_bytes: larger blobs are not eligible and never read.
        rule: which paths are not eligible.

    Raises:
        GitError: the commit or a blob that might be eligible is not there.
    """
    leaves, known = _read_tree(repository, commit, rule)
    facts, contents = _read_blobs(repository, known, max_file_bytes)
    found = [(leaf, leaf_facts(leaf, facts)) for leaf in leaves]
    entries = [_entry(leaf, blob) for leaf, blob in found]
    return LiveSnapshot(commit, entries, _files(found), contents)


def _read_tree(
    repository: Path, commit: str, rule: PathRule
) -> tuple[list[Leaf], dict[str, ObjectFacts]]:
    try:
        leaves = read_leaves(repository, commit, rule)
        known = describe_objects(repository, candidate_blobs(leaves))
    except GitError as error:
        # git would fetch what a partial clone lacks, and complains that it may not.
        if "promisor" not in error.stderr:
            raise
        raise GitError(_incomplete(commit, "parts of its tree")) from error
    if absent := absent_paths(leaves, known):
        files = "1 file," if len(absent) == 1 else f"{len(absent):,} files, first"
        raise GitError(_incomplete(commit, f"{files} {absent[0]!r}"))
    return leaves, known


def _incomplete(commit: str, what: str) -> str:
    return (
        f"commit {commit[:12]}: this clone is partial or damaged and lacks {what}; "
        "clone it again without --filter"
    )


def _read_blobs(
    repository: Path, known: Mapping[str, ObjectFacts], limit: int
) -> tuple[dict[str, BlobFacts], dict[str, bytes]]:
    unread = {blob: unread_facts(found, limit) for blob, found in known.items()}
    facts = {blob: found for blob, found in unread.items() if found}
    contents: dict[str, bytes] = {}
    for blob, content in read_blobs(repository, (b for b in known if b not in facts)):
        if content is None:
            raise GitError(f"blob {blob}: no longer in the repository; ask again")
        facts[blob] = read_content(content).facts
        if facts[blob].problem is None:
            contents[blob] = content
    return facts, contents


def _entry(leaf: Leaf, facts: BlobFacts) -> SnapshotEntry:
    eligible = facts.problem is None
    return SnapshotEntry(leaf.path, leaf.mode, eligible, facts.bytes, facts.problem)


def _files(found: Iterable[tuple[Leaf, BlobFacts]]) -> list[SourceFile]:
    return [
        SourceFile(leaf.path, leaf.blob, facts.bytes or 0, facts.lines or 0)
        for leaf, facts in found
        if facts.problem is None
    ]
