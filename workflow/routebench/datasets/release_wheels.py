"""Fetches pinned wheels from a mirror folder or through pip, and checks them."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from routebench.datasets.release_pins import Release, ReleaseRepository
from routebench.errors import RoutebenchError
from routebench.files import sha256_file

PIP_DOWNLOAD = (
    *("-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"),
    *("--no-deps", "--require-hashes", "--only-binary", ":all:", "--ignore-requires-python"),
)


def fetch_release_files(
    repository: ReleaseRepository, *, folder: Path, mirror: Path | None
) -> tuple[Path, ...]:
    """Returns the checked wheels of a repository in history order, fetching what is missing.

    A wheel comes from ``folder`` if it is there, else from any file of the mirror with the
    pinned SHA-256, else from the package index through pip. It is checked in every case, and
    only a whole, checked file appears in ``folder``.

    Args:
        repository: what to fetch.
        folder: where the wheels are kept; made if missing.
        mirror: folder searched recursively before any download.

    Raises:
        RoutebenchError: a file differs from its pin, or pip cannot download it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(_fetch(release, folder, mirror) for release in repository.releases)


def _fetch(release: Release, folder: Path, mirror: Path | None) -> Path:
    wheel = folder / release.wheel
    if wheel.exists():
        _verify(wheel, release)
        return wheel
    with tempfile.TemporaryDirectory(prefix=".fetch.", dir=folder) as private:
        fetched = Path(private) / release.wheel
        found = _find(release, mirror) if mirror else None
        if found:
            shutil.copyfile(found, fetched)
        else:
            _download(release, Path(private))
        _verify(fetched, release)
        os.replace(fetched, wheel)
    return wheel


def _find(release: Release, mirror: Path) -> Path | None:
    files = [path for path in sorted(mirror.rglob("*.whl")) if path.is_file()]
    for path in files:
        if path.stat().st_size == release.bytes and sha256_file(path) == release.sha256:
            return path
    for path in files:
        # Going on to the network would hide that the mirror is broken.
        if path.name == release.wheel:
            _verify(path, release)
    return None


def _download(release: Release, folder: Path) -> None:
    requirements = folder / "requirements.txt"
    pin = f"{release.project}=={release.version} --hash=sha256:{release.sha256}\n"
    requirements.write_text(pin, encoding="utf-8")
    command = [sys.executable, *PIP_DOWNLOAD, "-d", str(folder), "-r", str(requirements)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or not (folder / release.wheel).is_file():
        reason = " ".join(done.stderr.split()) or "the index offers another file"
        raise RoutebenchError(f"{release.wheel}: pip cannot download it: {reason}")


def _verify(path: Path, release: Release) -> None:
    found, size = sha256_file(path), path.stat().st_size
    if found != release.sha256:
        pinned = release.sha256
        raise RoutebenchError(f"{path}: SHA-256 is {found}, pinned {pinned}; remove the file")
    if size != release.bytes:
        raise RoutebenchError(f"{path}: {size} bytes, pinned {release.bytes}; correct the pins")
