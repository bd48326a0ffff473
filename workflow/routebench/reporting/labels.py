"""Labels beside points that cover neither each other nor the points."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

# Points: how far labels stand from their point, tried in this order, and the room
# that a marker takes.
DISTANCES = (5.0, 8.0, 12.0, 17.0, 23.0, 30.0, 38.0, 47.0)
DIRECTIONS = 16
MARKER_RADIUS = 3.5
LEADER_FROM = 7.0
POINTS_PER_INCH = 72.0
FONT_SIZE = 7.0
# Not the colours of the points: most are too light for text.
TEXT_COLOUR = "#202020"
# Without a patch the line begins at the text's edge, not four points from it.
LEADER: Mapping[str, Any] = {
    "arrowstyle": "-",
    "color": "#808080",
    "linewidth": 0.5,
    "shrinkA": 0,
    "shrinkB": MARKER_RADIUS,
    "patchA": None,
}
ACROSS = {"left": 0.0, "center": 0.5, "right": 1.0}
ALONG = {"bottom": 0.0, "center": 0.5, "top": 1.0}


class Label(NamedTuple):
    """A text for the point (x, y) in data coordinates."""

    text: str
    x: float
    y: float


class Offset(NamedTuple):
    """Where a label's nearest edge lies from its point, in points."""

    dx: float
    dy: float
    distance: float


def place_labels(axes: Axes, labels: Sequence[Label]) -> None:
    """Writes labels beside their points, each at the first place that is free.

    Places are tried from near to far, first to the right, so that the outcome depends
    on the data alone. A label without a free place stays at the nearest one. The layout
    of the figure is frozen: the free places hold for its final size only.

    Args:
        axes: axes with their final limits.
        labels: texts and their points; the first ones choose first.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    scale = figure.dpi / POINTS_PER_INCH
    anchors = [axes.transData.transform((label.x, label.y)) for label in labels]
    radius = MARKER_RADIUS * scale
    taken = [Bbox.from_extents(x - radius, y - radius, x + radius, y + radius) for x, y in anchors]
    for label, (x, y) in zip(labels, anchors, strict=True):
        width, height = _extent(axes, label.text)
        choices = [
            (offset, _box(x + offset.dx * scale, y + offset.dy * scale, width, height, offset))
            for offset in _offsets()
        ]
        offset, box = next((c for c in choices if _is_free(c[1], taken, axes.bbox)), choices[0])
        taken.append(box)
        _write(axes, label, offset)


def _offsets() -> Iterator[Offset]:
    for distance in DISTANCES:
        for step in range(DIRECTIONS):
            turn = (step + 1) // 2 * (-1) ** step
            angle = 2 * math.pi * turn / DIRECTIONS
            yield Offset(distance * math.cos(angle), distance * math.sin(angle), distance)


def _extent(axes: Axes, text: str) -> tuple[float, float]:
    probe = axes.text(0, 0, text, fontsize=FONT_SIZE)
    box = probe.get_window_extent()
    probe.remove()
    return box.width, box.height


def _alignment(offset: Offset) -> tuple[str, str]:
    across, along = offset.dx / offset.distance, offset.dy / offset.distance
    horizontal = "center" if abs(across) < 0.35 else "left" if across > 0 else "right"
    vertical = "center" if abs(along) < 0.35 else "bottom" if along > 0 else "top"
    return horizontal, vertical


def _box(x: float, y: float, width: float, height: float, offset: Offset) -> Bbox:
    horizontal, vertical = _alignment(offset)
    left = x - ACROSS[horizontal] * width
    bottom = y - ALONG[vertical] * height
    return Bbox.from_bounds(left, bottom, width, height)


def _is_free(box: Bbox, taken: Sequence[Bbox], room: Bbox) -> bool:
    inside = box.x0 >= room.x0 and box.x1 <= room.x1 and box.y0 >= room.y0 and box.y1 <= room.y1
    return inside and not any(box.overlaps(other) for other in taken)


def _write(axes: Axes, label: Label, offset: Offset) -> None:
    horizontal, vertical = _alignment(offset)
    leader = {**LEADER, "relpos": (ACROSS[horizontal], ALONG[vertical])}
    axes.annotate(
        label.text,
        (label.x, label.y),
        xytext=(offset.dx, offset.dy),
        textcoords="offset points",
        horizontalalignment=horizontal,
        verticalalignment=vertical,
        fontsize=FONT_SIZE,
        color=TEXT_COLOUR,
        arrowprops=leader if offset.distance >= LEADER_FROM else None,
    )
