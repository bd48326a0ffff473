"""Menus against the calls and tokens of the published runs, on real repositories.

The published model's answers were not kept, but the numbers of its calls and of the
tokens it wrote depend on the menus alone once the directories that were opened are known.
"""

import json
from math import ceil
from pathlib import Path
from types import SimpleNamespace

import pytest

from routebench.arms.flat import FlatParameters, hash_order, path_menus, tournament_cost
from routebench.arms.menus import build_tree
from routebench.corpus.mirror import mirror_path, update_mirror
from routebench.corpus.snapshots import build_corpus
from routebench.corpus.store import BlobStore, open_snapshot

pytestmark = pytest.mark.mirrors
REPOSITORIES = ("clap-rs/clap", "cli/cli", "ponylang/ponyc")


def published_results(folder: Path, name: str):
    content = json.loads((folder / "paper-archive" / name).read_text(encoding="utf-8"))
    return {row["id"]: row for row in content["results"]}


@pytest.fixture(scope="module")
def cases(published, git_url, tmp_path_factory):
    """Case, snapshot, and the published results of the flat arm and of the tree."""
    folder = tmp_path_factory.mktemp("published-walks")
    flat = published_results(published, "contextbench-paper-flat-paths.json")
    tree = published_results(published, "contextbench-paper-tree.json")
    ledger = published / "paper-archive" / "contextbench-case-ledger.json"
    found = []
    for repo in REPOSITORIES:
        rows = [row for row in json.loads(ledger.read_text())["cases"] if row["repo"] == repo]
        snapshots = corpus_of(repo, [row["base_commit"] for row in rows], git_url, folder)
        found += [
            SimpleNamespace(
                id=row["id"],
                snapshot=snapshots[row["base_commit"]],
                flat=flat[row["id"]],
                walk=tree[row["id"]],
            )
            for row in rows
        ]
    return found


def corpus_of(repo, commits, url, folder):
    record = update_mirror(repo, commits, url_template=url, folder=folder)
    assert not record.missing, record.reason
    name = repo.replace("/", "__")
    snapshots, blobs = folder / name, folder / f"{name}.parquet"
    build_corpus(mirror_path(folder, repo), commits, snapshots=snapshots, blobs=blobs)
    store = BlobStore(blobs)
    return {commit: open_snapshot(snapshots, store, commit=commit) for commit in commits}


def opened_directories(paths):
    """Directories above the paths, each once."""
    return {path[:end] for path in paths for end in [0, *slashes(path)]}


def slashes(path):
    return [position for position, letter in enumerate(path) if letter == "/"]


def test_the_tournament_asks_as_many_menus_as_published(cases):
    parameters = FlatParameters(model="m")
    for case in cases:
        menus = path_menus(hash_order(case.id, [f.path for f in case.snapshot.files]), parameters)
        assert sum(map(len, menus)) == case.flat["file_count"]
        assert tournament_cost(menus, parameters).calls == case.flat["model_calls"]
    assert len(cases) == 21


def test_every_published_path_of_the_tree_is_in_our_menus(cases):
    for case in cases:
        tree = build_tree(case.snapshot.entries)
        shown = {c.path for children in tree.listings.values() for c in children}
        assert set(case.walk["paths"]) <= shown


def test_published_walks_leave_a_directory_only_when_it_is_done(cases):
    for case in cases:
        left, above = set(), set()
        for path in case.walk["paths"]:
            now = opened_directories([path])
            left |= above - now
            assert not left & now
            above = now


def test_published_calls_are_the_menus_of_the_directories_opened(cases):
    """Directories with one child, a file or a directory, cost no call."""
    for case in cases:
        tree = build_tree(case.snapshot.entries)
        opened = opened_directories(case.walk["paths"])
        assert sum(len(tree.children(d)) > 1 for d in opened) == case.walk["model_calls"]


def test_published_output_tokens_are_those_of_our_menus(cases):
    """Tokens written for n options, fitted to the flat arm's runs: within 2 % of published."""
    for case in cases:
        tree = build_tree(case.snapshot.entries)
        sizes = [len(tree.children(d)) for d in opened_directories(case.walk["paths"])]
        tokens = sum(written_tokens(size) for size in sizes if size > 1)
        assert ceil(tokens) == pytest.approx(case.walk["output_tokens"], rel=0.02)


def written_tokens(options):
    """An option's number takes another token from 10 and from 100 on."""
    return 32.3 + 8.65 * options + 1.37 * max(0, options - 10) + 0.98 * max(0, options - 100)
