"""A small study on two repositories made here, run for real in copies of the project."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = ("Snakefile", "config.yaml", "workflow", "scripts", "envs")
STUDY_FILE = "study.yaml"
# How the package index is reached is up to the machine; nothing else of the user's is passed.
PASSED = re.compile(
    r"PATH|HOME|LANG|VIRTUAL_ENV|XDG_CONFIG_HOME|SSL_CERT_\w+|PIP_\w+|\w+_proxy", re.I
)
JOB = re.compile(
    r"^(?:local)?(?:rule|checkpoint) (?P<rule>\w+):$(?P<body>(?:\n    .*)*)", re.MULTILINE
)
WILDCARDS = re.compile(r"^    wildcards: (.*)$", re.MULTILINE)
VALUE = re.compile(r"\w+=([^,\s]+)")
# Times differ between runs, and so does what is made of them.
TIMED = (
    "operations/",
    "tables/operations.",
    "figures/cost-recall.",
    "report/",
    "logs/",
    "settings/",
)

PROGRAM = '''\
"""Ranks files by how often they hold the longest words of the issue."""

import json
import pathlib
import sys

question = json.load(sys.stdin)
words = sorted(question["issue"].lower().split(), key=lambda word: (-len(word), word))[:2]
root = pathlib.Path(question["folder"])
files = {str(p.relative_to(root)): p.read_text().lower() for p in root.rglob("*") if p.is_file()}
found = {name: sum(text.count(word) for word in words) for name, text in files.items()}
print(json.dumps(sorted((n for n in found if found[n]), key=lambda n: (-found[n], n))))
'''

ALPHA_FIRST = {
    "src/parser.py": "def parse(text):\n    return text.split('frobnicate')\n",
    "src/writer.py": "def write(lines):\n    return '\\n'.join(lines)\n",
    "src/names.py": "PARSER = 'parser'\n",
    "docs/guide.md": "# Guide\n\nHow to write and how to read.\n",
}
ALPHA_SECOND = {
    **ALPHA_FIRST,
    "src/writer.py": "def write(lines, quuxbuffer):\n    return quuxbuffer or lines\n",
}
BETA = {
    "lib/client.js": "function connect() { retry('glimtimeout'); }\n",
    "lib/packet.js": "const zorkpacket = 1;\n",
    "lib/server.js": "function serve() { return packet; }\n",
    "test/server.test.js": "test('serves', () => {});\n",
}


@dataclass(frozen=True)
class Finished:
    """A command that ended."""

    status: int
    output: str
    seconds: float

    @property
    def jobs(self) -> list[str]:
        """Jobs that Snakemake lists or ran, as ``rule`` or ``rule/value/value``, sorted."""
        found = set()
        for job in JOB.finditer(self.output):
            wildcards = WILDCARDS.search(job["body"])
            values = VALUE.findall(wildcards[1]) if wildcards else []
            found.add("/".join([job["rule"], *values]))
        return sorted(found - {"all"})


@dataclass(frozen=True)
class Workspace:
    """A copy of the project with a study in it."""

    folder: Path
    study: str = STUDY_FILE
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def results(self) -> Path:
        """Folder of the study's results."""
        return self.folder / "results" / yaml.safe_load(self.path(self.study).read_text())["study"]

    def path(self, name: str) -> Path:
        """Returns a path in the copy."""
        return self.folder / name

    def copy(self, folder: Path) -> "Workspace":
        """Returns a copy with all that has been run, times of files kept."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Workspace(folder, self.study, self.environment)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replaces text that must be there."""
        text = self.path(name).read_text()
        assert old in text
        self.path(name).write_text(text.replace(old, new))

    def configure(self, **sections: object) -> None:
        """Sets sections of the study file."""
        values = yaml.safe_load(self.path(STUDY_FILE).read_text())
        self.path(STUDY_FILE).write_text(yaml.safe_dump({**values, **sections}, sort_keys=False))

    def arm(self, name: str, **parameters: object) -> None:
        """Sets parameters of an arm, or adds it at the end."""
        arms = yaml.safe_load(self.path(STUDY_FILE).read_text())["arms"]
        self.configure(arms={**arms, name: {**arms.get(name, {}), **parameters}})

    def command(self, *arguments: str) -> list[str]:
        """Returns the command of plain Snakemake on the study."""
        return [
            *(sys.executable, "-m", "snakemake", "--cores", "2", "--nolock", "--nocolor"),
            *("--rerun-incomplete", "--configfile", self.study, *arguments),
        ]

    def snakemake(self, *arguments: str) -> Finished:
        """Runs plain Snakemake on the study."""
        return self.run(self.command(*arguments))

    def make_study(self, *arguments: str) -> Finished:
        """Runs what ``make study`` runs."""
        return self.run([*self.make_study_command(), *arguments])

    def make_study_command(self) -> list[str]:
        """Returns what ``make study`` runs."""
        module = "routebench.planning.run"
        return [sys.executable, "-m", module, "--study", self.study, "--cores", "2"]

    def write_issues(self, issues: list[dict[str, object]]) -> None:
        """Writes the dataset as JSON lines."""
        text = "".join(json.dumps(issue) + "\n" for issue in issues)
        self.path("issues.jsonl").write_text(text)

    def planned(self) -> list[str]:
        """Returns the jobs of a dry run."""
        finished = self.snakemake("-n")
        assert finished.status == 0, finished.output
        return finished.jobs

    def run(self, command: list[str]) -> Finished:
        """Runs a command in the copy to its end."""
        started = time.monotonic()
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.variables(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=600,
        )
        return Finished(done.returncode, done.stdout, time.monotonic() - started)

    def run_until(self, pattern: str, *, delay: float = 0.0) -> bool:
        """Runs the study and kills every process of it once a file of the results is there.

        Args:
            pattern: glob below the folder of results.
            delay: seconds to wait after that.

        Returns:
            Whether it was killed; False if it ended before.
        """
        process = subprocess.Popen(
            self.make_study_command(),
            cwd=self.folder,
            env=self.variables(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            while process.poll() is None and not any(self.results.glob(pattern)):
                time.sleep(0.002)
            time.sleep(delay)
            return process.poll() is None
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def variables(self) -> dict[str, str]:
        """Returns the environment of commands: nothing of the user's own settings."""
        passed = {name: value for name, value in os.environ.items() if PASSED.fullmatch(name)}
        cache = self.folder / ".cache"
        ours = {
            "PYTHONPATH": "workflow",
            "XDG_CACHE_HOME": str(cache),
            "MPLCONFIGDIR": str(cache / "matplotlib"),
        }
        return {**passed, **ours, **self.environment}

    def bytes(self) -> dict[str, bytes]:
        """Returns the content of every result that two runs must have in common."""
        found = (path for path in self.results.rglob("*") if path.is_file())
        # Snakemake puts its own file into a folder that looks older than its inputs.
        files = (path for path in found if path.name != ".snakemake_timestamp")
        names = {path.relative_to(self.results).as_posix(): path for path in files}
        return {
            name: path.read_bytes()
            for name, path in sorted(names.items())
            if not name.startswith(TIMED)
        }


def make_project(folder: Path) -> None:
    """Copies what a study is run with."""
    folder.mkdir(parents=True)
    for name in PROJECT:
        source = ROOT / name
        if source.is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, folder / name, ignore=ignore)
        else:
            shutil.copy2(source, folder / name)


def make_repository(folder: Path, *trees: dict[str, str]) -> list[str]:
    """Makes a git repository with a commit per tree; returns their ids, always the same."""
    facts = {"NAME": "x", "EMAIL": "x", "DATE": "2020-01-01T00:00:00Z"}
    fixed = {f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in facts.items()}
    closed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    environment = {"PATH": os.environ["PATH"], **fixed, **closed}

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", folder, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.strip()

    folder.mkdir(parents=True)
    git("init", "--quiet", "--initial-branch=main")
    commits = []
    for tree in trees:
        for name, text in tree.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        git("add", "--all")
        git("commit", "--quiet", "--message", f"Commit {len(commits)}")
        commits.append(git("rev-parse", "HEAD"))
    return commits


@dataclass(frozen=True)
class Repositories:
    """Two repositories that stand in for the network."""

    folder: Path
    alpha: list[str]
    beta: list[str]

    @property
    def url(self) -> str:
        """Template of their addresses."""
        return f"{self.folder}/{{name}}"


@pytest.fixture(scope="session")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> Repositories:
    """Repositories acme/alpha (two commits) and acme/beta (one)."""
    folder = tmp_path_factory.mktemp("repositories")
    return Repositories(
        folder,
        make_repository(folder / "alpha", ALPHA_FIRST, ALPHA_SECOND),
        make_repository(folder / "beta", BETA),
    )


@pytest.fixture(scope="session")
def issues(repositories: Repositories) -> list[dict[str, object]]:
    """Four issues with their gold."""
    first, second = repositories.alpha
    alpha = {"repo": "acme/alpha", "path": str(repositories.folder / "alpha")}
    beta = {
        "repo": "acme/beta",
        "path": str(repositories.folder / "beta"),
        "commit": repositories.beta[0],
    }
    return [
        {
            "id": "a1",
            **alpha,
            "commit": first,
            "text": "The parser loses the frobnicate token",
            "gold": ["src/parser.py:1-2"],
        },
        {
            "id": "a2",
            **alpha,
            "commit": second,
            "text": "Writing fails while quuxbuffer holds nothing",
            "gold": ["src/writer.py"],
        },
        {
            "id": "b1",
            **beta,
            "text": "The server drops every zorkpacket",
            "gold": ["lib/packet.js", "lib/server.js"],
        },
        {
            "id": "b2",
            **beta,
            "text": "Client reconnects forever after glimtimeout",
            "gold": ["lib/client.js:1"],
        },
    ]


def study_values() -> dict[str, object]:
    """Returns the study file: an arm of most kinds, so small that it runs in seconds."""
    return {
        "study": "small",
        "title": "A study of four issues",
        "dataset": {"kind": "own", "path": "issues.jsonl"},
        "repositories": {"url": "/nowhere/{repo}", "releases": None},
        "k": [1, 2],
        "context": {"budgets": [100, 20], "margin": 1},
        "arms": {
            "fts5": {"kind": "fts5", "path_weight": 2.0, "content_weight": 1.0},
            "path-fts5": {"kind": "fts5", "columns": ["path"]},
            "rg": {"kind": "ripgrep"},
            "basename": {"kind": "basename"},
            "own": {"kind": "command", "argv": [sys.executable, "program.py"]},
            "asked": {"kind": "flat", "model": "static"},
            "rg+fts5": {"kind": "rrf", "sources": ["rg", "fts5"]},
        },
        "models": {"static": {"kind": "static"}},
        "comparisons": [
            {"arm": "fts5", "against": "basename"},
            {"arm": "rg+fts5", "against": "fts5"},
        ],
        "statistics": {"resamples": 100},
    }


@pytest.fixture(scope="session")
def project() -> Callable[[Path, str], Workspace]:
    """Makes a copy of the project in a folder, for a study of it."""

    def make(folder: Path, study: str) -> Workspace:
        make_project(folder)
        return Workspace(folder, study)

    return make


@pytest.fixture(scope="session")
def small_study(issues: list[dict[str, object]]) -> Callable[[Path], Workspace]:
    """Makes a project with the small study in a folder."""
    return lambda folder: make_small(folder, issues)


@pytest.fixture
def small(tmp_path: Path, issues: list[dict[str, object]]) -> Workspace:
    """The small study, not run yet."""
    return make_small(tmp_path / "project", issues)


@pytest.fixture(scope="session")
def base(
    tmp_path_factory: pytest.TempPathFactory, issues: list[dict[str, object]]
) -> tuple[Workspace, Finished]:
    """The small study, run once; not to be changed."""
    workspace = make_small(tmp_path_factory.mktemp("base") / "project", issues)
    finished = workspace.snakemake()
    assert finished.status == 0, finished.output
    return workspace, finished


@pytest.fixture
def copy(base: tuple[Workspace, Finished], tmp_path: Path) -> Iterator[Workspace]:
    """A copy of the small study as it stands after a run."""
    yield base[0].copy(tmp_path / "project")
    shutil.rmtree(tmp_path / "project")


def make_small(folder: Path, issues: list[dict[str, object]]) -> Workspace:
    """Makes a project with the small study in it."""
    make_project(folder)
    workspace = Workspace(folder)
    workspace.path("program.py").write_text(PROGRAM)
    workspace.path(STUDY_FILE).write_text(yaml.safe_dump(study_values(), sort_keys=False))
    workspace.write_issues(issues)
    return workspace
