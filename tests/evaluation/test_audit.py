import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Writer

from routebench.evaluation.audit import TreeFile, audit_repository, span_problem
from routebench.records import WHOLE_FILE, GoldSpan
from routebench.tables import read_rows

COMMIT, GONE = "a" * 40, "b" * 40


@pytest.mark.parametrize(
    ("span", "file", "problem"),
    [
        (GoldSpan("a.py", 3, 9), TreeFile("0", 3), None),
        (GoldSpan("a.py", 1, WHOLE_FILE), TreeFile("0", 1), None),
        (
            GoldSpan("a.py", 4, 4),
            TreeFile("0", 3),
            "Gold span starts after the last line: a.py:4 (3 lines)",
        ),
        (
            GoldSpan("a.py", 1, WHOLE_FILE),
            TreeFile("0", 0),
            "Gold span starts after the last line: a.py:1 (0 lines)",
        ),
        (
            GoldSpan("build/a.go", 1, 1),
            TreeFile("0", None),
            "Gold file outside common searchable corpus: build/a.go",
        ),
        (GoldSpan("a.py", 1, 1), None, "Gold file not in the tree at the base commit: a.py"),
    ],
)
def test_problems_of_a_span(span: GoldSpan, file: TreeFile | None, problem: str | None) -> None:
    assert span_problem(span, file) == problem
