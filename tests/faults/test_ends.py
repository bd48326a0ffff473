"""Whole runs of ``make study``: damaged results, full disks, clocks, kills, odd folders."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from campaign import ends, study
from campaign.faults import CORRECT, REFUSED, Fault, slug
from campaign.sandbox import Sandbox

FAULTS = ends.all_faults()
SIZES = "mount -t tmpfs -o size={size}k none {where}"


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sandbox, dict[str, bytes]]:
    """The study run once by the command, and its results.

    Results name the place of their repositories, so every run is at the same place.
    """
    folder = tmp_path_factory.mktemp("finished")
    sandbox = Sandbox(folder / "sandbox")
    study.make_study(sandbox, linked=False)
    before = sandbox.state()
    ended = ends.run(sandbox)
    assert ended.status == 0, ended.text
    assert sandbox.strays(before) == []
    shutil.copytree(sandbox.folder, folder / "kept", symlinks=True)
    return sandbox, ends.content(sandbox)


@pytest.fixture
def copy(finished: tuple[Sandbox, Any]) -> Sandbox:
    """The finished study as it was."""
    sandbox = finished[0]
    sandbox.remove()
    shutil.copytree(sandbox.folder.with_name("kept"), sandbox.folder, symlinks=True)
    return sandbox


@pytest.fixture
def fresh(copy: Sandbox) -> Sandbox:
    """The study as before its first run."""
    for name in ("results", "cache"):
        shutil.rmtree(copy.path(name))
        copy.path(name).mkdir()
    return copy


def differing(sandbox: Sandbox, clean: dict[str, bytes]) -> list[str]:
    """Returns the results that are not those of a sound run."""
    found = ends.content(sandbox)
    return sorted(n for n in clean.keys() | found.keys() if clean.get(n) != found.get(n))


@pytest.mark.parametrize("fault", FAULTS, ids=[slug(str(fault)) for fault in FAULTS])
def test_run(fault: Fault, copy: Sandbox, finished: Any, record: Any) -> None:
    fault.make(copy)
    before = copy.state()
    ended = ends.run(copy)
    outcome = ends.outcome(copy, ended)
    wrong = []
    if outcome.name != fault.expect:
        wrong.append(f"{outcome.name}, expected {fault.expect}: {outcome.told[-1500:]}")
    elif fault.says not in ended.text:
        wrong.append(f"does not say {fault.says!r}: {ended.text[-1500:]}")
    elif fault.expect == CORRECT:
        wrong += [f"other bytes in {name}" for name in differing(copy, finished[1])]
    if fault.check and not wrong:
        fault.check(copy)
    strays = [name for name in copy.strays(before) if "routebench-scratch.abcdefgh" not in name]
    wrong += [f"written outside of results and cache: {strays[:5]}"] if strays else []
    record(fault, outcome.name, wrong)


@pytest.mark.parametrize(("where", "size"), ends.DISKS)
def test_full_disk(where: str, size: int, fresh: Sandbox, finished: Any, record: Any) -> None:
    """A disk that is full, and then has room: the same bytes, what was finished is kept."""
    name = f"{Path(where).name} of {size} kB"
    fault = Fault("full disks", name, REFUSED, lambda sandbox: None)
    command = [sys.executable, *ends.RUN]
    script = (
        f'{SIZES.format(size=size, where=where)}; "$@" > ../first 2>&1; echo $? > ../status; '
        f'mount -o remount,size=500m {where}; "$@" > ../second 2>&1; status=$?; '
        "cp -a results ../kept; exit $status"
    )
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", *command],
        cwd=fresh.project,
        env=ends.variables(fresh),
        timeout=2 * ends.LIMIT_S,
        check=False,
    )
    first = (fresh.folder / "first").read_text()
    status = int((fresh.folder / "status").read_text())
    if status:
        outcome = ends.judge_refusal(status, first)
        wrong = [] if outcome.name == REFUSED else [f"{outcome.name}: {outcome.told}"]
    else:
        outcome, wrong = ends.Outcome(CORRECT), []
    if done.returncode:
        wrong.append(f"not complete with room: {(fresh.folder / 'second').read_text()[-1500:]}")
    else:
        shutil.rmtree(fresh.path("results"))
        shutil.move(fresh.folder / "kept", fresh.path("results"))
        wrong += [f"other bytes in {name}" for name in differing(fresh, finished[1])]
    record(fault, outcome.name, wrong)


def test_read_only_results(copy: Sandbox, finished: Any, record: Any) -> None:
    fault = Fault("full disks", "results are read only", REFUSED, lambda sandbox: None)
    script = 'mount --bind results results; mount -o remount,ro,bind results; exec "$@"'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", sys.executable, *ends.RUN],
        cwd=copy.project,
        env=ends.variables(copy),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=ends.LIMIT_S,
        check=False,
    )
    outcome = ends.judge_refusal(done.returncode, done.stdout)
    wrong = [] if outcome.name == REFUSED else [f"{outcome.name}: {outcome.told}"]
    wrong += [f"other bytes in {name}" for name in differing(copy, finished[1])]
    record(fault, outcome.name, wrong)


@pytest.mark.parametrize("kill", ends.kills(), ids=lambda kill: slug(kill[0]))
def test_killed(kill: Any, fresh: Sandbox, finished: Any, record: Any) -> None:
    """Run again, a killed study ends with the same bytes and leaves nothing behind."""
    name, signal_name, pattern, delay = kill
    fault = Fault("kills", name, CORRECT, lambda sandbox: None)
    before = fresh.state()
    text = ends.run_until(fresh, signal_name, pattern, delay)
    wrong = ["a traceback"] if "Traceback (most" in text else []
    ended = ends.run(fresh)
    outcome = ends.outcome(fresh, ended)
    if outcome.name != CORRECT:
        wrong.append(f"{outcome.name}: {outcome.told[-1500:]}")
    wrong += [f"other bytes in {name}" for name in differing(fresh, finished[1])]
    # Snakemake's own folder of temporary files stays where it is killed (docs/faults.md).
    strays = [s for s in fresh.strays(before) if not s.startswith("../tmp/snakemake")]
    wrong += [f"written outside of results and cache: {strays[:5]}"] if strays else []
    record(fault, outcome.name, wrong)
