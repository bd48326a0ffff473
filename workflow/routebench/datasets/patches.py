"""Gold from a patch: the files and lines that a fix changes (METHODS D2)."""

from collections.abc import Iterator

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchedFile, PatchSet

from routebench.errors import RoutebenchError
from routebench.records import GoldSpan

NO_FILE = "/dev/null"


def spans_of_patch(patch: str) -> tuple[GoldSpan, ...]:
    """Returns the lines of the old files that a unified diff changes, in its order.

    A run of removed lines is a span. Lines that are only added count as the old line
    before them, or the first line. New files have no old lines and give none; a file
    that is renamed without a change counts with its first line.

    Raises:
        RoutebenchError: the text is not a unified diff.
    """
    try:
        files = PatchSet(patch)
    except (UnidiffParseError, ValueError) as error:  # ValueError: a number without end
        raise RoutebenchError(f"patch: not a unified diff ({error})") from error
    if patch.strip() and not files:
        raise RoutebenchError("patch: not a unified diff (no file header)")
    return tuple(span for file in files for span in _file_spans(file))


def _file_spans(file: PatchedFile) -> Iterator[GoldSpan]:
    if file.source_file == NO_FILE:
        return
    path = file.source_file.removeprefix("a/")
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
