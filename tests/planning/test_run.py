"""Around a run: the lock, leftovers, and what is said at the end."""

import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from routebench.errors import RoutebenchError
from routebench.files import private_name
from routebench.planning import run
from routebench.planning.configuration import load_configuration
from routebench.planning.run import find_study, main, settle_times, snakemake_command, sweep

ROOT = Path(__file__).parents[2]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study file; commands run in the project's folder, results are elsewhere."""
    monkeypatch.chdir(ROOT)
    file = tmp_path / "mine.yaml"
    file.write_text(f"study: mine\nresults: {tmp_path}/results\n")
    return file


def stand_in(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Runs a line of Python in place of Snakemake."""
    monkeypatch.setattr(run, "snakemake_command", lambda *a, **k: [sys.executable, "-c", code])


def test_sweep_removes_what_killed_jobs_left_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    names = ("scores.parquet", "rankings/fts5/a.parquet", "tables/arms.csv", "cohort")
    left = [private_name(folder / name) for name in names]
    for path in left[:-1]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
    (left[-1] / "inside").mkdir(parents=True)
    kept = [
        folder / "scores.parquet",
        folder / ".hidden",
        folder / ".short.abc.tmp",
        folder / "rankings" / "fts5" / "note.tmp",
        private_name(tmp_path / "cache" / "mirrors" / "x"),
        private_name(tmp_path / "other" / "scores.parquet"),
    ]
    for path in kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("whole")
    outside = tmp_path / "outside"
    outside.mkdir()
    link = private_name(folder / "snapshots")
    link.symlink_to(outside)
    sweep(folder)
    assert [path for path in [*left, link] if path.exists() or path.is_symlink()] == []
    assert [path for path in [*kept, outside] if not path.exists()] == []


def test_sweep_of_a_study_that_never_ran(tmp_path: Path) -> None:
    sweep(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_results_of_the_future_come_back_to_now_in_their_order(tmp_path: Path) -> None:
    """After the clock was set back a changed setting was older than the results: no job ran."""
    tomorrow = time.time() + 86_400
    for age, name in enumerate(("scores.parquet", "rankings/a/b.parquet", "cohort/.stamp")):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (tomorrow - age, tomorrow - age))
    settle_times(tmp_path)
    times = [
        (tmp_path / name).stat().st_mtime
        for name in ("cohort/.stamp", "rankings/a/b.parquet", "scores.parquet")
    ]
    assert times[2] <= time.time()
    assert [round(later - earlier) for earlier, later in pairwise(times)] == [1, 1]
    settle_times(tmp_path)
    assert (tmp_path / "scores.parquet").stat().st_mtime == times[2]


def test_a_second_run_of_a_study_at_work_is_refused(
    study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = f"import sys; sys.path.insert(0, {str(ROOT / 'workflow')!r}); " + (
        "from routebench.planning.run import main; "
        f"sys.exit(main(['--study', {str(study)!r}, '--cores', '1']))"
    )
    stand_in(monkeypatch, inner)
    assert main(["--study", str(study), "--cores", "1"]) == 1
    told = f"routebench: study mine is running already (process {os.getpid()}); wait for it"
    assert told in capsys.readouterr().err


def test_snakemake_keeps_the_lock_if_its_parent_is_killed(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without that, a second run would start beside the first one's Snakemake."""
    config = load_configuration(
        {"study": "mine", "results": f"{tmp_path}/results"}, ROOT / "config.yaml"
    )
    with run._alone(config) as lock:
        child = subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[lock]
        )
    try:
        with pytest.raises(RoutebenchError, match="running already"), run._alone(config):
            pass
    finally:
        child.communicate(b"\n")
    with run._alone(config):
        pass


def test_the_summary_comes_last(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in(monkeypatch, "")
    (tmp_path / "results" / "mine").mkdir(parents=True)
    (tmp_path / "results" / "mine" / "summary.txt").write_text("mine: 4 cases\n")
    assert main(["--study", str(study), "--cores", "1"]) == 0
    assert capsys.readouterr().out.endswith("\n\nmine: 4 cases\n")


def test_a_failure_says_where_to_look(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in(monkeypatch, "import sys; sys.stderr.write('what happened\\n'); sys.exit(3)")
    assert main(["--study", str(study), "--cores", "1"]) == 3
    captured = capsys.readouterr()
    assert captured.err.startswith("what happened\nroutebench: the study is not complete. ")
    assert f"{tmp_path}/results/mine/logs" in captured.err


def test_a_study_is_found_by_name_or_path(study: Path) -> None:
    assert find_study("demo") == Path("workflow/studies/demo.yaml")
    assert find_study(str(study)) == study
    with pytest.raises(RoutebenchError, match=r"^STUDY=none: no such study or file; studies are "):
        find_study("none")


def test_what_is_asked_beside_shows_snakemakes_own_output() -> None:
    plain = snakemake_command(Path("x.yaml"), cores="2", rest=[])
    assert plain[-2:] == ["--quiet", "host"]
    assert snakemake_command(Path("x.yaml"), cores="2", rest=["-n"])[-1] == "-n"
    assert "--quiet" not in snakemake_command(Path("x.yaml"), cores="2", rest=["-n"])


def test_a_dataset_of_the_future_is_refused_and_left_as_it_is(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Snakemake made the cohort, found it older than the dataset and threw it away."""
    issues = tmp_path / "issues.jsonl"
    issues.write_text("{}\n")
    study.write_text(study.read_text() + f"dataset: {{kind: own, path: {issues}}}\n")
    os.utime(issues, (4_000_000_000, 4_000_000_000))
    assert main(["--study", str(study), "--cores", "1"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"routebench: {issues} is dated in the future (2096-10-02 ")
    assert said.count("\n") == 1
    assert issues.stat().st_mtime == 4_000_000_000
    assert not (tmp_path / "results").exists()
