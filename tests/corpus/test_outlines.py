"""Outlines of files (METHODS R11)."""

from hypothesis import given
from hypothesis import strategies as st

from routebench.corpus.outlines import Line, outline_text, render_outline

PYTHON = """\
# A comment.
import os
from pathlib import (
    Path,
)

class A(Base):
    def method(self):
        import late

async def f():
    return A

import after
"""


def test_parts_of_a_python_file():
    outline = outline_text(PYTHON)
    assert outline.lines == 14
    assert outline.imports == (Line(2, "import os"), Line(3, "from pathlib import ("))
    assert outline.definitions == (Line(7, "class A(Base):"), Line(11, "async def f():"))


def test_definitions_of_other_languages():
    text = "export default function f() {\npub(crate) struct S {\nfunc (s *S) Run() {\ntype T = {\n"
    assert [line.number for line in outline_text(text).definitions] == [1, 2, 3, 4]


def test_words_that_only_look_like_code_are_none():
    outline = outline_text("class\nimports nothing\nfrom here on\ndefine x\n")
    assert (outline.imports, outline.definitions) == ((), ())


def test_matches_are_taken_best_first_and_shown_in_the_order_of_the_file():
    matches = [Line(12, "    return A"), Line(8, "    def method(self):"), Line(2, "import os")]
    text = render_outline("a/b.py", outline_text(PYTHON), matches, limit=1000)
    assert text == (
        "a/b.py (14 lines)\nimports:\n2: import os\n3: from pathlib import (\ndefinitions:\n"
        "7: class A(Base):\n11: async def f():\nmatches:\n8: def method(self):\n12: return A"
    )


def test_a_part_that_is_too_long_leaves_room_for_the_next():
    """Of 200 bytes imports may take 30 and definitions 90: one of 26 bytes, four of 22."""
    text = "".join(f"import module_{n}\n" for n in range(9))
    text += "".join(f"def function_{n}():\n" for n in range(9))
    outline = outline_text(text)
    shown = render_outline("a.py", outline, [Line(30, "x" * 20), Line(31, "y" * 20)], limit=200)
    assert shown.count("import module") == 1
    assert shown.count("def function") == 4
    assert shown.endswith("matches:\n30: " + "x" * 20)


def test_long_lines_are_cut():
    assert render_outline("a", outline_text("x"), [Line(1, "z" * 999)], limit=999) == (
        "a (1 lines)\nmatches:\n1: " + "z" * 160
    )


def test_an_empty_file_is_its_path():
    assert render_outline("a.py", outline_text(""), [], limit=100) == "a.py (0 lines)"


@given(st.text(max_size=300), st.text(min_size=1, max_size=50), st.integers(100, 400))
def test_the_limit_holds_for_any_text(text, path, limit):
    matches = [Line(n, line) for n, line in enumerate(text.splitlines(), start=1)]
    assert len(render_outline(path, outline_text(text), matches, limit=limit).encode()) <= limit
