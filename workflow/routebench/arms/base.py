"""What an arm is: the contract between the runner and one module per kind."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict

from routebench.errors import CaseError
from routebench.records import Issue, SourceFile

if TYPE_CHECKING:
    from routebench.choice.base import ChoiceModel


class Parameters(BaseModel):
    """Base of the typed parameters of a kind; unknown names are refused.

    Class attributes say what the kind needs beside issues; the planner turns them
    into inputs of the ranking job.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    needs_corpus: ClassVar[bool] = True
    needs_files: ClassVar[bool] = False
    # Parameters that hold a name, or names, of other arms.
    arm_keys: ClassVar[tuple[str, ...]] = ()

    @property
    def source_arms(self) -> tuple[str, ...]:
        """Names of the arms whose rankings this one reads."""
        return ()

    @property
    def pins(self) -> tuple[str, ...]:
        """Names of the pinned files this one reads."""
        return ()

    def fingerprint_files(self) -> tuple[Path, ...]:
        """Files whose content is part of the arm's settings, relative to the study."""
        return ()

    def problem(self) -> str | None:
        """Tells, before any job, which parameter cannot work on this machine and why."""
        return None

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the choice models this one asks."""
        return ()

    @property
    def call_arms(self) -> tuple[str, ...]:
        """Names of the arms whose calls per case bound this one's."""
        return ()


class Ranked(NamedTuple):
    """A nominated path; a higher score is better."""

    path: str
    score: float


@dataclass(frozen=True, slots=True)
class Operations:
    """What one case cost; times in ms, tokens of the model, cost in US dollars.

    ``tool_errors`` counts runs of a tool that reported an error beside a usable answer;
    ``fallbacks`` counts rankings left as they were because a model did not answer whole;
    ``sources_ms`` is the wall time of the answers that this one was made from.
    """

    build_ms: float = 0.0
    query_ms: float = 0.0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    truncated: bool = False
    retries: int = 0
    dropped_paths: int = 0
    tool_errors: int = 0
    fallbacks: int = 0
    sources_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One thing a model-guided arm saw or did, in the order it happened.

    Attributes:
        kind: ``enter`` (a directory is opened), ``option`` (a child or path was offered),
            ``none`` (the answer "none of these"), ``file`` (nominated), ``skip`` (reached,
            not nominated) or ``stop`` (the search ended).
        path: what it is about; ``.`` is the root; empty for ``none`` and ``stop``.
        menu: the directory (tree) or ``round/number`` (flat) that offered it.
        probability: the model's; None where nothing was asked.
        kept: whether an option goes on; None for other kinds.
        depth: directories below the root (tree; the root's children have 1), or round (flat).
        calls: menus asked so far.
        rank: position of a nominated file, from 1.
        reason: why it was skipped or stopped.
    """

    kind: str
    path: str = ""
    menu: str | None = None
    probability: float | None = None
    kept: bool | None = None
    depth: int = 0
    calls: int = 0
    rank: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Ranked paths, best first, what they cost and how they were found."""

    ranking: tuple[Ranked, ...] = ()
    operations: Operations = field(default_factory=Operations)
    trace: tuple[TraceStep, ...] = ()

    def trace_rows(self, case_id: str) -> Iterator[dict[str, Any]]:
        """Yields the trace as rows of the result table ``traces``, steps from 1."""
        for step, taken in enumerate(self.trace, start=1):
            yield {"case_id": case_id, "step": step, **asdict(taken)}


class FailedAnswer(CaseError):
    """A case that failed after it had cost something.

    ``answer`` has no ranking but what was spent and the trace up to the failure.
    """

    def __init__(self, message: str, answer: Answer) -> None:
        super().__init__(message)
        self.answer = answer


class TreeEntry(Protocol):
    """An entry of the tree at a commit, in the corpus or not (METHODS C1, R6)."""

    @property
    def path(self) -> str:
        """The path."""

    @property
    def mode(self) -> str:
        """Git file mode, six digits."""

    @property
    def eligible(self) -> bool:
        """Whether the file is in the corpus."""

    @property
    def bytes(self) -> int | None:
        """Size of the blob; None where it is not known."""

    @property
    def reason(self) -> str | None:
        """Why it is not in the corpus."""


class Snapshot(Protocol):
    """Eligible source at one commit (METHODS C1), as arms see it."""

    @property
    def commit(self) -> str:
        """The commit, 40 hex digits."""

    @property
    def files(self) -> Sequence[SourceFile]:
        """Eligible files, sorted by path."""

    @property
    def entries(self) -> Sequence[TreeEntry]:
        """Every entry of the tree but directories, eligible or not; names, never contents."""

    def text(self, blob: str) -> str:
        """Returns the text of an eligible blob, with universal newlines."""

    def texts(self, blobs: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yields each distinct blob with its text, in the order that is cheapest to read."""

    def tree_folder(self) -> Path:
        """Returns a folder with the eligible files under their paths (``needs_files``)."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What a ranking job was given beside issues and corpus.

    Attributes:
        rankings: rankings of each source arm by case id, best first.
        pins: local paths of pinned files by name.
        models: choice models by name.
        costs: what each source arm's answer cost, by arm and case id.
        calls: calls of each arm of ``Parameters.call_arms`` by case id.
        threads: cores the job may use.
    """

    rankings: Mapping[str, Mapping[str, Sequence[Ranked]]] = field(default_factory=dict)
    pins: Mapping[str, Path] = field(default_factory=dict)
    models: Mapping[str, "ChoiceModel"] = field(default_factory=dict)
    costs: Mapping[str, Mapping[str, Operations]] = field(default_factory=dict)
    calls: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
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
