"""Sees what the scripts of a running Snakemake take.

Peak memory and processor time are read from /proc forty times a second; what a script
starts (git, ripgrep) counts as its own.
"""

import re
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

SCRIPT = re.compile(r"/\.snakemake/scripts/tmp\w+\.(?P<stage>\w+)\.py$")
PAUSE_S = 0.025
MB = 1e6


@dataclass
class Job:
    """One process of a script, as far as seen.

    Attributes:
        stage: name of the script.
        seconds: processor time.
        wall_s: from when it was first seen until it was last seen.
        peak_mb: peak of its memory.
    """

    stage: str
    seconds: float = 0.0
    wall_s: float = 0.0
    peak_mb: float = 0.0


@dataclass
class Watched:
    """A run of Snakemake that has ended.

    Attributes:
        jobs: the scripts it started.
        wall_s: seconds from start to end.
        own_s: processor seconds of Snakemake itself.
    """

    jobs: list[Job] = field(default_factory=list)
    wall_s: float = 0.0
    own_s: float = 0.0

    @property
    def scripts_s(self) -> float:
        """Seconds of all scripts together, from start to end of each."""
        return sum(job.wall_s for job in self.jobs)


def watch(process: subprocess.Popen[bytes]) -> Watched:
    """Follows a running Snakemake, or a process that starts one, until it ends."""
    jobs: dict[int, tuple[float, Job]] = {}
    watched, started = Watched(), time.perf_counter()
    top = psutil.Process(process.pid)
    while process.poll() is None:
        now = time.perf_counter()
        own_s = 0.0
        for child in (top, *children(top)):
            if stage := stage_of(child):
                first, job = jobs.setdefault(child.pid, (now, Job(stage)))
                job.seconds = max(job.seconds, processor_s(child))
                job.peak_mb = max(job.peak_mb, memory_mb(child))
                job.wall_s = now - first + PAUSE_S
            elif is_snakemake(child):
                own_s += own_processor_s(child)
        watched.own_s = max(watched.own_s, own_s)
        time.sleep(PAUSE_S)
    watched.wall_s = time.perf_counter() - started
    watched.jobs = [job for _, job in jobs.values()]
    return watched


def children(process: psutil.Process) -> list[psutil.Process]:
    """Returns all processes below one that are there now."""
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def stage_of(process: psutil.Process) -> str | None:
    """Returns the stage whose script a process runs, if any."""
    try:
        found = [SCRIPT.search(word) for word in process.cmdline()[:3]]
    except psutil.Error:
        return None
    return next((match["stage"] for match in found if match), None)


def is_snakemake(process: psutil.Process) -> bool:
    """Tells whether a process is Snakemake itself."""
    try:
        return "snakemake" in process.cmdline()[1:3]
    except psutil.Error:
        return False


def own_processor_s(process: psutil.Process) -> float:
    """Returns the processor time of a process alone."""
    try:
        return sum(process.cpu_times()[:2])
    except psutil.Error:
        return 0.0


def processor_s(process: psutil.Process) -> float:
    """Returns the processor time of a process, what it started included."""
    try:
        return sum(process.cpu_times()[:4]) + sum(sum(c.cpu_times()[:4]) for c in children(process))
    except psutil.Error:
        return 0.0


def memory_mb(process: psutil.Process) -> float:
    """Returns the peak of a process and the present use of what it started."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024
        return (peak + sum(child.memory_info().rss for child in children(process))) / MB
    except (OSError, TypeError, psutil.Error):
        return 0.0
