"""Files that are either whole or not there (DESIGN "Atomic and resumable")."""

import errno
import fcntl
import hashlib
import json
import os
import shutil
import stat
import subprocess
import tempfile
import uuid
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from routebench.errors import RoutebenchError

CHUNK_BYTES = 1 << 20
SCRATCH = "routebench-scratch."
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def private_name(target: Path) -> Path:
    """Returns a sibling of ``target`` that no other process writes to."""
    return target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yields a private path that becomes the file ``target`` when the block succeeds.

    Two processes may write the same target at once: the last rename wins, and a
    reader sees one whole file or the other. The target is left alone on failure.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    private = private_name(target)
    try:
        yield private
        os.replace(private, target)
    finally:
        private.unlink(missing_ok=True)


@contextmanager
def replacing_folder(target: Path) -> Iterator[Path]:
    """Yields a private folder that becomes ``target`` when the block succeeds."""
    target.parent.mkdir(parents=True, exist_ok=True)
    private = private_name(target)
    private.mkdir()
    try:
        yield private
        _swap_folder(private, target)
    finally:
        shutil.rmtree(private, ignore_errors=True)


class Scratch:
    """A new folder for temporary files, locked as long as this process lives.

    Attributes:
        folder: the folder.
        close: removes it; also called when this object or the process ends.
    """

    def __init__(self) -> None:
        self.folder, self._lock = _locked_folder()
        self.close = weakref.finalize(self, _remove_scratch, self.folder, self._lock)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yields a new folder for temporary files, which goes away with the block."""
    scratch = Scratch()
    try:
        yield scratch.folder
    finally:
        scratch.close()


def sweep_scratch() -> None:
    """Removes the scratch folders of this user whose processes were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{SCRATCH}*"):
        with suppress(OSError):
            facts = folder.lstat()
            if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
                continue
            lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_folder(folder)
            finally:
                os.close(lock)


def _locked_folder() -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=SCRATCH))
        lock = os.open(folder, os.O_RDONLY)
        # Programs that are started do not inherit it, so the lock ends with this process.
        fcntl.flock(lock, fcntl.LOCK_EX)
        # A sweep may have come between.
        if folder.exists():
            return folder, lock
        os.close(lock)


def _remove_scratch(folder: Path, lock: int) -> None:
    remove_folder(folder)
    os.close(lock)


def remove_folder(folder: Path) -> None:
    """Removes a folder that a program wrote to, however deep; what cannot be removed stays."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        # Python needs a call and an open file per level.
        subprocess.run(["rm", "-rf", "--", folder], stderr=subprocess.DEVNULL, check=False)


def _swap_folder(private: Path, target: Path) -> None:
    while True:
        try:
            os.rename(private, target)
            return
        except OSError:
            if not target.is_dir():
                raise
        old = private_name(target)
        try:
            os.rename(target, old)
        except FileNotFoundError:
            continue
        shutil.rmtree(old, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Writes UTF-8 text with LF line ends, atomically."""
    with replacing(path) as private:
        private.write_text(text, encoding="utf-8", newline="\n")


def write_if_changed(path: Path, text: str) -> bool:
    """Writes ``text`` only where it differs, so that time stamps mean change.

    Returns:
        Whether the file was written.
    """
    try:
        if path.read_text(encoding="utf-8") == text:
            return False
    except (FileNotFoundError, UnicodeDecodeError):
        pass
    write_text(path, text)
    return True


def is_disk_full(error: BaseException) -> bool:
    """Tells whether something failed for want of room, which is nobody's result."""
    return any(isinstance(e, OSError) and e.errno in NO_ROOM for e in (error, error.__cause__))


def is_file(path: Path) -> bool:
    """Tells whether a file is there; a path that none can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def read_json(path: Path) -> Any:
    """Returns the content of a JSON file that a study wrote.

    Raises:
        RoutebenchError: it cannot be read, or is not whole.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: object) -> RoutebenchError:
    """Returns the error of a result that is not whole."""
    return RoutebenchError(f"{path}: damaged ({error}); delete it and run make study again")


def sha256_file(path: Path) -> str:
    """Returns the SHA-256 of a file's bytes as 64 hex digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
