"""Downloads of pinned files: resumed, verified, whole or not there."""

import os
import shutil
from pathlib import Path

import httpx
from filelock import FileLock
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from routebench.datasets.pins import Pin
from routebench.errors import RoutebenchError
from routebench.files import replacing, sha256_file

TIMEOUT_S = 30.0
ATTEMPTS = 4


def obtain(pin: Pin, target: Path, *, mirror: Path | None = None) -> None:
    """Puts the pinned file at ``target``, from the mirror folder or its address.

    A file already there is verified again; one that differs is replaced. Two
    processes that want the same file wait for each other.

    Args:
        pin: what to fetch.
        target: where it goes.
        mirror: folder searched for the bytes before any download.

    Raises:
        RoutebenchError: the bytes cannot be had, or are not the pinned ones.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{target}.lock"):
        if target.is_file() and sha256_file(target) == pin.sha256:
            return
        local = find_in_mirror(pin, mirror) if mirror else None
        if local:
            with replacing(target) as private:
                shutil.copyfile(local, private)
                verify(pin, private, origin=str(local))
        else:
            download(pin, target)


def find_in_mirror(pin: Pin, mirror: Path) -> Path | None:
    """Returns the file of the mirror folder with the pinned bytes, if any.

    Files under the pinned name that hold other bytes are passed over.

    Raises:
        RoutebenchError: the mirror is not a folder.
    """
    if not mirror.is_dir():
        raise RoutebenchError(f"mirror {mirror}: not a folder (see ROUTEBENCH_MIRROR)")
    files = (path for path in mirror.rglob("*") if path.is_file())
    likely = sorted(files, key=lambda path: (path.name != pin.file, path))
    for path in likely:
        if pin.bytes in (None, path.stat().st_size) and sha256_file(path) == pin.sha256:
            return path
    return None


def download(pin: Pin, target: Path) -> None:
    """Downloads the pinned file, going on from a part left by an earlier attempt."""
    part = target.with_name(target.name + ".part")
    retrying = Retrying(
        retry=retry_if_exception(_may_pass),
        stop=stop_after_attempt(ATTEMPTS),
        wait=wait_exponential(multiplier=0.5, max=8),
        reraise=True,
    )
    try:
        retrying(_stream, pin.url, part)
    except httpx.HTTPError as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise RoutebenchError(
            f"{pin.file}: cannot download {pin.url} ({reason}); "
            "try again, or set ROUTEBENCH_MIRROR to a folder that holds it"
        ) from error
    try:
        verify(pin, part, origin=pin.url)
    except RoutebenchError:
        part.unlink()
        raise
    os.replace(part, target)


def _may_pass(error: BaseException) -> bool:
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.is_server_error
    return isinstance(error, httpx.TransportError)


def _stream(url: str, part: Path) -> None:
    have = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={have}-", "Accept-Encoding": "identity"} if have else {}
    with httpx.stream(
        "GET", url, headers=headers, timeout=TIMEOUT_S, follow_redirects=True
    ) as answer:
        if answer.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            return
        answer.raise_for_status()
        resumed = answer.status_code == httpx.codes.PARTIAL_CONTENT
        with part.open("ab" if resumed else "wb") as file:
            for chunk in answer.iter_bytes():
                file.write(chunk)


def verify(pin: Pin, path: Path, *, origin: str) -> None:
    """Checks size and digest of a file against its pin.

    Raises:
        RoutebenchError: they differ; both digests are named.
    """
    size, digest = path.stat().st_size, sha256_file(path)
    if digest != pin.sha256 or pin.bytes not in (None, size):
        raise RoutebenchError(
            f"{pin.file}: refused {size} bytes from {origin}: SHA-256 is {digest}, "
            f"pinned is {pin.sha256}"
        )
