"""Builds the corpus of a repository: one snapshot per commit, each text once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from routebench.corpus.eligibility import DEFAULT_MAX_FILE_BYTES, PathRule
from routebench.corpus.git import GitError, ObjectFacts, describe_objects, read_blobs
from routebench.corpus.trees import (
    BlobFacts,
    Leaf,
    absent_paths,
    candidate_blobs,
    leaf_facts,
    read_content,
    read_leaves,
    unread_facts,
)
from routebench.files import replacing, replacing_folder
from routebench.tables import table_schema, write_rows

ROW_GROUP_BYTES = 8 << 20


def build_corpus(
    mirror: Path,
    commits: Sequence[str],
    *,
    snapshots: Path,
    blobs: Path,
    max_file_bytes: int = DEFAULT_MAX_FILE_BYTES,
    rule: PathRule = "contextbench",
    whole: Collection[str] = (),
) -> dict[str, str]:
    """Writes the snapshot of every commit and the text of every eligible blob.

    A snapshot has a row per tree entry, sorted by path (code points), the ineligible with
    their reason. Paths that differ in case only are different files. A path that a tree
    holds twice becomes one ineligible row. A blob is read and decoded once, however many
    commits and paths share it (METHODS C2).

    Args:
        mirror: the repository's git directory.
        commits: ids; the order decides the order of blobs.
        snapshots: folder that gets ``<commit>.parquet`` (table snapshots).
        blobs: file that gets the texts (table blobs), by first use over commits and paths,
            in row groups of about ``ROW_GROUP_BYTES`` of text.
        max_file_bytes: larger blobs are not eligible and never read.
        rule: which paths are not eligible.
        whole: commits that the mirror held when it was last updated.

    Returns:
        Reason by commit for those without a snapshot: not in the mirror, broken, or
        lacking a blob that might be eligible.

    Raises:
        GitError: the mirror is not readable, or no longer holds a commit of ``whole``.
    """
    trees, missing = _read_trees(mirror, commits, rule)
    known = describe_objects(mirror, _first_use(trees.values()))
    missing |= _incomplete(trees, known)
    _check_whole(mirror, whole, missing)
    trees = {commit: tree for commit, tree in trees.items() if commit not in missing}
    used = {blob: known[blob] for blob in _first_use(trees.values())}
    facts = _write_blobs(mirror, used, limit=max_file_bytes, target=blobs)
    with replacing_folder(snapshots) as folder:
        for commit, tree in trees.items():
            rows = (_row(leaf, facts) for leaf in tree)
            write_rows(folder / f"{commit}.parquet", "snapshots", rows)
    return missing


def _check_whole(mirror: Path, whole: Iterable[str], missing: Mapping[str, str]) -> None:
    # A damaged cache is no property of the cases, which would be left out for it.
    if lost := [commit for commit in whole if commit in missing]:
        raise GitError(
            f"{mirror}: damaged ({missing[lost[0]]}); delete it and the study's "
            f"mirrors/{mirror.stem}.json, and run it again"
        )


def _read_trees(
    mirror: Path, commits: Iterable[str], rule: PathRule
) -> tuple[dict[str, list[Leaf]], dict[str, str]]:
    trees: dict[str, list[Leaf]] = {}
    missing: dict[str, str] = {}
    for commit in dict.fromkeys(commits):
        try:
            trees[commit] = read_leaves(mirror, commit, rule)
        except GitError as error:
            missing[commit] = str(error)
    return trees, missing


def _first_use(trees: Iterable[Iterable[Leaf]]) -> list[str]:
    return candidate_blobs(leaf for tree in trees for leaf in tree)


def _incomplete(
    trees: Mapping[str, Iterable[Leaf]], known: Mapping[str, ObjectFacts]
) -> dict[str, str]:
    absent = {commit: absent_paths(tree, known) for commit, tree in trees.items()}
    return {
        commit: f"{len(paths)} blobs are not in the mirror, first {paths[0]}"
        for commit, paths in absent.items()
        if paths
    }


def _write_blobs(
    mirror: Path, used: Mapping[str, ObjectFacts], *, limit: int, target: Path
) -> dict[str, BlobFacts]:
    unread = {blob: unread_facts(found, limit) for blob, found in used.items()}
    facts = {blob: found for blob, found in unread.items() if found}
    readable = (blob for blob in used if blob not in facts)
    with replacing(target) as private, _BlobWriter(private) as writer:
        for blob, content in read_blobs(mirror, readable):
            if content is None:
                raise GitError(f"blob {blob}: no longer in the mirror; run it again")
            facts[blob] = writer.add(blob, content)
    return facts


class _BlobWriter:
    """Writes eligible blobs in row groups of bounded size."""

    def __init__(self, path: Path) -> None:
        self._schema = table_schema("blobs")
        self._file = pq.ParquetWriter(
            path, self._schema, compression="zstd", use_dictionary=False, write_page_checksum=True
        )
        self._rows: list[dict[str, Any]] = []
        self._pending_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._flush()
        self._file.close()

    def add(self, blob: str, content: bytes) -> BlobFacts:
        """Keeps a blob if it is eligible; returns what it is."""
        facts, text = read_content(content)
        if text is not None:
            self._rows.append(
                {"blob": blob, "bytes": facts.bytes, "lines": facts.lines, "text": text}
            )
            self._pending_bytes += len(content)
            if self._pending_bytes >= ROW_GROUP_BYTES:
                self._flush()
        return facts

    def _flush(self) -> None:
        if self._rows:
            self._file.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
        self._rows, self._pending_bytes = [], 0


def _row(leaf: Leaf, facts: Mapping[str, BlobFacts]) -> dict[str, Any]:
    found = leaf_facts(leaf, facts)
    return {
        "path": leaf.path,
        "blob": leaf.blob,
        "mode": leaf.mode,
        "bytes": found.bytes,
        "lines": found.lines,
        "eligible": found.problem is None,
        "reason": found.problem,
    }
