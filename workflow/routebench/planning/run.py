"""``make study``: checks the study, runs Snakemake, says what came of it."""

import argparse
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from routebench.errors import RoutebenchError, error_line
from routebench.files import is_file, sweep_scratch
from routebench.planning.cluster import end_submitting, find_profile, start_submitting
from routebench.planning.configuration import REPLACED, Configuration, load_configuration
from routebench.planning.explain import did_you_mean
from routebench.planning.healing import find_damaged
from routebench.planning.overrides import find_failures, replace_dataset, write_study
from routebench.planning.progress import show_progress
from routebench.planning.study_files import name_file, read_yaml

STUDIES = Path("workflow/studies")
LEFT_BEHIND = re.compile(r"\..+\.[0-9a-f]{32}\.tmp")
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a study; returns the exit status of Snakemake, or 1 for a wrong study."""
    parser = argparse.ArgumentParser(prog="make study")
    parser.add_argument("--study", required=True)
    parser.add_argument("--cores", default="", help="none: what the profile says")
    parser.add_argument("--profile", default="", help="Snakemake profile: where jobs run")
    parser.add_argument("--dataset", default="", help="local file in place of the dataset")
    parser.add_argument("--retry", action="store_true", help="try failed repositories again")
    parser.add_argument("rest", nargs="*")
    given = parser.parse_args(arguments)
    try:
        if given.cores not in ("", "all") and not re.fullmatch("[1-9][0-9]*", given.cores):
            raise RoutebenchError(f"CORES={given.cores}: expected a number from 1, or all")
        file, config = open_study_file(given.study, dataset=given.dataset)
        check_time(config)
        profile = find_profile(given.profile)
        command = snakemake_command(file, cores=given.cores, rest=given.rest, profile=profile)
        with _alone(config) as lock:
            start_submitting(study_folder(config), profile)
            sweep(study_folder(config))
            sweep_scratch()
            settle_times(study_folder(config))
            forced = heal(study_folder(config), config.arms)
            if given.retry and (failed := find_failures(study_folder(config))):
                print(f"Trying again: {', '.join(failed)}")
                forced += failed.values()
            command[3:3] = ["--forcerun", *dict.fromkeys(forced)] if forced else []
            status = run_study(config, command, lock=lock, short=not given.rest)
            end_submitting(study_folder(config), status)
            return status
    except RoutebenchError as error:
        print(error_line(error), file=sys.stderr)
        return 1


def check_time(config: Configuration) -> None:
    """Refuses a dataset of the future, which Snakemake takes for newer than all that it makes.

    Raises:
        RoutebenchError: the time of the study's local dataset has not come yet.
    """
    path = config.dataset.path
    modified = Path(path).stat().st_mtime if path else 0.0
    if path and modified > time.time():
        raise RoutebenchError(
            f"{path} is dated in the future ({time.strftime('%F %T', time.localtime(modified))}); "
            f"set its time (touch {path}) or the clock of this machine, and run it again"
        )


def find_study(name: str) -> Path:
    """Returns the file of a study: a name in workflow/studies, or a path.

    Raises:
        RoutebenchError: there is none; the known ones are named.
    """
    for path in (STUDIES / f"{name}.yaml", Path(name)):
        if is_file(path):
            return path
    known = sorted(path.stem for path in STUDIES.glob("*.yaml"))
    raise RoutebenchError(
        f"STUDY={name}: no such study or file{did_you_mean(name, known)}; "
        f"studies are {', '.join(known)}"
    )


def open_study_file(name: str, *, dataset: str = "") -> tuple[Path, Configuration]:
    """Returns the file that Snakemake reads for a study, and its checked configuration.

    Args:
        name: of the study, or its file.
        dataset: a local file that takes the place of the study's dataset; then the study
            of this run is written beside its results.

    Raises:
        RoutebenchError: there is no such study, or a key or a value is not allowed.
    """
    file = find_study(name)
    if not dataset:
        return file, read_study(file)
    if not is_file(Path(dataset)):
        raise RoutebenchError(f"DATASET={dataset}: no such file")
    values = replace_dataset(read_yaml(file), Path(dataset))
    config = _load(file, values)
    return write_study(values, study_folder(config) / "study.yaml"), config


def read_study(file: Path) -> Configuration:
    """Returns the checked configuration of a study file.

    Raises:
        RoutebenchError: not YAML, or a key or a value is not allowed.
    """
    values = read_yaml(file)
    config = _load(file, values)
    if "study" not in values:
        raise RoutebenchError(f"{file}: study is missing; name it, such as study: {file.stem}")
    return config


def _load(file: Path, values: Mapping[str, Any]) -> Configuration:
    try:
        return load_configuration(values, Path("config.yaml"))
    except RoutebenchError as error:
        raise name_file(error, file=file, values=values, replaced=REPLACED) from error


def study_folder(config: Configuration) -> Path:
    """Returns the folder of a study's results."""
    return Path(config.results, config.study)


def sweep(folder: Path) -> None:
    """Removes what killed jobs left half written; only for who holds the study's lock.

    Args:
        folder: of the study's results. The cache is shared with other studies and is
            left alone.
    """
    for depth in ("", "*/", "*/*/"):
        for path in folder.glob(f"{depth}.*.tmp"):
            if not LEFT_BEHIND.fullmatch(path.name):
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def settle_times(folder: Path) -> None:
    """Takes results that the clock has not reached back to now, in their order.

    Snakemake goes by times: after the clock was set back, results of former settings would
    pass for newer than the settings of this run. Only for who holds the study's lock.

    Args:
        folder: of the study's results.
    """
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    times = {path: path.stat().st_mtime_ns for path in files}
    ahead = max(times.values(), default=0) - time.time_ns()
    for path, modified in times.items() if ahead > 0 else ():
        os.utime(path, ns=(modified - ahead, modified - ahead))


def heal(folder: Path, arms: Collection[str]) -> list[str]:
    """Says which results are damaged; returns the rules and files that make them again.

    Args:
        folder: of the study's results.
        arms: arms of the study.
    """
    found = find_damaged(folder, arms)
    for path in found:
        print(f"routebench: {path} is damaged; it is made again", file=sys.stderr)
        # What is no file where a file must be, no job could replace.
        if path.suffix and path.is_dir():
            shutil.rmtree(path)
    return list(found.values())


def run_study(config: Configuration, command: Sequence[str], *, lock: int, short: bool) -> int:
    """Runs Snakemake on a study and prints its summary, or where to look after a failure."""
    print(f"{config.study}: {config.title}", flush=True)
    status = _run(command, lock, short=short)
    folder = study_folder(config)
    if status:
        print(
            f"routebench: the study is not complete. Logs of failed jobs: {folder}/logs. "
            "What is done is kept; run it again to go on.",
            file=sys.stderr,
        )
    elif (folder / "summary.txt").is_file():
        print("\n" + (folder / "summary.txt").read_text(encoding="utf-8"), end="")
    return status


def make_corpus(file: Path, config: Configuration, *, cores: str) -> int:
    """Makes the snapshots of a study and nothing that follows; returns Snakemake's status."""
    with _alone(config) as lock:
        sweep(study_folder(config))
        settle_times(study_folder(config))
        command = snakemake_command(file, cores=cores, rest=())
        return _run([*command, "--", "corpus"], lock, short=True)


def snakemake_command(
    file: Path, *, cores: str, rest: Sequence[str], profile: Path | None = None
) -> list[str]:
    """Returns the command that runs a study.

    A lock of our own, which the system drops with a killed process, stands in for
    Snakemake's, which stays behind.

    Args:
        file: of the study.
        cores: how many to use; empty for as many as the profile says.
        rest: more options of Snakemake.
        profile: folder of a Snakemake profile.
    """
    return [
        sys.executable,
        "-m",
        "snakemake",
        *(["--profile", str(profile)] if profile else []),
        *(["--cores", cores] if cores else []),
        "--configfile",
        str(file),
        "--nolock",
        "--rerun-incomplete",
        "--keep-going",
        # The other one starts a program for each choice; a run that was ended then never did.
        "--scheduler",
        "greedy",
        *([] if rest else ["--quiet", "host"]),
        *rest,
    ]


def _run(command: Sequence[str], lock: int, *, short: bool) -> int:
    # Snakemake inherits the lock, and holds it if this process alone is killed.
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE if short else None,
        pass_fds=[lock],
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    # Snakemake then lets running jobs end and starts no other.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: process.terminate())
    try:
        if process.stderr:
            show_progress(process.stderr, sys.stderr)
        return process.wait()
    except KeyboardInterrupt:
        process.wait()
        return INTERRUPTED


@contextmanager
def _alone(config: Configuration) -> Iterator[int]:
    folder = Path(config.results)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / f".{config.study}.lock").open("a+", encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RoutebenchError(
            f"cannot write to results folder {config.results} ({reason}); set results in the "
            "study to a folder of yours"
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise RoutebenchError(
                f"study {config.study} is running already (process {file.read().strip()}); "
                "wait for it, or end that process"
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield file.fileno()


if __name__ == "__main__":
    raise SystemExit(main())
