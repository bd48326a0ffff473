"""Whole runs of ``make study``: damage to results, full disks, clocks, kills, odd folders.

Each starts from a copy of the finished study, or from nothing, in a sandbox of its own.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from campaign import study
from campaign.faults import CORRECT, RECORDED, REFUSED, Fault, Outcome, judge_refusal
from campaign.pipeline import recorded_reasons
from campaign.sandbox import Sandbox

LIMIT_S = 300
RUN = ("-m", "routebench.planning.run", "--study", "study.yaml", "--cores", "2")
PAST, FUTURE = -1_000_000, 2_000_000_000
ALPHA, BETA = "acme__alpha", "acme__beta"


@dataclass(frozen=True)
class Ended:
    """A run that ended."""

    status: int
    text: str
    seconds: float


def variables(sandbox: Sandbox) -> dict[str, str]:
    """Returns the environment of a run, whose home and temporary folder are the sandbox's."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(sandbox.home),
        "TMPDIR": str(sandbox.tmp),
        "PYTHONPATH": "workflow",
        "PYTHONDONTWRITEBYTECODE": "1",
        "XDG_CACHE_HOME": str(sandbox.path(".cache")),
    }


def run(sandbox: Sandbox, *arguments: str, before: str = "") -> Ended:
    """Runs the study to its end.

    Args:
        sandbox: where.
        arguments: of make study.
        before: shell commands that go before, such as limits.
    """
    command = [sys.executable, *RUN, *arguments]
    if before:
        command = ["sh", "-c", f'{before}; exec "$@"', "sh", *command]
    started = time.monotonic()
    done = subprocess.run(
        command,
        cwd=sandbox.project,
        env=variables(sandbox),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=LIMIT_S,
        check=False,
    )
    return Ended(done.returncode, done.stdout, time.monotonic() - started)


def outcome(sandbox: Sandbox, ended: Ended) -> Outcome:
    """Classifies a run."""
    if ended.status:
        return judge_refusal(ended.status, ended.text)
    reasons = recorded_reasons(sandbox.results)
    return Outcome(RECORDED, "\n".join(reasons)) if reasons else Outcome(CORRECT, ended.text)


def content(sandbox: Sandbox) -> dict[str, bytes]:
    """Returns the results that two runs have in common."""
    found: dict[str, bytes] = study.runs.Workspace(sandbox.project).bytes()
    return found


# Results, one of each kind: the name, and whether the run finds its damage before.
RESULTS = (
    *("cases.parquet", "gold.parquet", "exclusions.parquet", "left_out.parquet"),
    *("scores.parquet", "statistics.parquet", "overlaps.parquet"),
    *(f"cohort/{BETA}.parquet", f"issues/{ALPHA}.parquet", f"commits/{ALPHA}.json"),
    *(f"mirrors/{BETA}.json", f"blobs/{ALPHA}.parquet", f"spans/{BETA}.parquet"),
    *(f"rankings/fts5/{ALPHA}.parquet", f"operations/own/{BETA}.parquet"),
    f"contexts/fts5/{BETA}.parquet",
)


def cut(path: Path) -> None:
    """Takes the second half of a file away, its time kept as after a crash."""
    facts = path.stat()
    path.write_bytes(path.read_bytes()[: facts.st_size // 2])
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def clear(path: Path) -> None:
    """Empties a file, its time kept as after a crash."""
    facts = path.stat()
    path.write_bytes(b"")
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def become_folder(path: Path) -> None:
    """Puts a folder in place of a file."""
    path.unlink()
    path.mkdir()


def damage(sandbox: Sandbox, name: str, act: Callable[[Path], None]) -> None:
    """Damages a result."""
    act(sandbox.results / name)


def first_snapshot(sandbox: Sandbox, act: Callable[[Path], None]) -> None:
    """Damages a snapshot."""
    act(min((sandbox.results / "snapshots" / ALPHA).glob("*.parquet")))


def swap(sandbox: Sandbox, name: str, other: str) -> None:
    """Puts another result in place of one."""
    shutil.copyfile(sandbox.results / other, sandbox.results / name)


def results() -> Iterator[Fault]:
    """Results that are not whole, or are another's: made again to the same bytes."""
    for name in RESULTS:
        make = partial(damage, name=name, act=cut)
        yield Fault("finished results", f"{name} cut", CORRECT, make, "is damaged; it is made")
    for name in ("scores.parquet", f"mirrors/{ALPHA}.json", f"rankings/own/{BETA}.parquet"):
        make = partial(damage, name=name, act=clear)
        yield Fault("finished results", f"{name} emptied", CORRECT, make, "is damaged")
    for name in ("cases.parquet", f"mirrors/{BETA}.json"):
        make = partial(damage, name=name, act=become_folder)
        yield Fault("finished results", f"{name} is a folder", CORRECT, make, "is damaged")
    for name, other in (
        ("cases.parquet", "gold.parquet"),
        (f"rankings/fts5/{ALPHA}.parquet", f"operations/fts5/{ALPHA}.parquet"),
        ("scores.parquet", f"commits/{ALPHA}.json"),
    ):
        make = partial(swap, name=name, other=other)
        yield Fault("finished results", f"{other} as {name}", CORRECT, make, "is damaged")
    for name in ("scores", "cohort", "access", "arms/fts5"):
        make = partial(damage, name=f"settings/{name}.json", act=cut)
        yield Fault("finished results", f"settings/{name}.json cut", CORRECT, make)
    for what, act in (("cut", cut), ("gone", Path.unlink)):
        make = partial(first_snapshot, act=act)
        yield Fault("finished results", f"a snapshot {what}", CORRECT, make, "is damaged")
    for name in (f"commits/{BETA}.json", f"cohort/{ALPHA}.parquet"):
        make = partial(damage, name=name, act=Path.unlink)
        yield Fault("finished results", f"{name} gone", CORRECT, make, "is damaged")
    for name in ("report/index.html", "tables/arms.csv", "summary.txt"):
        make = partial(damage, name=name, act=Path.unlink)
        yield Fault("finished results", f"{name} gone", CORRECT, make)


def leftovers() -> Iterator[Fault]:
    """What killed runs leave, and clocks that went wrong."""

    def half(sandbox: Sandbox) -> None:
        from routebench.files import private_name

        private_name(sandbox.results / "scores.parquet").write_bytes(b"PAR1")
        private_name(sandbox.results / "cohort").mkdir()

    def locks(sandbox: Sandbox) -> None:
        (sandbox.project / "results" / ".small.lock").write_text("1\n")
        for name in ("HEAD.lock", "config.lock", "shallow.lock"):
            (sandbox.path(f"cache/mirrors/{ALPHA}.git") / name).write_text("")
        # So that the mirror is used again.
        cut(sandbox.results / "mirrors" / f"{ALPHA}.json")

    def scratch(sandbox: Sandbox) -> None:
        folder = sandbox.tmp / "routebench-scratch.abcdefgh"
        (folder / "source").mkdir(parents=True)
        (folder / "source" / "a.py").write_text("x")

    def dated(sandbox: Sandbox, when: int) -> None:
        for path in sandbox.results.rglob("*"):
            os.utime(path, (when, when), follow_symlinks=False)

    def issues(sandbox: Sandbox, when: int) -> None:
        shutil.rmtree(sandbox.results)
        os.utime(sandbox.path("data/issues.jsonl"), (when, when))

    def program(sandbox: Sandbox, when: int) -> None:
        os.utime(sandbox.path("program.py"), (when, when))

    yield Fault("leftovers and clocks", "half-written files", CORRECT, half)
    yield Fault("leftovers and clocks", "locks", CORRECT, locks)
    yield Fault("leftovers and clocks", "scratch folders", CORRECT, scratch, check=check_swept)
    for name, when in (("before 1970", PAST), ("of the future", FUTURE)):
        yield Fault("leftovers and clocks", f"results {name}", CORRECT, partial(dated, when=when))
        expect, says = (REFUSED, "dated in the future") if when == FUTURE else (CORRECT, "")
        made = partial(issues, when=when)
        yield Fault("leftovers and clocks", f"issues {name}", expect, made, says)
        yield Fault(
            "leftovers and clocks", f"a program {name}", CORRECT, partial(program, when=when)
        )


def check_swept(sandbox: Sandbox) -> None:
    """Scratch folders of processes that are gone are gone."""
    assert list(sandbox.tmp.iterdir()) == []


def folders() -> Iterator[Fault]:
    """Folders that are files, links or full."""

    def as_file(sandbox: Sandbox, name: str) -> None:
        shutil.rmtree(sandbox.path(name))
        sandbox.path(name).write_text("x")

    def gone(sandbox: Sandbox, name: str) -> None:
        shutil.rmtree(sandbox.path(name))

    def damaged_mirror(sandbox: Sandbox) -> None:
        for pack in sandbox.path(f"cache/mirrors/{ALPHA}.git/objects").rglob("*.pack"):
            pack.chmod(0o644)
            pack.write_bytes(pack.read_bytes()[:40])
        first_snapshot(sandbox, cut)

    yield Fault("folders", "results is a file", REFUSED, partial(as_file, name="results"), "cannot")
    nothing = partial(gone, name="results")
    yield Fault("folders", "results are gone", CORRECT, nothing)
    yield Fault("folders", "the cache is gone", CORRECT, partial(gone, name="cache"))
    yield Fault(
        "folders", "a mirror and a snapshot are damaged", REFUSED, damaged_mirror, "damaged"
    )


# Of a tmpfs: kilobytes, and the folder that lies on it.
DISKS = [(where, size) for where in ("results", "cache", "../tmp") for size in (32, 200, 500)]


def all_faults() -> list[Fault]:
    """Returns the inputs that start from the finished study."""
    return [fault for group in (results, leftovers, folders) for fault in group()]


def kills() -> tuple[tuple[str, str, str, float], ...]:
    """Returns when whom is killed: a name, a signal, a pattern of results, seconds after."""
    return (
        ("all at the cohort", "KILL", "commits", 0.0),
        ("all while ranking", "KILL", "rankings/*/*.parquet", 0.0),
        ("all at the tables", "KILL", "tables/*.csv", 0.0),
        ("make study while ranking", "TERM", "rankings/*/*.parquet", 0.0),
        ("the program's job", "JOB", "rankings/fts5/*.parquet", 0.0),
    )


def run_until(sandbox: Sandbox, signal_name: str, pattern: str, delay: float) -> str:
    """Starts a run from nothing and kills part of it once a result is there; returns its text."""
    import signal

    import psutil

    process = subprocess.Popen(
        [sys.executable, *RUN],
        cwd=sandbox.project,
        env=variables(sandbox),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + LIMIT_S
    while process.poll() is None and not any(sandbox.results.glob(pattern)):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    time.sleep(delay)
    with suppress(ProcessLookupError, psutil.NoSuchProcess):
        if signal_name == "KILL":
            os.killpg(process.pid, signal.SIGKILL)
        elif signal_name == "TERM":
            process.terminate()
        else:
            for child in psutil.Process(process.pid).children(recursive=True)[-1:]:
                child.kill()
    text, _ = process.communicate(timeout=LIMIT_S)
    return text
