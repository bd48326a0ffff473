"""File rules and prose (METHODS R9, R10)."""

import pytest

from routebench.arms.code_files import is_plain_text, is_prose, is_python
from routebench.records import SourceFile


def file(path, size=1):
    return SourceFile(path, "0" * 40, size, 1)


def test_python_files_are_told_by_suffix_alone():
    assert all(is_python(file(path)) for path in ("a.py", "build/a.py", ".hidden/.x.py"))
    assert not any(is_python(file(path)) for path in ("a.pyi", "a.PY", "py"))


@pytest.mark.parametrize(
    "path",
    [
        *("a.py", "docs/a.txt", "Build/x.c", "builds/x.c", "env/x", "a/key.py", "my-credentials"),
        *("yarn.lock.md", "tests/environment.py"),
    ],
)
def test_text_that_is_indexed(path):
    assert is_plain_text(file(path))


@pytest.mark.parametrize(
    "path",
    [
        *(".github/a.yml", "a/.env", "build/a.py", "a/vendor/b.go", "node_modules/x.js"),
        *("yarn.lock", "x/package-lock.json", "certs/a.pem", "a.key", "credentials.json"),
        *("credentials/x.py", "prod.env", "coverage/a.py"),
    ],
)
def test_text_that_is_not(path):
    assert not is_plain_text(file(path))


def test_the_limit_of_size_is_inclusive():
    assert is_plain_text(file("a.py", 262_144))
    assert not is_plain_text(file("a.py", 262_145))


def test_prose_is_told_by_suffix_or_a_part():
    assert all(map(is_prose, ("a.txt", "x/a.rst", "t/a.html", "a.po", "docs/conf.py", "a/docs/b")))
    assert not any(map(is_prose, ("a.py", "txt", "doc/a.c", "docs.py", "a.txt/b.c")))
