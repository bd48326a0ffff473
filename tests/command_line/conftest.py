"""A small repository, a question to it, and results of studies written by hand."""

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from routebench.command_line.main import main
from routebench.corpus.git import git_environment
from routebench.tables import write_rows

FILES = {
    "src/parser.py": "def parse(text):\n    return frob_nicate(text)\n# parser, frob nicate\n",
    "src/names.py": "PARSER = 'parser'\n",
    "docs/parser/guide.md": "How to write.\n",
    "lib/empty.py": "",
}
ISSUE = "The parser loses frob_nicate tokens"


class Ran(NamedTuple):
    """What a command came to."""

    status: int
    out: str
    err: str


def git(folder: Path, *arguments: str) -> str:
    facts = {"NAME": "x", "EMAIL": "x", "DATE": "2020-01-01T00:00:00Z"}
    fixed = {f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in facts.items()}
    return subprocess.run(
        ["git", "-C", folder, *arguments],
        env=git_environment("file") | fixed,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    ).stdout.strip()


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def commit_files() -> Callable[..., str]:
    """Commits files in a folder that becomes a repository; returns the commit."""

    def commit(folder: Path, files: Mapping[str, str]) -> str:
        if not (folder / ".git").exists():
            folder.mkdir(parents=True, exist_ok=True)
            git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
        write_files(folder, files)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message", "m")
        return git(folder, "rev-parse", "HEAD")

    return commit


@pytest.fixture
def repository(tmp_path: Path, commit_files: Callable[..., str]) -> Path:
    folder = tmp_path / "service"
    commit_files(folder, FILES)
    return folder


@pytest.fixture
def issue(tmp_path: Path) -> Path:
    path = tmp_path / "issue.txt"
    path.write_text(ISSUE)
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs a command as the program does; its errors of usage end it with status 2."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: object) -> Ran:
        capsys.readouterr()
        try:
            status = main([os.fspath(a) if isinstance(a, Path) else str(a) for a in arguments])
        except SystemExit as end:
            status = int(str(end.code))
        return Ran(status, *capsys.readouterr())

    return call


@pytest.fixture
def run_git() -> Callable[..., str]:
    return git


CASES = (("a1", "o/alpha"), ("a2", "o/alpha"), ("b1", "o/beta"), ("b2", "o/beta"))


class Study:
    """Results of a study of one gold file a case, in which an arm finds it or does not.

    ``found`` has the path of each case that the arm ranks, by arm and case; the gold path
    is ``gold.py``. A file found is delivered by half.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cases = list(CASES)
        self.gold = {case_id: "gold.py" for case_id, _ in CASES}
        self.found: dict[str, dict[str, list[str]]] = {}
        self.errors: dict[tuple[str, str], str] = {}
        self.tokens = 0
        self.query_ms = 1.0
        self.budgets = [100]

    def write(self) -> Path:
        self._write_cases()
        self._write_scores()
        for arm, rankings in self.found.items():
            self._write_arm(arm, rankings)
        return self.folder

    def _write_cases(self) -> None:
        facts = {
            "language": "python",
            "source": "own",
            "base_commit": "1" * 40,
            "query": "q",
            "difficulty": None,
            "gold_files": 1,
            "gold_spans": 1,
            "clipped_spans": 0,
            "aligned": True,
            "names_gold_path": False,
            "names_gold_file": False,
            "several_directories": False,
        }
        rows = [{"case_id": case_id, "repo": repo, **facts} for case_id, repo in self.cases]
        write_rows(self.folder / "cases.parquet", "cases", rows)
        lines = {"start_line": 1, "end_line": 2, "annotated_end_line": 2, "aligned": True}
        gold = [{"case_id": c, "path": self.gold[c], **lines} for c, _ in self.cases]
        write_rows(self.folder / "gold.parquet", "gold", gold)

    def _write_scores(self) -> None:
        rows = []
        for arm, rankings in self.found.items():
            for case_id, repo in self.cases:
                hit = "gold.py" in rankings.get(case_id, [])
                for budget in self.budgets:
                    rows.append({"case_id": case_id, "repo": repo, "arm": arm, "budget": budget})
                    rows[-1] |= score(hit, len(rankings.get(case_id, [])))
        write_rows(self.folder / "scores.parquet", "scores", rows)

    def _write_arm(self, arm: str, rankings: Mapping[str, list[str]]) -> None:
        ranked = [
            {"case_id": case_id, "rank": rank, "path": path, "score": 1 / rank}
            for case_id, _ in self.cases
            for rank, path in enumerate(rankings.get(case_id, []), start=1)
        ]
        write_rows(self.folder / "rankings" / arm / "all.parquet", "rankings", ranked)
        costs = [
            {
                "build_ms": 0.0,
                "query_ms": self.query_ms,
                "wall_ms": 1.0,
                "calls": 1,
                "input_tokens": self.tokens,
                "output_tokens": 0,
                "cost_usd": 0.0,
                "truncated": False,
                "retries": 0,
                "dropped_paths": 0,
                "tool_errors": 0,
                "fallbacks": 0,
                "error": self.errors.get((arm, case_id)),
                "case_id": case_id,
            }
            for case_id, _ in self.cases
        ]
        write_rows(self.folder / "operations" / arm / "all.parquet", "operations", costs)


def score(hit: bool, returned: int) -> dict[str, Any]:
    return {
        "k": 8,
        "file_recall": float(hit),
        "complete_files": hit,
        "file_precision": hit / returned if returned else 0.0,
        "gold_found": int(hit),
        "gold_files": 1,
        "any_hit": hit,
        "capped_accuracy": float(hit),
        "returned": returned,
        "line_recall": hit / 2,
        "complete_lines": False,
        "context_tokens": 10,
    }


@pytest.fixture
def study(tmp_path: Path) -> Callable[[str], Study]:
    """Makes a study whose arm ``find`` has the gold of a1 and b1 first, and of a2 second."""

    def make(name: str) -> Study:
        made = Study(tmp_path / name)
        found = {"a1": ["gold.py"], "a2": ["x.py", "gold.py"], "b1": ["gold.py"], "b2": ["x.py"]}
        made.found = {"find": found, "other": {"a1": ["x.py"]}}
        return made

    return make
