"""Figures: the result of a query, drawn as SVG and PNG, with its data as CSV.

A new figure is a query ``figure-<name>.sql``, a function that draws its table and a line
in ``DRAWINGS``.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from routebench.errors import RoutebenchError
from routebench.files import write_text
from routebench.reporting.forest import BOUNDS, draw_repeats, whiskers
from routebench.reporting.labels import Label, place_labels
from routebench.reporting.markup import NO_ROWS, Value, csv_text, cut, one_line
from routebench.reporting.queries import read_query
from routebench.reporting.style import (
    BLUE,
    GREY,
    VERMILION,
    Look,
    house_style,
    look,
    new_figure,
    save,
)
from routebench.reporting.tables import Table, evaluate
from routebench.reporting.views import ResultFiles, Setting, StudySettings, open_results, values

SUFFIXES = (".svg", ".png", ".csv")
NAME_WIDTH = 28
ARM_WIDTH = 20
ROW_HEIGHT = 0.17
MOST_TICKS = 7
COSTS = ("wall_ms", "calls")
AHEAD = Look(BLUE, "o")
BEHIND = Look(VERMILION, "s")
LEVEL = Look(GREY, "D")

Settings = Mapping[str, Setting]


def write_figure_files(
    *,
    query: Path,
    files: ResultFiles,
    study: StudySettings,
    output: Path,
    settings: Settings | None = None,
) -> None:
    """Draws one query's figure as ``output`` with each of ``SUFFIXES`` added.

    Args:
        query: a file ``figure-<name>.sql``.
        files: the results.
        study: the study they belong to.
        output: path of the outputs without suffix.
        settings: what the figure is asked for: ``arm`` and ``comparator`` of
            repository-differences; ``cost`` (``COSTS``) of cost-recall; ``k`` of both,
            the study's first if not given.

    Raises:
        RoutebenchError: results are missing or inconsistent, or a setting is.
    """
    asked: Settings = {"k": study.ks[0], **(settings or {})}
    with open_results(files, study, asked) as connection:
        filled = read_query(query).filled(values(connection, study, asked))
        table = evaluate(filled, connection)
    if query.stem not in DRAWINGS:
        raise RoutebenchError(f"{query.name}: no drawing; known: {', '.join(sorted(DRAWINGS))}")
    with house_style():
        figure = DRAWINGS[query.stem](table, asked)
        save(figure, output, title=table.title, provenance=one_line(study.provenance))
    write_text(output.with_name(output.name + ".csv"), csv_text(table.names, table.rows))


def draw_repository_differences(table: Table, settings: Settings) -> Figure:
    """Draws a dot per repository, best on top, and the mean of all cases with its interval.

    Raises:
        RoutebenchError: the comparison is not among the statistics.
    """
    rows = [dict(zip(table.names, row, strict=True)) for row in table.rows]
    if not rows:
        raise RoutebenchError("no case is left in the study: the reasons are in its exclusions")
    if rows[-1]["repo"] != "all":
        raise RoutebenchError(
            f"figure {table.title!r}: no such comparison in the statistics; add it to the study"
        )
    figure = new_figure(0.75 + ROW_HEIGHT * len(rows))
    axes = figure.add_subplot()
    axes.axvline(0, color="black", linewidth=0.6)
    for place, row in enumerate(rows[:-1]):
        _draw_difference(axes, place, _number(row["delta"]))
    _draw_overall(axes, len(rows) - 1, rows[-1])
    axes.set_yticks(range(len(rows)), [_row_name(row) for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel(f"{table.heading('delta')}\n{_comparison(settings)}")
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    return figure


def _comparison(settings: Settings) -> str:
    arm, comparator = (cut(str(settings[name]), ARM_WIDTH) for name in ("arm", "comparator"))
    gap = "\n" if len(arm + comparator) > ARM_WIDTH else " "
    return f"{arm} minus{gap}{comparator}"


def _row_name(row: Mapping[str, Value]) -> str:
    name = "All cases" if row["repo"] == "all" else cut(str(row["repo"]), NAME_WIDTH)
    return f"{name} ({row['cases']})"


def _draw_difference(axes: Axes, place: int, delta: float) -> None:
    shown = AHEAD if delta > 0 else BEHIND if delta < 0 else LEVEL
    axes.plot([0, delta], [place, place], color=shown.colour, linewidth=1.4)
    axes.plot(delta, place, color=shown.colour, marker=shown.marker, markersize=4.5)


def _draw_overall(axes: Axes, place: int, row: Mapping[str, Value]) -> None:
    delta = _number(row["delta"])
    lower, upper = (delta if row[name] is None else _number(row[name]) for name in BOUNDS)
    axes.axhline(place - 0.5, color=GREY, linewidth=0.4)
    axes.axvspan(lower, upper, color=GREY, alpha=0.12, linewidth=0, zorder=0)
    axes.axvline(delta, color=GREY, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    axes.errorbar(
        delta,
        place,
        xerr=whiskers(delta, lower, upper),
        color="black",
        marker="D",
        markersize=4.5,
        linewidth=1.2,
        capsize=2.5,
    )


def draw_cost_recall(table: Table, settings: Settings) -> Figure:
    """Draws a labelled point per arm: mean cost on a log axis against mean file recall.

    Raises:
        RoutebenchError: the cost is none of ``COSTS``.
    """
    cost = str(settings.get("cost", COSTS[0]))
    if cost not in COSTS:
        raise RoutebenchError(f"figure cost {cost!r}: expected one of {', '.join(COSTS)}")
    figure = new_figure(2.6)
    axes = figure.add_subplot()
    axes.set_xlabel(table.heading(cost))
    axes.set_ylabel(table.heading("file_recall"))
    axes.grid()
    axes.set_axisbelow(True)
    points = [
        Label(cut(str(arm), ARM_WIDTH), _number(x), _number(y))
        for arm, x, y in zip(*map(table.column, ("arm", cost, "file_recall")), strict=True)
    ]
    if not points:
        axes.text(0.5, 0.5, NO_ROWS, transform=axes.transAxes, horizontalalignment="center")
        return figure
    for place, point in enumerate(points):
        axes.plot(
            point.x,
            point.y,
            color=look(place).colour,
            marker=look(place).marker,
            markersize=6.5,
            markeredgecolor="white",
            markeredgewidth=0.5,
        )
    _scale_cost(axes, [point.x for point in points])
    axes.margins(y=0.12)
    place_labels(axes, sorted(points, key=lambda point: (point.x, point.y, point.text)))
    return figure


def _scale_cost(axes: Axes, costs: Sequence[float]) -> None:
    """Sets a log axis; free arms stand at 0, below the smallest cost of the others."""
    paid = [cost for cost in costs if cost > 0]
    if not paid:
        axes.set_xlim(-0.5, 1)
        axes.set_xticks([0], ["0"])
        return
    low, high = min(paid) / 2, max(paid) * 2.5
    ticks = cost_ticks(low, high)
    if len(paid) == len(costs):
        axes.set_xscale("log")
        axes.set_xlim(low, high)
    else:
        axes.set_xscale("symlog", linthresh=low, linscale=0.5)
        axes.set_xlim(-low / 3, high)
        ticks = [0, *ticks]
    axes.set_xticks(ticks, [f"{tick:,.10g}" for tick in ticks])
    axes.set_xticks([], minor=True)


def cost_ticks(low: float, high: float) -> list[float]:
    """Returns at most ``MOST_TICKS`` round numbers of a log axis: 1, 2, 5 or powers of ten."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1,)):
        ticks = [float(f"{step}e{decade}") for decade in decades for step in steps]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) <= MOST_TICKS:
            return inside
    return inside[:: math.ceil(len(inside) / MOST_TICKS)]


def _number(value: Value) -> float:
    assert isinstance(value, int | float)
    return float(value)


DRAWINGS: Mapping[str, Callable[[Table, Settings], Figure]] = {
    "figure-repository-differences": draw_repository_differences,
    "figure-cost-recall": draw_cost_recall,
    "figure-paper-2": draw_repository_differences,
    "figure-paper-3": draw_cost_recall,
    "figure-repeats": draw_repeats,
}
