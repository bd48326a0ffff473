from pathlib import Path

import pytest

from routebench.errors import RoutebenchError
from routebench.verification.published import PublishedValues

MEASURES = """
measures:
  recall: {of: scores, take: mean, value: file_recall}
  n: {of: scores, take: count}
"""
PAPER = """
tables:
  - name: Table 2
    source: paper
    where: {k: 8}
    columns:
      File: {measure: recall}
      Full: {measure: [n, n], where: {aligned: true}}
    rows:
      Tree: {where: {arm: tree}, cells: ["0.465", "25/82"]}
sections:
  - name: Text
    source: paper
    reason: not archived
    items:
      - {row: pilot, column: recall, printed: "0.476"}
      - {row: gain, column: recall, printed: "+0.078", measure: recall, minus: {arm: fts5}}
"""
CASES = """
tables:
  - name: Case scores
    source: archive
    exact: true
    file: scores.csv
    keys: [case_id, arm]
    columns: {recall@8: {measure: recall, where: {k: 8}}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "measures.yaml").write_text(MEASURES)
    (tmp_path / "paper.yaml").write_text(PAPER)
    (tmp_path / "aggregates.yaml").write_text("tables: []\n")
    (tmp_path / "cases.yaml").write_text(CASES)
    (tmp_path / "scores.csv").write_text("case_id,arm,recall@8\nc1,tree,0.5\nc2,tree,\n")
    return tmp_path


def test_a_cell_is_found_by_table_row_and_column(folder: Path) -> None:
    file, first, second, *_ = PublishedValues(folder).claims
    assert (file.table, file.row, file.column, file.printed) == ("Table 2", "Tree", "File", "0.465")
    assert file.rows.where == {"k": 8, "arm": "tree"}
    assert (first.column, first.printed) == ("Full: n", "25")
    assert (second.column, second.printed) == ("Full: n", "82")
    assert second.rows.where == {"k": 8, "arm": "tree", "aligned": True}


def test_an_item_has_a_measure_or_the_reason_of_its_section(folder: Path) -> None:
    pilot, gain = PublishedValues(folder).claims[3:5]
    assert (pilot.measure, pilot.reason) == (None, "not archived")
    assert gain.measure is not None
    assert (gain.reason, gain.rows.minus) == ("", {"arm": "fts5"})


def test_rows_of_a_csv_file_are_conditions_and_empty_cells_no_claims(folder: Path) -> None:
    (score,) = (c for c in PublishedValues(folder).claims if c.table == "Case scores")
    assert (score.row, score.printed, score.exact) == ("c1 tree", "0.5", True)
    assert score.rows.where == {"case_id": "c1", "arm": "tree", "k": 8}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"25/82"', '"25"', "1 numbers in '25', but measures"),
        ('["0.465", "25/82"]', '["0.465"]', "expected a cell for each column"),
        ("measure: recall}", "measure: recal}", "no measure 'recal' in measures.yaml"),
        ("source: paper\n    where", "sauce: paper\n    where", "paper.yaml: tables.0"),
    ],
)
def test_wrong_values_are_refused(folder: Path, old: str, new: str, message: str) -> None:
    (folder / "paper.yaml").write_text(PAPER.replace(old, new, 1))
    with pytest.raises(RoutebenchError, match=message.replace("[", r"\[")):
        _ = PublishedValues(folder).claims
