"""A published ranking, read from its pinned file (METHODS D3)."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from routebench.arms.base import Answer, Operations, Parameters, Ranked, Resources, Snapshot
from routebench.errors import CaseError, RoutebenchError
from routebench.records import Issue


class ArchiveParameters(Parameters):
    """Parameters of the kind ``archive``.

    Attributes:
        pin: name of the pinned JSON file, where no path is given.
        path: a JSON file of this project or the user's, in place of a pin.
        entries: its key that holds the list of rankings.
        query_mode: which of several rankings of a case, by its ``query_mode``.
        variant: the same by its ``variant``.
    """

    needs_corpus = False

    pin: str | None = Field(default=None, min_length=1)
    path: str | None = Field(default=None, min_length=1)
    entries: str = "results"
    query_mode: str | None = None
    variant: str | None = None

    @property
    def pins(self) -> tuple[str, ...]:
        """The pinned file this arm reads."""
        return (self.pin,) if self.pin else ()

    def fingerprint_files(self) -> tuple[Path, ...]:
        """The file of this arm that is not pinned."""
        return (Path(self.path),) if self.path else ()

    @model_validator(mode="after")
    def _one_file(self) -> Self:
        if (self.pin is None) == (self.path is None):
            raise ValueError(
                f"pin is {self.pin!r} and path {self.path!r}; expected exactly one of them"
            )
        return self


PARAMETERS = ArchiveParameters


class ArchivedCase(BaseModel):
    """One published ranking, best first, with its published cost; times in ms."""

    model_config = ConfigDict(frozen=True)

    id: str
    paths: tuple[str, ...]
    query_mode: str | None = None
    variant: str | None = None
    build_ms: float | None = None
    enumerate_ms: float | None = None
    query_ms: float | None = None
    search_ms: float | None = None
    latency_ms: float | None = None
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    truncated: bool = False
    retries: int = 0

    def ranking(self, k: int) -> tuple[Ranked, ...]:
        """Returns the first k distinct paths; score is 1/rank, as none was published."""
        paths = list(dict.fromkeys(self.paths))[:k]
        return tuple(Ranked(path, 1 / rank) for rank, path in enumerate(paths, start=1))

    def operations(self) -> Operations:
        """Returns the published cost.

        Preparing is ``build_ms`` or ``enumerate_ms``; answering is ``query_ms``,
        ``search_ms`` or, where nothing finer was published, ``latency_ms``. A latency
        beside a search time is split into the two.
        """
        query = _first(self.query_ms, self.search_ms, self.latency_ms)
        rest = None if self.latency_ms is None else self.latency_ms - query
        return Operations(
            build_ms=_first(self.build_ms, self.enumerate_ms, rest),
            query_ms=query,
            calls=self.model_calls,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cost_usd=self.cost_usd,
            truncated=self.truncated,
            retries=self.retries,
        )


def _first(*values: float | None) -> float:
    return next((value for value in values if value is not None), 0.0)


def read_archive(path: Path, parameters: ArchiveParameters) -> dict[str, ArchivedCase]:
    """Reads the rankings that the parameters choose, by case id.

    Raises:
        RoutebenchError: the file is not such an archive, or a case has several rankings.
    """
    chosen: dict[str, ArchivedCase] = {}
    for case in _read_entries(path, parameters.entries):
        if not _is_chosen(case, parameters):
            continue
        if case.id in chosen:
            raise RoutebenchError(
                f"{path.name}: two rankings of case {case.id}; choose by query_mode or variant"
            )
        chosen[case.id] = case
    return chosen


def _is_chosen(case: ArchivedCase, parameters: ArchiveParameters) -> bool:
    return parameters.query_mode in (None, case.query_mode) and parameters.variant in (
        None,
        case.variant,
    )


def _read_entries(path: Path, key: str) -> Sequence[ArchivedCase]:
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
        return [ArchivedCase.model_validate(entry) for entry in content[key]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
        raise RoutebenchError(
            f"{path.name}: not an archive of rankings under {key!r} ({problem})"
        ) from error


class ArchiveRanker:
    """Answers each case with its published ranking."""

    def __init__(self, cases: Mapping[str, ArchivedCase], pin: str) -> None:
        self._cases = cases
        self._pin = pin

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns the first k published paths.

        Raises:
            CaseError: the archive has no ranking of the case.
        """
        case = self._cases.get(issue.case_id)
        if case is None:
            raise CaseError(f"no ranking in the archive {self._pin}")
        return Answer(case.ranking(k), case.operations())


def create(parameters: ArchiveParameters, resources: Resources) -> ArchiveRanker:
    """Returns a ranker over one archive.

    Raises:
        RoutebenchError: the pinned file is missing or is not an archive.
    """
    if parameters.path:
        file = Path(parameters.path)
        return ArchiveRanker(read_archive(file, parameters), file.name)
    pin = str(parameters.pin)
    if pin not in resources.pins:
        raise RoutebenchError(f"archive: pinned file {pin} was not given to the job")
    return ArchiveRanker(read_archive(resources.pins[pin], parameters), pin)
