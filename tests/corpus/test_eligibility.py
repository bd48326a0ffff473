import pytest

from routebench.corpus.eligibility import (
    content_problem,
    count_lines,
    decode,
    path_problem,
    shown_path,
    size_problem,
)


@pytest.mark.parametrize(
    ("path", "mode", "problem"),
    [
        (b"a.py", "100644", None),
        (b"bin/run", "100755", None),
        (b".github/workflows/ci.yml", "100644", None),
        (b"docs/README.md", "100664", None),
        (b"a b/\xc3\xa9.txt", "100644", None),
        (b"back\\slash", "100644", None),
        (b"BUILD/x", "100644", None),
        (b"builds/x", "100644", None),
        (b"link", "120000", "symbolic link"),
        (b"vendored", "160000", "submodule"),
        (b"odd", "040000", "mode 040000 is no regular file"),
        (b"build/x", "100644", "ignored path part 'build'"),
        (b"a/target/b/c.rs", "100644", "ignored path part 'target'"),
        (b"scripts/coverage", "100644", "ignored path part 'coverage'"),
        (b".git/config", "100644", "ignored path part '.git'"),
        (b"a/.GIT/config", "100644", "unsafe path part '.GIT'"),
        (b"../x", "100644", "unsafe path part '..'"),
        (b"a/./x", "100644", "unsafe path part '.'"),
        (b"/etc/passwd", "100644", "unsafe path part ''"),
        (b".gitmodules", "100644", "file name begins with a dot"),
        (b"docs/index.md", "100644", "reserved file name 'index.md'"),
        (b"log.md", "100644", "reserved file name 'log.md'"),
        (b"a/_error.log", "100644", "reserved file name '_error.log'"),
        (b"caf\xe9.txt", "100644", "path is not UTF-8"),
    ],
)
def test_path_and_mode_decide_before_content(path: bytes, mode: str, problem: str | None) -> None:
    assert path_problem(path, mode) == problem


@pytest.mark.parametrize(
    ("path", "mode", "problem"),
    [
        (b"build/x.py", "100644", None),
        (b"a/.util.py", "100644", None),
        (b"docs/index.md", "100644", None),
        (b"link", "120000", "symbolic link"),
        (b".git/config", "100644", "ignored path part '.git'"),
        (b"build/../x", "100644", "unsafe path part '..'"),
        (b"caf\xe9.txt", "100644", "path is not UTF-8"),
    ],
)
def test_the_rule_of_all_text_leaves_out_only_what_is_no_file(
    path: bytes, mode: str, problem: str | None
) -> None:
    assert path_problem(path, mode, "text") == problem


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", None),
        ("é\u2028".encode(), None),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", None),
        (b"a\0b", "content holds NUL"),
        (b"caf\xe9", "content is not UTF-8"),
        (b"\xed\xa0\x80", "content is not UTF-8"),
        (b"\xff\xfea\0", "content holds NUL"),
    ],
)
def test_content_decides_the_rest(content: bytes, problem: str | None) -> None:
    assert content_problem(content) == problem


def test_newlines_become_lf_and_the_byte_order_mark_stays() -> None:
    assert decode(b"\xef\xbb\xbfa\r\nb\rc\n\r\nd") == "\ufeffa\nb\nc\n\nd"


def test_lines_are_splitlines_lines() -> None:
    # a | b | c | d, broken by LF, form feed and U+2028; the end of the text opens no line.
    assert count_lines("a\nb\x0cc\u2028d\n") == 4
    assert count_lines("") == 0


def test_size_limit_is_inclusive() -> None:
    assert size_problem(10, 10) is None
    assert size_problem(11, 10) == "larger than 10 bytes"


def test_bytes_outside_utf8_are_shown_in_hex() -> None:
    assert shown_path(b"caf\xe9/\xc3\xa9") == "caf\\xe9/é"
