from fractions import Fraction
from typing import Any

import pytest

from routebench.verification.relations import Indexed, language_of, standing


def test_rows_are_selected_by_equal_values() -> None:
    rows: list[dict[str, Any]] = [
        {"arm": "tree", "comparators": ["fts5", "rg"], "k": 8},
        {"arm": "tree", "comparators": ["fts5"], "k": 8},
        {"arm": "rg", "comparators": ["tree"], "k": 8},
    ]
    indexed = Indexed(rows)
    assert indexed.select({"arm": "tree", "comparators": ("fts5", "rg")}) == rows[:1]
    assert indexed.select({"k": 8}) == rows
    assert indexed.select({"k": 16}) == []
    assert indexed.select({"repo": None, "arm": "rg"}) == rows[2:]


@pytest.mark.parametrize(
    ("delta", "name"),
    [(0.1, "ahead"), (-0.1, "behind"), (0.0, "level"), (float(Fraction(1, 10**13)), "level")],
)
def test_standings(delta: float, name: str) -> None:
    assert standing(delta) == name


def test_language_of_a_case() -> None:
    assert language_of("SWE-Bench-Pro__go__maintenance__bugfix__05aad678") == "go"
    assert language_of("django__django-10097") == ""
