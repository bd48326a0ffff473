"""The published study from its archive: every number that needs no repository."""

import csv
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from routebench.errors import RoutebenchError
from routebench.tables import read_rows, write_rows
from routebench.verification.verify import check_differences, published_pins

pytestmark = pytest.mark.published

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "workflow" / "pins" / "published"
BUDGET = 16_000
Row = dict[str, Any]

# Numbers of each table that paper-archive computes, all of them equal; the rest is line-level,
# or of issue texts and sources that the archive does not hold.
COMPARABLE = {
    "Table 1": 14,
    "Table 2": 24,
    "Table 4": 24,
    "Table 6": 3,
    "Table 7": 44,
    "Table 9": 16,
    "Figure 2": 11,
    "Abstract": 20,
    "Task and data": 8,
    "Equal-budget retrieval": 37,
    "Delivered context": 18,
    "Repository variation": 12,
    "Operational cost": 19,
    "Post-review controls": 21,
    "Illustrative cases": 6,
    "Study summary": 560,
    "Study paired": 40,
    "Study unique gold": 14,
    "Study cohort": 3,
    "Post-study summary": 80,
    "Post-study paired": 60,
    "Post-study sign flip": 2,
    "Post-study flat operations": 4,
    "Post-study rg-feedback operations": 2,
    "Case flags": 328,
    "Case scores": 1312,
    "Case ledger": 169,
    "Rankings": 738,
}


@pytest.fixture(scope="module")
def rows(archive_study: Any) -> list[Row]:
    different, rows = archive_study.verify()
    assert different == 0
    return rows


@pytest.fixture
def study(archive_study: Any, tmp_path: Path) -> Any:
    """A copy of the study that a test may change."""
    return archive_study.copy(tmp_path / "study")


def differing(rows: list[Row]) -> list[tuple[str, str, str]]:
    return [(r["table"], r["row"], r["column"]) for r in rows if r["status"] == "different"]


def test_every_comparable_number_is_equal(rows: list[Row]) -> None:
    equal = Counter(row["table"] for row in rows if row["status"] == "equal")
    assert dict(equal) == COMPARABLE
    assert not differing(rows)


def test_what_is_not_comparable_has_a_reason(rows: list[Row]) -> None:
    reasons = {row["reason"] for row in rows if row["status"] == "not comparable"}
    assert reasons == {
        "line-level: needs the repositories, this study packs no contexts",
        "needs the issue texts, which the archive does not hold",
        "needs the source, which the archive does not hold",
        "the pilot's cases and rankings are not in the published archive",
        "the stopped pass over the larger cohort is not in the published archive",
        "the base commits of the excluded cases are not in the published archive",
    }


def test_rows_show_the_printed_number_and_ours_in_full(rows: list[Row]) -> None:
    by_place = {(row["table"], row["row"], row["column"]): row for row in rows}
    tree = by_place["Table 2", "Name-only tree", "File@8"]
    assert (tree["published"], tree["rounded"]) == ("0.465", "0.465")
    assert float(tree["ours"]) == pytest.approx(0.464723383625823, abs=1e-15)
    lower = by_place["Table 4", "Fusion -- tree", "File@8: lower"]
    assert (lower["published"], lower["rounded"]) == ("-0.013", "-0.013")
    named = by_place["Repository variation", "issue names a gold path", "tree minus fts5"]
    assert named["reason"] == "names_gold_path as published: no issue texts"


def test_one_changed_path_of_one_ranking_is_found(study: Any) -> None:
    """No score moves: the path is no gold file. Only the list differs."""
    case_id = "SWE-PolyBench__python__maintenance__bugfix__b01e9113"
    study.change("tree.rankings", "rankings", lambda row: with_other_path(row, case_id, rank=2))
    different, rows = study.verify()
    assert different == 1
    assert differing(rows) == [("Rankings", case_id, "tree")]
    with pytest.raises(RoutebenchError, match="1 published number differs, first Rankings"):
        check_differences(study.folder / "verify.csv")


def test_a_lost_gold_file_is_found_in_every_number_it_moves(study: Any) -> None:
    case_id = "Multi-SWE-Bench__go__maintenance__bugfix__3d1b3145"
    study.change("tree.rankings", "rankings", lambda row: with_other_path(row, case_id, rank=8))
    study.score()
    different, rows = study.verify()
    found = differing(rows)
    assert different == len(found) > 20
    assert ("Illustrative cases", "cli/cli status.go", "rank by tree") in found
    assert ("Table 2", "Name-only tree", "File@8") in found
    assert ("Table 7", "GitHub CLI", "Tree recall@8") in found
    assert ("Case scores", f"{case_id} tree", "file_recall@8") in found


def with_other_path(row: Row, case_id: str, *, rank: int) -> Row:
    return {**row, "path": "other.py"} if (row["case_id"], row["rank"]) == (case_id, rank) else row


@pytest.mark.parametrize(
    ("file", "old", "new", "place"),
    [
        ("paper.yaml", '"0.465", "25/82"', '"0.466", "25/82"', "Name-only tree"),
        ("aggregates.yaml", "[11, 0.0078125]", "[11, 0.0078126]", "tree-fts5@8"),
        ("aggregates.yaml", "0.35163857145564464", "0.35163857345564464", "fts5@8/all"),
    ],
)
def test_one_changed_published_digit_is_found(
    study: Any, tmp_path: Path, file: str, old: str, new: str, place: str
) -> None:
    folder = tmp_path / "published"
    shutil.copytree(PUBLISHED, folder)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    different, rows = study.verify(folder)
    assert different == 1
    assert [row for _, row, _ in differing(rows)] == [place]


def test_an_exclusion_for_another_reason_is_found(study: Any) -> None:
    study.change("exclusions", "exclusions", lambda row: {**row, "reason": "too large"})
    different, rows = study.verify()
    assert different == 5
    assert {(table, column) for table, _, column in differing(rows)} == {
        ("Case ledger", "excluded")
    }


def test_missing_repositories_leave_single_cases_and_other_repositories(study: Any) -> None:
    """As where two repositories cannot be had: their cases are out before the audit."""
    gone = {"ansible/ansible", "sympy/sympy"}
    out = [row for row in read_rows(study.results.cases, "cases") if row["repo"] in gone]
    study.change("cases", "cases", lambda row: None if row["repo"] in gone else row)
    exclusions = read_rows(study.results.exclusions, "exclusions")
    exclusions += [exclusion(row, "repository") for row in out]
    write_rows(study.results.exclusions, "exclusions", exclusions)
    study.score()
    different, rows = study.verify()
    assert different == 0
    by_place = {(row["table"], row["row"], row["column"]): row for row in rows}
    whole = by_place["Table 2", "Name-only tree", "File@8"]
    assert whole["status"] == "not comparable"
    assert whole["reason"] == "16 of 82 cases are missing: ansible/ansible 8, sympy/sympy 8"
    assert by_place["Table 7", "GitHub CLI", "Tree recall@8"]["status"] == "equal"
    equal = Counter(row["table"] for row in rows if row["status"] == "equal")
    assert equal["Case scores"] == 66 * 8 * 2
    assert equal["Rankings"] == 66 * 9


def exclusion(case: Row, stage: str) -> Row:
    return {"case_id": case["case_id"], "repo": case["repo"], "stage": stage, "reason": "no mirror"}


def test_a_case_that_only_our_audit_excludes_is_a_difference(study: Any) -> None:
    case = read_rows(study.results.cases, "cases")[0]
    study.change("cases", "cases", lambda row: None if row == case else row)
    exclusions = read_rows(study.results.exclusions, "exclusions")
    write_rows(study.results.exclusions, "exclusions", [*exclusions, exclusion(case, "audit")])
    study.score()
    different, rows = study.verify()
    assert different > 0
    assert ("Case ledger", case["case_id"], "base_commit") in differing(rows)


def test_line_level_numbers_of_the_published_cases(study: Any) -> None:
    """With the published line scores of each case, every line-level number is equal too."""
    with (PUBLISHED / "case-scores.csv").open(newline="") as file:
        lines = {(row["case_id"], row["arm"]): row for row in csv.DictReader(file)}
    study.change("scores", "scores", lambda row: with_lines(row, lines))
    study.compare()
    different, rows = study.verify()
    assert (different, differing(rows)) == (0, [])
    equal = Counter(row["table"] for row in rows if row["status"] == "equal")
    assert (equal["Table 2"], equal["Table 4"], equal["Table 9"]) == (32, 36, 24)
    assert (equal["Study summary"], equal["Study paired"]) == (896, 120)
    assert (equal["Post-study summary"], equal["Post-study paired"]) == (128, 180)
    assert equal["Delivered context"] == 36
    assert equal["Case scores"] == 4592


def with_lines(row: Row, lines: dict[tuple[str, str], dict[str, str]]) -> Row:
    found = lines.get((row["case_id"], row["arm"]))
    if not found:
        return row
    k = row["k"]
    return {
        **row,
        "budget": BUDGET,
        "line_recall": float(found[f"line_recall@{k}"]),
        "complete_lines": found[f"complete_lines@{k}"] == "1",
        "context_tokens": int(found[f"context_tokens@{k}"] or 0),
    }


def test_the_pinned_files_are_named() -> None:
    pins = yaml.safe_load((ROOT / "workflow" / "pins" / "files.yaml").read_text())["files"]
    assert set(published_pins(PUBLISHED)) <= {pin["name"] for pin in pins}


def test_the_summary_is_readable(archive_study: Any, rows: list[Row]) -> None:
    check_differences(archive_study.folder / "verify.csv")
    text = (archive_study.folder / "verify.md").read_text()
    assert text.startswith("# Published numbers beside those of paper-archive\n")
    assert f"{sum(COMPARABLE.values())} equal, 0 different, " in text
    assert "## Differences\n\nNone.\n" in text
