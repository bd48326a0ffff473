"""Turns pinned public releases into git repositories with pinned commit ids.

Wheels never change and any package index serves them, so where nothing else can be reached
they stand in for upstream history: one version becomes one commit.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from routebench.corpus.fast_import import Snapshot, create_repository, read_history
from routebench.datasets.release_pins import Release, ReleaseRepository, load_releases
from routebench.datasets.release_wheels import fetch_release_files
from routebench.datasets.wheel_files import read_package_files
from routebench.errors import RoutebenchError

__all__ = [
    "Release",
    "ReleaseRepository",
    "build_release_repository",
    "fetch_release_files",
    "load_releases",
]


def build_release_repository(
    repository: ReleaseRepository, wheels: Sequence[Path], *, target: Path
) -> None:
    """Writes releases as commits of a bare repository, a linear history on ``refs/heads/main``.

    Nothing happens if ``target`` already holds exactly the pinned commits. Otherwise the
    repository is built beside it and renamed, so neither a kill nor a second process that
    builds the same target leaves a half-written one.

    Args:
        repository: the pins.
        wheels: checked wheels in the order of ``repository.releases``.
        target: folder of the bare repository.

    Raises:
        RoutebenchError: a wheel cannot be imported, or a commit id differs from its pin.
    """
    if read_history(target) == repository.commits:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as private:
        built = Path(private) / "repository"
        create_repository(built, _snapshots(repository, wheels))
        _check_commits(repository, read_history(built))
        _publish(built, target, commits=repository.commits)


def _snapshots(repository: ReleaseRepository, wheels: Sequence[Path]) -> Iterator[Snapshot]:
    for release, wheel in zip(repository.releases, wheels, strict=True):
        yield Snapshot(f"{release.project} {release.version}\n", read_package_files(wheel))


def _check_commits(repository: ReleaseRepository, built: Sequence[str]) -> None:
    for release, commit in zip(repository.releases, built, strict=True):
        if commit != release.commit:
            pinned = release.commit
            raise RoutebenchError(
                f"{release.wheel}: its commit is {commit}, pinned {pinned}; correct the pins"
            )


def _publish(built: Path, target: Path, *, commits: tuple[str, ...]) -> None:
    if target.exists() and read_history(target) != commits:
        with suppress(FileNotFoundError):
            target.rename(built.with_name("outdated"))
    try:
        built.rename(target)
    except OSError:
        # Another process was first; its repository holds the same commits.
        if read_history(target) != commits:
            raise
