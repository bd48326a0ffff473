"""Token rules (METHODS R9, R10)."""

import pytest

from routebench.arms.code_tokens import identifier_tokens, word_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("getHTTPResponse", ["get", "httpresponse"]),
        ("read_file __init__", ["read_file", "__init__"]),
        ("x y2 a1", ["y2", "a1"]),  # two characters at least
        ("Where do the Items go", ["items", "go"]),
        ("café Größe 数据", ["café", "größe", "数据"]),
        ("a.b(c)", []),
    ],
)
def test_words(text, tokens):
    assert word_tokens(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("getHTTPResponse", ["get", "http", "response"]),
        ("read_file __init__", ["read", "file", "init"]),
        ("x y2 3d utf8", ["y2", "utf8"]),
        ("URLs", ["ur", "ls"]),  # as published: ABc is A Bc
        ("how the Code runs", ["runs"]),
        ("数据库 库 x", ["数据", "据库", "库"]),
        ("café", ["caf"]),
    ],
)
def test_identifiers(text, tokens):
    assert identifier_tokens(text) == tokens
