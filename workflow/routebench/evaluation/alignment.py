"""Does a gold span still hold the text that its annotator saw? (METHODS D7)."""

from collections.abc import Sequence

ALIGNED = "aligned"
ELSEWHERE = "text_elsewhere_in_file"
NOT_FOUND = "text_not_found_in_file"
NOT_ANNOTATED = "not_annotated"


def is_aligned(annotated: str, source: str) -> bool:
    """Tells whether two texts agree: word for word, or one stripped text inside the other."""
    if annotated.split() == source.split():
        return True
    shorter, longer = sorted((annotated.strip(), source.strip()), key=len)
    return bool(shorter) and shorter in longer


def classify_span(
    annotated: str | None, lines: Sequence[str], *, start_line: int, end_line: int
) -> str:
    """Returns the alignment category of a span.

    ``text_elsewhere_in_file`` means that the annotated words follow each other somewhere in
    the file. A blank text is nowhere, since it would be everywhere.

    Args:
        annotated: the annotator's text; None where the dataset has none.
        lines: the file, as ``str.splitlines`` cuts it.
        start_line: first line of the span, 1-based.
        end_line: last line, inclusive; lines past the end of the file are left out.
    """
    if annotated is None:
        return NOT_ANNOTATED
    if is_aligned(annotated, "\n".join(lines[start_line - 1 : end_line])):
        return ALIGNED
    words = " ".join(annotated.split())
    found = bool(words) and words in " ".join(" ".join(lines).split())
    return ELSEWHERE if found else NOT_FOUND
