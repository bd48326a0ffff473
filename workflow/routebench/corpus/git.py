"""Closed-world git: no hooks, no prompt, no lazy fetch, no configuration but ours.

Every repository is named by ``--git-dir``, so git neither searches for one nor looks at
a work tree. Needs git 2.30 or later.
"""

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from routebench.errors import RoutebenchError
from routebench.records import COMMIT

MAX_LISTING_BYTES = 256 << 20
_CHUNK_BYTES = 1 << 20
_CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")
_COMPLAINT = re.compile(r"^(?:fatal|error): (.+)$", re.MULTILINE)
_SWITCHES = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    # git before 2.32 does not know GIT_CONFIG_GLOBAL; a HOME without files does the same.
    "HOME": os.devnull,
    "XDG_CONFIG_HOME": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}


class GitError(RoutebenchError):
    """git failed.

    Attributes:
        stderr: all that git said, without credentials.
    """

    def __init__(self, message: str, stderr: str = "") -> None:
        super().__init__(without_credentials(message))
        self.stderr = without_credentials(stderr)


class TreeEntry(NamedTuple):
    """A leaf of a commit's tree: six-digit mode, object id, path as stored."""

    mode: str
    blob: str
    path: bytes


class ObjectFacts(NamedTuple):
    """Kind (blob, tree, commit or tag) and size in bytes of an object that is there."""

    kind: str
    bytes: int


def without_credentials(text: str) -> str:
    """Returns ``text`` with the user and password of every URL left out."""
    return _CREDENTIALS.sub("", text)


def git_environment(protocols: str = "") -> dict[str, str]:
    """Returns the environment git runs in: the caller's, without its ``GIT_*`` variables.

    Args:
        protocols: transports git may use, separated by colons; none by default.
            Versions that do not know ``GIT_NO_LAZY_FETCH`` cannot reach a remote so either.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") and name != "SSH_ASKPASS"
    }
    return kept | _SWITCHES | {"GIT_ALLOW_PROTOCOL": protocols}


def run_git(
    repository: Path,
    *arguments: str,
    input: bytes | IO[bytes] | None = None,
    config: Mapping[str, str] | None = None,
    protocols: str = "",
    timeout: float | None = None,
) -> bytes:
    """Runs git on a repository and returns what it printed.

    Args:
        repository: the git directory.
        arguments: command and its arguments.
        input: what git reads from standard input, bytes or an open file.
        config: settings for this run.
        protocols: transports git may use, separated by colons.
        timeout: seconds until git and its helpers are killed.

    Raises:
        GitError: git is missing, failed or took too long.
    """
    source, content = (subprocess.PIPE, input) if isinstance(input, bytes) else (input, None)
    process = _start(
        _command(repository, arguments, config or {}),
        stdin=source or subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        protocols=protocols,
    )
    try:
        stdout, stderr = process.communicate(content, timeout)
    except subprocess.TimeoutExpired:
        _kill(process)
        raise GitError(f"git {arguments[0]}: timed out after {timeout:g} s") from None
    except BaseException:
        _kill(process)
        raise
    if process.returncode:
        raise _failure(arguments[0], stderr)
    return bytes(stdout)


def list_tree(repository: Path, commit: str) -> list[TreeEntry]:
    """Lists every leaf of a commit's tree, in git's order.

    Sizes are not asked for: in a partial clone they would need the blobs themselves.

    Raises:
        GitError: the commit or part of its tree is not there or broken, or the listing
            exceeds ``MAX_LISTING_BYTES`` (a small repository can describe a tree without end).
    """
    if not COMMIT.fullmatch(commit):
        raise GitError(f"commit {commit!r}: expected 40 lower-case hex digits")
    arguments = ("ls-tree", "-r", "-z", "--full-tree", f"{commit}^{{commit}}")
    with _streaming(repository, *arguments) as stdout:
        listing = bytearray()
        while chunk := stdout.read(_CHUNK_BYTES):
            listing += chunk
            if len(listing) > MAX_LISTING_BYTES:
                raise GitError(f"commit {commit}: its tree takes over {MAX_LISTING_BYTES} bytes")
    return [_parse_entry(record) for record in bytes(listing).split(b"\0")[:-1]]


def describe_objects(repository: Path, ids: Iterable[str]) -> dict[str, ObjectFacts]:
    """Returns kind and size of the objects that are there, in the order asked for.

    Raises:
        GitError: git failed.
    """
    arguments = ("cat-file", "--batch-check", "--buffer")
    with _streaming(repository, *arguments, lines=ids) as stdout:
        answers = [line.decode().split() for line in stdout]
    return {
        answer[0]: ObjectFacts(answer[1], int(answer[2])) for answer in answers if len(answer) == 3
    }


def read_blobs(repository: Path, ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
    """Yields each id with its content, in the order asked for, from one git process.

    At most one object is held at a time. The content is None for what is not there or
    not a blob.

    Raises:
        GitError: git failed, for instance on a corrupt object.
    """
    with _streaming(repository, "cat-file", "--batch", "--buffer", lines=ids) as stdout:
        while header := stdout.readline().decode().split():
            if len(header) < 3:
                yield header[0], None
                continue
            content = stdout.read(int(header[2]))
            stdout.read(1)
            if len(content) == int(header[2]):
                yield header[0], content if header[1] == "blob" else None


def _command(repository: Path, arguments: Iterable[str], config: Mapping[str, str]) -> list[str]:
    settings = {"core.hooksPath": os.devnull, "core.fsmonitor": "false", **config}
    flags = [flag for key, value in settings.items() for flag in ("-c", f"{key}={value}")]
    return ["git", f"--git-dir={repository}", *flags, *arguments]


def _start(
    command: list[str], *, stdin: int | IO[bytes], stderr: int | IO[bytes], protocols: str = ""
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=git_environment(protocols),
            start_new_session=True,
        )
    except OSError as error:
        raise GitError(f"git: cannot be started ({error}); install git 2.30 or later") from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    # A transport helper that outlives git would hold the pipes open.
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def _streaming(repository: Path, *arguments: str, lines: Iterable[str] = ()) -> Iterator[IO[bytes]]:
    # Files as standard input and error: no pipe can fill up while another is being read.
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.writelines(f"{line}\n".encode() for line in lines)
        stdin.seek(0)
        process = _start(_command(repository, arguments, {}), stdin=stdin, stderr=stderr)
        assert process.stdout is not None
        try:
            yield process.stdout
            if process.wait():
                stderr.seek(0)
                raise _failure(arguments[0], stderr.read())
        finally:
            _kill(process)
            process.stdout.close()


def _failure(command: str, stderr: bytes) -> GitError:
    said = stderr.decode("utf-8", "replace").strip()
    # What follows the first complaint is git's advice.
    complaint = _COMPLAINT.search(said)
    reason = complaint[1] if complaint else said.rpartition("\n")[2] or "failed"
    return GitError(f"git {command}: {reason}", said)


def _parse_entry(record: bytes) -> TreeEntry:
    facts, _, path = record.partition(b"\t")
    mode, _, blob = facts.decode().split()
    return TreeEntry(mode, blob, path)
