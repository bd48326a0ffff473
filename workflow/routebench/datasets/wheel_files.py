"""The package files of a wheel, read without unpacking it on disk."""

import zipfile
from pathlib import Path
from typing import NamedTuple

from routebench.errors import RoutebenchError
from routebench.records import is_relative_posix


class PackageFile(NamedTuple):
    """One file of a package: its POSIX path inside the wheel and its bytes."""

    path: str
    content: bytes


def read_package_files(wheel: Path) -> list[PackageFile]:
    """Returns the package files of a wheel, sorted by path.

    Folders and the installer's own ``*.dist-info`` and ``*.data`` trees are left out. A
    symbolic link stored in the archive comes back as a plain file that holds the link's text.

    Raises:
        RoutebenchError: the archive is broken, names a path twice, or holds a path that could
            leave the repository or reach into git's own folder.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            paths = _package_paths(archive, wheel)
            return [PackageFile(path, archive.read(path)) for path in paths]
    except (zipfile.BadZipFile, OSError) as error:
        raise RoutebenchError(f"{wheel}: unreadable wheel ({error}); fetch it again") from error


def _package_paths(archive: zipfile.ZipFile, wheel: Path) -> list[str]:
    paths = sorted(info.filename for info in archive.infolist() if not info.is_dir())
    for path, following in zip(paths, [*paths[1:], None], strict=True):
        _check_path(path, wheel)
        if path == following:
            raise RoutebenchError(f"{wheel}: path {path!r} stands twice; use another wheel")
    return [path for path in paths if not _is_metadata(path)]


def _is_metadata(path: str) -> bool:
    return path.split("/")[0].endswith((".dist-info", ".data"))


def _check_path(path: str, wheel: Path) -> None:
    # git refuses `.GIT` as well, because some file systems ignore case.
    reaches_git = ".git" in path.lower().split("/")
    if reaches_git or not is_relative_posix(path) or not path.isprintable():
        raise RoutebenchError(f"{wheel}: unsafe path {path!r}; use another wheel")
