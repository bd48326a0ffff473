"""BM25 against the published ranks of single issues (METHODS P)."""

import json

import pytest

from routebench.arms import bm25
from routebench.arms.base import Resources
from routebench.corpus.mirror import mirror_path, update_mirror
from routebench.corpus.snapshots import build_corpus
from routebench.corpus.store import BlobStore, open_snapshot
from routebench.records import Issue


@pytest.fixture(scope="module")
def case(published, git_url, tmp_path_factory):
    """The issue whose text is at hand, its published rank and its snapshot."""
    text = (published / "swebench" / "verified_published_ranks.json").read_text()
    facts = json.loads(text)[0]
    folder, commit = tmp_path_factory.mktemp("real"), facts["base_commit"]
    record = update_mirror(
        facts["repo"], [commit], url_template=git_url, folder=folder, rule="text"
    )
    if not record.available:
        pytest.skip(f"no mirror of {facts['repo']}: {record.reason}")
    mirror, blobs = mirror_path(folder, facts["repo"]), folder / "blobs.parquet"
    assert not build_corpus(mirror, [commit], snapshots=folder / "s", blobs=blobs, rule="text")
    return facts, open_snapshot(folder / "s", BlobStore(blobs), commit=commit)


@pytest.mark.mirrors
def test_the_gold_file_of_django_10880_has_the_published_rank(case):
    facts, snapshot = case
    names = ("instance_id", "repo", "base_commit", "problem_statement")
    issue = Issue(*(facts[name] for name in names))
    arm = bm25.create(bm25.PARAMETERS(variant="pipeline"), Resources())
    ranking = [item.path for item in arm.rank(issue, snapshot, 100).ranking]
    assert len(ranking) == 100
    assert ranking.index(facts["gold_files"][0]) + 1 == 11
    assert facts["published"]["pipeline_bm25_rank_of_first_gold"] == 11
