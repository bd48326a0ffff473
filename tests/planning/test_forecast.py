"""Forecasts of a tournament of five paths in menus of two, one of each going on.

Menus of 2, 2 and 1 paths leave three, those of 2 and 1 leave two, one of 2 leaves one:
six calls with 5 + 3 + 2 options.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from routebench.arms.base import Resources
from routebench.arms.estimate import Estimate
from routebench.arms.flat import FlatParameters, create
from routebench.choice.budget import Limits
from routebench.choice.http import Price
from routebench.choice.journal import Journal, Payer, Recorded
from routebench.choice.recorded import StudyModel
from routebench.planning import estimate
from routebench.planning.forecast import (
    ArmForecast,
    CaseForecast,
    Expected,
    RecordedSource,
    Unasked,
    forecast_case,
)
from routebench.records import Issue

PARAMETERS = FlatParameters(model="m", menu_options=2, keep=1)
ISSUE = Issue("c", "acme/alpha", "0" * 40, "Why?")
SNAPSHOT: Any = SimpleNamespace(files=[SimpleNamespace(path=name) for name in "abcde"])


class Asked:
    """Records an answer to the first questions, then breaks off."""

    at_once = 1

    def __init__(self, journal: Journal, first: int) -> None:
        self.journal, self.left = journal, first

    def answer(self, key: str, request: Any) -> Recorded:
        if not self.left:
            raise Unasked("stopped")
        self.left -= 1
        chances = (0.5,) * len(request.options)
        recorded = Recorded(
            key=key, type="choice", repeat=0, answered_by="m", probabilities=chances, none=0.0
        )
        self.journal.append(recorded, {})
        return recorded


def ranker(source: Any, parameters: FlatParameters, calls: Any) -> Any:
    model = StudyModel("m", "flat", {"kind": "paid"}, source)
    return create(parameters, Resources(models={"m": model}, calls=calls))


def forecast(
    folder: Path, parameters: FlatParameters = PARAMETERS, calls: Any = None
) -> CaseForecast:
    source = RecordedSource(Journal(folder, Payer("s", "flat")))
    return forecast_case(
        ISSUE,
        SNAPSHOT,
        parameters=parameters,
        ranker=ranker(source, parameters, calls or {}),
        source=source,
        calls=calls or {},
    )


def record(folder: Path, first: int) -> None:
    source = Asked(Journal(folder, Payer("s", "flat")), first)
    try:
        ranker(source, PARAMETERS, {}).rank(ISSUE, SNAPSHOT, 1)
    except Unasked:
        assert first < 6


@pytest.mark.parametrize(
    ("recorded", "left", "options"), [(0, 6, 10), (1, 5, 8), (5, 1, 2), (6, 0, 0)]
)
def test_what_is_recorded_is_not_asked_again(
    tmp_path: Path, recorded: int, left: int, options: int
) -> None:
    record(tmp_path, recorded)
    found = forecast(tmp_path)
    assert (found.recorded, found.left.most) == (recorded, left)
    assert (found.left.estimate.calls, found.left.estimate.options) == (left, options)


def test_matched_calls_are_those_foretold_of_the_other_arm(tmp_path: Path) -> None:
    """Two menus cost three calls with the final; all three would cost six."""
    matched = PARAMETERS.model_copy(update={"calls_of": "tree"})
    found = forecast(tmp_path, matched, {"tree": {"c": 4}})
    assert (found.left.estimate.calls, found.left.most) == (3, 3)


def text(monkeypatch: pytest.MonkeyPatch, folder: Path, limits: Any) -> str:
    """The printed estimate of a paid, a free and an unknown arm; a token costs 1 USD."""
    price = Price(input_usd=1e6, output_usd=1e6, date="2026-08")
    case = CaseForecast(1, Expected(Estimate(2, 10, 100), 3))
    arms = {
        "paid": ArmForecast("jev", price, {"c": case}),
        "free": ArmForecast("static", None, {"c": case}),
        "new": ArmForecast("jev", price, None),
    }
    monkeypatch.setattr(estimate, "forecast_study", lambda config: arms)
    config: Any = SimpleNamespace(study="s", cache=str(folder), limits=limits)
    return estimate.estimate_text(config)


def test_the_estimate_adds_up_what_is_paid(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tokens read: 304 * 2 + 13.6 * 10 + 0.279 * 100 = 771.9; written: 10.6 * 10 = 106."""
    limits = SimpleNamespace(study=Limits(usd=878), arms={"paid": Limits(calls=3)})
    lines = text(monkeypatch, tmp_path, limits).splitlines()
    assert [line.split() for line in lines[2:6]] == [
        ["paid", "jev", "1", "2", "3", "772", "106", "878.0000"],
        ["free", "static", "1", "2", "3", "–", "–", "free"],
        ["new", "jev", *["unknown"] * 6],
        ["all", "2", "4", "6", "772", "106", "878.0000"],
    ]
    assert lines[-2] == "jev: 1e+06 USD per million tokens read, 1e+06 written (2026-08)."
    assert lines[-1] == "limits.study: the run will stop at 878 USD."
