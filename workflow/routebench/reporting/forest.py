"""Differences between arms with their intervals, one below the other."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from routebench.reporting.markup import NO_ROWS, cut
from routebench.reporting.style import BLUE, new_figure
from routebench.reporting.tables import Table

BOUNDS = ("lower", "upper")
ROW_HEIGHT = 0.34
ARM_WIDTH = 28


def draw_repeats(table: Table, settings: Mapping[str, Any]) -> Figure:
    """Draws each comparison's difference with its interval, and a dot per pair of repeats."""
    rows = [dict(zip(table.names, row, strict=True)) for row in table.rows]
    pairs = list(dict.fromkeys((str(row["arm"]), str(row["comparator"])) for row in rows))
    figure = new_figure(0.6 + ROW_HEIGHT * max(len(pairs), 1))
    axes = figure.add_subplot()
    axes.set_xlabel(f"{table.heading('delta')}\n(dots: single repeats)")
    if not pairs:
        axes.text(0.5, 0.5, NO_ROWS, transform=axes.transAxes, horizontalalignment="center")
        return figure
    axes.axvline(0, color="black", linewidth=0.6)
    for place, (arm, comparator) in enumerate(pairs):
        of_pair = [row for row in rows if (row["arm"], row["comparator"]) == (arm, comparator)]
        _draw_pair(axes, place, of_pair)
    axes.set_yticks(
        range(len(pairs)), [f"{cut(a, ARM_WIDTH)}\n– {cut(b, ARM_WIDTH)}" for a, b in pairs]
    )
    axes.set_ylim(len(pairs) - 0.4, -0.6)
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    return figure


def whiskers(delta: float, lower: float, upper: float) -> list[list[float]]:
    """Returns how far an interval reaches on either side, as error bars take it.

    With one repository the bounds are the mean itself, up to the last bit of a float.
    """
    return [[max(delta - lower, 0.0)], [max(upper - delta, 0.0)]]


def _draw_pair(axes: Any, place: int, rows: list[dict[str, Any]]) -> None:
    delta = rows[0]["delta"]
    lower, upper = (delta if rows[0][name] is None else rows[0][name] for name in BOUNDS)
    repeats = [row["difference"] for row in rows if row["repeat"] is not None]
    axes.errorbar(
        delta,
        place - 0.12,
        xerr=whiskers(delta, lower, upper),
        color="black",
        marker="D",
        markersize=4.5,
        linewidth=1.2,
        capsize=2.5,
    )
    axes.plot(
        repeats,
        [place + 0.2] * len(repeats),
        color=BLUE,
        marker="o",
        markersize=3,
        linestyle="none",
    )
