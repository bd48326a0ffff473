"""Results that are not whole: found before a run, and made again by it.

A machine that goes down, a full disk or a copy that was cut leaves files that are there and
not whole. Snakemake goes by times and takes them for done.
"""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from routebench.errors import RoutebenchError
from routebench.files import read_json

# The job that makes a file of these folders makes all of the three.
COHORT = ("cohort", "issues", "commits")
WHOLE_TABLES = frozenset(
    ("cases", "gold", "exclusions", "left_out", "spans", "scores", "statistics", "overlaps")
)
OF_ARMS = ("rankings", "operations", "contexts", "traces", "answers")
OF_REPOSITORIES = ("mirrors", "snapshots", "blobs", "spans")
TABLES = {"left_out": "exclusions"}
JSON_FOLDERS = ("mirrors", "commits")
# Of these, an empty file is sound.
UNCHECKED = ("logs", "files", "settings")


def find_damaged(folder: Path, arms: Collection[str]) -> dict[Path, str]:
    """Finds the results of a study that are not whole.

    Pages of Parquet are not read: a checksum of each tells the job that reads it.

    Args:
        folder: of the study's results.
        arms: arms of the study; what former ones left is of no account.

    Returns:
        By what is damaged, what to give Snakemake's ``--forcerun``: a rule or a file.
    """
    repositories = {p.stem for name in COHORT for p in (folder / name).glob("[!.]*.*")}
    found = {
        path: _target(folder, path)
        for path in _results(folder)
        if _is_of_study(path.relative_to(folder).parts, arms, repositories)
        and not _is_whole(folder, path)
    }
    return {**found, **_gaps(folder)}


def _results(folder: Path) -> Iterator[Path]:
    for top in sorted(folder.glob("*")):
        if top.name in UNCHECKED or top.is_symlink():
            continue
        paths = sorted(top.rglob("*")) if top.is_dir() else [top]
        yield from (path for path in [top, *paths] if _is_result(path))


def _is_of_study(
    parts: Sequence[str], arms: Collection[str], repositories: Collection[str]
) -> bool:
    place, *rest = parts
    if place.endswith(".parquet"):
        return place.removesuffix(".parquet") in WHOLE_TABLES
    if place in OF_ARMS:
        return len(rest) == 2 and rest[0] in arms and Path(rest[1]).stem in repositories
    if place in OF_REPOSITORIES:
        return bool(rest) and rest[0].removesuffix(".parquet").removesuffix(".json") in repositories
    return place in (*COHORT, "report")


def _is_result(path: Path) -> bool:
    named_as_file = path.suffix in (".parquet", ".json")
    return (path.is_file() or named_as_file) and not path.name.startswith(".")


def _is_whole(folder: Path, path: Path) -> bool:
    if not path.is_file() or not path.stat().st_size:
        return False
    place = path.relative_to(folder).parts[0]
    if path.suffix == ".parquet":
        return _is_whole_table(path, place.removesuffix(".parquet"))
    if place in JSON_FOLDERS:
        return _read_record(path) is not None
    return True


def _is_whole_table(path: Path, place: str) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from routebench.tables import table_schema

    try:
        names = pq.read_schema(path).names
        return bool(names == table_schema(TABLES.get(place, place)).names)
    except (OSError, ValueError, pa.ArrowException, RoutebenchError):
        return False


def _read_record(path: Path) -> dict[str, Any] | None:
    try:
        content = read_json(path)
    except RoutebenchError:
        return None
    whole = isinstance(content, dict) and {"repo", "commits"} <= content.keys()
    return content if whole else None


def _gaps(folder: Path) -> dict[Path, str]:
    """Finds files that lack in a folder that one job makes as a whole."""
    gaps = {}
    stems = [{p.stem for p in (folder / name).glob("[!.]*.*")} for name in COHORT]
    if any(stem != stems[0] for stem in stems):
        gaps[folder / COHORT[0]] = "cohort"
    for record in folder.glob("mirrors/*.json"):
        snapshots = folder / "snapshots" / record.stem
        content = _read_record(record) if snapshots.is_dir() else None
        if content:
            for path in (snapshots / f"{commit}.parquet" for commit in content["commits"]):
                if not path.exists():
                    gaps[path] = str(snapshots)
    return gaps


def _target(folder: Path, path: Path) -> str:
    place, *rest = path.relative_to(folder).parts
    if place in COHORT or place == "left_out.parquet":
        return "cohort"
    if place == "snapshots":
        return str(folder / place / rest[0])
    if place == "report":
        return str(folder / place / "index.html")
    return str(path)
