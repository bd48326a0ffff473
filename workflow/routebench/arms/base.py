"""What an arm is: the contract between the runner and one module per kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict

from routebench.records import Issue, SourceFile


class Parameters(BaseModel):
    """Base of the typed parameters of a kind; unknown names are refused.

    Class attributes say what the kind needs beside issues; the planner turns them
    into inputs of the ranking job.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    needs_corpus: ClassVar[bool] = True
    needs_files: ClassVar[bool] = False

    @property
    def source_arms(self) -> tuple[str, ...]:
        """Names of the arms whose rankings this one reads."""
        return ()

    @property
    def pins(self) -> tuple[str, ...]:
        """Names of the pinned files this one reads."""
        return ()


class Ranked(NamedTuple):
    """A nominated path; a higher score is better."""

    path: str
    score: float


@dataclass(frozen=True, slots=True)
class Operations:
    """What one case cost; times in ms, tokens of the model, cost in US dollars."""

    build_ms: float = 0.0
    query_ms: float = 0.0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    truncated: bool = False
    retries: int = 0
    dropped_paths: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """Ranked paths, best first, and what they cost."""

    ranking: tuple[Ranked, ...] = ()
    operations: Operations = field(default_factory=Operations)


class Snapshot(Protocol):
    """Eligible source at one commit (METHODS C1), as arms see it."""

    @property
    def commit(self) -> str:
        """The commit, 40 hex digits."""

    @property
    def files(self) -> Sequence[SourceFile]:
        """Eligible files, sorted by path."""

    def text(self, blob: str) -> str:
        """Returns the text of an eligible blob, with universal newlines."""

    @property
    def blob_folder(self) -> Path | None:
        """Folder with one file per blob, named by its id; only for ``needs_files``."""

    def tree_folder(self) -> Path:
        """Returns a folder with the eligible files under their paths (``needs_files``)."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What a ranking job was given beside issues and corpus.

    Attributes:
        rankings: rankings of each source arm by case id, best first.
        pins: local paths of pinned files by name.
        threads: cores the job may use.
    """

    rankings: Mapping[str, Mapping[str, Sequence[Ranked]]] = field(default_factory=dict)
    pins: Mapping[str, Path] = field(default_factory=dict)
    threads: int = 1


class Ranker(Protocol):
    """A configured arm at work on one repository.

    The runner calls ``rank`` once per case, cases of one commit after another, so a
    ranker may keep what it built and move it from commit to commit.
    """

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns at most k distinct paths, best first.

        Args:
            issue: what is asked.
            snapshot: the source at its commit; None for kinds without ``needs_corpus``.
            k: how many paths at most.

        Raises:
            CaseError: the case cannot be answered; it is recorded and the next is asked.
        """
