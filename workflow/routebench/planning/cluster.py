"""A study's jobs on Slurm: found by name and cancelled where their run is gone.

A Snakemake that is killed leaves its jobs running, and the next one submits them again.
Both copies come to the same bytes, but the first ones only cost time and memory.
"""

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import yaml

from routebench.errors import RoutebenchError

PROFILES = Path("workflow/profiles")
NAME_VARIABLE = "ROUTEBENCH_RUN"
WAIT_S = 300.0
PAUSE_S = 0.5
ANSWER_S = 60.0


def find_profile(name: str) -> Path | None:
    """Returns the folder of a Snakemake profile: a name in workflow/profiles, or a path.

    Raises:
        RoutebenchError: there is none; the known ones are named.
    """
    if not name:
        return None
    for path in (PROFILES / name, Path(name)):
        if (path / "config.yaml").is_file():
            return path
    known = ", ".join(sorted(file.parent.name for file in PROFILES.glob("*/config.yaml")))
    raise RoutebenchError(f"PROFILE={name}: no such profile or folder; profiles are {known}")


def run_name(folder: Path) -> str:
    """Returns the name that all jobs of a study have, on no other study of the user's.

    Args:
        folder: of the study's results.
    """
    place = str(folder.resolve())
    return f"{folder.name}.{hashlib.sha256(place.encode()).hexdigest()[:8]}"


def submits(profile: Path | None) -> bool:
    """Returns whether jobs of a Snakemake profile run elsewhere."""
    if profile is None:
        return False
    values = yaml.safe_load((profile / "config.yaml").read_text(encoding="utf-8")) or {}
    return str(values.get("executor", "local")) != "local"


def start_submitting(folder: Path, profile: Path | None) -> None:
    """Cancels what an earlier run left on the cluster, and names the jobs of this one.

    A run without a cluster looks only where the last run on one did not end well.

    Args:
        folder: of the study's results.
        profile: folder of the Snakemake profile of this run.

    Raises:
        RoutebenchError: Slurm does not answer, or jobs do not end.
    """
    if submits(profile) or _note(folder).exists():
        cancel_leftovers(run_name(folder))
        _note(folder).unlink(missing_ok=True)
    if submits(profile):
        os.environ[NAME_VARIABLE] = run_name(folder)
        _note(folder).touch()


def end_submitting(folder: Path, status: int) -> None:
    """Notes that a run ended; a later one need not look if all went well."""
    if status == 0:
        _note(folder).unlink(missing_ok=True)


def cancel_leftovers(name: str, *, wait_s: float = WAIT_S) -> int:
    """Cancels all of the user's jobs with a name, and waits until they are gone.

    Returns:
        How many there were.

    Raises:
        RoutebenchError: Slurm does not answer, or jobs are there after ``wait_s`` seconds.
    """
    left = first = _jobs(name)
    if first:
        print(f"routebench: cancelling {len(first)} jobs of an earlier run", file=sys.stderr)
    deadline = time.monotonic() + wait_s
    while left:
        _slurm("scancel", *left)
        time.sleep(PAUSE_S)
        left = _jobs(name)
        if left and time.monotonic() > deadline:
            raise RoutebenchError(
                f"jobs {', '.join(left)} of an earlier run do not end; see squeue --name={name}"
            )
    return len(first)


def _jobs(name: str) -> list[str]:
    # Jobs at work or waiting, those that are just ending too.
    return _slurm("squeue", "--me", "--noheader", "--format=%A", f"--name={name}").split()


def _slurm(*command: str) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=ANSWER_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RoutebenchError(f"Slurm: {command[0]} gives no answer ({error})") from error
    if done.returncode and command[0] == "squeue":
        reason = " ".join(done.stderr.split()) or f"exit status {done.returncode}"
        raise RoutebenchError(f"Slurm: squeue: {reason}")
    return done.stdout


def _note(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.cluster")
