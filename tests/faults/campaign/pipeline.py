"""Runs the scripts of a study one after another in this process, as its jobs do.

The way of the cheap inputs: the real scripts, their logs and their messages, without
Snakemake, which takes seconds to plan.
"""

import contextlib
import gc
import io
import os
import runpy
import signal
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq

from campaign.faults import CORRECT, RECORDED, Fault, Outcome, judge_refusal
from campaign.sandbox import ROOT
from routebench.planning.run import read_study
from routebench.planning.study import Study, open_study
from routebench.planning.study_files import read_yaml

FAULTY = "a2"
# Rows of these tables are equal in two runs but for the rows of a faulty case.
COMPARED = ("cases.parquet", "gold.parquet", "scores.parquet", "rankings", "contexts")


class Files(list[str]):
    """Files of a job by place and by name, as Snakemake gives them."""

    def __init__(self, *unnamed: str, **named: Any) -> None:
        super().__init__(unnamed)
        for name, value in named.items():
            setattr(self, name, value)
            self.extend([value] if isinstance(value, str) else value)


class TooLong(BaseException):
    """The time limit of an input."""


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Ends the block after some seconds."""

    def end(*_: object) -> None:
        raise TooLong

    previous = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


@dataclass(frozen=True)
class Pipeline:
    """The jobs of a study. The working directory is the project."""

    study: Study

    def run_script(self, name: str, inputs: Files, outputs: Files, **wildcards: str) -> None:
        """Runs one script as Snakemake would."""
        for output in outputs:
            Path(output).parent.mkdir(parents=True, exist_ok=True)
        log = "/".join([self.study.folder, "logs", name, *wildcards.values()]) + ".log"
        job = SimpleNamespace(
            input=inputs,
            output=outputs,
            log=[log],
            wildcards=SimpleNamespace(**wildcards),
        )
        runpy.run_path(str(ROOT / "scripts" / f"{name}.py"), init_globals={"snakemake": job})

    def run(self, *, shown: bool = True) -> None:
        """Runs all jobs but the drawings; without ``shown``, to the statistics."""
        self.prepare()
        for repo in self.repositories():
            self.provide(repo)
            for arm in self.study.arms:
                self.rank(arm, repo)
            self.pack(repo)
            self.audit(repo)
        self.evaluate()
        if shown:
            self.report()

    def prepare(self) -> None:
        """Makes the cohort."""
        r, settings = self.study.folder, self.study.settings
        self.run_script(
            "cohort",
            Files(dataset=self.study.dataset_file, ledger=[], settings=settings("cohort")),
            Files(
                cohort=f"{r}/cohort",
                issues=f"{r}/issues",
                commits=f"{r}/commits",
                left_out=f"{r}/left_out.parquet",
            ),
        )

    def repositories(self) -> list[str]:
        """Returns the slugs of the cohort."""
        return sorted(path.stem for path in Path(self.study.folder, "commits").glob("*.json"))

    def provide(self, repo: str) -> None:
        """Makes mirror, snapshots and files of a repository."""
        r, settings = self.study.folder, self.study.settings
        access, commits = settings("access"), f"{r}/commits/{repo}.json"
        mirror, blobs = f"{r}/mirrors/{repo}.json", f"{r}/blobs/{repo}.parquet"
        given = Files(commits=commits, settings=settings("mirror"), access=access)
        self.run_script("mirror", given, Files(mirror), repo=repo)
        given = Files(commits=commits, mirror=mirror, settings=settings("corpus"), access=access)
        made = Files(snapshots=f"{r}/snapshots/{repo}", blobs=blobs)
        self.run_script("snapshot", given, made, repo=repo)
        given = Files(mirror=mirror, blobs=blobs, settings=settings("files"), access=access)
        self.run_script("files", given, Files(f"{r}/files/{repo}"), repo=repo)

    def rank(self, arm: str, repo: str) -> None:
        """Ranks with an arm."""
        r, settings = self.study.folder, self.study.settings
        snapshots, blobs = f"{r}/snapshots/{repo}", f"{r}/blobs/{repo}.parquet"
        parameters = self.study.config.arms[arm].parameters
        sources = parameters.source_arms
        given = Files(
            issues=f"{r}/issues/{repo}.parquet",
            snapshots=[snapshots],
            blobs=[blobs],
            files=[f"{r}/files/{repo}"] if parameters.needs_files else [],
            sources=[f"{r}/rankings/{source}/{repo}.parquet" for source in sources],
            costs=[f"{r}/operations/{source}/{repo}.parquet" for source in sources],
            pins=[],
            settings=self.study.arm_settings(arm),
            access=settings("access"),
        )
        made = {name: f"{r}/{name}/{arm}/{repo}.parquet" for name in ("rankings", "operations")}
        if parameters.models:
            made |= {name: f"{r}/{name}/{arm}/{repo}.parquet" for name in ("traces", "answers")}
        self.run_script("rank", given, Files(**made), arm=arm, repo=repo)

    def pack(self, repo: str) -> None:
        """Packs the contexts of all arms on a repository."""
        r, study = self.study.folder, self.study
        given = Files(
            issues=f"{r}/issues/{repo}.parquet",
            rankings=[name.format(repo=repo) for name in study.of_arms("rankings")],
            snapshots=f"{r}/snapshots/{repo}",
            blobs=f"{r}/blobs/{repo}.parquet",
            settings=study.settings("context"),
        )
        made = Files(*(name.format(repo=repo) for name in study.of_arms("contexts")))
        self.run_script("context", given, made, repo=repo)

    def audit(self, repo: str) -> None:
        """Audits the gold of a repository."""
        r = self.study.folder
        given = Files(
            cohort=f"{r}/cohort/{repo}.parquet",
            mirror=f"{r}/mirrors/{repo}.json",
            snapshots=f"{r}/snapshots/{repo}",
            blobs=f"{r}/blobs/{repo}.parquet",
            settings=self.study.settings("audit"),
        )
        self.run_script("audit", given, Files(f"{r}/spans/{repo}.parquet"), repo=repo)

    def evaluate(self) -> None:
        """Makes cases, scores and what follows."""
        r, settings = self.study.folder, self.study.settings
        cases, gold, scores = (f"{r}/{name}.parquet" for name in ("cases", "gold", "scores"))
        given = Files(
            cohort=self._each("cohort"),
            spans=self._each("spans"),
            left_out=f"{r}/left_out.parquet",
            gold_audit=[],
            settings=settings("cases"),
        )
        made = Files(cases=cases, gold=gold, exclusions=f"{r}/exclusions.parquet")
        self.run_script("cases", given, made)
        rankings, contexts = self._all_arms("rankings"), self._all_arms("contexts")
        given = Files(
            cases=cases,
            gold=gold,
            rankings=rankings,
            contexts=contexts,
            settings=settings("scores"),
        )
        self.run_script("scores", given, Files(scores))
        given = Files(cases=cases, scores=scores, settings=settings("statistics"))
        self.run_script("statistics", given, Files(f"{r}/statistics.parquet"))
        given = Files(gold=gold, rankings=rankings, settings=settings("overlaps"))
        self.run_script("overlaps", given, Files(f"{r}/overlaps.parquet"))

    def report(self) -> None:
        """Makes tables, summary, verdicts and the page."""
        r, study = self.study.folder, self.study
        tables = self.result_tables()
        given = Files(**tables, queries=study.table_queries)
        self.run_script("tables", given, Files(*study.tables))
        given = Files(**tables, query="workflow/queries/arms.sql")
        made = Files(summary=f"{r}/summary.txt", versions=f"{r}/versions.json")
        self.run_script("summary", given, made)
        given = Files(
            **tables,
            contexts=self._all_arms("contexts"),
            traces=[f for f in self._all_arms("traces") if Path(f).exists()],
            commits=self._each("commits", "json"),
            queries=study.table_queries,
            figures=[],
            verdicts=[],
            report=study.settings("report"),
        )
        made = Files(page=f"{r}/report/index.html")
        self.run_script("report", given, made)

    def result_tables(self) -> dict[str, Any]:
        """Returns the tables that tables, figures and the page are made from."""
        names = ("cases", "gold", "exclusions", "scores", "statistics", "overlaps")
        return {
            **{name: f"{self.study.folder}/{name}.parquet" for name in names},
            "spans": self._each("spans"),
            "rankings": self._all_arms("rankings"),
            "operations": self._all_arms("operations"),
            "settings": self.study.settings("reporting"),
        }

    def _each(self, folder: str, suffix: str = "parquet") -> list[str]:
        return [f"{self.study.folder}/{folder}/{repo}.{suffix}" for repo in self.repositories()]

    def _all_arms(self, folder: str) -> list[str]:
        return [
            f"{self.study.folder}/{folder}/{arm}/{repo}.parquet"
            for arm in self.study.arms
            for repo in self.repositories()
        ]


def open_pipeline(file: str = "study.yaml") -> Pipeline:
    """Returns the jobs of the study in the working directory."""
    read_study(Path(file))
    return Pipeline(open_study(read_yaml(Path(file)), Path.cwd()))


def run_here(folder: Path, work: Any, seconds: int = 60) -> Outcome:
    """Runs a function in a project and classifies what comes of it.

    Args:
        folder: the project.
        work: takes nothing; raises what scripts raise.
        seconds: what it may take.
    """
    said, before = io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stderr(said), time_limit(seconds):
            work()
    except SystemExit as end:
        told = str(end.code) if isinstance(end.code, str) else said.getvalue()
        return judge_refusal(1, told)
    except TooLong:
        return Outcome("hang", traceback.format_exc()[-1500:])
    except Exception as error:
        from routebench.errors import RoutebenchError

        if isinstance(error, RoutebenchError):
            return judge_refusal(1, f"routebench: {error}")
        return Outcome("bare traceback", traceback.format_exc()[-1500:])
    finally:
        os.chdir(before)
        # A checkout goes away with its snapshot, at the latest when the job's process ends.
        gc.collect()
    reasons = recorded_reasons(folder / "results" / "small")
    return Outcome(RECORDED, "\n".join(reasons)) if reasons else Outcome(CORRECT)


def recorded_reasons(results: Path) -> list[str]:
    """Returns why cases are out or failed, as the tables of a study record it."""
    reasons = []
    for path in results.glob("exclusions.parquet"):
        reasons += [f"{r['case_id']}: {r['reason']}" for r in pq.read_table(path).to_pylist()]
    for path in sorted(results.glob("operations/*/*.parquet")):
        rows = pq.ParquetFile(path).read().to_pylist()
        reasons += [f"{r['case_id']}: {r['error']}" for r in rows if r["error"]]
        reasons += [
            f"{r['case_id']}: dropped {r['dropped_paths']}" for r in rows if r["dropped_paths"]
        ]
    return reasons


def rows_by_case(results: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Returns the rows of every compared table, by table and case."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for top in COMPARED:
        place = results / top
        for path in [place] if place.is_file() else sorted(place.rglob("*.parquet")):
            for row in pq.ParquetFile(path).read().to_pylist():
                key = (path.relative_to(results).as_posix(), row["case_id"])
                found.setdefault(key, []).append(row)
    return found


def examine(fault: Fault, sandbox: Any, clean: Any, work: Any) -> tuple[str, list[str]]:
    """Runs an input; returns its outcome, and what is wrong with it."""
    fault.make(sandbox)
    before = sandbox.state()
    outcome = run_here(sandbox.project, work, fault.seconds)
    wrong = []
    if outcome.name != fault.expect:
        wrong.append(f"{outcome.name}, expected {fault.expect}: {outcome.told}")
    elif fault.says not in outcome.told:
        wrong.append(f"does not say {fault.says!r}: {outcome.told}")
    elif fault.expect in (CORRECT, RECORDED):
        found = rows_by_case(sandbox.results)
        lost = [key for key in clean if key[1] != FAULTY and found.get(key) != clean[key]]
        wrong += [f"another result of {lost[0]}"] if lost else []
        if fault.check and not wrong:
            fault.check(sandbox)
    if strays := sandbox.strays(before):
        wrong.append(f"written outside of results and cache: {strays[:5]}")
    return outcome.name, wrong
