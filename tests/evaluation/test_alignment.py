import pytest

from routebench.evaluation.alignment import classify_span, is_aligned

LINES = ["def a():", "    return 1", "", "def b():", "    return 2"]


@pytest.mark.parametrize(
    ("annotated", "source", "aligned"),
    [
        ("a b", "a b", True),
        ("a\n  b ", "a b", True),  # same words
        ("  return 1\n", "def a():\n    return 1", True),  # inside the source
        ("def a():\n    return 1\n", "return 1", True),  # around the source
        ("return  1", "def a(): return 1", False),  # inside only after normalising
        ("a c", "a b", False),
        ("", "a", False),
        ("a", "  ", False),
        (" ", "\n", True),  # no words on either side
    ],
)
def test_agreement(annotated: str, source: str, aligned: bool) -> None:
    assert is_aligned(annotated, source) is aligned


@pytest.mark.parametrize(
    ("annotated", "start", "end", "category"),
    [
        ("def a():\n    return 1", 1, 2, "aligned"),
        ("def b():\n  return 2", 4, 99, "aligned"),  # the end is past the last line
        ("def b(): return 2", 1, 2, "text_elsewhere_in_file"),
        ("return 1 def b():", 1, 1, "text_elsewhere_in_file"),
        ("def c():", 1, 2, "text_not_found_in_file"),
        ("\n", 1, 2, "text_not_found_in_file"),
        (None, 1, 2, "not_annotated"),
    ],
)
def test_categories(annotated: str | None, start: int, end: int, category: str) -> None:
    assert classify_span(annotated, LINES, start_line=start, end_line=end) == category
