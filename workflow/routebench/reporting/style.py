"""How figures look: one column of a paper, readable in print and without colour."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
from matplotlib.figure import Figure

from routebench.files import replacing

COLUMN_WIDTH = 3.4
PNG_DPI = 300
# Okabe and Ito's palette without yellow, which is too faint on white.
BLUE = "#0072B2"
VERMILION = "#D55E00"
GREY = "#595959"
COLOURS = (BLUE, VERMILION, "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00")
# Eleven markers and seven colours do not repeat together before the 78th arm.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "*")

PARAMETERS: Mapping[Any, object] = {
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "font.family": ["DejaVu Sans"],
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.linewidth": 0.4,
    "grid.color": "#D0D0D0",
    "svg.hashsalt": "routebench",
    "svg.fonttype": "path",
    "text.parse_math": False,
}


class Look(NamedTuple):
    """Colour and marker of one arm."""

    colour: str
    marker: str


def look(place: int) -> Look:
    """Returns the look of the arm at a place of the study's order, from 0."""
    return Look(COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)])


@contextmanager
def house_style() -> Iterator[None]:
    """Sets matplotlib's defaults and ours, whatever the user's own settings are."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(dict(PARAMETERS))
        yield


def new_figure(height: float) -> Figure:
    """Returns an empty figure of column width; height in inches."""
    return Figure(figsize=(COLUMN_WIDTH, height), layout="constrained")


def save(figure: Figure, output: Path, *, title: str, provenance: str) -> None:
    """Writes ``output``.svg and ``output``.png; their bytes depend on the figure alone."""
    svg = {"Date": None, "Creator": None, "Title": title, "Description": provenance or None}
    png = {"Software": None, "Title": title, "Description": provenance or None}
    for suffix, metadata in ((".svg", svg), (".png", png)):
        with replacing(output.with_name(output.name + suffix)) as private:
            figure.savefig(private, format=suffix[1:], dpi=PNG_DPI, metadata=_given(metadata))


def _given(metadata: dict[str, str | None]) -> dict[str, str | None]:
    empty_means_left_out = ("Date", "Creator", "Software")
    return {k: v for k, v in metadata.items() if v is not None or k in empty_means_left_out}
