"""What routebench takes: `make bench`. Everything is measured in this one run.

lexical   the arms without a model, with contexts and scores, against the yardstick
stages    time and peak memory of each stage of the whole study
reruns    nothing changed, and one arm changed, at the size of the paper
planning  studies of 100, 1,000 and 10,000 made-up cases
"""

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import psutil
import pyarrow.parquet as pq
import synthetic
import yaml
import yardstick
from tabulate import tabulate
from watching import Watched, watch

from routebench.arms.base import Resources
from routebench.arms.run import rank_repository
from routebench.context.build import pack_repository
from routebench.corpus.fetching import repository_url
from routebench.corpus.snapshots import build_corpus
from routebench.errors import RoutebenchError
from routebench.evaluation.scores import score_study
from routebench.planning.configuration import Configuration
from routebench.planning.run import open_study_file
from routebench.planning.study_files import read_yaml
from routebench.records import repository_slug
from routebench.tables import write_rows

CORES = 2
LEXICAL = yaml.safe_load(Path("benchmarks/lexical.yaml").read_text())
PAPER_CASES, PAPER_REPOSITORIES = 82, 11
PLANNED = ((100, 2), (1_000, 20), (10_000, 200))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures what was asked for and prints tables."""
    sections: dict[str, Callable[..., None]] = {
        "lexical": measure_lexical,
        "stages": measure_stages,
        "reruns": measure_reruns,
        "planning": measure_planning,
    }
    parser = argparse.ArgumentParser(
        prog="make bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--study", default="demo", help="whose cases are asked; default demo")
    parser.add_argument("--dataset", default="", help="local file in place of its dataset")
    parser.add_argument("--repeats", type=int, default=3, help="of each time; default 3")
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(sections)}; default all")
    given = parser.parse_args(arguments)
    if unknown := set(given.sections) - set(sections):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(sections)}")
    print(f"{machine()}; medians of {given.repeats}\n")
    try:
        for name in given.sections or sections:
            with tempfile.TemporaryDirectory(prefix="routebench-bench-") as folder:
                sections[name](Path(folder), given)
    except RoutebenchError as error:
        sys.exit(f"bench: {error}")


def machine() -> str:
    """Returns one line about this machine and what else it does."""
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").is_file():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(
            (li.split(":")[1].strip() for li in lines if li.startswith("model name")), model
        )
    gigabytes = psutil.virtual_memory().total / 1e9
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} cores {model}, {gigabytes:.0f} GB, load {load:.1f} at the start"


def measure_lexical(folder: Path, given: argparse.Namespace) -> None:
    """Compares the arms of ``lexical.yaml`` with the yardstick."""
    file, config = prepare(folder, given, LEXICAL)
    results = folder / "results" / config.study
    run(snakemake(file, results / "scores.parquet"))
    issues = read_issues(results)
    mirrors = {repo: whole_mirror(config, repo, issues, folder) for repo in repositories(issues)}
    measured: list[dict[str, float]] = []
    for repeat in range(given.repeats):
        # Each repeat measures the three ways one after the other, so that a busy machine
        # is busy for all of them.
        theirs = measure_yardstick(issues, mirrors, folder / f"checkouts{repeat}", config)
        ours = measure_functions(results, mirrors, folder / f"ours{repeat}", config)
        if not repeat:
            check_equal(results, folder / f"checkouts{repeat}", config)
            check_equal(results, folder / f"ours{repeat}", config)
        shutil.rmtree(results)
        started = time.perf_counter()
        run(snakemake(file, results / "scores.parquet"))
        measured.append({**theirs, **ours, "snakemake": time.perf_counter() - started})
    print_lexical({name: median(measured, name) for name in measured[0]}, issues, config)


def measure_yardstick(
    issues: Sequence[Mapping[str, Any]],
    mirrors: Mapping[str, Path],
    folder: Path,
    config: Configuration,
) -> dict[str, float]:
    """Returns seconds of the yardstick: in all, of its parts and of each arm alone."""
    folder.mkdir()
    started = time.perf_counter()
    outcome, clock = yardstick.run(
        [dict(issue) for issue in issues],
        mirrors,
        folder,
        arms=list(config.arms),
        ks=config.k,
        budgets=config.context.budgets,
    )
    total = time.perf_counter() - started
    write_outcome(outcome, folder)
    source = clock.seconds["checkout"] + clock.seconds["reading"]
    own = {arm: clock.seconds[arm] + clock.seconds[f"{arm} context"] for arm in config.arms}
    return {
        "theirs": total,
        "their source": source,
        **{f"their {arm}": seconds for arm, seconds in own.items()},
    }


def write_outcome(outcome: yardstick.Outcome, folder: Path) -> None:
    """Writes what the yardstick gave as tables, one per arm."""
    for table in ("rankings", "contexts"):
        for arm, rows in getattr(outcome, table).items():
            write_rows(folder / table / f"{arm}.parquet", table, rows)


def measure_functions(
    results: Path, mirrors: Mapping[str, Path], folder: Path, config: Configuration
) -> dict[str, float]:
    """Returns seconds of our functions without Snakemake: in all, and of each arm alone."""
    seconds = dict.fromkeys(["our source", "our contexts", *(f"our {a}" for a in config.arms)], 0.0)
    places = {repo: folder / repository_slug(repo) for repo in sorted(mirrors)}
    issues = {repo: results / "issues" / f"{place.name}.parquet" for repo, place in places.items()}
    started = time.perf_counter()
    for repo, place in places.items():
        commits = list(dict.fromkeys(pq.read_table(issues[repo])["base_commit"].to_pylist()))
        with timed(seconds, "our source"):
            build_corpus(mirrors[repo], commits, rule=config.corpus.rule, **corpus_of(place))
        for arm in config.arms:
            with timed(seconds, f"our {arm}"):
                rank(arm, config, issues[repo], place)
        with timed(seconds, "our contexts"):
            pack(list(config.arms), config, issues[repo], place)
    score(results, folder, config)
    seconds["ours"] = time.perf_counter() - started
    for arm, (repo, place) in product(config.arms, places.items()):
        with timed(seconds, f"our {arm}"):
            pack([arm], config, issues[repo], place)
    return seconds


def corpus_of(place: Path) -> dict[str, Path]:
    """Returns where the corpus of a repository is."""
    return {"snapshots": place / "snapshots", "blobs": place / "blobs.parquet"}


def rank(arm: str, config: Configuration, issues: Path, place: Path) -> None:
    """Ranks one repository as the job of an arm does."""
    section = config.arms[arm]
    rank_repository(
        kind=section.kind,
        parameters=section.parameters,
        issues=issues,
        rankings=place / "rankings" / f"{arm}.parquet",
        operations=place / "operations" / f"{arm}.parquet",
        k=max(config.k),
        resources=Resources(),
        **corpus_of(place),
    )


def pack(arms: Sequence[str], config: Configuration, issues: Path, place: Path) -> None:
    """Packs one repository's contexts as their job does."""
    pack_repository(
        issues=issues,
        rankings={arm: place / "rankings" / f"{arm}.parquet" for arm in arms},
        outputs={arm: place / "contexts" / f"{arm}.parquet" for arm in arms},
        ks=config.k,
        budgets=config.context.budgets,
        best_lines=config.context.best_lines,
        margin=config.context.margin,
        **corpus_of(place),
    )


def score(results: Path, folder: Path, config: Configuration) -> None:
    """Scores all arms as their job does."""
    score_study(
        cases=results / "cases.parquet",
        gold=results / "gold.parquet",
        rankings={arm: sorted(folder.glob(f"*/rankings/{arm}.parquet")) for arm in config.arms},
        contexts={arm: sorted(folder.glob(f"*/contexts/{arm}.parquet")) for arm in config.arms},
        ks=config.k,
        budgets=config.context.budgets,
        output=folder / "scores.parquet",
    )


def check_equal(results: Path, folder: Path, config: Configuration) -> None:
    """Ends the run where another way came to other rankings or contexts.

    Raises:
        RoutebenchError: a list or a packed block differs.
    """
    for table in ("rankings", "contexts"):
        for arm in config.arms:
            files = sorted((results / table / arm).glob("*.parquet"))
            expected = [row for path in files for row in rows_without_score(path)]
            found = sorted(folder.glob(f"{table}/{arm}.parquet")) or sorted(
                folder.glob(f"*/{table}/{arm}.parquet")
            )
            if [row for path in found for row in rows_without_score(path)] != expected:
                raise RoutebenchError(f"{table} of {arm}: {folder.name} differs from the study")


def rows_without_score(path: Path) -> list[dict[str, Any]]:
    """Returns the rows of a table; scores of rankings may differ in their last digit."""
    table = pq.read_table(path)
    return list(table.drop_columns([c for c in ("score",) if c in table.column_names]).to_pylist())


def print_lexical(
    seconds: Mapping[str, float], issues: Sequence[Mapping[str, Any]], config: Configuration
) -> None:
    """Prints the comparison with the yardstick."""
    print(
        f"## Lexical arms\n\n{len(issues)} issues of {len(repositories(issues))} repositories; "
        "every ranking and context equals the yardstick's. *Alone* is an arm with its source and "
        "its contexts. Neither way fetches.\n"
    )
    lines = [
        ("all, Snakemake on 2 cores", seconds["theirs"], seconds["snakemake"]),
        ("all, one process", seconds["theirs"], seconds["ours"]),
        ("source (checkout, reading)", seconds["their source"], seconds["our source"]),
    ]
    for arm in config.arms:
        theirs, ours = seconds[f"their {arm}"], seconds[f"our {arm}"]
        lines.append(
            (f"{arm} alone", theirs + seconds["their source"], ours + seconds["our source"])
        )
        lines.append((f"{arm} without source", theirs, ours))
    rows = [(name, theirs, ours, ours / theirs) for name, theirs, ours in lines]
    print_table(rows, ("", "yardstick (s)", "routebench (s)", "ratio"), ("", ".1f", ".1f", ".2f"))


def measure_stages(folder: Path, given: argparse.Namespace) -> None:
    """Prints what each stage of the whole study takes."""
    file, config = prepare(folder, given, {})
    run(snakemake(file, folder / "results" / config.study / "cohort"))
    watched = watched_run(make_study(file))
    print(f"## Stages\n\nThe study {config.study} with {len(config.arms)} arms, once.\n")
    rows = []
    for stage in sorted({job.stage for job in watched.jobs}):
        jobs = [job for job in watched.jobs if job.stage == stage]
        walls, peaks = [job.wall_s for job in jobs], [job.peak_mb for job in jobs]
        total = (sum(walls), sum(job.seconds for job in jobs))
        rows.append((stage, len(jobs), *total, statistics.median(walls), max(walls), max(peaks)))
    heads = ("stage", "jobs", "wall (s)", "CPU (s)", "median (s)", "longest (s)", "peak (MB)")
    print_table(rows, heads, ("", "d", ".1f", ".1f", ".1f", ".1f", ".0f"))
    idle = 1 - watched.scripts_s / (CORES * watched.wall_s)
    print(
        f"Wall {watched.wall_s:.1f} s on {CORES} cores; Snakemake itself {watched.own_s:.1f} s of "
        f"CPU ({watched.own_s / watched.wall_s:.0%} of the wall time); cores without a script "
        f"{idle:.0%} of the time.\n"
    )


def measure_reruns(folder: Path, given: argparse.Namespace) -> None:
    """Prints what a second run takes at the size of the paper, on made-up repositories."""
    file = synthetic.write_study(folder, "made", PAPER_CASES, PAPER_REPOSITORIES, real=True)
    first = watched_run(make_study(file))
    nothing = [watched_run(make_study(file)) for _ in range(given.repeats)]
    changed = []
    for repeat in range(given.repeats):
        values = yaml.safe_load(file.read_text())
        values["arms"]["basename"]["query_characters"] = 400 + repeat
        file.write_text(yaml.safe_dump(values, sort_keys=False))
        changed.append(watched_run(make_study(file)))
    print(
        f"## Reruns\n\n{PAPER_CASES} made-up cases of {PAPER_REPOSITORIES} repositories, "
        f"{len(synthetic.ARMS)} arms. *Share* is the time of the scripts, spread over {CORES} "
        "cores.\n"
    )
    rows = []
    for name, runs in (
        ("everything", [first]),
        ("nothing changed", nothing),
        ("one arm changed", changed),
    ):
        middle = sorted(runs, key=lambda each: each.wall_s)[len(runs) // 2]
        share = middle.scripts_s / CORES
        rows.append((name, len(middle.jobs), middle.wall_s, share, middle.wall_s - share))
    heads = ("", "scripts", "wall (s)", "share (s)", "above share (s)")
    print_table(rows, heads, ("", "d", ".1f", ".1f", ".1f"))


def measure_planning(folder: Path, given: argparse.Namespace) -> None:
    """Prints what a plan of many cases takes, their cohort made."""
    rows = []
    for cases, repos in PLANNED:
        place = folder / str(cases)
        place.mkdir()
        file = synthetic.write_study(place, "planned", cases, repos, real=False)
        started = time.perf_counter()
        run(snakemake(file, place / "results/planned/cohort"))
        cohort = time.perf_counter() - started
        plans = [plan(file, place / "plan.txt") for _ in range(given.repeats)]
        seconds = statistics.median(seconds for seconds, _, _ in plans)
        peak = max(peak for _, peak, _ in plans)
        rows.append((f"{cases:,}", repos, plans[0][2], cohort, seconds, peak))
    print(f"## Planning\n\n{len(synthetic.ARMS)} arms; a dry run once the cohort is there.\n")
    heads = ("cases", "repositories", "jobs", "cohort (s)", "plan (s)", "peak (MB)")
    print_table(rows, heads, ("", "d", "d", ".1f", ".1f", ".0f"))


def plan(file: Path, output: Path) -> tuple[float, float, int]:
    """Returns seconds, peak memory (MB) and jobs of a dry run."""
    started, peak = time.perf_counter(), 0
    with output.open("w") as text:
        process = subprocess.Popen(
            [*snakemake(file), "--dry-run"], stdout=text, stderr=subprocess.STDOUT
        )
        while process.poll() is None:
            try:
                peak = max(peak, psutil.Process(process.pid).memory_info().rss)
            except psutil.Error:
                break
            time.sleep(0.01)
        if process.wait():
            raise RoutebenchError(f"planning failed: {output.read_text()[-500:]}")
    elapsed = time.perf_counter() - started
    jobs = next(
        (line.split()[1] for line in output.read_text().splitlines() if line.startswith("total ")),
        "0",
    )
    return elapsed, peak / 1e6, int(jobs)


def prepare(
    folder: Path, given: argparse.Namespace, changes: Mapping[str, Any]
) -> tuple[Path, Configuration]:
    """Writes the study with a folder of results of its own; returns its file and configuration."""
    source, _ = open_study_file(given.study, dataset=given.dataset)
    values = {**read_yaml(source), **changes, "results": str(folder / "results")}
    if changes:
        # What reads arms that are not measured.
        values |= {"verify": None, "reporting": {}, "statistics": {}, "limits": {}}
    file = folder / "study.yaml"
    file.write_text(yaml.safe_dump(values, sort_keys=False))
    return open_study_file(str(file))


def snakemake(file: Path, *targets: Path) -> list[str]:
    """Returns the command that makes targets, or the whole study, on two cores."""
    return [
        *(sys.executable, "-m", "snakemake", "--cores", str(CORES), "--configfile", str(file)),
        *("--nolock", "--keep-going", "--quiet", "host"),
        *(["--", *map(str, targets)] if targets else []),
    ]


def make_study(file: Path) -> list[str]:
    """Returns the command of ``make study``."""
    module = "routebench.planning.run"
    return [sys.executable, "-m", module, "--study", str(file), "--cores", str(CORES)]


def run(command: Sequence[str]) -> None:
    """Runs a command, quietly.

    Raises:
        RoutebenchError: it failed; with the end of what it printed.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RoutebenchError(f"{' '.join(command)} failed: {done.stderr[-800:]}")


def watched_run(command: Sequence[str]) -> Watched:
    """Runs a command and returns what its scripts took.

    Raises:
        RoutebenchError: it failed.
    """
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        watched = watch(process)
        if process.returncode:
            output.seek(0)
            raise RoutebenchError(f"a study failed: {output.read().decode()[-800:]}")
    return watched


def read_issues(results: Path) -> list[dict[str, Any]]:
    """Returns the issues whose commit has a snapshot, repository by repository."""
    files = sorted((results / "issues").glob("*.parquet"))
    return [
        row
        for file in files
        for row in pq.read_table(file).to_pylist()
        if (results / "snapshots" / file.stem / f"{row['base_commit']}.parquet").is_file()
    ]


def repositories(issues: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the repositories of issues, sorted."""
    return sorted({issue["repo"] for issue in issues})


def whole_mirror(
    config: Configuration, repo: str, issues: Sequence[Mapping[str, Any]], folder: Path
) -> Path:
    """Returns a git directory that a commit of the repository can be checked out from.

    A mirror of the study lacks the blobs that its rules leave out.
    """
    mirror = Path(config.cache, "mirrors", f"{repository_slug(repo)}.git")
    commits = sorted({issue["base_commit"] for issue in issues if issue["repo"] == repo})
    target = folder / "whole" / mirror.name
    if not lacks_objects(mirror, commits):
        return mirror
    template = os.environ.get("ROUTEBENCH_GIT_URL") or config.repositories.url
    git = ["git", "-C", str(target)]
    target.mkdir(parents=True)
    subprocess.run([*git, "init", "--quiet", "--bare"], check=True)
    url = repository_url(template, repo)
    subprocess.run([*git, "fetch", "--quiet", "--depth=1", url, *commits], check=True)
    return target


def lacks_objects(mirror: Path, commits: Sequence[str]) -> bool:
    """Tells whether a git directory lacks anything of the trees of some commits."""
    trees = [f"{commit}^{{tree}}" for commit in commits]
    command = ["git", "-C", str(mirror), "rev-list", "--objects", "--missing=print", *trees]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return any(line.startswith("?") for line in listed.splitlines())


@contextmanager
def timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    """Adds the time of the block."""
    started = time.perf_counter()
    yield
    seconds[name] += time.perf_counter() - started


def median(measured: Sequence[Mapping[str, float]], name: str) -> float:
    """Returns the median of one time over repeats."""
    return statistics.median(each[name] for each in measured)


def print_table(
    rows: Sequence[Sequence[Any]], heads: Sequence[str], formats: Sequence[str]
) -> None:
    """Prints a table as Markdown."""
    print(tabulate(rows, heads, tablefmt="github", floatfmt=formats), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
