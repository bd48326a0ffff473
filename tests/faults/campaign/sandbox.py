"""A home, a folder for temporary files and a project, watched for writes elsewhere."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
# Below the project: what a study may write. Snakemake keeps its records in .snakemake.
ALLOWED = ("results", "cache", ".cache", ".snakemake")


def describe_tree(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Returns mode, size and time of every file and folder that a study must leave alone."""
    found = {}
    for parent, folders, files in os.walk(folder / ".."):
        relative = os.path.relpath(parent, folder)
        if relative == ".":
            folders[:] = [name for name in folders if name not in ALLOWED]
        for name in (*folders, *files):
            facts = os.lstat(os.path.join(parent, name))
            # A folder's time changes with what comes and goes in it; that is seen by itself.
            time = 0 if os.path.isdir(os.path.join(parent, name)) else facts.st_mtime_ns
            size = 0 if os.path.isdir(os.path.join(parent, name)) else facts.st_size
            found[os.path.join(relative, name)] = (facts.st_mode, size, time)
    return found


@dataclass(frozen=True)
class Sandbox:
    """A folder with ``home``, ``tmp`` and ``project`` in it."""

    folder: Path

    @property
    def project(self) -> Path:
        """The project."""
        return self.folder / "project"

    @property
    def home(self) -> Path:
        """The home of the user."""
        return self.folder / "home"

    @property
    def tmp(self) -> Path:
        """Where temporary files go."""
        return self.folder / "tmp"

    @property
    def results(self) -> Path:
        """Results of the study ``small``."""
        return self.project / "results" / "small"

    def path(self, name: str) -> Path:
        """Returns a path in the project."""
        return self.project / name

    def make_folders(self) -> None:
        """Makes the three folders."""
        for folder in (self.project, self.home, self.tmp):
            folder.mkdir(parents=True, exist_ok=True)

    def state(self) -> dict[str, tuple[int, int, int]]:
        """Returns what no study may change."""
        return describe_tree(self.project)

    def strays(self, before: dict[str, tuple[int, int, int]]) -> list[str]:
        """Returns what was written outside of results and cache since ``before``."""
        after = self.state()
        return sorted(n for n in before.keys() | after.keys() if before.get(n) != after.get(n))

    def remove(self) -> None:
        """Removes all of it."""
        shutil.rmtree(self.folder, ignore_errors=True)
