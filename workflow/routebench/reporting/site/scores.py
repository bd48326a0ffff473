"""Scores of every case and arm as matrices, for the case list and its comparisons."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from routebench.evaluation.readers import read_columns

# Enough to tell any two shares of gold lines apart.
LINE_DECIMALS = 6
COLUMNS = ["case_id", "arm", "k", "budget", "gold_found", "line_recall"]
Matrix = list[list[Any]]


def read_scores(path: Path, cases: Sequence[str], arms: Sequence[str]) -> dict[str, Any]:
    """Returns matrices of cases by arms.

    ``found`` has gold files found by ``k``; ``lines`` line recall by ``k/budget``, without
    any for a study that packs no contexts.
    """
    case_places = {case: place for place, case in enumerate(cases)}
    arm_places = {arm: place for place, arm in enumerate(arms)}

    def empty() -> Matrix:
        return [[None] * len(arms) for _ in cases]

    found: dict[str, Matrix] = defaultdict(empty)
    lines: dict[str, Matrix] = defaultdict(empty)
    for case, arm, k, budget, gold_found, line_recall in read_columns(path, "scores", COLUMNS):
        row, column = case_places[case], arm_places[arm]
        found[str(k)][row][column] = gold_found
        if line_recall is not None:
            lines[f"{k}/{budget}"][row][column] = round(line_recall, LINE_DECIMALS)
    return {"found": dict(found), "lines": dict(lines)}
