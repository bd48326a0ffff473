"""Budgets count a call once, whenever another thread looks."""

from pathlib import Path

import pytest

from routebench.choice.base import BudgetExceeded
from routebench.choice.budget import Budget, Limits
from routebench.choice.journal import Journal, Payer, Recorded

PAYER = Payer("demo", "tree")


def test_a_recorded_call_is_not_an_open_one_as_well(tmp_path: Path) -> None:
    """Counted twice, the first of two allowed calls would have refused the second."""
    budget = Budget(tmp_path, PAYER, study=Limits(calls=2))
    journal = Journal(tmp_path / "jev", PAYER)
    answer = Recorded(
        key="a" * 64, type="choice", repeat=0, probabilities=(1.0,), none=0.0, calls=1
    )
    with budget.asking() as record:
        record(lambda: journal.append(answer, {}))
        with budget.asking():
            pass


def test_an_open_call_counts(tmp_path: Path) -> None:
    budget = Budget(tmp_path, PAYER, study=Limits(calls=1))
    with budget.asking(), pytest.raises(BudgetExceeded), budget.asking():
        pass


def test_a_call_that_recorded_nothing_counts_no_longer(tmp_path: Path) -> None:
    budget = Budget(tmp_path, PAYER, study=Limits(calls=1))
    with budget.asking():
        pass
    with budget.asking():
        pass
