"""Our rankings against the published ones (METHODS D3, R1-R5, R7)."""

import csv
import json
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest

from routebench.arms.base import Resources
from routebench.arms.registry import create_ranker, parse_parameters
from routebench.arms.ties import same_up_to_ties
from routebench.corpus.materialize import write_blob_files
from routebench.corpus.mirror import mirror_path, update_mirror
from routebench.corpus.snapshots import build_corpus
from routebench.corpus.store import BlobStore, open_snapshot, order_commits
from routebench.records import Issue

WHOLE = 10**9
FTS5, PATH_FTS5, RG = (f"contextbench-paper-{n}.json" for n in ("fts5", "path-fts5", "rg"))
FEEDBACK, AGGREGATES = "contextbench-paper-rg-feedback.json", "poststudy-aggregates.json"


class Published(NamedTuple):
    """An arm of ours and where its ranking was published."""

    kind: str
    parameters: dict
    file: str
    chosen: dict
    exact: bool = True


ARMS = {
    "fts5": Published("fts5", {}, FTS5, {"query_mode": "first500"}),
    "fts5-full": Published("fts5", {"query_characters": None}, FTS5, {"query_mode": "full"}),
    "path-fts5": Published("fts5", {"columns": ["path"]}, PATH_FTS5, {"query_mode": "first500"}),
    "basename": Published("basename", {}, AGGREGATES, {"entries": "basename_rankings"}),
    "rg": Published("ripgrep", {}, RG, {"query_mode": "full"}, exact=False),
    "rg-first500": Published(
        "ripgrep", {"query_characters": 500}, RG, {"query_mode": "first500"}, exact=False
    ),
    "rg-feedback": Published("ripgrep-feedback", {}, FEEDBACK, {}, exact=False),
}
REPOSITORIES = ["clap-rs/clap", "cli/cli", "ponylang/ponyc", "NodeBB/NodeBB", "ansible/ansible"]


def archive_ranker(published, file, **chosen):
    resources = Resources(pins={"pin": published / "paper-archive" / file})
    return create_ranker("archive", parse_parameters("archive", {"pin": "pin"} | chosen), resources)


@pytest.fixture(scope="module")
def ledger(published):
    text = (published / "paper-archive" / "contextbench-case-ledger.json").read_text()
    return json.loads(text)["cases"]


def issue(case):
    return Issue(case["id"], case["repo"], case["base_commit"], "")


@pytest.mark.published
@pytest.mark.parametrize(
    ("file", "chosen"),
    [(arm.file, arm.chosen) for arm in ARMS.values()]
    + [("contextbench-paper-tree.json", {"variant": "wide"})]
    + [("contextbench-paper-flat-paths.json", {})],
)
def test_every_archive_has_a_ranking_of_each_of_the_82_cases(published, ledger, file, chosen):
    arm = archive_ranker(published, file, **chosen)
    answers = [arm.rank(issue(case), None, 16) for case in ledger]
    assert len(answers) == 82
    assert all(len(answer.ranking) <= 16 for answer in answers)
    assert sum(len(answer.ranking) > 0 for answer in answers) >= 79


@pytest.mark.published
def test_fusion_of_the_archived_lists_has_the_published_file_recall(published, ledger):
    cases = [issue(case) for case in ledger]
    sources = {
        "tree": archive_ranker(published, "contextbench-paper-tree.json"),
        "fts5": archive_ranker(published, FTS5, query_mode="first500"),
    }
    rankings = {
        name: {case.case_id: arm.rank(case, None, 16).ranking for case in cases}
        for name, arm in sources.items()
    }
    parameters = parse_parameters("rrf", {"sources": ["tree", "fts5"]})
    fused = create_ranker("rrf", parameters, Resources(rankings=rankings))
    with (published / "paper-archive" / "study-scores.csv").open() as file:
        expected = {
            (row["id"], int(row["k"])): float(row["file_recall"])
            for row in csv.DictReader(file)
            if row["arm"] == "tree+fts5"
        }
    recall = {}
    for case, entry in zip(cases, ledger, strict=True):
        gold = {span["path"] for span in entry["gold"]}
        for k in (8, 16):
            found = gold & {item.path for item in fused.rank(case, None, k).ranking}
            recall[case.case_id, k] = len(found) / len(gold)
    assert len(expected) == 2 * 82
    assert recall == pytest.approx(expected, abs=1e-12)


@pytest.fixture(scope="module", params=REPOSITORIES)
def real(request, published, git_url, tmp_path_factory):
    """The issues of a repository, in an order that keeps changes small, and its snapshots."""
    folder = tmp_path_factory.mktemp("real")
    rows = pq.read_table(published / "contextbench" / "paper_cases_partial.parquet").to_pylist()
    issues = [
        Issue(row["instance_id"], row["repo"], row["base_commit"], row["problem_statement"])
        for row in rows
        if row["repo"] == request.param
    ]
    commits = [issue.base_commit for issue in issues]
    record = update_mirror(request.param, commits, url_template=git_url, folder=folder)
    if not record.available:
        pytest.skip(f"no mirror of {request.param}: {record.reason}")
    mirror, snapshots = mirror_path(folder, request.param), folder / "snapshots"
    missing = build_corpus(mirror, commits, snapshots=snapshots, blobs=folder / "blobs.parquet")
    assert not missing
    write_blob_files(mirror, folder / "blobs.parquet", folder / "files")
    store, order = BlobStore(folder / "blobs.parquet"), order_commits(snapshots)
    issues.sort(key=lambda issue: order.index(issue.base_commit))
    return [
        (i, open_snapshot(snapshots, store, commit=i.base_commit, files=folder / "files"))
        for i in issues
    ]


@pytest.mark.mirrors
@pytest.mark.parametrize("name", ARMS)
def test_rankings_of_real_cases_are_the_published_ones(published, real, name):
    arm = ARMS[name]
    archived = archive_ranker(published, arm.file, **arm.chosen)
    ranker = create_ranker(
        arm.kind, parse_parameters(arm.kind, arm.parameters), Resources(threads=2)
    )
    different = []
    for issue, snapshot in real:
        expected = [item.path for item in archived.rank(issue, None, 16).ranking]
        ours = ranker.rank(issue, snapshot, WHOLE).ranking
        same = [item.path for item in ours[:16]] == expected
        if not same and (arm.exact or not same_up_to_ties(ours, expected, 16)):
            different.append(issue.case_id)
    assert different == []


@pytest.mark.mirrors
def test_eligible_files_are_as_many_as_published(published, real):
    results = json.loads((published / "paper-archive" / FTS5).read_text())["results"]
    counts = {entry["id"]: entry["file_count"] for entry in results}
    assert {issue.case_id: len(snapshot.files) for issue, snapshot in real} == {
        issue.case_id: counts[issue.case_id] for issue, _ in real
    }
