"""``make estimate``: what a study will ask of its models, and what that costs, beforehand."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tabulate import tabulate

from routebench.choice.budget import Budget, Limits, Spending, passed_limit
from routebench.choice.journal import Payer
from routebench.errors import RoutebenchError, error_line
from routebench.planning.configuration import Configuration
from routebench.planning.forecast import ArmForecast, forecast_study
from routebench.planning.run import find_study, make_corpus, read_study

HEADINGS = ("Arm", "Model", "Recorded", "Calls", "At most", "Tokens in", "out", "USD")
UNKNOWN = "unknown"
NOTES = (
    "Nothing has been asked. Recorded: calls whose answers are kept and cost nothing again.",
    "Calls are exact for flat and expected for tree, as for flat where it is matched to tree.",
    "Tokens are within about a tenth for the published provider, a rough guide for others.",
    "What two arms ask alike is asked once, but stands in the row of each.",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the snapshots of a study and prints its estimate; returns the exit status."""
    parser = argparse.ArgumentParser(prog="make estimate")
    parser.add_argument("--study", required=True)
    parser.add_argument("--cores", required=True)
    given = parser.parse_args(arguments)
    try:
        file = find_study(given.study)
        config = read_study(file)
        if status := make_corpus(file, config, cores=given.cores):
            return status
        print("\n" + estimate_text(config))
    except RoutebenchError as error:
        print(error_line(error), file=sys.stderr)
        return 1
    return 0


def estimate_text(config: Configuration) -> str:
    """Returns the table of a study whose snapshots are made, with prices and limits."""
    arms = forecast_study(config)
    if not arms:
        return f"{config.study}: no arm asks a choice model."
    rows = [_row(name, arm) for name, arm in arms.items()]
    table = tabulate(
        [*rows, _sum(arms)],
        headers=HEADINGS,
        tablefmt="simple",
        disable_numparse=True,
        colalign=("left", "left", *["right"] * 6),
    )
    return "\n".join([table, "", *NOTES, *_prices(arms), *_limits(config, arms)])


def _row(name: str, arm: ArmForecast) -> list[str]:
    if arm.cases is None:
        return [name, arm.model, *[UNKNOWN] * 6]
    calls = [f"{n:,}" for n in (arm.recorded, arm.left.estimate.calls, arm.left.most)]
    if arm.price is None:
        return [name, arm.model, *calls, "–", "–", "free"]
    asked = arm.left.estimate
    tokens = [f"{asked.input_tokens():,}", f"{asked.output_tokens():,}"]
    return [name, arm.model, *calls, *tokens, f"{arm.spending.usd:.4f}"]


def _sum(arms: Mapping[str, ArmForecast]) -> list[str]:
    known = [arm for arm in arms.values() if arm.cases is not None]
    paid = [arm.left.estimate for arm in known if arm.price]
    numbers = (
        sum(arm.recorded for arm in known),
        sum(arm.left.estimate.calls for arm in known),
        sum(arm.left.most for arm in known),
        sum(asked.input_tokens() for asked in paid),
        sum(asked.output_tokens() for asked in paid),
    )
    usd = sum(arm.spending.usd for arm in known)
    return ["all", "", *(f"{number:,}" for number in numbers), f"{usd:.4f}"]


def _prices(arms: Mapping[str, ArmForecast]) -> list[str]:
    prices = {arm.model: arm.price for arm in arms.values() if arm.price}
    return [
        f"{model}: {price.input_usd:g} USD per million tokens read, {price.output_usd:g} written "
        f"({price.date})."
        for model, price in prices.items()
    ]


def _limits(config: Configuration, arms: Mapping[str, ArmForecast]) -> Iterator[str]:
    """Yields a line for each limit that the study will meet."""
    spent = {name: _spent(config, name) for name in arms}
    whole = sum((arm.spending for arm in arms.values()), next(iter(spent.values()))[0])
    scopes: list[tuple[str, Limits, Spending]] = [("study", config.limits.study, whole)]
    for name, limits in config.limits.arms.items():
        if name in arms:
            scopes.append((f"arms.{name}", limits, spent[name][1] + arms[name].spending))
    for scope, limits, spending in scopes:
        if passed := passed_limit(spending, limits):
            yield f"limits.{scope}: the run will stop at {passed}."


def _spent(config: Configuration, arm: str) -> tuple[Spending, Spending]:
    return Budget(Path(config.cache, "answers"), Payer(config.study, arm)).spent()


if __name__ == "__main__":
    raise SystemExit(main())
