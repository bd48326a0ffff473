"""Read the package files of a wheel without unpacking it on disk."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from routebench.errors import RoutebenchError


class PackageFile(NamedTuple):
    """One file of a package: its POSIX path inside the wheel and its bytes."""

    path: str
    content: bytes


def read_package_files(wheel: Path) -> list[PackageFile]:
    """Return the package files of a wheel, sorted by path.

    Folders and the installer's own `*.dist-info` and `*.data` trees are left out. A symbolic
    link stored in the archive comes back as an ordinary file that holds the link's text.

    Raises:
        RoutebenchError: The archive is broken, names a path twice, or holds a path that could
            leave the repository or reach into git's own folder.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            paths = _package_paths(archive, wheel)
            return [PackageFile(path, archive.read(path)) for path in paths]
    except (zipfile.BadZipFile, OSError) as error:
        raise RoutebenchError(f"{wheel}: unreadable wheel ({error}); fetch it again") from error


def _package_paths(archive: zipfile.ZipFile, wheel: Path) -> list[str]:
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    for name in names:
        _check_path(name, wheel)
    if len(set(names)) < len(names):
        twice = min(name for name in names if names.count(name) > 1)
        raise RoutebenchError(f"{wheel}: path {twice!r} occurs twice; use another wheel")
    return sorted(name for name in names if not _is_metadata(name))


def _is_metadata(path: str) -> bool:
    return PurePosixPath(path).parts[0].endswith((".dist-info", ".data"))


def _check_path(path: str, wheel: Path) -> None:
    parts = path.split("/")
    # git itself refuses `.GIT` as well, because some file systems ignore case.
    unsafe_part = any(part in {"", ".", ".."} or part.lower() == ".git" for part in parts)
    if unsafe_part or "\\" in path or not path.isprintable():
        raise RoutebenchError(f"{wheel}: unsafe path {path!r}; use another wheel")
