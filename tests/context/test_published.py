"""Real cases on repository mirrors: packed contexts and line scores equal the archive's."""

import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from routebench.context.build import pack_repository
from routebench.corpus.snapshots import build_corpus
from routebench.datasets.cohort_files import write_cohort
from routebench.datasets.contextbench import load_contextbench
from routebench.evaluation.audit import audit_repository
from routebench.evaluation.cases import gather_cases
from routebench.evaluation.scores import score_study
from routebench.records import Case, repository_slug
from routebench.tables import read_rows, write_rows

pytestmark = [pytest.mark.mirrors, pytest.mark.published]

REPOSITORIES = ("clap-rs/clap", "cli/cli", "ponylang/ponyc", "NodeBB/NodeBB", "ansible/ansible")
ARMS = ("tree", "fts5", "rg", "tree+fts5")
KS = (8, 16)
BUDGET = 16_000
Row = dict[str, Any]


class Corpus(NamedTuple):
    """Cases of one repository and its corpus, in one folder."""

    cases: list[Case]
    folder: Path


def archived_rankings(archive: Path) -> dict[str, dict[str, list[str]]]:
    sources = {"tree": ("tree", None), "fts5": ("fts5", "first500"), "rg": ("rg", "full")}
    arms = {}
    for arm, (name, mode) in sources.items():
        results = json.loads((archive / f"contextbench-paper-{name}.json").read_text())["results"]
        arms[arm] = {r["id"]: r["paths"] for r in results if r.get("query_mode") == mode}
    arms["tree+fts5"] = {
        case_id: fuse(arms["tree"][case_id], arms["fts5"][case_id]) for case_id in arms["tree"]
    }
    return arms


def fuse(*rankings: list[str]) -> list[str]:
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, path in enumerate(ranking, start=1):
            scores[path] += 1 / (60 + rank)
    return sorted(scores, key=lambda path: (-scores[path], path))


def ranking_rows(rankings: dict[str, list[str]], cases: list[Case]) -> Iterator[Row]:
    for case in cases:
        for rank, path in enumerate(rankings[case.case_id], start=1):
            yield {"case_id": case.case_id, "rank": rank, "path": path, "score": -float(rank)}


def make_corpus(cases: list[Case], git_url: str, folder: Path) -> Corpus:
    owner, name = cases[0].repo.split("/")
    url = git_url.format(repo=cases[0].repo, owner=owner, name=name)
    missing = build_corpus(
        Path(url.removeprefix("file://")),
        [case.base_commit for case in cases],
        snapshots=folder / "snapshots",
        blobs=folder / "blobs",
    )
    assert not missing
    write_rows(folder / "issues", "issues", (asdict(case.issue) for case in cases))
    return Corpus(cases, folder)


def audit(corpus: Corpus, **published: Path) -> dict[str, list[Row]]:
    folder, repo = corpus.folder, corpus.cases[0].repo
    write_cohort(
        corpus.cases,
        [],
        folder=folder / "cohort",
        issues=folder / "all_issues",
        commits=folder / "commits",
        left_out=folder / "left_out",
    )
    cohort = folder / "cohort" / f"{repository_slug(repo)}.parquet"
    audit_repository(
        cohort=cohort,
        repo=repo,
        snapshots=folder / "snapshots",
        blobs=folder / "blobs",
        output=folder / "spans",
    )
    outputs = ("cases", "gold", "exclusions")
    gather_cases(
        cohort=[cohort],
        spans=[folder / "spans"],
        exclusions_in=folder / "left_out",
        **{name: folder / name for name in outputs},
        **published,
    )
    return {name: read_rows(folder / name, name) for name in (*outputs, "spans")}


@pytest.fixture(scope="module")
def published_cases(published: Path) -> dict[str, list[Case]]:
    loaded = load_contextbench(published / "contextbench" / "paper_cases_partial.parquet")
    by_repository = defaultdict(list)
    for case in loaded.cases:
        by_repository[case.repo].append(case)
    return by_repository


@pytest.fixture(scope="module", params=REPOSITORIES)
def corpus(
    request: pytest.FixtureRequest,
    published_cases: dict[str, list[Case]],
    git_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Corpus:
    folder = tmp_path_factory.mktemp("repository")
    return make_corpus(published_cases[request.param], git_url, folder)


def test_audit_flags_and_clipped_ends(corpus: Corpus, published: Path) -> None:
    archive = published / "paper-archive"
    ours = audit(corpus, published_audit=archive / "contextbench-paper-gold-audit.json")
    assert ours["exclusions"] == []
    with (archive / "study-cases.csv").open() as file:
        archived = {row["id"]: row for row in csv.DictReader(file)}
    assert len(ours["cases"]) == len(corpus.cases)
    for case in ours["cases"]:
        row = archived[case["case_id"]]
        assert case["clipped_spans"] == int(row["clipped_gold_ends"])
        assert case["gold_spans"] == int(row["gold_spans"])
        assert case["aligned"] == (row["gold_text_aligned"] == "1")
        assert case["names_gold_path"] == (row["issue_mentions_gold_path"] == "1")
        assert case["names_gold_file"] == (row["issue_mentions_gold_basename"] == "1")


def test_line_recall_and_context_tokens(
    corpus: Corpus, published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, folder = published / "paper-archive", corpus.folder
    audit(corpus)
    for arm, rankings in archived_rankings(archive).items():
        write_rows(folder / f"{arm}.ranking", "rankings", ranking_rows(rankings, corpus.cases))
    pack_repository(
        issues=folder / "issues",
        rankings={arm: folder / f"{arm}.ranking" for arm in ARMS},
        snapshots=folder / "snapshots",
        blobs=folder / "blobs",
        outputs={arm: folder / f"{arm}.contexts" for arm in ARMS},
        ks=KS,
        budgets=(BUDGET, 8_000),
    )
    score_study(
        cases=folder / "cases",
        gold=folder / "gold",
        rankings={arm: [folder / f"{arm}.ranking"] for arm in ARMS},
        contexts={arm: [folder / f"{arm}.contexts"] for arm in ARMS},
        ks=KS,
        budgets=(BUDGET,),
        output=folder / "scores",
    )
    with (archive / "study-scores.csv").open() as file:
        archived = {(r["id"], r["arm"], int(r["k"])): r for r in csv.DictReader(file)}
    scores = read_rows(folder / "scores", "scores")
    assert len(scores) == len(corpus.cases) * len(ARMS) * len(KS)
    for row in scores:
        expected = archived[row["case_id"], row["arm"], row["k"]]
        assert row["context_tokens"] == int(expected["context_tokens_16k"])
        assert row["line_recall"] == pytest.approx(float(expected["line_recall_16k"]), abs=1e-12)
        assert row["complete_lines"] == (expected["complete_lines_16k"] == "1")
        assert row["file_recall"] == pytest.approx(float(expected["file_recall"]), abs=1e-12)
    with capsys.disabled():
        print(
            f"\n{corpus.cases[0].repo}: {len(scores)} contexts of {len(corpus.cases)} cases equal"
        )


def test_alignment_of_annotated_spans(published: Path, git_url: str, tmp_path: Path) -> None:
    """One case of the archived audit has its annotated text in the pinned 50-row file.

    That file also has a cli/cli case of the study, but annotates other spans.
    """
    archive = published / "paper-archive"
    results = json.loads((archive / "contextbench-paper-gold-audit.json").read_text())["results"]
    archived = defaultdict(list)
    for row in results:
        archived[row["id"]].append((row["path"], row["start_line"], row["aligned"]))
    pinned = load_contextbench(published / "contextbench" / "contextbench_verified_test.parquet")
    cases = [c for c in pinned.cases if c.repo == "NodeBB/NodeBB" and c.case_id in archived]
    assert len(cases) == 1
    ours = audit(make_corpus(cases, git_url, tmp_path))["spans"]
    found = [(row["path"], row["start_line"], row["aligned"]) for row in ours]
    assert found == archived[cases[0].case_id]
