"""File rules of the rerank study (METHODS R9, R10): what is indexed, and what is prose."""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Literal

from routebench.records import SourceFile

FileRule = Literal["python", "text"]

MAX_TEXT_BYTES = 256 << 10
_EXCLUDED_PARTS = frozenset(("node_modules", "vendor", "dist", "build", "coverage"))
_EXCLUDED_NAMES = frozenset(("package-lock.json", "pnpm-lock.yaml", "yarn.lock"))
_EXCLUDED_PATTERNS = ("*.pem", "*.key", "credentials*", "*.env", ".env*")
_PROSE_SUFFIXES = (".txt", ".md", ".rst", ".adoc", ".po", ".pot", ".htm", ".html", ".tex")


def is_python(file: SourceFile) -> bool:
    """Tells whether a file is indexed by rule R9."""
    return file.path.endswith(".py")


def is_plain_text(file: SourceFile) -> bool:
    """Tells whether a file is indexed by rule R10, as far as path and size decide.

    Names are compared with case; a pattern that fits any part of the path excludes it.
    """
    return file.bytes <= MAX_TEXT_BYTES and not any(map(_is_excluded, file.path.split("/")))


def is_prose(path: str) -> bool:
    """Tells whether a file counts as prose (METHODS R10)."""
    return path.endswith(_PROSE_SUFFIXES) or "docs" in path.split("/")


def _is_excluded(part: str) -> bool:
    return (
        part.startswith(".")
        or part in _EXCLUDED_PARTS
        or part in _EXCLUDED_NAMES
        or any(fnmatchcase(part, pattern) for pattern in _EXCLUDED_PATTERNS)
    )


FILE_RULES: Mapping[FileRule, Callable[[SourceFile], bool]] = {
    "python": is_python,
    "text": is_plain_text,
}
