"""A study on a real Slurm: the bytes of a local run, whatever happens on the way."""

import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from routebench.planning.cluster import run_name

pytestmark = pytest.mark.enable_socket
PROFILE = "workflow/profiles/slurm/config.yaml"
# Cohort and results; of each repository its mirror, its source, its contexts, and three
# chains of arms: own, asked, and fts5 with path-fts5 and what is fused of them.
SUBMITTED = 2 + 2 * (1 + 1 + 1 + 3)
HELD = "arms_rank"
LOCAL_RULES = re.compile(r"^localrule (\w+):", re.MULTILINE)


def name_of(workspace: Any) -> str:
    return run_name(workspace.results)


def held(workspace: Any, slurm: Any) -> list[str]:
    """Returns the ids of the two jobs that the arm `own` waits in, once nothing else runs."""
    jobs = slurm.jobs(name_of(workspace), "RUNNING", "PENDING")
    done = len(list(workspace.results.glob("rankings/*/*.parquet")))
    waiting = [job.id for job in jobs if job.state == "RUNNING" and job.comment == HELD]
    return waiting if done == 2 * 4 and len(jobs) == len(waiting) == 2 else []


@pytest.fixture
def holding(workspace: Any, slurm: Any, start: Any, until: Any) -> Iterator[tuple[Any, list[str]]]:
    """A run that waits in two jobs, and their ids; removing `hold` lets it go on."""
    workspace.path("hold").touch()
    run = start(workspace)
    try:
        yield run, until(lambda: held(workspace, slurm))
    finally:
        workspace.path("hold").unlink(missing_ok=True)
        if run.process.poll() is None:
            run.kill()


def test_a_study_gives_the_same_bytes_and_runs_on_the_nodes_only(
    workspace: Any, local: Any, slurm: Any, start: Any
) -> None:
    finished = start(workspace).wait()
    assert finished.status == 0, finished.output
    assert workspace.bytes() == local[0].bytes()
    print(f"local {local[1].seconds:.0f} s, Slurm {finished.seconds:.0f} s")

    jobs = slurm.jobs(name_of(workspace))
    assert {job.state for job in jobs} == {"COMPLETED"}
    assert {job.node for job in jobs} == {"node1", "node2"}
    assert len(jobs) == SUBMITTED
    (log,) = workspace.path(".snakemake/log").glob("*.snakemake.log")
    assert set(LOCAL_RULES.findall(log.read_text())) == {"all"}
    # What is shown is a line per job and the summary.
    assert "external jobid" not in finished.output
    assert "rank own acme__alpha" in finished.output

    again = start(workspace).wait()
    assert again.status == 0, again.output
    assert len(slurm.jobs(name_of(workspace))) == SUBMITTED


def test_two_studies_at_once_share_a_cache(
    fresh: Any, local: Any, slurm: Any, start: Any, tmp_path: Path
) -> None:
    """Both want both mirrors, which are fetched once each."""
    both = [fresh(), fresh()]
    for workspace in both:
        workspace.configure(cache=str(tmp_path / "cache"))
    for finished in [run.wait() for run in [start(workspace) for workspace in both]]:
        assert finished.status == 0, finished.output
    for workspace in both:
        assert workspace.bytes() == local[0].bytes()
    mirrors = tmp_path / "cache" / "mirrors"
    assert sorted(path.name for path in mirrors.glob("*.git")) == [
        "acme__alpha.git",
        "acme__beta.git",
    ]
    # A second fetch would leave a second pack.
    assert len(list(mirrors.glob("*/objects/pack/*.pack"))) == len(
        list(local[0].path("cache/mirrors").glob("*/objects/pack/*.pack"))
    )


def test_a_cancelled_and_a_killed_job_are_tried_again(
    workspace: Any, local: Any, slurm: Any, holding: Any
) -> None:
    run, (cancelled, killed) = holding
    slurm.ask("scancel", cancelled)
    script_of(slurm, killed).send_signal(signal.SIGKILL)
    workspace.path("hold").unlink()
    finished = run.wait()
    assert finished.status == 0, finished.output
    states = {job.id: job.state for job in slurm.jobs(name_of(workspace))}
    assert (states.pop(cancelled), states.pop(killed)) == ("CANCELLED", "FAILED")
    assert list(states.values()) == ["COMPLETED"] * SUBMITTED
    assert workspace.bytes() == local[0].bytes()


def test_a_job_of_a_node_that_goes_down_is_started_again(
    workspace: Any, local: Any, slurm: Any, holding: Any, until: Any
) -> None:
    run, (lost, _) = holding
    name = name_of(workspace)
    nodes = {job.id: job.node for job in slurm.jobs(name)}
    slurm.ask("scontrol", "update", f"nodename={nodes[lost]}", "state=DOWN", "reason=test")
    waiting = until(lambda: [job.id for job in slurm.jobs(name, "PENDING")])
    assert lost in waiting
    # Slurm would wait for two minutes, and by then nothing of the job is left.
    until(lambda: waiting_programs(workspace) == 2 - len(waiting))
    for job in waiting:
        slurm.ask("scontrol", "update", f"jobid={job}", "starttime=now")
    workspace.path("hold").unlink()
    finished = run.wait()
    assert finished.status == 0, finished.output
    assert [job.state for job in slurm.jobs(name)] == ["COMPLETED"] * SUBMITTED
    assert workspace.bytes() == local[0].bytes()


def script_of(slurm: Any, job: str) -> psutil.Process:
    """Returns the process of the script that a job runs."""
    for process in psutil.process_iter(["cmdline", "environ"]):
        environment = process.info["environ"] or {}
        script = any(word.endswith(".rank.py") for word in process.info["cmdline"] or ())
        if script and environment.get("SLURM_JOB_ID") == job:
            conf = environment.get("SLURM_CONF")
            if conf == slurm.variables["SLURM_CONF"]:
                return process
    raise AssertionError(f"job {job} runs no script")


def test_a_job_over_its_memory_is_tried_again_with_more(
    workspace: Any, local: Any, slurm: Any, start: Any
) -> None:
    """The program takes 900 MB; Slurm kills what is over 800 MB, and not what is over 1,600."""
    path = workspace.path(PROFILE)
    values = yaml.safe_load(path.read_text())
    for rule in ("rank", "ask", "context"):
        values["set-resources"][rule]["mem_mb"] = "800 * attempt"
    path.write_text(yaml.safe_dump(values))
    workspace.path("greedy").touch()
    finished = start(workspace).wait()
    assert finished.status == 0, finished.output
    jobs = slurm.jobs(name_of(workspace))
    assert [job.memory for job in jobs if job.state != "COMPLETED"] == ["800M"] * 2
    assert [job.memory for job in jobs if job.memory == "1600M"] == ["1600M"] * 2
    assert len(jobs) == SUBMITTED + 2
    assert workspace.bytes() == local[0].bytes()


def test_what_a_killed_run_leaves_is_cancelled_before_the_next_goes_on(
    workspace: Any, local: Any, slurm: Any, start: Any, holding: Any, until: Any
) -> None:
    run, left = holding
    run.kill()
    assert [job.id for job in slurm.jobs(name_of(workspace), "RUNNING")] == left
    resumed = start(workspace)
    until(lambda: {job.id for job in slurm.jobs(name_of(workspace), "RUNNING")}.isdisjoint(left))
    workspace.path("hold").unlink()
    finished = resumed.wait()
    assert finished.status == 0, finished.output
    assert "routebench: cancelling 2 jobs of an earlier run" in finished.output
    jobs = slurm.jobs(name_of(workspace))
    assert [job.id for job in jobs if job.state != "COMPLETED"] == left
    assert {job.state for job in jobs if job.id in left} == {"CANCELLED"}
    assert workspace.bytes() == local[0].bytes()


def test_two_copies_of_a_job_at_once_give_the_right_bytes(
    workspace: Any, local: Any, slurm: Any, start: Any, holding: Any, until: Any
) -> None:
    """Plain Snakemake, which cancels nothing, submits a second time what still runs."""
    run, _ = holding
    run.kill()
    again = start(
        workspace,
        *(sys.executable, "-m", "snakemake", "--profile", "workflow/profiles/slurm", "--nolock"),
        *("--rerun-incomplete", "--configfile", workspace.study),
    )
    until(lambda: waiting_programs(workspace) == 4)
    workspace.path("hold").unlink()
    finished = again.wait()
    assert finished.status == 0, finished.output
    assert workspace.bytes() == local[0].bytes()


def waiting_programs(workspace: Any) -> int:
    """Returns how many processes of the arm `own` there are in a project."""
    program = str(workspace.path("program.py"))
    processes = psutil.process_iter(["cmdline"])
    return sum((process.info["cmdline"] or [])[-1:] == [program] for process in processes)


def test_two_whole_runs_at_once_give_the_right_bytes(
    workspace: Any, local: Any, start: Any
) -> None:
    """Every job runs twice at about the same time, with nothing that keeps them apart."""
    command = (
        *(sys.executable, "-m", "snakemake", "--profile", "workflow/profiles/slurm", "--nolock"),
        *("--rerun-incomplete", "--configfile", workspace.study),
    )
    both = [start(workspace, *command), start(workspace, *command)]
    statuses = [run.wait().status for run in both]
    last = start(workspace).wait()
    print(f"ended with {statuses}")
    assert last.status == 0, last.output
    assert workspace.bytes() == local[0].bytes()
