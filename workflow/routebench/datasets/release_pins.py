"""Pinned public releases that stand in for upstream commits (``pins/demo-releases.yaml``)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from routebench.errors import RoutebenchError
from routebench.records import COMMIT, REPOSITORY

DEMO_RELEASES = Path(__file__).parents[2] / "pins" / "demo-releases.yaml"
SHA256 = re.compile(r"[0-9a-f]{64}")
PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
VERSION = re.compile(r"[0-9][A-Za-z0-9.!+]*")
WHEEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]*\.whl")


@dataclass(frozen=True, slots=True)
class Release:
    """One pinned version of a project.

    Attributes:
        project: name on the package index.
        version: version as the index spells it.
        wheel: file name of the wheel.
        bytes: size of the wheel in bytes.
        sha256: digest of the wheel, 64 lower-case hex digits.
        commit: id of the commit that holds the wheel's package files.
    """

    project: str
    version: str
    wheel: str
    bytes: int
    sha256: str
    commit: str

    def __post_init__(self) -> None:
        _check("project", self.project, PROJECT)
        _check("version", self.version, VERSION)
        _check("wheel", self.wheel, WHEEL)
        _check("sha256", self.sha256, SHA256)
        _check("commit", self.commit, COMMIT)
        if not isinstance(self.bytes, int) or self.bytes < 1:
            raise RoutebenchError(f"bytes: {self.bytes!r} is not a positive number")


@dataclass(frozen=True, slots=True)
class ReleaseRepository:
    """The pinned releases of one project.

    Attributes:
        repository: identity as ``owner/name``.
        language: main programming language, lower case.
        licence: SPDX identifier.
        releases: at least one, oldest first, no version twice.
    """

    repository: str
    language: str
    licence: str
    releases: tuple[Release, ...]

    def __post_init__(self) -> None:
        _check("repository", self.repository, REPOSITORY)
        versions = {release.version for release in self.releases}
        if not versions or len(versions) < len(self.releases):
            raise RoutebenchError(f"{self.repository}: releases must be distinct, at least one")

    @property
    def commits(self) -> tuple[str, ...]:
        """Pinned commit ids, oldest first."""
        return tuple(release.commit for release in self.releases)

    def release(self, version: str) -> Release:
        """Returns the release of a version.

        Raises:
            RoutebenchError: that version is not pinned; the message names those that are.
        """
        known = {release.version: release for release in self.releases}
        if version not in known:
            pinned = ", ".join(known)
            raise RoutebenchError(f"{self.repository}: version {version} is not one of {pinned}")
        return known[version]


def load_releases(path: Path) -> tuple[ReleaseRepository, ...]:
    """Returns the repositories of a pin file, in its order.

    Raises:
        RoutebenchError: not valid YAML, a repository stands twice, or a record lacks a key,
            has an unknown one or a bad value.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        repositories = tuple(_repository(record) for record in content["repositories"])
    except (OSError, yaml.YAMLError, KeyError, TypeError, RoutebenchError) as error:
        reason = " ".join(str(error).split())
        raise RoutebenchError(f"{path}: {reason}; correct the pins") from error
    if len({repository.repository for repository in repositories}) < len(repositories):
        raise RoutebenchError(f"{path}: a repository stands twice; correct the pins")
    return repositories


def _check(field: str, value: object, pattern: re.Pattern[str]) -> None:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise RoutebenchError(f"{field}: {value!r} does not match {pattern.pattern}")


def _repository(record: Mapping[str, Any]) -> ReleaseRepository:
    releases = tuple(Release(**release) for release in record["releases"])
    return ReleaseRepository(**{**record, "releases": releases})
