import csv
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.text import Text

from routebench.errors import RoutebenchError
from routebench.reporting.figures import (
    cost_ticks,
    draw_cost_recall,
    draw_repository_differences,
    write_figure_files,
)
from routebench.reporting.labels import Label, place_labels
from routebench.reporting.queries import Column
from routebench.reporting.style import house_style, look, new_figure
from routebench.reporting.tables import Table
from routebench.reporting.views import ResultFiles, StudySettings

DIFFERENCES = {"arm": "tree+fts5", "comparator": "rg"}
COST_COLUMNS = ("arm", "calls", "wall_ms", "file_recall")


def costs(*rows: tuple[str, float, float, float]) -> Table:
    columns = tuple(Column(name, name) for name in COST_COLUMNS)
    return Table("c", "t", "c", columns, COST_COLUMNS, rows)


def test_repository_differences(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    """acme: +0, +0.5, +0.25 = 0.75/3; zed: +1, -1 = 0; the interval comes from statistics."""
    write_figure_files(
        query=queries / "figure-repository-differences.sql",
        files=files,
        study=study,
        output=tmp_path / "repository-differences",
        settings=DIFFERENCES,
    )
    with (tmp_path / "repository-differences.csv").open() as file:
        assert list(csv.reader(file)) == [
            ["repo", "cases", "delta", "lower", "upper"],
            ["acme/ro_cket", "3", "0.25", "", ""],
            ["zed/lib", "2", "0.0", "", ""],
            ["all", "5", "0.1131", "-0.0004", "0.168"],
        ]
    root = ET.parse(tmp_path / "repository-differences.svg").getroot()
    assert root.get("width") == "244.8pt"
    assert "study by hand" in (tmp_path / "repository-differences.svg").read_text()


def test_cost_recall(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    write_figure_files(
        query=queries / "figure-cost-recall.sql", files=files, study=study, output=tmp_path / "c"
    )
    with (tmp_path / "c.csv").open() as file:
        found = list(csv.reader(file))
    assert [row[:3] for row in found[1:]] == [
        ["rg", "0.0", "3.0"],
        ["fts5", "0.0", "3.0"],
        ["tree+fts5", "3.0", "3.0"],
    ]
    assert [float(row[3]) for row in found[1:]] == pytest.approx([0.55, 0.4, 0.7])


@pytest.mark.parametrize("name", ["repository-differences", "cost-recall"])
def test_two_runs_are_equal_whatever_the_users_settings(
    name: str,
    files: ResultFiles,
    study: StudySettings,
    queries: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import matplotlib

    for run in ("one", "two"):
        write_figure_files(
            query=queries / f"figure-{name}.sql",
            files=files,
            study=study,
            output=tmp_path / run,
            settings=DIFFERENCES,
        )
        monkeypatch.setitem(matplotlib.rcParams, "font.size", 20)
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    for suffix in (".svg", ".png", ".csv"):
        one, two = (tmp_path / f"{run}{suffix}" for run in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
        assert b"Matplotlib" not in one.read_bytes()


def test_a_study_without_contexts(
    unpacked: ResultFiles, unpacked_study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    write_figure_files(
        query=queries / "figure-repository-differences.sql",
        files=unpacked,
        study=unpacked_study,
        output=tmp_path / "figure",
        settings=DIFFERENCES,
    )
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_a_comparison_without_statistics_is_an_error(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    with pytest.raises(RoutebenchError, match="'fts5 against rg by repository': no such comp"):
        write_figure_files(
            query=queries / "figure-repository-differences.sql",
            files=files,
            study=study,
            output=tmp_path / "figure",
            settings={"arm": "fts5", "comparator": "rg"},
        )


def test_a_query_without_a_drawing_is_an_error(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    with pytest.raises(RoutebenchError, match=r"arms\.sql: no drawing; known: figure-cost-rec"):
        write_figure_files(
            query=queries / "arms.sql", files=files, study=study, output=tmp_path / "figure"
        )


def test_an_unknown_cost_is_an_error() -> None:
    with pytest.raises(RoutebenchError, match="'euros': expected one of wall_ms, calls"):
        draw_cost_recall(costs(), {"cost": "euros"})


def test_no_cases() -> None:
    with house_style():
        figure = draw_cost_recall(costs(), {})
    assert [text.get_text() for text in figure.axes[0].texts] == ["none"]


def test_signs_have_their_own_markers() -> None:
    names = ("repo", "cases", "delta", "lower", "upper")
    columns = (*(Column(name, name) for name in names[:3]), Column("lower", "i", upper="upper"))
    rows = (("a/b", 1, 0.5, None, None), ("c/d", 1, 0.0, None, None), ("e/f", 1, -0.5, None, None))
    table = Table("d", "t", "c", columns, names, (*rows, ("all", 3, 0.0, -0.5, 0.5)))
    with house_style():
        axes = draw_repository_differences(table, {"arm": "a", "comparator": "b"}).axes[0]
    markers = [line.get_marker() for line in axes.lines if line.get_marker() in tuple("osD")]
    assert markers == ["o", "D", "s", "D"]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "a/b (1)",
        "c/d (1)",
        "e/f (1)",
        "All cases (3)",
    ]


def test_free_arms_stand_at_zero() -> None:
    with house_style():
        axes = draw_cost_recall(
            costs(("rg", 0.0, 1.0, 0.2), ("tree", 10.0, 2.0, 0.4)), {"cost": "calls"}
        ).axes[0]
    assert axes.get_xscale() == "symlog"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "5", "10", "20"]


def test_labels_cover_neither_each_other_nor_points() -> None:
    points = [Label(f"an-arm-{n}", 0.5 + 0.01 * n, 0.5 + 0.015 * (n % 3)) for n in range(9)]
    with house_style():
        figure = new_figure(2.6)
        axes = figure.add_subplot()
        axes.set(xlim=(0, 1), ylim=(0, 1))
        place_labels(axes, points)
        figure.draw_without_rendering()
        # Text's own extent: an annotation's takes in its leader line.
        boxes = [Text.get_window_extent(text) for text in axes.texts]
        pixels = [axes.transData.transform((point.x, point.y)) for point in points]
    assert len(axes.texts) == len(points)
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert not any(box.contains(*pixel) for box in boxes for pixel in pixels)


def test_dollar_signs_are_no_formula() -> None:
    with house_style():
        figure = draw_cost_recall(costs(("$x_1$", 1.0, 1.0, 0.5), ("$y", 1.0, 9.0, 0.5)), {})
        figure.draw_without_rendering()
        assert not any(text.get_parse_math() for text in figure.axes[0].texts)


def test_looks_repeat_late() -> None:
    assert len({look(place) for place in range(77)}) == 77


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.5, 12, [0.5, 1, 2, 5, 10]),
        (10, 90_000, [10, 100, 1_000, 10_000]),
        (0.01, 1e6, [0.01, 1, 100, 10_000, 1e6]),
    ],
)
def test_ticks(low: float, high: float, expected: list[float]) -> None:
    assert cost_ticks(low, high) == expected


def test_a_budget_that_is_not_scored_is_an_error(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    with pytest.raises(RoutebenchError, match="budget 32000"):
        write_figure_files(
            query=queries / "figure-cost-recall.sql",
            files=files,
            study=replace(study, main_budget=32000),
            output=tmp_path / "figure",
        )
