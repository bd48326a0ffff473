"""The paper's tables and figures by SQL, cell by cell as published."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from routebench.reporting.figures import draw_cost_recall, draw_repository_differences
from routebench.reporting.queries import read_query
from routebench.reporting.style import house_style, save
from routebench.reporting.tables import Table, display, evaluate, write_tables
from routebench.reporting.views import open_results, values

pytestmark = pytest.mark.published

ROOT = Path(__file__).parents[2]
QUERIES = ROOT / "workflow" / "queries"
PAPER = yaml.safe_load((ROOT / "workflow" / "pins" / "published" / "paper.yaml").read_text())
TABLES = {table["name"]: table for table in PAPER["tables"]}
DASH = "–"


def evaluated(study: Any, name: str) -> Table:
    with open_results(study.results, study.settings, {"k": 8}) as connection:
        words = values(connection, study.settings, {"k": 8})
        return evaluate(read_query(QUERIES / f"{name}.sql").filled(words), connection)


def shown(study: Any, number: int) -> dict[str, list[str]]:
    """The rows of a table as displayed, by their label."""
    table = display(evaluated(study, f"paper-table-{number}"))
    cells = [[cell.text for cell in row] for row in table.rows]
    if table.headings[0] == "Arms":
        cells = [row[1:] for row in cells]
    return {row[0].replace(DASH, "--"): row[1:] for row in cells}


def published(number: int, *, file_level: bool) -> dict[str, list[str]]:
    table = TABLES[f"Table {number}"]
    kept = [
        place
        for place, heading in enumerate(table["columns"])
        if not (file_level and heading.startswith("L"))
    ]
    return {name: [row["cells"][p] for p in kept] for name, row in table["rows"].items()}


@pytest.mark.parametrize("number", [2, 4, 6, 7, 9])
def test_cells_and_their_order_are_the_papers(archive_study: Any, number: int) -> None:
    ours, theirs = shown(archive_study, number), published(number, file_level=True)
    assert ours == theirs
    assert list(ours) == list(theirs)


def test_tables_are_written_in_every_format(archive_study: Any, tmp_path: Path) -> None:
    queries = sorted(QUERIES.glob("paper-table-*.sql"))
    write_tables(
        queries=queries,
        files=archive_study.results,
        study=archive_study.settings,
        folder=tmp_path,
    )
    assert len(list(tmp_path.iterdir())) == 5 * 3
    assert "+0.113 {[}0.053, 0.168]" in (tmp_path / "paper-table-4.tex").read_text()


def test_figure_2_has_the_papers_repositories_in_its_order(
    archive_study: Any, tmp_path: Path
) -> None:
    table = evaluated(archive_study, "figure-paper-2")
    assert list(table.column("repo")) == [*TABLES["Figure 2"]["rows"], "all"]
    deltas = dict(zip(table.column("repo"), table.column("delta"), strict=True))
    assert sum(float(str(delta)) > 0 for delta in deltas.values()) == 9 + 1
    assert deltas["VS Code"] == 0
    with house_style():
        settings = {"arm": "tree", "comparator": "fts5"}
        figure = draw_repository_differences(table, settings)
        save(figure, tmp_path / "figure", title=table.title, provenance="")
    assert (tmp_path / "figure.svg").stat().st_size > 10_000


def test_figure_3_has_calls_against_recall(archive_study: Any, tmp_path: Path) -> None:
    table = evaluated(archive_study, "figure-paper-3")
    points = [(arm, round(x, 1), round(y, 3)) for arm, x, y in table.rows]
    assert points == [("FTS5", 0, 0.352), ("Tree Jev", 8.9, 0.465), ("Flat Jev", 24.6, 0.572)]
    with house_style():
        figure = draw_cost_recall(table, {"cost": "calls"})
        save(figure, tmp_path / "figure", title=table.title, provenance="")
    assert (tmp_path / "figure.png").stat().st_size > 1_000
