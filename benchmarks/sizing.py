"""What a study costs per stage, and from that what a larger one would cost.

python benchmarks/sizing.py measure STUDY MEASURED.json   runs the study in a folder of its own
python benchmarks/sizing.py table MEASURED.json           prints docs/cluster.md's tables

Seconds are of processor time, which a machine that others use does not stretch. They and
peak memory are of the scripts' processes, seen through /proc twenty times a second; what
a script starts (git, ripgrep) counts as its own.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import yaml
from watching import MB, watch

from routebench.corpus.mirror import mirror_path

# A script that forks is seen twice for a moment; no script takes less than this to start.
FORK_S = 0.05
# Processor seconds of Snakemake in a submitted job, before the first script starts.
START_S = 1.9
BY_COMMIT = ("snapshot", "files", "audit", "snapshots", "blobs", "repository mirrors")
BY_REPOSITORY = ("mirror", "mirrors", "commits")
# Work and files that do not grow with the cases, or hardly.
FIXED = (
    "download",
    "cohort",
    "statistics",
    "figure",
    "summary",
    "tables",
    "figures",
    "logs",
    "settings",
)


@dataclass(frozen=True)
class Plan:
    """A study that is to be sized."""

    name: str
    cases: int
    repositories: int
    commits: int


PLANS = (
    Plan("ContextBench", 1136, 66, 1136),
    Plan("SWE-bench Verified", 500, 12, 500),
    Plan("20,000 issues", 20_000, 200, 20_000),
)


def measure(study: Path) -> dict[str, Any]:
    """Runs a study in a new folder of results and returns what it took."""
    with tempfile.TemporaryDirectory(prefix="sizing.") as folder:
        command = [
            *(sys.executable, "-m", "snakemake", "--cores", "2", "--nolock", "--quiet", "all"),
            *("--keep-going", "--configfile", str(study), "--config", f"results={folder}"),
        ]
        process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": "workflow"})
        jobs = watch(process).jobs
        results = Path(folder, yaml.safe_load(study.read_text())["study"])
        if process.returncode:
            raise SystemExit(f"{study}: Snakemake ended with {process.returncode}")
        return {
            "study": study.stem,
            "jobs": [asdict(job) for job in jobs],
            "units": units(results),
            "bytes": {
                **{path.name: size(path) for path in sorted(results.iterdir())},
                "repository mirrors": sum(map(size, mirrors(results))),
            },
        }


def units(results: Path) -> dict[str, int]:
    """Returns what the costs are counted by: what had source, not what was asked for."""
    cases = pq.read_table(results / "cases.parquet", columns=["repo", "base_commit"])
    return {
        "cases": cases.num_rows,
        "repositories": len(set(cases["repo"].to_pylist())),
        "commits": len(set(cases["base_commit"].to_pylist())),
        "arms": len(list(results.glob("settings/arms/*.json"))),
        "chains": chains(results),
    }


def mirrors(results: Path) -> list[Path]:
    """Returns the mirrors of the repositories that had source."""
    cases = pq.read_table(results / "cases.parquet", columns=["repo"])
    return [mirror_path(Path("cache/mirrors"), repo) for repo in set(cases["repo"].to_pylist())]


def chains(results: Path) -> int:
    """Returns the jobs a repository's arms are submitted in: a fusion goes with its sources."""
    group = {}
    for file in sorted(results.glob("settings/arms/*.json")):
        group.setdefault(file.stem, file.stem)
        for source in json.loads(file.read_text())["values"]["parameters"].get("sources") or ():
            merged = (group.setdefault(source, source), group[file.stem])
            group = {arm: merged[0] if at in merged else at for arm, at in group.items()}
    return len(set(group.values()))


def size(path: Path) -> int:
    """Returns the bytes of a file or of all files below a folder."""
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.stat().st_size for file in files if file.is_file())


class Stage(NamedTuple):
    """Jobs, their processor seconds and peak memory; a job's least is what all of them cost."""

    jobs: int
    seconds: float
    least_s: float
    longest_s: float
    peak_mb: float


def stages(measured: Mapping[str, Any]) -> dict[str, Stage]:
    """Returns what each stage took, by name."""
    found = defaultdict(list)
    for job in measured["jobs"]:
        if job["seconds"] > FORK_S:
            found[job["stage"]].append(job)
    return {stage: _stage(jobs) for stage, jobs in sorted(found.items())}


def _stage(jobs: Sequence[Mapping[str, float]]) -> Stage:
    seconds = [job["seconds"] for job in jobs]
    peak = max(job["peak_mb"] for job in jobs)
    return Stage(len(jobs), sum(seconds), min(seconds), max(seconds), peak)


def unit_of(name: str) -> str:
    """Returns what a stage's cost, or the bytes of a folder of results, grow with."""
    if name in BY_COMMIT:
        return "commits"
    if name in FIXED:
        return "studies"
    return "repositories" if name in BY_REPOSITORY else "cases"


def forecast(measured: Mapping[str, Any], plan: Plan) -> dict[str, float]:
    """Returns submitted jobs, hours of a core, and gigabytes on disk of a larger study.

    A job of a stage costs its least (a repository without source); the rest grows.
    """
    units, planned = measured["units"], asdict(plan)
    grown = {unit: planned[unit] / units[unit] for unit in ("cases", "repositories", "commits")}
    grown["studies"] = 1.0
    # Cohort, results and verdict; of each repository mirror, source, contexts, chains of arms.
    jobs = 3 + plan.repositories * (3 + units["chains"])
    seconds = START_S * jobs
    for name, stage in stages(measured).items():
        in_all = jobs_each(measured, name) * plan.repositories or stage.jobs
        seconds += stage.least_s * in_all
        seconds += (stage.seconds - stage.least_s * stage.jobs) * grown[unit_of(name)]
    size = sum(grown[unit_of(name)] * count for name, count in measured["bytes"].items())
    return {"jobs": jobs, "hours": seconds / 3600, "gb": size / 1e9}


def jobs_each(measured: Mapping[str, Any], stage: str) -> int:
    """Returns the jobs of a stage on one repository; 0 for a stage of all together."""
    if stage == "rank":
        return int(measured["units"]["arms"])
    return 1 if stage in (*BY_COMMIT, *BY_REPOSITORY, "context") else 0


def print_tables(measured: Mapping[str, Any]) -> None:
    """Prints what was measured and what follows for larger studies."""
    counted = ", ".join(f"{count} {name}" for name, count in measured["units"].items())
    print(f"{measured['study']}: {counted}\n")
    print("| stage | jobs | seconds | least | most | peak MB | grows with |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    for name, stage in stages(measured).items():
        times = f"{stage.seconds:.1f} | {stage.least_s:.1f} | {stage.longest_s:.1f}"
        print(f"| {name} | {stage.jobs} | {times} | {stage.peak_mb:.0f} | {unit_of(name)} |")
    print("\n| folder | MB | grows with |\n| --- | ---: | --- |")
    for name, count in sorted(measured["bytes"].items(), key=lambda pair: -pair[1]):
        if count > MB / 10:
            print(f"| {name} | {count / MB:.1f} | {unit_of(name)} |")
    print("\n| study | cases | repositories | jobs | core hours | disk GB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for plan in PLANS:
        cost = forecast(measured, plan)
        print(
            f"| {plan.name} | {plan.cases:,} | {plan.repositories} | {cost['jobs']:,.0f} "
            f"| {cost['hours']:.1f} | {cost['gb']:.1f} |"
        )


def main(arguments: list[str]) -> None:
    """Measures, or prints what was measured."""
    if arguments[:1] == ["measure"] and len(arguments) == 3:
        Path(arguments[2]).write_text(json.dumps(measure(Path(arguments[1])), indent=1) + "\n")
    elif arguments[:1] == ["table"] and len(arguments) == 2:
        print_tables(json.loads(Path(arguments[1]).read_text()))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
