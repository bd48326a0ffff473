"""What passes between the rooms of the package: frozen, checked when made."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from routebench.errors import RoutebenchError

COMMIT = re.compile(r"[0-9a-f]{40}")
WHOLE_FILE = 2**31 - 1
REPOSITORY = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+")
# A file name has room for 255 bytes; suffixes and a private name take up to 50 of them.
MAX_REPOSITORY_CHARACTERS = 200
# Snakemake stops at a wildcard that ends so, in fear of a loop.
PERIODIC = re.compile(r".*?(.+?)\1{19,}")


def is_relative_posix(path: str) -> bool:
    """Tells whether a path is relative, normal and POSIX (METHODS D4)."""
    parts = path.split("/")
    return bool(path) and "\\" not in path and not any(p in ("", ".", "..") for p in parts)


def repository_slug(repo: str) -> str:
    """Returns ``owner__name``, the folder name of the repository ``owner/name``.

    Raises:
        RoutebenchError: the name is malformed, an option of git, or too long for a file.
    """
    well_formed = REPOSITORY.fullmatch(repo) and not repo.startswith("-")
    if not well_formed or not {".", ".."}.isdisjoint(repo.split("/")):
        raise RoutebenchError(f"repository {repo[:80]!r}: expected owner/name")
    if len(repo) > MAX_REPOSITORY_CHARACTERS:
        raise RoutebenchError(
            f"repository {repo[:80]!r}…: longer than {MAX_REPOSITORY_CHARACTERS} characters"
        )
    if PERIODIC.fullmatch(repo):
        raise RoutebenchError(f"repository {repo[:80]!r}: ends in 20 times the same")
    return repo.replace("/", "__")


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """Lines that answer an issue: 1-based, inclusive, with the annotator's text if known.

    An end of ``WHOLE_FILE`` stands for the last line, whichever that is. A span that is
    not ``audited`` counts as gold even where the source does not hold it (METHODS D2: a file
    that the patch adds); others exclude their case then (METHODS D6).
    """

    path: str
    start_line: int
    end_line: int
    text: str | None = None
    audited: bool = True

    def __post_init__(self) -> None:
        if not is_relative_posix(self.path):
            raise RoutebenchError(f"gold path {self.path!r}: expected a relative POSIX path")
        if not 1 <= self.start_line <= self.end_line:
            raise RoutebenchError(
                f"gold lines {self.start_line}-{self.end_line} of {self.path}: "
                "expected 1 <= start <= end"
            )
        if self.end_line > WHOLE_FILE:
            raise RoutebenchError(f"gold lines of {self.path}: expected no end over {WHOLE_FILE}")


@dataclass(frozen=True, slots=True)
class Issue:
    """All that a ranking arm may see of a case: never its gold (DESIGN "No leakage")."""

    case_id: str
    repo: str
    base_commit: str
    query: str


@dataclass(frozen=True, slots=True)
class Case:
    """An issue with its gold."""

    case_id: str
    repo: str
    language: str
    source: str
    base_commit: str
    query: str
    gold: tuple[GoldSpan, ...]
    origin: str | None = None
    difficulty: str | None = None

    def __post_init__(self) -> None:
        repository_slug(self.repo)
        for name in ("language", "source", "difficulty"):
            if not isinstance(getattr(self, name) or "", str):
                raise RoutebenchError(f"{name} is not text")

    @property
    def gold_files(self) -> tuple[str, ...]:
        """The distinct gold paths, sorted."""
        return tuple(sorted({span.path for span in self.gold}))

    @property
    def issue(self) -> Issue:
        """The part of the case that arms may see."""
        return Issue(self.case_id, self.repo, self.base_commit, self.query)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """An eligible file of a snapshot (METHODS C1)."""

    path: str
    blob: str
    bytes: int
    lines: int

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the path, the file name last."""
        return PurePosixPath(self.path).parts


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A case that is out of the study, with the stage and the reason."""

    case_id: str
    repo: str
    stage: str
    reason: str
