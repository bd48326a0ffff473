import pytest

from routebench.errors import RoutebenchError
from routebench.evaluation.file_scores import FileScores, score_files

GOLD = {"a", "b", "c", "d"}


@pytest.mark.parametrize(
    ("gold", "ranking", "k", "expected"),
    [
        # 2 of 4 found among 3 returned; min(4, 8) = 4 hits would be needed.
        (GOLD, ["a", "x", "b"], 8, FileScores(0.5, False, 2 / 3, 2, 4, True, 0.0, 3)),
        # Only the first 2 count; both are gold, and min(4, 2) = 2.
        (GOLD, ["a", "b", "c"], 2, FileScores(0.5, False, 1.0, 2, 4, True, 1.0, 2)),
        (GOLD, ["d", "c", "b", "a"], 4, FileScores(1.0, True, 1.0, 4, 4, True, 1.0, 4)),
        ({"a"}, ["x", "a"], 2, FileScores(1.0, True, 0.5, 1, 1, True, 1.0, 2)),
        ({"a"}, ["x", "a"], 1, FileScores(0.0, False, 0.0, 0, 1, False, 0.0, 1)),
        ({"a"}, [], 8, FileScores(0.0, False, 0.0, 0, 1, False, 0.0, 0)),
    ],
)
def test_scores_worked_by_hand(
    gold: set[str], ranking: list[str], k: int, expected: FileScores
) -> None:
    assert score_files(gold, ranking, k=k) == expected


def test_a_case_without_gold_is_refused() -> None:
    with pytest.raises(RoutebenchError, match="gold files: expected at least one"):
        score_files([], ["a"], k=8)
