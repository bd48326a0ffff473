"""The published study recomputed from its archive: every file-level number, every interval."""

import csv
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from routebench.evaluation.ledger import cases_from_ledger
from routebench.evaluation.scores import score_study
from routebench.statistics.compare import compare_arms
from routebench.statistics.overlap import measure_overlaps
from routebench.tables import read_rows, write_rows

pytestmark = pytest.mark.published

KS = (8, 16)
BUDGET = 16_000
ARCHIVED = {
    "tree": ("contextbench-paper-tree.json", None),
    "fts5": ("contextbench-paper-fts5.json", "first500"),
    "rg": ("contextbench-paper-rg.json", "full"),
    "flat-jev": ("contextbench-paper-flat-paths.json", None),
    "path-fts5": ("contextbench-paper-path-fts5.json", "first500"),
    "rg-feedback": ("contextbench-paper-rg-feedback.json", None),
}
STUDY = [("tree", "fts5"), ("tree", "rg"), ("tree+fts5", "fts5"), ("tree+fts5", "tree")]
POSTSTUDY = [
    ("flat-jev", "tree"),
    ("path-fts5", "fts5"),
    ("flat-jev", "fts5"),
    ("rg-feedback", "rg"),
    ("rg-feedback", "tree"),
    ("basename", "fts5"),
]
Row = dict[str, Any]


def fuse(*rankings: list[str]) -> list[str]:
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, path in enumerate(ranking, start=1):
            scores[path] += 1 / (60 + rank)
    return sorted(scores, key=lambda path: (-scores[path], path))


def archived_rankings(archive: Path) -> dict[str, dict[str, list[str]]]:
    arms = {}
    for arm, (name, mode) in ARCHIVED.items():
        results = json.loads((archive / name).read_text())["results"]
        arms[arm] = {r["id"]: r["paths"] for r in results if r.get("query_mode") == mode}
    after = json.loads((archive / "poststudy-aggregates.json").read_text())
    arms["basename"] = {row["id"]: row["paths"] for row in after["basename_rankings"]}
    arms["tree+fts5"] = {
        case_id: fuse(arms["tree"][case_id], arms["fts5"][case_id]) for case_id in arms["tree"]
    }
    return arms


def ranking_rows(rankings: Mapping[str, list[str]]) -> Iterator[Row]:
    for case_id, paths in rankings.items():
        for rank, path in enumerate(paths, start=1):
            yield {"case_id": case_id, "rank": rank, "path": path, "score": -float(rank)}


@pytest.fixture(scope="module")
def archive(published: Path) -> Path:
    return published / "paper-archive"


@pytest.fixture(scope="module")
def study(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of result tables: cases, gold, spans, exclusions, rankings, file-level scores."""
    folder = tmp_path_factory.mktemp("study")
    cases_from_ledger(
        ledger=archive / "contextbench-case-ledger.json",
        gold_audit=archive / "contextbench-paper-gold-audit.json",
        annotation_audit=archive / "contextbench-annotation-audit.json",
        cases=folder / "cases",
        gold=folder / "gold",
        spans=folder / "spans",
        exclusions=folder / "exclusions",
    )
    rankings = archived_rankings(archive)
    for arm, of_arm in rankings.items():
        write_rows(folder / arm, "rankings", ranking_rows(of_arm))
    score_study(
        cases=folder / "cases",
        gold=folder / "gold",
        rankings={arm: [folder / arm] for arm in rankings},
        contexts={},
        ks=KS,
        budgets=(),
        output=folder / "scores",
    )
    return folder


@pytest.fixture(scope="module")
def summaries(study: Path) -> dict[str, Row]:
    """Aggregates under the archive's names: arm@k/subset."""
    aligned = {case["case_id"]: case["aligned"] for case in read_rows(study / "cases", "cases")}
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in read_rows(study / "scores", "scores"):
        alignment = "aligned" if aligned[row["case_id"]] else "unaligned"
        for subset in ("all", alignment, row["repo"]):
            groups[f"{row['arm']}@{row['k']}/{subset}"].append(row)
    return {name: summarise(rows) for name, rows in groups.items()}


def summarise(rows: list[Row]) -> Row:
    return {
        "n": len(rows),
        "file_recall": np.mean([row["file_recall"] for row in rows]),
        "complete_files": sum(row["complete_files"] for row in rows),
        "complete_feasible": sum(row["gold_files"] <= row["k"] for row in rows),
        "file_precision": np.mean([row["file_precision"] for row in rows]),
        "micro": sum(row["gold_found"] for row in rows) / sum(row["gold_files"] for row in rows),
    }


def line_scores(archive: Path, study: Path, name: str) -> Iterator[Row]:
    """Rows of the table scores with the line recall that the archive gives."""
    with (archive / name).open() as file:
        lines = {(r["id"], r["arm"], int(r["k"])): r for r in csv.DictReader(file)}
    for row in read_rows(study / "scores", "scores"):
        if found := lines.get((row["case_id"], row["arm"], row["k"])):
            yield {**row, "budget": BUDGET, "line_recall": float(found["line_recall_16k"])}


def statistics(study: Path, scores: Path, pairs: list[tuple[str, str]]) -> dict[str, Row]:
    output = scores.with_suffix(".statistics")
    compare_arms(
        scores=scores,
        cases=study / "cases",
        comparisons=pairs,
        seed=0,
        resamples=10_000,
        output=output,
    )
    return {
        f"{row['comparison']}@{row['k']}/{row['metric']}/{row['subset']}": row
        for row in read_rows(output, "statistics")
    }


def assert_interval(ours: Row, archived: Mapping[str, Any]) -> None:
    assert ours["n_cases"] == archived["n_cases"]
    assert ours["n_clusters"] == archived["n_repositories"]
    for column, name in (("delta", "mean_delta"), ("lower", "lower_95"), ("upper", "upper_95")):
        assert ours[column] == pytest.approx(archived[name], rel=0, abs=1e-12)


def test_archive_holds_82_cases_and_the_published_audit_counts(study: Path) -> None:
    cases = read_rows(study / "cases", "cases")
    spans = [row["alignment"] for row in read_rows(study / "spans", "spans")]
    assert (len(cases), sum(case["aligned"] for case in cases)) == (82, 55)
    assert sum(case["gold_files"] for case in cases) == 391
    assert len(read_rows(study / "exclusions", "exclusions")) == 5
    assert (len(spans), spans.count("aligned")) == (991, 940)
    assert spans.count("text_elsewhere_in_file") == 20
    assert spans.count("text_not_found_in_file") == 31


def test_all_study_summaries_equal_the_archive(archive: Path, summaries: dict[str, Row]) -> None:
    published = json.loads((archive / "study-aggregates.json").read_text())["summary"]
    assert len(published) == 112
    for name, expected in published.items():
        ours = summaries[name]
        for counted in ("n", "complete_files", "complete_feasible"):
            assert ours[counted] == expected[counted], name
        for mean in ("file_recall", "file_precision"):
            assert ours[mean] == pytest.approx(expected[mean], rel=0, abs=1e-12), name


def test_all_poststudy_summaries_equal_the_archive(
    archive: Path, summaries: dict[str, Row]
) -> None:
    published = json.loads((archive / "poststudy-aggregates.json").read_text())["summary"]
    assert len(published) == 16
    for name, expected in published.items():
        ours = summaries[f"{name}/all"]
        assert ours["complete_files"] == expected["complete_files"], name
        for mean, of_archive in (
            ("file_recall", "macro_file_recall"),
            ("micro", "micro_file_recall"),
        ):
            assert ours[mean] == pytest.approx(expected[of_archive], rel=0, abs=1e-12), name


def test_ceilings_of_completeness(summaries: dict[str, Row]) -> None:
    assert summaries["tree@8/all"]["complete_feasible"] == 66
    assert summaries["tree@16/all"]["complete_feasible"] == 80


def test_file_recall_intervals_equal_the_archive(archive: Path, study: Path) -> None:
    ours = statistics(study, study / "scores", STUDY + POSTSTUDY)
    compared = 0
    for name in ("study-aggregates.json", "poststudy-aggregates.json"):
        for pair, archived in json.loads((archive / name).read_text())["paired"].items():
            if pair.endswith("/file_recall"):
                assert_interval(ours[f"{pair}/all"], archived)
                compared += 1
    assert compared == 8 + 12


@pytest.mark.parametrize(
    ("scores", "aggregates", "pairs"),
    [
        ("study-scores.csv", "study-aggregates.json", STUDY),
        ("poststudy-scores.csv", "poststudy-aggregates.json", POSTSTUDY),
    ],
)
def test_line_recall_intervals_equal_the_archive(
    archive: Path, study: Path, tmp_path: Path, scores: str, aggregates: str, pairs: Any
) -> None:
    names = ["study-scores.csv", "poststudy-scores.csv"]
    rows = [row for name in names for row in line_scores(archive, study, name)]
    write_rows(tmp_path / "scores", "scores", rows)
    ours = statistics(study, tmp_path / "scores", pairs)
    compared = 0
    for pair, archived in json.loads((archive / aggregates).read_text())["paired"].items():
        if "line_recall" in pair:
            contrast, _, subset = pair.partition("/line_recall_16k")
            assert_interval(ours[f"{contrast}/line_recall/{subset[1:] or 'all'}"], archived)
            compared += 1
    assert compared == len(pairs) * len(KS) * 2


def test_sign_flip_and_wins(archive: Path, study: Path) -> None:
    ours = statistics(study, study / "scores", STUDY)
    tree, fused = ours["tree-fts5@8/file_recall/all"], ours["tree+fts5-tree@8/file_recall/all"]
    published = json.loads((archive / "poststudy-aggregates.json").read_text())
    assert tree["p"] == published["cluster_sign_flip_tree_fts5_at8"]["two_sided_p"] == 0.0078125
    assert (tree["wins"], tree["losses"], tree["ties"]) == (33, 15, 34)
    assert (fused["wins"], fused["losses"], fused["ties"]) == (20, 13, 49)


def test_directory_subgroups(study: Path) -> None:
    ours = statistics(study, study / "scores", STUDY)
    several = ours["tree-fts5@8/file_recall/several_directories"]
    one = ours["tree-fts5@8/file_recall/one_directory"]
    assert (several["n_cases"], round(several["delta"], 3)) == (47, 0.027)
    assert (one["n_cases"], round(one["delta"], 3)) == (35, 0.229)


def test_unique_gold_counts(archive: Path, study: Path) -> None:
    measure_overlaps(
        gold=study / "gold",
        rankings={arm: [study / arm] for arm in ("tree", "fts5", "rg")},
        comparisons=[
            ("tree", ["fts5"]),
            ("fts5", ["tree"]),
            ("tree", ["rg"]),
            ("rg", ["tree"]),
            ("tree", ["fts5", "rg"]),
            ("tree", []),
        ],
        ks=KS,
        output=study / "overlaps",
    )
    rows = {
        (row["arm"], *row["comparators"], row["k"]): (row["unique_gold"], row["unique_cases"])
        for row in read_rows(study / "overlaps", "overlaps")
    }
    assert rows["tree", "fts5", 8] == (61, 40)
    assert rows["fts5", "tree", 8][0] == 34
    assert rows["tree", "rg", 8] == (82, 49)
    assert rows["rg", "tree", 8][0] == 29
    assert rows["tree", "fts5", "rg", 8] == (57, 37)
    assert rows["tree", 8][0] == 108
    published = json.loads((archive / "study-aggregates.json").read_text())["unique"]["16"]
    assert rows["tree", "fts5", 16] == (
        published["tree_only_gold"],
        published["tree_adds_gold_cases"],
    )
    assert rows["rg", "tree", 16][0] == published["rg_only_gold"]


def test_flags_of_what_the_issue_names(published: Path, archive: Path, tmp_path: Path) -> None:
    """Texts of 42 cases are public; the archive's per-case table says what they name."""
    import pyarrow.parquet as pq

    table = pq.read_table(published / "contextbench" / "paper_cases_partial.parquet")
    ids, texts = (table[name].to_pylist() for name in ("instance_id", "problem_statement"))
    cases_from_ledger(
        ledger=archive / "contextbench-case-ledger.json",
        gold_audit=archive / "contextbench-paper-gold-audit.json",
        annotation_audit=archive / "contextbench-annotation-audit.json",
        queries=dict(zip(ids, texts, strict=True)),
        **{name: tmp_path / name for name in ("cases", "gold", "spans", "exclusions")},
    )
    ours = {case["case_id"]: case for case in read_rows(tmp_path / "cases", "cases")}
    with (archive / "study-cases.csv").open() as file:
        for row in csv.DictReader(file):
            case = ours[row["id"]]
            assert case["gold_files"] == int(row["gold_files"])
            assert case["gold_spans"] == int(row["gold_spans"])
            assert case["aligned"] == (row["gold_text_aligned"] == "1")
            assert case["several_directories"] == (row["gold_spans_multiple_directories"] == "1")
            if row["id"] in ids:
                assert len(case["query"]) == int(row["query_chars"])
                assert case["names_gold_path"] == (row["issue_mentions_gold_path"] == "1")
                assert case["names_gold_file"] == (row["issue_mentions_gold_basename"] == "1")
            else:
                assert (case["query"], case["names_gold_path"]) == ("", None)
