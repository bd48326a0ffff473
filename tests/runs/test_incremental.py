"""A change reruns what depends on it, and nothing else: the exact jobs of a dry run."""

import hashlib
import os
from collections.abc import Callable
from typing import Any

import pytest
import yaml

ARMS = ("fts5", "path-fts5", "rg", "basename", "own", "asked", "rg+fts5")
REPOSITORIES = ("acme__alpha", "acme__beta")
REPORTED = {
    "tables",
    "summary",
    "report",
    "figure/cost-recall",
    "figure/repository-differences",
}
SCORED = {"scores", "statistics", *REPORTED}
Change = Callable[[Any], object]


def ranked(*arms: str, repositories: tuple[str, ...] = REPOSITORIES) -> set[str]:
    """Ranking jobs of arms."""
    rules = {arm: "ask" if arm == "asked" else "rank" for arm in arms}
    return {f"{rules[arm]}/{arm}/{repo}" for arm in arms for repo in repositories}


def packed(repositories: tuple[str, ...] = REPOSITORIES) -> set[str]:
    """Context jobs; each packs for all arms."""
    return {f"context/{repo}" for repo in repositories}


def new_rankings(*arms: str, repositories: tuple[str, ...] = REPOSITORIES) -> set[str]:
    """All that follows from new rankings of arms."""
    jobs = ranked(*arms, repositories=repositories) | packed(repositories)
    return jobs | SCORED | {"overlaps"}


def without(workspace: Any, arm: str) -> None:
    arms = yaml.safe_load(workspace.path("study.yaml").read_text())["arms"]
    workspace.configure(arms={name: entry for name, entry in arms.items() if name != arm})


def edit(name: str, old: str, new: str, end: str = "") -> Change:
    def change(workspace: Any) -> None:
        workspace.edit(name, old, new)
        path = workspace.path(name)
        path.write_text(path.read_text() + end)

    return change


PACKAGE = "workflow/routebench"
BASENAME = f"{PACKAGE}/arms/basename.py"
RIPGREP = f"{PACKAGE}/arms/ripgrep.py"
QUERIES = "workflow/queries"
CHANGES: dict[str, tuple[Change, set[str]]] = {
    "two numbers swapped": (
        lambda w: w.arm("fts5", path_weight=1.0, content_weight=2.0),
        new_rankings("fts5", "rg+fts5"),
    ),
    "a parameter of the fusion": (
        lambda w: w.arm("rg+fts5", constant=10),
        new_rankings("rg+fts5"),
    ),
    "the code of an arm": (
        edit(BASENAME, "STEM_WEIGHT = 2", "STEM_WEIGHT = 3"),
        new_rankings("basename"),
    ),
    "the code of a fused arm": (
        edit(RIPGREP, "(len(files) + 1)", "(len(files) + 2)"),
        new_rankings("rg", "rg+fts5"),
    ),
    "a comment and a docstring in an arm": (
        edit(BASENAME, '"""Terms of the issue in', '"""Words of the issue in', "# Why.\n"),
        # The report describes an arm by the first line of its module.
        {"report"},
    ),
    "the user's program": (edit("program.py", "[:2]", "[:3]"), new_rankings("own")),
    "the code of all arms": (
        edit(f"{PACKAGE}/arms/run.py", "start=1", "start=1 + 0"),
        new_rankings(*ARMS),
    ),
    "an arm more": (
        lambda w: w.arm("more", kind="basename", query_characters=50),
        new_rankings("more"),
    ),
    "an arm less": (lambda w: without(w, "own"), packed() | SCORED | {"overlaps"}),
    "a budget": (
        lambda w: w.configure(context={"budgets": [200, 20], "margin": 1}),
        packed() | SCORED,
    ),
    "a larger k": (lambda w: w.configure(k=[1, 3]), new_rankings(*ARMS)),
    "draws of the bootstrap": (
        lambda w: w.configure(statistics={"resamples": 200}),
        {"statistics", *REPORTED},
    ),
    "the query of a table": (
        edit(f"{QUERIES}/exclusions.sql", "ORDER BY repo", "ORDER BY  repo"),
        {"tables", "report"},
    ),
    "the query of a figure": (
        edit(f"{QUERIES}/figure-cost-recall.sql", "SELECT", "SELECT "),
        {"figure/cost-recall", "report"},
    ),
    "the title": (lambda w: w.configure(title="Another title"), REPORTED),
    "a limit of money": (lambda w: w.configure(limits={"study": {"usd": 1}}), set()),
    "the address of repositories": (
        lambda w: w.configure(repositories={"url": "/elsewhere/{repo}", "releases": None}),
        {"report"},
    ),
}


@pytest.mark.parametrize(("change", "expected"), CHANGES.values(), ids=CHANGES.keys())
def test_jobs_after_a_change(copy: Any, change: Change, expected: set[str]) -> None:
    change(copy)
    assert set(copy.planned()) == expected


def changed_issue(issues: list[dict[str, Any]], case_id: str, **values: Any) -> list[Any]:
    return [{**issue, **values} if issue["id"] == case_id else issue for issue in issues]


def test_new_gold_is_scored_without_ranking_again(copy: Any, issues: Any) -> None:
    """The cohort is written anew; rankings hang on the issues, whose content is the same."""
    copy.write_issues(changed_issue(issues, "a1", gold=["src/names.py"]))
    finished = copy.snakemake()
    assert finished.status == 0, finished.output
    expected = {"cohort", "audit/acme__alpha", "cases", "overlaps", *SCORED}
    assert set(finished.jobs) == expected
    assert copy.planned() == []


def test_another_dataset_counts_although_it_is_older(copy: Any, issues: Any) -> None:
    """A file put back from a copy was older than the results, which stayed as they were."""
    copy.write_issues(changed_issue(issues, "a1", gold=["src/names.py"]))
    os.utime(copy.path("issues.jsonl"), (1_000_000_000, 1_000_000_000))
    finished = copy.snakemake()
    assert finished.status == 0, finished.output
    assert "cases" in finished.jobs
    assert copy.planned() == []


def test_a_pinned_file_is_there_while_it_is_asked_for_again(copy: Any) -> None:
    """Of two studies that began together one removed what the other had just begun to read."""
    content = b"pinned"
    pin = {
        "name": "tiny",
        "file": "tiny.txt",
        "url": f"https://x/{'0' * 40}/tiny",
        "licence": "none",
        "rows": None,
    }
    facts = {**pin, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    copy.path("workflow/pins/files.yaml").write_text(yaml.safe_dump({"files": [facts]}))
    file = copy.path("cache/pins/tiny")
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    with file.open("rb") as reading:
        finished = copy.snakemake("--forcerun", "download", "--", "cache/pins/tiny")
        assert finished.status == 0, finished.output
        assert finished.jobs == ["download/tiny"]
        assert os.fstat(reading.fileno()).st_ino == file.stat().st_ino


def test_a_new_text_is_ranked_in_its_repository_alone(copy: Any, issues: Any) -> None:
    copy.write_issues(changed_issue(issues, "b1", text="The server drops every other zorkpacket"))
    finished = copy.snakemake()
    assert finished.status == 0, finished.output
    only = ("acme__beta",)
    expected = {"cohort", "audit/acme__beta", "cases", *new_rankings(*ARMS, repositories=only)}
    assert set(finished.jobs) == expected
    assert copy.planned() == []
