"""Studies made up for measuring: many cases and repositories with hardly any source."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

# Nine arms of the paper's shape: tree and flat stand in as arms that ask no model.
ARMS: dict[str, dict[str, Any]] = {
    "rg": {"kind": "ripgrep"},
    "fts5": {"kind": "fts5"},
    "fts5-full": {"kind": "fts5", "query_characters": None},
    "path-fts5": {"kind": "fts5", "columns": ["path"]},
    "rg-feedback": {"kind": "ripgrep-feedback"},
    "basename": {"kind": "basename"},
    "tree": {"kind": "bm25"},
    "flat": {"kind": "bm25", "variant": "pipeline"},
    "tree+fts5": {"kind": "rrf", "sources": ["tree", "fts5"]},
}
WORDS = ("parser", "server", "token", "cache", "widget", "router", "ledger")


def write_study(folder: Path, name: str, cases: int, repositories: int, *, real: bool) -> Path:
    """Writes a study of nine arms and returns its file.

    Args:
        folder: gets the study, its issues and its results.
        name: of the study.
        cases: how many issues, each at a commit of its own.
        repositories: over how many repositories they are spread evenly.
        real: whether the repositories are made, or only named.
    """
    rows: list[dict[str, Any]] = []
    for number in range(repositories):
        count = cases // repositories + (number < cases % repositories)
        repository = folder / f"git/made{number}.git"
        commits = make_repository(repository, count) if real else []
        for place in range(count):
            commit = commits[place] if real else f"{number * 100_000 + place:040x}"
            word = WORDS[place % len(WORDS)]
            rows.append(
                {
                    "id": f"case-{number}-{place}",
                    "repo": f"made/made{number}",
                    **({"path": str(repository)} if real else {}),
                    "commit": commit,
                    "text": f"The {word} of part {place} fails with an error",
                    "gold": [f"src/{word}.py"],
                }
            )
    issues = folder / f"{name}.jsonl"
    issues.write_text("".join(json.dumps(row) + "\n" for row in rows))
    study = {
        "study": name,
        "results": str(folder / "results"),
        "cache": str(folder / "cache"),
        "dataset": {"kind": "own", "path": str(issues)},
        "repositories": {"releases": None},
        "arms": ARMS,
        "comparisons": [{"arm": "fts5", "against": "rg"}],
    }
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(study, sort_keys=False))
    return file


def make_repository(folder: Path, commits: int) -> list[str]:
    """Makes a bare repository of seven files, one changed by each commit; returns the commits."""
    marks = []
    stream = ["reset refs/heads/main\n"]
    for place in range(commits):
        changed: Sequence[str] = WORDS if not place else WORDS[place % len(WORDS) :][:1]
        stream.append(f"commit refs/heads/main\nmark :{place + 1}\n")
        stream.append(f"committer a <a@example.org> {place} +0000\ndata 1\nx\n")
        for word in changed:
            text = f"def {word}_{place}():\n    raise Error('{word} of part {place}')\n" * 20
            stream.append(f"M 100644 inline src/{word}.py\ndata {len(text)}\n{text}\n")
        marks.append(f":{place + 1}")
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True)
    exported = folder / "marks"
    subprocess.run(
        ["git", "-C", str(folder), "fast-import", "--quiet", f"--export-marks={exported}"],
        input="".join(stream).encode(),
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
        check=True,
    )
    ids = dict(line.split() for line in exported.read_text().splitlines())
    return [ids[mark] for mark in marks]
