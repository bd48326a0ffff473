"""The tiny study of the campaign: two repositories, three issues, two arms."""

import json
import sys
from pathlib import Path
from typing import Any

import yaml
from modules import load_module

from campaign.sandbox import ROOT, Sandbox

runs = load_module("faults_runs", ROOT / "tests" / "runs" / "conftest.py")


def make_repositories(folder: Path) -> dict[str, list[str]]:
    """Makes the two repositories beside a project; returns their commits."""
    return {
        "alpha": runs.make_repository(folder / "alpha", runs.ALPHA_FIRST, runs.ALPHA_SECOND),
        "beta": runs.make_repository(folder / "beta", runs.BETA),
    }


def issue_rows(commits: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Returns the three issues; paths count from the project's folder ``data``."""
    alpha = {"repo": "acme/alpha", "path": "../../repositories/alpha"}
    beta = {"repo": "acme/beta", "path": "../../repositories/beta"}
    return [
        {
            "id": "a1",
            **alpha,
            "commit": commits["alpha"][0],
            "text": "The parser loses the frobnicate token",
            "gold": "src/parser.py:1-2",
        },
        {
            "id": "a2",
            **alpha,
            "commit": commits["alpha"][1],
            "text": "Writing fails while quuxbuffer holds nothing",
            "gold": "src/writer.py",
        },
        {
            "id": "b1",
            **beta,
            "commit": commits["beta"][0],
            "text": "The server drops every zorkpacket",
            "gold": "lib/packet.js; lib/server.js",
        },
    ]


def study_values() -> dict[str, Any]:
    """Returns the study file."""
    return {
        "study": "small",
        "title": "Three issues",
        "dataset": {"kind": "own", "path": "data/issues.jsonl"},
        "repositories": {"url": "/nowhere/{repo}", "releases": None},
        "k": [1, 2],
        "context": {"budgets": [100], "margin": 1},
        "arms": {
            "fts5": {"kind": "fts5"},
            "own": {"kind": "command", "argv": [sys.executable, "program.py"]},
        },
        "models": {"static": {"kind": "static"}},
        "comparisons": [{"arm": "fts5", "against": "own"}],
        "statistics": {"resamples": 100},
    }


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Writes issues as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_values(path: Path, values: dict[str, Any]) -> None:
    """Writes a study file."""
    path.write_text(yaml.safe_dump(values, sort_keys=False))


def make_study(sandbox: Sandbox, *, linked: bool) -> None:
    """Makes repositories, issues and the study in a sandbox.

    Args:
        sandbox: an empty one.
        linked: the project's own files are links, where nothing of them is changed.
    """
    sandbox.make_folders()
    commits = make_repositories(sandbox.folder / "repositories")
    write_rows(sandbox.path("data/issues.jsonl"), issue_rows(commits))
    write_values(sandbox.path("study.yaml"), study_values())
    sandbox.path("program.py").write_text(runs.PROGRAM)
    for name in runs.PROJECT:
        if linked:
            sandbox.path(name).symlink_to(ROOT / name)
    if not linked:
        copy = sandbox.folder / "copy"
        runs.make_project(copy)
        for name in runs.PROJECT:
            (copy / name).rename(sandbox.path(name))
        copy.rmdir()
