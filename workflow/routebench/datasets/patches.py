"""Gold from a patch: the files and lines that a fix changes (METHODS D2)."""

import re
from collections.abc import Iterator

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchedFile, PatchSet

from routebench.errors import RoutebenchError
from routebench.records import GoldSpan

NO_FILE = "/dev/null"
COMBINED = re.compile(r"^@@@+(?: -\d+(?:,\d+)?){2,} \+\d+", re.MULTILINE)
# git ends a name that holds spaces with a tab, which unidiff takes for the start of a time.
EMPTY_TIME = re.compile(r"^((?:---|\+\+\+) [^\t\n]+)\t(?=\r?$)", re.MULTILINE)
ESCAPE = re.compile(rb"\\([0-7]{3}|[abfnrtv\\\"])")
ESCAPED = dict(zip(b'abfnrtv\\"', b'\a\b\f\n\r\t\v\\"', strict=True))


def spans_of_patch(patch: str) -> tuple[GoldSpan, ...]:
    """Returns the lines of the old files that a unified diff changes, in its order.

    A run of removed lines is a span. Lines that are only added count as the old line
    before them, or the first line. New files have no old lines and give none; a file
    that is renamed without a change counts with its first line.

    Raises:
        RoutebenchError: the text is not a unified diff, or is the combined diff of a merge.
    """
    if COMBINED.search(patch):
        raise RoutebenchError(
            "patch: a combined diff of a merge; give its diff to one parent (git diff a b)"
        )
    try:
        files = PatchSet(EMPTY_TIME.sub(r"\1", patch))
    except (UnidiffParseError, ValueError) as error:  # ValueError: a number without end
        raise RoutebenchError(f"patch: not a unified diff ({error})") from error
    if patch.strip() and not files:
        raise RoutebenchError("patch: not a unified diff (no file header)")
    return tuple(span for file in files for span in _file_spans(file))


def unquote_path(path: str) -> str:
    r"""Returns a path as git means it: ``"a/\303\244.py"`` is ``a/ä.py``.

    A path that is not quoted, or not UTF-8 without its quotes, stays as it is.
    """
    if len(path) < 2 or not path[0] == path[-1] == '"':
        return path
    try:
        return ESCAPE.sub(_unescape, path[1:-1].encode()).decode()
    except UnicodeError:
        return path


def _unescape(match: re.Match[bytes]) -> bytes:
    sign = match[1]
    return bytes([int(sign, 8) & 0xFF if len(sign) == 3 else ESCAPED[sign[0]]])


def _file_spans(file: PatchedFile) -> Iterator[GoldSpan]:
    if file.source_file == NO_FILE:
        return
    path = unquote_path(file.source_file).removeprefix("a/")
    lines = sorted({line for hunk in file for line in _changed_lines(hunk)}) or [1]
    start = previous = lines[0]
    for line in lines[1:]:
        if line != previous + 1:
            yield GoldSpan(path, start, previous)
            start = line
        previous = line
    yield GoldSpan(path, start, previous)


def _changed_lines(hunk: Hunk) -> Iterator[int]:
    before = hunk.source_start - (1 if hunk.source_length else 0)
    replaced = False
    for line in hunk:
        if line.is_added:
            if not replaced:
                yield max(1, before)
        elif line.source_line_no is not None:
            before = line.source_line_no
            replaced = line.is_removed
            if replaced:
                yield before
