"""A Slurm for the tests, and a study to run on it. Only ``make test-slurm`` collects them."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from modules import load_module

HERE = Path(__file__).parent
if not os.environ.get("ROUTEBENCH_SLURM"):
    collect_ignore_glob = ["test_*.py"]


local_slurm = load_module("slurm_local_slurm", HERE / "local_slurm.py")
runs = load_module("slurm_conftest", HERE.parent / "runs" / "conftest.py")
repositories, issues = runs.repositories, runs.issues

PROFILE = "workflow/profiles/slurm/config.yaml"
STATUS = "workflow/profiles/slurm/status.sh"
NODES = 2
WAIT_S = 180.0

# The program of the arm `own`. Files beside it make it wait, or take memory.
SWITCHES = """
import time

here = pathlib.Path(__file__).parent
while (here / "hold").exists():
    time.sleep(0.05)
if (here / "greedy").exists():
    taken = bytearray(900_000_000)
    time.sleep(4)
"""


class SlurmJob(NamedTuple):
    """A job as squeue shows it."""

    id: str
    name: str
    comment: str
    state: str
    memory: str
    node: str


@dataclass(frozen=True)
class Slurm:
    """The cluster that runs."""

    folder: Path

    @property
    def variables(self) -> dict[str, str]:
        """Environment of who uses it."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), "USER": "tester"}

    def ask(self, *command: str) -> str:
        """Runs a command of Slurm."""
        environment = {**os.environ, **self.variables}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    def jobs(self, name: str, *states: str) -> list[SlurmJob]:
        """Returns the jobs of a study in the order of submission, ended ones too."""
        form = "%A|%j|%k|%T|%m|%N"
        shown = ",".join(states) or "all"
        lines = self.ask("squeue", "-h", "-t", shown, "-o", form, f"--name={name}").splitlines()
        return sorted((SlurmJob(*line.split("|")) for line in lines), key=lambda job: int(job.id))


@dataclass
class Run:
    """A ``make study`` at work, in a session of its own."""

    process: subprocess.Popen[bytes]
    output: Path
    started: float

    def wait(self) -> Any:
        """Waits for the end; returns status, output and seconds."""
        status = self.process.wait(timeout=600)
        seconds = time.monotonic() - self.started
        return runs.Finished(status, self.output.read_text(), seconds)

    def kill(self) -> None:
        """Kills every process of it on this side, as when a login node goes down."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture(scope="session")
def slurm() -> Iterator[Slurm]:
    """A cluster of two nodes; what it wrote is kept where a test failed."""
    # A Unix socket's path is short.
    folder = Path(tempfile.mkdtemp(prefix="slurm.", dir="/tmp"))
    local_slurm.start(folder, nodes=NODES, cpus=2)
    yield Slurm(folder)
    local_slurm.stop(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def fresh(
    tmp_path_factory: pytest.TempPathFactory, issues: list[dict[str, object]], slurm: Slurm
) -> Callable[[], Any]:
    """Makes a project with the study in it, not run yet."""

    def make() -> Any:
        workspace = runs.make_small(tmp_path_factory.mktemp("slurm") / "project", issues)
        workspace.environment.update(slurm.variables)
        workspace.path("program.py").write_text(runs.PROGRAM + SWITCHES)
        arms = ("fts5", "path-fts5", "own", "asked")
        given = runs.study_values()["arms"]
        fused = {"kind": "rrf", "sources": ["fts5", "path-fts5"]}
        workspace.configure(
            arms={**{name: given[name] for name in arms}, "fused": fused},
            comparisons=[{"arm": "fts5", "against": "own"}],
        )
        workspace.edit(
            PROFILE, "seconds-between-status-checks: 5", "seconds-between-status-checks: 1"
        )
        workspace.edit(STATUS, "KEEP_SECONDS=4", "KEEP_SECONDS=1")
        return workspace

    return make


@pytest.fixture(scope="session")
def local(fresh: Callable[[], Any]) -> Any:
    """The study, run without a cluster; and its end."""
    workspace = fresh()
    finished = workspace.make_study()
    assert finished.status == 0, finished.output
    return workspace, finished


@pytest.fixture
def workspace(fresh: Callable[[], Any]) -> Any:
    """A project with the study in it."""
    return fresh()


@pytest.fixture(scope="session")
def start() -> Callable[..., Run]:
    """Starts ``make study PROFILE=slurm``, or another command, in a project."""

    def begin(workspace: Any, *command: str) -> Run:
        module = (sys.executable, "-m", "routebench.planning.run", "--study", workspace.study)
        # Not a pipe: nobody reads while it runs.
        output = workspace.path(f"output-{time.monotonic_ns()}")
        with output.open("w") as file:
            process = subprocess.Popen(
                command or (*module, "--profile", "slurm"),
                cwd=workspace.folder,
                env=workspace.variables(),
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return Run(process, output, time.monotonic())

    return begin


@pytest.fixture(scope="session")
def until() -> Callable[..., Any]:
    """Waits until a function returns what is true, and returns that."""

    def wait(found: Callable[[], Any], seconds: float = WAIT_S) -> Any:
        deadline = time.monotonic() + seconds
        while not (value := found()):
            assert time.monotonic() < deadline, "waited too long"
            time.sleep(0.1)
        return value

    return wait
