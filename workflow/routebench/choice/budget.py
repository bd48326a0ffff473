"""Limits of money, calls and tokens, held across the processes of a study.

What was spent is read from the journals, so it counts every job of the study, on any
machine that shares the answers folder, and every run so far. Recorded answers cost
nothing again. A limit can be passed only by requests in flight when it is reached: at
most one for each request that other processes have open, and for dollars and tokens
also those of this process (its own calls are counted while they are open).
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from routebench.choice.base import BudgetExceeded
from routebench.choice.journal import Payer, Tail


class Limits(BaseModel):
    """What may be spent on paid models; a missing limit does not bind, 0 asks nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    usd: float | None = Field(
        default=None, ge=0, description="US dollars at the configured prices."
    )
    calls: int | None = Field(default=None, ge=0, description="Answered calls of a model.")
    tokens: int | None = Field(default=None, ge=0, description="Model tokens, read and written.")


@dataclass(frozen=True, slots=True)
class Spending:
    """What was spent: US dollars, answered calls, tokens read and written."""

    usd: float = 0.0
    calls: int = 0
    tokens: int = 0

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(self.usd + other.usd, self.calls + other.calls, self.tokens + other.tokens)


def passed_limit(spent: Spending, limits: Limits) -> str | None:
    """Returns the first limit that leaves no room for another request, in words."""
    pairs = (
        ("USD", spent.usd, limits.usd),
        ("calls", spent.calls, limits.calls),
        ("tokens", spent.tokens, limits.tokens),
    )
    for unit, amount, limit in pairs:
        if limit is not None and amount >= limit:
            return f"{limit:.6g} {unit}"
    return None


class Budget:
    """The limits of a study and of one of its arms, checked before every request."""

    def __init__(
        self, answers: Path, payer: Payer, *, study: Limits | None = None, arm: Limits | None = None
    ) -> None:
        self._payer = payer
        self._study, self._arm = study or Limits(), arm or Limits()
        self._unlimited = self._study == self._arm == Limits()
        self._tail = Tail(answers)
        self._spent: defaultdict[Payer, Spending] = defaultdict(Spending)
        self._open_calls = 0
        self._lock = threading.Lock()

    @contextmanager
    def asking(self) -> Iterator[Callable[[Callable[[], object]], None]]:
        """Guards one request, from before it is sent until its answer is recorded.

        Yields a function that records the answer: the call stops being an open one in the
        same moment, so that no other thread counts it twice.

        Raises:
            BudgetExceeded: a limit of the study or the arm is reached; nothing is asked.
        """
        with self._lock:
            self._check()
            self._open_calls += 1
        held = [1]

        def record(append: Callable[[], object]) -> None:
            with self._lock:
                append()
                self._open_calls -= held.pop()

        try:
            yield record
        finally:
            with self._lock:
                self._open_calls -= sum(held)

    def spent(self) -> tuple[Spending, Spending]:
        """Returns what the study and what the arm has spent, as recorded by now."""
        for _, entry in self._tail.entries():
            recorded = entry.recorded
            tokens = recorded.input_tokens + recorded.output_tokens
            self._spent[entry.payer] += Spending(recorded.cost_usd, recorded.calls, tokens)
        ours = [sum_ for payer, sum_ in self._spent.items() if payer.study == self._payer.study]
        return sum(ours, Spending()), self._spent[self._payer]

    def _check(self) -> None:
        if self._unlimited:
            return
        study, arm = self.spent()
        held = Spending(calls=self._open_calls)
        checks = (
            (f"study {self._payer.study}", study, self._study),
            (f"arm {self._payer.arm}", arm, self._arm),
        )
        for name, spent, limits in checks:
            if passed := passed_limit(spent + held, limits):
                # Without the sum spent: jobs that stop together then say the same.
                raise BudgetExceeded(
                    f"budget of {name}: the limit of {passed} is reached; answers so far are "
                    "recorded, raise the limit and run again"
                )
