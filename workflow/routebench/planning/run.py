"""``make study``: checks the study, runs Snakemake, says what came of it."""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml
from filelock import FileLock, Timeout

from routebench.errors import RoutebenchError
from routebench.planning.configuration import Configuration, load_configuration

STUDIES = Path("workflow/studies")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a study; returns the exit status of Snakemake, or 1 for a wrong study."""
    parser = argparse.ArgumentParser(prog="make study")
    parser.add_argument("--study", required=True)
    parser.add_argument("--cores", required=True)
    parser.add_argument("rest", nargs="*")
    given = parser.parse_args(arguments)
    try:
        file = find_study(given.study)
        config = read_study(file)
        with _alone(config):
            return run_study(file, config, cores=given.cores, rest=given.rest)
    except RoutebenchError as error:
        print(f"routebench: {error}", file=sys.stderr)
        return 1


def find_study(name: str) -> Path:
    """Returns the file of a study: a name in workflow/studies, or a path.

    Raises:
        RoutebenchError: there is none; the known ones are named.
    """
    for path in (STUDIES / f"{name}.yaml", Path(name)):
        if path.is_file():
            return path
    known = ", ".join(sorted(path.stem for path in STUDIES.glob("*.yaml")))
    raise RoutebenchError(f"STUDY={name}: no such study or file; studies are {known}")


def read_study(file: Path) -> Configuration:
    """Returns the checked configuration of a study file.

    Raises:
        RoutebenchError: not YAML, or a key or a value is not allowed.
    """
    try:
        values = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RoutebenchError(f"{file}: not YAML ({error})") from error
    if not isinstance(values, dict):
        raise RoutebenchError(f"{file}: expected keys and values")
    return load_configuration(values, Path("config.yaml"))


def run_study(file: Path, config: Configuration, *, cores: str, rest: Sequence[str]) -> int:
    """Runs Snakemake on a study and prints its summary, or where to look after a failure."""
    print(f"{config.study}: {config.title}", flush=True)
    status = subprocess.run(snakemake_command(file, cores=cores, rest=rest), check=False).returncode
    folder = Path(config.results, config.study)
    if status:
        print(
            f"routebench: the study is not complete. Logs of failed jobs: {folder}/logs. "
            "What is done is kept; run it again to go on.",
            file=sys.stderr,
        )
    elif (folder / "summary.txt").is_file():
        print("\n" + (folder / "summary.txt").read_text(encoding="utf-8"), end="")
    return status


def snakemake_command(file: Path, *, cores: str, rest: Sequence[str]) -> list[str]:
    """Returns the command that runs a study.

    A lock of our own, which the system drops with a killed process, stands in for
    Snakemake's, which stays behind.
    """
    return [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        cores,
        "--configfile",
        str(file),
        "--nolock",
        "--rerun-incomplete",
        "--keep-going",
        *rest,
    ]


def _alone(config: Configuration) -> FileLock:
    folder = Path(config.results)
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f".{config.study}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RoutebenchError(f"study {config.study} is running already; wait for it") from None
    return lock


if __name__ == "__main__":
    raise SystemExit(main())
