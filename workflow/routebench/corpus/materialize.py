"""Puts eligible source on disk for programs that read files."""

import errno
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from routebench.corpus.git import read_blobs
from routebench.errors import CaseError, RoutebenchError
from routebench.files import Scratch, replacing_folder
from routebench.records import SourceFile

MAX_PART_BYTES = 255
# Making and removing folders costs Python a call, removing them an open file, per level.
MAX_PARTS = 200
_READ_ONLY = 0o444


def write_blob_files(mirror: Path, blobs: Path, folder: Path) -> None:
    """Writes every eligible blob with its original bytes as a file named by its id.

    No path of the repository is used. The folder appears whole or not at all.

    Args:
        mirror: the repository's git directory.
        blobs: the repository's table blobs.
        folder: what to make; replaced if it is there.

    Raises:
        RoutebenchError: a blob is not in the mirror.
    """
    from routebench.tables import read_table  # heavy, and not needed where the blobs are at hand

    ids = read_table(blobs, "blobs", ["blob"]).column("blob").to_pylist()
    write_files(_present(mirror, read_blobs(mirror, ids)), folder)


def write_files(contents: Iterable[tuple[str, bytes]], folder: Path) -> None:
    """Writes blobs as read-only files named by their ids; whole or not at all.

    Args:
        contents: ids with their original bytes.
        folder: what to make; replaced if it is there.
    """
    with replacing_folder(folder) as private:
        for blob, content in contents:
            target = private / blob
            target.write_bytes(content)
            target.chmod(_READ_ONLY)


def _present(
    mirror: Path, contents: Iterable[tuple[str, bytes | None]]
) -> Iterator[tuple[str, bytes]]:
    for blob, content in contents:
        if content is None:
            raise RoutebenchError(f"blob {blob}: not in {mirror}; build the corpus again")
        yield blob, content


def write_tree(blob_folder: Path, files: Iterable[SourceFile], *, target: Path) -> None:
    """Writes a folder with files under their own paths, as a checkout would.

    Files are copies, read-only. A hard link would be faster, but it shares its content with
    the blob file: one write by a user's program (root ignores the mode) would change what
    every later case and arm reads. The folder is made new, so no link in it can be followed.

    Args:
        blob_folder: what ``write_blob_files`` made.
        files: files of one snapshot.
        target: folder to make; replaced if it is there.

    Raises:
        CaseError: a path is not safe, too long or deep, or meets another one, as on a file system
            that ignores case.
    """
    with replacing_folder(target) as private:
        for file in files:
            _check_path(file.path)
            _copy_new(blob_folder / file.blob, private / file.path, path=file.path)


class Checkout:
    """Files of a snapshot in a folder of their own, which goes away with this object.

    Attributes:
        folder: where they are.
        close: removes the folder at once.

    Raises:
        CaseError: the paths cannot be written on this file system.
    """

    def __init__(self, blob_folder: Path, files: Iterable[SourceFile]) -> None:
        scratch = Scratch()
        self.close = scratch.close
        self._scratch = scratch
        self.folder = scratch.folder / "source"
        write_tree(blob_folder, files, target=self.folder)
        self._state = set(_folder_state(self.folder))

    def is_intact(self) -> bool:
        """Tells whether nothing in the folder was added, changed or removed."""
        return set(_folder_state(self.folder)) == self._state


class RenewedCheckout:
    """One checkout at a time: made at the first need, made anew where something changed it."""

    def __init__(self) -> None:
        self._checkout: Checkout | None = None

    def intact_folder(self, blob_folder: Path, files: Iterable[SourceFile]) -> Path:
        """Returns a folder with the files as they are in the snapshot.

        Raises:
            CaseError: the paths cannot be written on this file system.
        """
        if self._checkout and not self._checkout.is_intact():
            self._checkout.close()
            self._checkout = None
        self._checkout = self._checkout or Checkout(blob_folder, files)
        return self._checkout.folder


def _folder_state(folder: Path) -> Iterator[tuple[str, int, int, int, int]]:
    """Yields what no program can change unseen: the system alone sets the time of a change."""
    waiting = [str(folder)]
    while waiting:
        path = waiting.pop()
        try:
            facts = os.lstat(path)
            if stat.S_ISDIR(facts.st_mode):
                waiting.extend(entry.path for entry in os.scandir(path))
        except OSError:
            yield path, 0, 0, 0, 0
        else:
            yield path, facts.st_mode, facts.st_ino, facts.st_size, facts.st_ctime_ns


def _check_path(path: str) -> None:
    parts = path.split("/")
    if len(parts) > MAX_PARTS:
        raise CaseError(f"path {path[:60]!r}…: nested in more than {MAX_PARTS - 1} folders")
    for part in parts:
        if part in ("", ".", "..") or "\0" in part:
            raise CaseError(f"path {path!r}: not a safe relative path")
        if len(os.fsencode(part)) > MAX_PART_BYTES:
            raise CaseError(f"path {path[:60]!r}…: a part is longer than {MAX_PART_BYTES} bytes")


def _copy_new(source: Path, target: Path, *, path: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as content, target.open("xb") as copy:
            shutil.copyfileobj(content, copy)
        target.chmod(_READ_ONLY)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise CaseError(f"path {path!r}: another path of the tree is in its place") from error
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise CaseError(f"path {path[:60]!r}…: too long for this file system") from error
