"""Leftovers of an earlier run on Slurm, with a squeue and a scancel that play their part."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from routebench.errors import RoutebenchError
from routebench.planning.cluster import (
    NAME_VARIABLE,
    cancel_leftovers,
    end_submitting,
    find_profile,
    run_name,
    start_submitting,
    submits,
)

ROOT = Path(__file__).parents[2]
SLURM = ROOT / "workflow" / "profiles" / "slurm"
LOCAL = ROOT / "workflow" / "profiles" / "local"
RULES = ROOT / "workflow" / "rules"
# Jobs are files named by their ids; those of another name are not shown. A cancelled job
# is still there the first time it is looked for.
SQUEUE = """#!/bin/sh
echo "squeue $*" >>"{folder}/asked"
for word; do case $word in --name=*) name=${{word#--name=}} ;; esac; done
cd "{folder}/jobs/$name" 2>/dev/null || exit 0
for job in *; do
    [ -e "$job" ] || continue
    echo "$job"
    [ ! -s "$job" ] || rm "$job"
done
"""
SCANCEL = """#!/bin/sh
echo "scancel $*" >>"{folder}/asked"
for job; do for file in "{folder}"/jobs/*/"$job"; do [ ! -e "$file" ] || echo x >"$file"; done; done
"""


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts jobs of a name into the queue."""
    (tmp_path / "bin").mkdir()
    for name, text in (("squeue", SQUEUE), ("scancel", SCANCEL)):
        program = tmp_path / "bin" / name
        program.write_text(text.format(folder=tmp_path))
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv(NAME_VARIABLE, "")

    def put(name: str, *jobs: str) -> None:
        folder = tmp_path / "jobs" / name
        folder.mkdir(parents=True, exist_ok=True)
        for job in jobs:
            (folder / job).touch()

    return put


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results" / "small"
    folder.parent.mkdir()
    return folder


def asked(tmp_path: Path) -> list[str]:
    file = tmp_path / "asked"
    return file.read_text().splitlines() if file.exists() else []


def test_jobs_of_the_study_are_cancelled_and_waited_for(
    queue: Callable[..., None],
    results: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    queue(run_name(results), "7", "8")
    queue("small.00000000", "9")
    start_submitting(results, SLURM)
    assert list((tmp_path / "jobs" / run_name(results)).iterdir()) == []
    assert [path.name for path in (tmp_path / "jobs" / "small.00000000").iterdir()] == ["9"]
    assert asked(tmp_path)[1] == "scancel 7 8"
    assert capsys.readouterr().err == "routebench: cancelling 2 jobs of an earlier run\n"
    assert os.environ[NAME_VARIABLE] == run_name(results)


def test_a_local_run_looks_only_after_one_on_the_cluster_that_did_not_end_well(
    queue: Callable[..., None], results: Path, tmp_path: Path
) -> None:
    start_submitting(results, None)
    start_submitting(results, LOCAL)
    assert asked(tmp_path) == []

    start_submitting(results, SLURM)
    end_submitting(results, 0)
    start_submitting(results, None)
    assert len(asked(tmp_path)) == 1

    for status in (1, -9):
        start_submitting(results, SLURM)
        end_submitting(results, status)
        queue(run_name(results), "7")
        start_submitting(results, None)
        assert list((tmp_path / "jobs" / run_name(results)).iterdir()) == []


def test_jobs_that_do_not_end_are_named(queue: Callable[..., None], tmp_path: Path) -> None:
    queue("small", "7")
    (tmp_path / "bin" / "scancel").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(RoutebenchError, match=r"^jobs 7 of an earlier run do not end"):
        cancel_leftovers("small", wait_s=0)


def test_a_slurm_that_does_not_answer_is_one_line(
    queue: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an answer there may be leftovers, so that nothing is run."""
    squeue = tmp_path / "bin" / "squeue"
    squeue.write_text("#!/bin/sh\necho 'slurm_load_jobs error:\n no contact' >&2\nexit 1\n")
    with pytest.raises(
        RoutebenchError, match=r"^Slurm: squeue: slurm_load_jobs error: no contact$"
    ):
        cancel_leftovers("small")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RoutebenchError, match=r"^Slurm: squeue gives no answer"):
        cancel_leftovers("small")


def test_studies_have_names_of_their_own(tmp_path: Path) -> None:
    folders = [tmp_path / "a" / "demo", tmp_path / "b" / "demo", tmp_path / "a" / "paper"]
    names = [run_name(folder) for folder in folders]
    assert len(set(names)) == 3
    assert names[0].startswith("demo.")
    assert run_name(tmp_path / "b" / ".." / "a" / "demo") == names[0]


def test_a_profile_is_found_by_name_or_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert find_profile("") is None
    assert find_profile("slurm") == Path("workflow/profiles/slurm")
    assert find_profile(str(LOCAL)) == LOCAL
    message = "^PROFILE=none: no such profile or folder; profiles are local, slurm$"
    with pytest.raises(RoutebenchError, match=message):
        find_profile("none")


def test_which_profiles_submit() -> None:
    assert [submits(profile) for profile in (None, LOCAL, SLURM)] == [False, False, True]


def test_the_slurm_profile_knows_every_rule() -> None:
    """A rule without an entry would not get more memory when it is tried again."""
    words = [line.split() for file in RULES.glob("*.smk") for line in file.read_text().splitlines()]
    defined = {
        line[1].rstrip(":")
        for line in words
        if len(line) == 2 and line[0] in ("rule", "checkpoint") and line[1].endswith(":")
    }
    profile = yaml.safe_load((SLURM / "config.yaml").read_text())
    assert profile["set-resources"].keys() == defined
    assert profile["groups"].keys() <= defined
    for resources in profile["set-resources"].values():
        assert all(value.endswith(" * attempt") for value in resources.values())


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("COMPLETED", "success"),
        ("PENDING", "running"),
        ("RUNNING", "running"),
        ("COMPLETING", "running"),
        ("REQUEUED", "running"),
        ("SUSPENDED", "running"),
        ("FAILED", "failed"),
        ("CANCELLED", "failed"),
        ("TIMEOUT", "failed"),
        ("NODE_FAIL", "failed"),
        ("OUT_OF_MEMORY", "failed"),
        ("PREEMPTED", "failed"),
    ],
)
def test_the_status_of_a_job(
    state: str, expected: str, queue: Callable[..., None], tmp_path: Path
) -> None:
    squeue = f"#!/bin/sh\necho squeue >>{tmp_path}/asked\necho '6 FAILED'\necho '7 {state}'\n"
    (tmp_path / "bin" / "squeue").write_text(squeue)
    assert status(tmp_path, "7") == expected
    # The answer holds for a while, also for other jobs.
    assert status(tmp_path, "6") == "failed"
    assert asked(tmp_path) == ["squeue"]


def test_the_status_of_a_job_that_is_known_no_more(
    queue: Callable[..., None], tmp_path: Path
) -> None:
    (tmp_path / "bin" / "squeue").write_text("#!/bin/sh\necho '6 RUNNING'\n")
    sacct = tmp_path / "bin" / "sacct"
    for answer, expected in (
        ("COMPLETED", "success"),
        ("CANCELLED by 0", "failed"),
        ("", "failed"),
    ):
        sacct.write_text(f"#!/bin/sh\necho '{answer}'\n")
        sacct.chmod(0o755)
        assert status(tmp_path, "7") == expected


def test_a_job_counts_as_running_while_slurm_gives_no_answer(
    queue: Callable[..., None], tmp_path: Path
) -> None:
    (tmp_path / "bin" / "squeue").write_text("#!/bin/sh\nexit 1\n")
    assert status(tmp_path, "7") == "running"


def status(folder: Path, job: str) -> str:
    (folder / ".snakemake").mkdir(exist_ok=True)
    return subprocess.run(
        [SLURM / "status.sh", job], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()
