"""Reads the corpus of a repository: texts by blob, snapshots by commit."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from routebench.corpus.materialize import RenewedCheckout
from routebench.corpus.trees import SnapshotEntry
from routebench.errors import CaseError, RoutebenchError
from routebench.files import damaged
from routebench.records import SourceFile
from routebench.tables import read_rows

CACHED_ROW_GROUPS = 32


class BlobStore:
    """Texts of a repository's eligible blobs, read from ``blobs.parquet`` as needed.

    Args:
        path: the file; its blob ids are read at once, texts by row group.

    Raises:
        RoutebenchError: the file is not readable.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = pq.ParquetFile(path, page_checksum_verification=True)
            self._places = dict(self._index())
        except (OSError, pa.ArrowException, ValueError) as error:
            raise damaged(path, error) from error
        self._group = lru_cache(CACHED_ROW_GROUPS)(self._read_group)

    def __contains__(self, blob: str) -> bool:
        return blob in self._places

    def text(self, blob: str) -> str:
        """Returns the text of a blob, with universal newlines.

        Raises:
            RoutebenchError: no such eligible blob.
        """
        group, row = self._place(blob)
        text: str = self._group(group)[row].as_py()
        return text

    def texts(self, blobs: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yields each distinct blob with its text, in storage order, reading a part once.

        Raises:
            RoutebenchError: no such eligible blob.
        """
        for blob in sorted(set(blobs), key=self._place):
            yield blob, self.text(blob)

    def _index(self) -> Iterator[tuple[str, tuple[int, int]]]:
        for group in range(self._file.num_row_groups):
            blobs = self._file.read_row_group(group, columns=["blob"]).column("blob")
            for row, blob in enumerate(blobs.to_pylist()):
                yield blob, (group, row)

    def _place(self, blob: str) -> tuple[int, int]:
        if blob not in self._places:
            raise RoutebenchError(f"blob {blob}: not in {self.path}; build the corpus again")
        return self._places[blob]

    def _read_group(self, group: int) -> pa.ChunkedArray:
        try:
            return self._file.read_row_group(group, columns=["text"]).column("text")
        except (OSError, pa.ArrowException, ValueError) as error:
            raise damaged(self.path, error) from error


@dataclass(frozen=True)
class CorpusSnapshot:
    """The eligible files of one commit; implements ``routebench.arms.base.Snapshot``.

    Attributes:
        commit: 40 hex digits.
        files: eligible files, sorted by path.
        blobs: where the texts are.
        table: the table snapshots of the commit.
        blob_folder: folder with one file per blob, if the arm asked for it.
    """

    commit: str
    files: Sequence[SourceFile]
    blobs: BlobStore
    table: Path
    blob_folder: Path | None = None
    _checkout: RenewedCheckout = field(default_factory=RenewedCheckout, repr=False)

    @cached_property
    def entries(self) -> Sequence[SnapshotEntry]:
        """Every entry of the tree but directories, eligible or not, sorted by path."""
        columns = ("path", "mode", "eligible", "bytes", "reason")
        return [SnapshotEntry(**row) for row in read_rows(self.table, "snapshots", columns)]

    def text(self, blob: str) -> str:
        """Returns the text of an eligible blob, with universal newlines."""
        return self.blobs.text(blob)

    def texts(self, blobs: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yields each distinct blob with its text, in storage order."""
        return self.blobs.texts(blobs)

    def tree_folder(self) -> Path:
        """Returns a folder with the eligible files under their paths.

        It is made at the first call and goes away with the snapshot. Where a program has
        changed anything in it, it is made anew: no case may see what another has left.

        Raises:
            CaseError: the paths cannot be written on this file system.
            RoutebenchError: the snapshot was opened without a blob folder.
        """
        if self.blob_folder is None:
            raise RoutebenchError(f"commit {self.commit}: opened without its blob folder")
        return self._checkout.intact_folder(self.blob_folder, self.files)


def open_snapshot(
    snapshots: Path, blobs: BlobStore, *, commit: str, files: Path | None = None
) -> CorpusSnapshot:
    """Returns the snapshot of a commit.

    Args:
        snapshots: folder of snapshot tables.
        blobs: texts of the repository, shared by its snapshots.
        commit: 40 hex digits.
        files: folder that ``write_blob_files`` made, for arms that need files.

    Raises:
        CaseError: there is no snapshot of that commit.
    """
    table = snapshots / f"{commit}.parquet"
    return CorpusSnapshot(commit, read_files(snapshots, commit), blobs, table, files)


def read_files(snapshots: Path, commit: str) -> list[SourceFile]:
    """Returns the eligible files of a commit, sorted by path.

    Raises:
        CaseError: there is no snapshot of that commit.
    """
    path = snapshots / f"{commit}.parquet"
    if not path.is_file():
        raise CaseError(f"commit {commit}: no snapshot; see the mirror record for the reason")
    columns = ("path", "blob", "bytes", "lines", "eligible")
    return [
        SourceFile(row["path"], row["blob"], row["bytes"], row["lines"])
        for row in read_rows(path, "snapshots", columns)
        if row["eligible"]
    ]


def order_commits(snapshots: Path) -> list[str]:
    """Returns the commits that have a snapshot, each close to the one before.

    Greedy from the smallest id: next comes the commit with the fewest files to take out
    and put in (a changed file counts as both), ties by id.
    """
    commits = sorted(path.stem for path in snapshots.glob("*.parquet"))
    distances = _distances([read_files(snapshots, commit) for commit in commits])
    order, left = commits[:1], commits[1:]
    index = {commit: number for number, commit in enumerate(commits)}
    while left:
        row = distances[index[order[-1]]]
        nearest = min(left, key=lambda commit: (row[index[commit]], commit))
        order.append(nearest)
        left.remove(nearest)
    return order


def _distances(trees: Sequence[Sequence[SourceFile]]) -> npt.NDArray[np.float32]:
    # Counts stay below 2^24, so float32 holds them exactly and the product is fast.
    columns: dict[tuple[str, str], int] = {}
    held = [
        [columns.setdefault((file.path, file.blob), len(columns)) for file in tree]
        for tree in trees
    ]
    has = np.zeros((len(trees), len(columns)), dtype=np.float32)
    for row, tree in enumerate(held):
        has[row, tree] = 1
    sizes = has.sum(axis=1)
    distances: npt.NDArray[np.float32] = sizes[:, None] + sizes[None, :] - 2 * has @ has.T
    return distances
