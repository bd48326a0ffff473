"""Answers of paid models, kept as they arrive: JSON lines, one file per process.

Below the answers folder each model has a folder of `answers-<start>-<process>.jsonl`
files, and of `requests-….jsonl` files with the questions in full. No file has two
writers, so jobs on several machines never mix their lines. A torn last line is what a
killed process leaves; it is skipped, as is any other line that is no whole answer.
"""

import json
import logging
import os
import re
import socket
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import from_json

from routebench.choice.base import Usage
from routebench.choice.keys import RequestType
from routebench.errors import RoutebenchError

logger = logging.getLogger(__name__)

ANSWER_FILES = "answers-*.jsonl"
MODEL_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded(Usage):
    """An answer, or the failure to give one, to the request with that key.

    Attributes:
        key: the request key.
        type: what was asked.
        repeat: number of the repeat.
        answered_by: the provider's id of the model; empty for a failure.
        probabilities: in the order of the options or questions; empty for a failure.
        none: probability of "none of these"; None for yes/no questions and failures.
        failure: why there is no answer.
    """

    key: str
    type: RequestType
    repeat: int
    answered_by: str = ""
    probabilities: tuple[float, ...] = ()
    none: float | None = None
    failure: str | None = None


class Payer(NamedTuple):
    """Who asks: a study and one of its arms."""

    study: str
    arm: str


class Entry(NamedTuple):
    """A line of a journal: the answer, who paid for it and when it arrived (UTC)."""

    recorded: Recorded
    payer: Payer
    arrived: str


NAMES = tuple(field.name for field in fields(Recorded))


def model_folder(answers: Path, model: str) -> Path:
    """Returns the folder of a configured model's answers.

    Raises:
        RoutebenchError: the name cannot be a folder name.
    """
    if not MODEL_NAME.fullmatch(model):
        raise RoutebenchError(f"model {model!r}: expected letters, digits and . _ -")
    return answers / model


def entry_line(entry: Entry) -> str:
    """Returns an entry as one line of JSON, its end included."""
    facts = asdict(entry.recorded) | entry.payer._asdict() | {"arrived": entry.arrived}
    return json.dumps(facts, separators=(",", ":"), allow_nan=False) + "\n"


def parse_entry(line: bytes) -> Entry:
    """Reads a line of a journal.

    Raises:
        ValueError, KeyError, TypeError: it is not a whole entry.
    """
    facts = from_json(line)
    values = {name: facts[name] for name in NAMES}
    values["probabilities"] = tuple(values["probabilities"])
    return Entry(Recorded(**values), Payer(facts["study"], facts["arm"]), facts["arrived"])


class Position(NamedTuple):
    """Where an entry stands: file name, then byte offset of its line."""

    file: str
    offset: int


class Tail:
    """Reads what journals below a folder have gained since the last look.

    Attributes:
        damaged: number of whole lines met that are no entry.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, int] = {}
        self.damaged = 0

    def entries(self) -> Iterator[tuple[Position, Entry]]:
        """Yields new entries by file path, then in the order written."""
        for path in sorted(self._folder.rglob(ANSWER_FILES)):
            start = self._read.get(path, 0)
            if path.stat().st_size > start:
                yield from self._file_entries(path, start)

    def _file_entries(self, path: Path, start: int) -> Iterator[tuple[Position, Entry]]:
        with path.open("rb") as file:
            file.seek(start)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                offset, self._read[path] = start, start + len(line)
                start += len(line)
                try:
                    yield Position(path.name, offset), parse_entry(line)
                except (ValueError, KeyError, TypeError):
                    self._report(path, offset)

    def _report(self, path: Path, offset: int) -> None:
        self.damaged += 1
        logger.warning("%s: damaged line at byte %d skipped", path, offset)


class LineFile:
    """A file that this process alone appends lines to; made at the first line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def append(self, line: str) -> None:
        """Appends a line; it is on disk on return."""
        if self._descriptor is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._descriptor = os.open(self._path, flags, 0o644)
        rest = line.encode("utf-8")
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Closes the file; a further line would be refused."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def utc_now() -> str:
    """Returns the time as UTC, sortable as text, to the microsecond."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")


def process_name() -> str:
    """Returns a name that no other journal has; names sort by the time they were given."""
    host = re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())
    return f"{utc_now()}-{host}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


Rank = tuple[bool, bool, bool, str, Position]


class Journal:
    """All recorded answers of one model, and this process's file to add to them.

    Where a request has several entries, the payer's own arm goes first, so that a
    replay gives an arm what it got; then answers before failures, asked before
    imported, the earlier before the later, ties by file name and line.
    """

    def __init__(self, folder: Path, payer: Payer, *, keep_requests: bool = True) -> None:
        self._folder, self._payer, self._keep_requests = folder, payer, keep_requests
        self._tail = Tail(folder)
        self._best: dict[tuple[str, bool], tuple[Rank, Recorded]] = {}
        self._lock = threading.Lock()
        self._open_files()

    def _open_files(self) -> None:
        name = process_name()
        self._answers = LineFile(self._folder / f"answers-{name}.jsonl")
        self._requests = LineFile(self._folder / f"requests-{name}.jsonl")

    @property
    def folder(self) -> Path:
        """The folder of the model's journals."""
        return self._folder

    @property
    def damaged(self) -> int:
        """Number of damaged lines met so far."""
        return self._tail.damaged

    def answer(self, key: str) -> Recorded | None:
        """Returns the recorded answer to a request, other processes' included."""
        with self._lock:
            return self._find(key, (False,))

    def outcome(self, key: str) -> Recorded | None:
        """Returns what a replay gives: the answer, or the failure where that came of it."""
        with self._lock:
            return self._find(key, (False, True))

    def _find(self, key: str, failed: Sequence[bool]) -> Recorded | None:
        places = [(key, flag) for flag in failed]
        if not any(place in self._best for place in places):
            self._refresh()
        found = [self._best[place] for place in places if place in self._best]
        return min(found)[1] if found else None

    def append(self, recorded: Recorded, request: Mapping[str, Any]) -> None:
        """Records an answer and its question; both are on disk on return.

        Raises:
            RoutebenchError: the disk refused them.
        """
        line = entry_line(Entry(recorded, self._payer, utc_now()))
        with self._lock:
            try:
                if self._keep_requests:
                    self._requests.append(json.dumps({"key": recorded.key, **request}) + "\n")
                self._answers.append(line)
            except OSError as error:
                # The last line may be torn: what follows needs a file of its own.
                self.close()
                self._open_files()
                raise RoutebenchError(f"{self._folder}: answer not recorded ({error})") from error

    def close(self) -> None:
        """Closes this process's files."""
        self._answers.close()
        self._requests.close()

    def _refresh(self) -> None:
        for position, entry in self._tail.entries():
            place = (entry.recorded.key, entry.recorded.failure is not None)
            ranked = (self._rank(position, entry), entry.recorded)
            held = self._best.get(place)
            if held is None or ranked[0] < held[0]:
                self._best[place] = ranked

    def _rank(self, position: Position, entry: Entry) -> Rank:
        foreign = entry.payer.arm != self._payer.arm
        failed = entry.recorded.failure is not None
        return foreign, failed, not entry.payer.study, entry.arrived, position
