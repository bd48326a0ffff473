"""Scores of every case, arm, k and budget (METHODS E)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from routebench.errors import RoutebenchError
from routebench.evaluation.delivered import Delivered, read_delivered
from routebench.evaluation.file_scores import score_files
from routebench.evaluation.line_scores import score_lines
from routebench.evaluation.readers import GoldLines, read_columns, read_gold, read_rankings
from routebench.tables import write_rows

Row = dict[str, Any]
NO_CONTEXT: Row = {"line_recall": None, "complete_lines": None, "context_tokens": None}


@dataclass(frozen=True, slots=True)
class _Study:
    repositories: Mapping[str, str]
    gold: Mapping[str, GoldLines]
    ks: Sequence[int]
    budgets: Sequence[int]


def score_study(
    *,
    cases: Path,
    gold: Path,
    rankings: Mapping[str, Sequence[Path]],
    contexts: Mapping[str, Sequence[Path]],
    ks: Sequence[int],
    budgets: Sequence[int],
    output: Path,
) -> None:
    """Writes the table scores: arms in the order given, then cases, k and budgets.

    A case without ranking or context scores as an empty one. Arms without contexts get one
    row per k, with an empty budget.

    Args:
        cases: table of the audited cases; its order is kept.
        gold: table of their gold.
        rankings: ranking files of each arm.
        contexts: context files of each arm that has them.
        ks: how many candidates count.
        budgets: context budgets, tokens.
        output: where the table is written.

    Raises:
        RoutebenchError: a case has no gold, or contexts lack a k or a budget.
    """
    study = _Study(
        dict(read_columns(cases, "cases", ["case_id", "repo"])), read_gold(gold), ks, budgets
    )
    _check_gold(study, gold)
    rows = (
        row
        for arm, paths in rankings.items()
        for row in _arm_rows(study, arm, paths, contexts.get(arm, ()))
    )
    write_rows(output, "scores", rows)


def _check_gold(study: _Study, gold: Path) -> None:
    for case_id in study.repositories:
        if case_id not in study.gold:
            raise RoutebenchError(f"{gold}: no gold for case {case_id}; delete it and rerun")


def _arm_rows(
    study: _Study, arm: str, rankings: Sequence[Path], contexts: Sequence[Path]
) -> Iterator[Row]:
    ranked = read_rankings(rankings)
    budgets = study.budgets if contexts else ()
    delivered = read_delivered(contexts, study.gold, tuple(product(study.ks, budgets)))
    for case_id, k in product(study.repositories, study.ks):
        files = score_files(study.gold[case_id], ranked.get(case_id, []), k=k)._asdict()
        head = {"case_id": case_id, "repo": study.repositories[case_id], "arm": arm, "k": k}
        for budget in budgets or (None,):
            lines = _context_scores(study.gold[case_id], delivered, case_id, k, budget)
            yield {**head, "budget": budget, **files, **lines}


def _context_scores(
    gold: GoldLines, delivered: Delivered, case_id: str, k: int, budget: int | None
) -> Row:
    if budget is None:
        return NO_CONTEXT
    key = (case_id, k, budget)
    lines = score_lines(gold, delivered.lines.get(key, {}))
    return {**lines._asdict(), "context_tokens": delivered.tokens.get(key, 0)}
