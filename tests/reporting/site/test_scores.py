from pathlib import Path
from typing import Any

from routebench.reporting.site.scores import read_scores

CASES = ["case-0", "case-1", "case-2", "case-3"]


def test_matrices_of_cases_by_arms(built: Any) -> None:
    scores = read_scores(built.files.results.scores, CASES, ["rg", "tree"])
    assert scores["found"]["2"] == [[1, 1], [2, 0], [1, 1], [0, 2]]
    assert scores["lines"]["2/16000"][1] == [0.666667, 0.0]
    assert list(scores["lines"]) == ["2/16000", "2/8000", "4/16000", "4/8000"]


def test_a_study_without_contexts_has_no_lines(make: Any, tmp_path: Path) -> None:
    built = make(tmp_path, budgets=())
    scores = read_scores(built.files.results.scores, CASES, ["rg", "tree"])
    assert scores["lines"] == {}
    assert list(scores["found"]) == ["2", "4"]
