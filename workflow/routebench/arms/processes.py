"""Running a program nobody vouches for: as a group, within limits of time and output."""

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from routebench.errors import CaseError

CHUNK_BYTES = 1 << 16
STDERR_BYTES = 4096
POLL_S = 0.05


class Limits(NamedTuple):
    """Limits of one run: seconds of wall time, bytes of standard output."""

    time_s: float
    output_bytes: int


class Finished(NamedTuple):
    """A run that ended by itself.

    Attributes:
        code: exit code; negative is the signal that ended it.
        stdout: whole standard output.
        stderr: the last 4,096 bytes of standard error.
    """

    code: int
    stdout: bytes
    stderr: bytes


def run_group(
    argv: Sequence[str],
    question: bytes,
    *,
    folder: Path,
    environment: Mapping[str, str],
    limits: Limits,
) -> Finished:
    """Runs a program in its own process group, all of which is killed before it returns.

    Args:
        argv: program and arguments.
        question: its standard input.
        folder: its working directory.
        environment: all of its environment variables.
        limits: of time and output.

    Raises:
        CaseError: the program cannot be started, or a limit was reached.
    """
    deadline = time.monotonic() + limits.time_s
    with _started(argv, question, folder, environment) as process:
        stdout, stderr = _read_output(process, deadline, limits)
        try:
            code = process.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired as error:
            raise _too_slow(limits) from error
    return Finished(code, stdout, stderr)


@contextmanager
def _started(
    argv: Sequence[str], question: bytes, folder: Path, environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    # A file, not a pipe: a program that never reads cannot block us.
    with tempfile.TemporaryFile() as stdin:
        stdin.write(question)
        stdin.seek(0)
        try:
            process = subprocess.Popen(
                argv,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise CaseError(f"program {Path(argv[0]).name} cannot be started: {reason}") from error
    try:
        yield process
    finally:
        _end_group(process)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()


def _read_output(
    process: subprocess.Popen[bytes], deadline: float, limits: Limits
) -> tuple[bytes, bytes]:
    """Reads both pipes until they close, or until the program is gone and they are silent.

    A child that left the group may hold the pipes open for ever.
    """
    assert process.stdout
    assert process.stderr
    stdout, stderr = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, stdout)
        selector.register(process.stderr, selectors.EVENT_READ, stderr)
        while selector.get_map():
            if time.monotonic() >= deadline:
                raise _too_slow(limits)
            ready = selector.select(POLL_S)
            if not ready and process.poll() is not None:
                break
            for key, _ in ready:
                if not _read_chunk(key.fd, key.data):
                    selector.unregister(key.fileobj)
            if len(stdout) > limits.output_bytes:
                raise CaseError(f"program printed more than {limits.output_bytes} bytes")
            del stderr[:-STDERR_BYTES]
    return bytes(stdout), bytes(stderr)


def _read_chunk(pipe: int, buffer: bytearray) -> int:
    chunk = os.read(pipe, CHUNK_BYTES)
    buffer.extend(chunk)
    return len(chunk)


def _too_slow(limits: Limits) -> CaseError:
    return CaseError(f"program took longer than {limits.time_s:g} s")
