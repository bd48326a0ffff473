"""Tournament over all paths with a choice model (METHODS R8).

**Matched calls.** With a limit of calls the first round takes the first menus only, as
many as leave the later rounds within the limit. Paths are in hash order, so these menus
are a random sample of the files that does not depend on the model, and the menus keep
their published size: larger menus would change two things at once, and a provider takes
at most 254 options anyway.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Self

from pydantic import Field, model_validator

from routebench.arms.asking import AskingParameters, Inquiry, configured_model, rank_scores
from routebench.arms.base import Answer, Resources, Snapshot, TraceStep
from routebench.arms.evidence import Reasons, menu_evidence
from routebench.arms.menus import split_menu
from routebench.choice.base import ChoiceModel
from routebench.errors import CaseError
from routebench.records import Issue

INSTRUCTION = (
    "Choose the source file path most likely to contain direct evidence for the issue. "
    "Judge paths only; no file contents or directory summaries are available. Choose none "
    "only if no listed path could contain relevant evidence."
)


class FlatParameters(AskingParameters):
    """Parameters of the kind ``flat``; the defaults are the published ones.

    Attributes:
        option_prefix: what stands before each path.
        menu_options: most options of one menu, the option "none" not counted.
        menu_characters: most characters of one menu: the envelope, and for each option
            its path and ``path_characters`` more.
        envelope_characters: allowance for the rest of the request.
        path_characters: allowance for each option beside its path.
        keep: how many options of each menu go on.
        calls: most menus asked for one issue; None for no limit.
        calls_of: name of an arm: at most as many as it asked for the same issue.
    """

    arm_keys = ("calls_of",)

    instruction: str = INSTRUCTION
    state_prefix: str = "User issue: "
    option_prefix: str = "Source file: "
    menu_options: int = Field(default=200, ge=2)
    menu_characters: int = Field(default=48_000, ge=1)
    envelope_characters: int = Field(default=600, ge=0)
    path_characters: int = Field(default=20, ge=0)
    keep: int = Field(default=16, ge=1)
    calls: int | None = Field(default=None, ge=0)
    calls_of: str | None = None

    @property
    def call_arms(self) -> tuple[str, ...]:
        """The arm whose calls are matched."""
        return (self.calls_of,) if self.calls_of else ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.keep >= self.menu_options:
            raise ValueError("keep: expected fewer than menu_options, or no round would end")
        if self.calls is not None and self.calls_of:
            raise ValueError("calls, calls_of: expected one of them")
        return self

    def size(self, path: str) -> int:
        """Returns the characters that a path counts in a menu."""
        return len(path) + self.path_characters


PARAMETERS = FlatParameters


def hash_order(case_id: str, paths: Iterable[str]) -> list[str]:
    """Returns paths by the SHA-256 digest of case id, NUL and path (METHODS R8)."""
    return sorted(
        paths, key=lambda path: (hashlib.sha256(f"{case_id}\0{path}".encode()).digest(), path)
    )


def path_menus(paths: Iterable[str], parameters: FlatParameters) -> list[tuple[str, ...]]:
    """Returns the menus of a round, in order."""
    return split_menu(
        paths,
        parameters.size,
        options=parameters.menu_options,
        characters=parameters.menu_characters - parameters.envelope_characters,
    )


class Cost(NamedTuple):
    """Menus asked, and options in them."""

    calls: int
    options: int


def tournament_cost(menus: Sequence[Sequence[str]], parameters: FlatParameters) -> Cost:
    """Returns what a tournament costs that starts with these menus, before any is asked.

    Exact where ``menu_options`` of the longest paths fit in a menu; otherwise an upper bound.

    Raises:
        CaseError: a round would not shrink the field.
    """
    if not menus:
        return Cost(0, 0)
    longest = max(parameters.size(path) for menu in menus for path in menu)
    room = parameters.menu_characters - parameters.envelope_characters
    capacity = max(1, min(parameters.menu_options, room // longest))
    sizes = [len(menu) for menu in menus]
    calls, options = len(sizes), sum(sizes)
    while (field := sum(min(size, parameters.keep) for size in sizes)) > parameters.keep:
        check_shrinking(sum(sizes), field)
        sizes = [min(capacity, field - start) for start in range(0, field, capacity)]
        calls, options = calls + len(sizes), options + field
    return Cost(calls, options)


def check_shrinking(before: int, after: int) -> None:
    """Refuses a round that leaves as many paths as it began with (METHODS R8).

    Raises:
        CaseError: the field did not shrink.
    """
    if after >= before:
        raise CaseError(
            f"a round left {after} of {before} paths: menus are too small for keep; "
            "raise menu_characters or lower keep"
        )


def affordable_menus(
    menus: Sequence[tuple[str, ...]], parameters: FlatParameters, limit: int | None
) -> Sequence[tuple[str, ...]]:
    """Returns the most first menus whose tournament stays within ``limit`` calls."""
    count = len(menus) if limit is None else min(len(menus), limit)
    while limit is not None and tournament_cost(menus[:count], parameters).calls > limit:
        count -= 1
    return menus[:count]


class Contender(NamedTuple):
    """A path with its latest probability, and where it had it."""

    path: str
    probability: float
    round: int
    menu: str


def by_probability(contenders: Iterable[Contender]) -> list[Contender]:
    """Returns contenders by probability, the highest first, then path."""
    return sorted(contenders, key=lambda c: (-c.probability, c.path))


class Tournament:
    """One issue's rounds."""

    def __init__(self, inquiry: Inquiry, parameters: FlatParameters) -> None:
        self._inquiry = inquiry
        self._parameters = parameters

    def run(self, menus: Sequence[tuple[str, ...]]) -> list[Contender]:
        """Plays rounds until at most ``keep`` paths are left; returns them, best first.

        Those that go on keep the order of their menus, and within a menu of their rank.

        Raises:
            FailedAnswer: the model gave no usable answer, or a round does not shrink.
        """
        number, left = 0, list[Contender]()
        while menus:
            number += 1
            left = self._round(number, menus)
            if len(left) <= self._parameters.keep:
                break
            self._check(sum(map(len, menus)), len(left))
            menus = path_menus((c.path for c in left), self._parameters)
        return by_probability(left)

    def _round(self, number: int, menus: Sequence[tuple[str, ...]]) -> list[Contender]:
        prefix = self._parameters.option_prefix
        choices = self._inquiry.ask([[prefix + path for path in menu] for menu in menus])
        left = list[Contender]()
        for index, (menu, choice) in enumerate(zip(menus, choices, strict=True), start=1):
            name = f"{number}/{index}"
            pairs = zip(menu, choice.probabilities, strict=True)
            rivals = [Contender(path, p, number, name) for path, p in pairs]
            winners = by_probability(rivals)[: self._parameters.keep]
            self._note(rivals, {c.path for c in winners})
            self._inquiry.note_none(choice, name, number)
            left += winners
        return left

    def _check(self, before: int, after: int) -> None:
        try:
            check_shrinking(before, after)
        except CaseError as error:
            raise self._inquiry.failure(str(error)) from error

    def _note(self, rivals: Iterable[Contender], kept: Collection[str]) -> None:
        for rival in rivals:
            self._inquiry.note(_step("option", rival, kept=rival.path in kept))


def _step(
    kind: str, contender: Contender, *, kept: bool | None = None, rank: int | None = None
) -> TraceStep:
    return TraceStep(
        kind=kind,
        path=contender.path,
        menu=contender.menu,
        probability=contender.probability,
        depth=contender.round,
        kept=kept,
        rank=rank,
    )


class FlatRanker:
    """Plays the tournaments of one repository."""

    def __init__(
        self, parameters: FlatParameters, model: ChoiceModel, calls: Mapping[str, int]
    ) -> None:
        self._parameters = parameters
        self._model = model
        self._calls = calls

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns at most k paths, best first; the score is 1/rank.

        ``truncated`` tells that a limit of calls left menus out.

        Raises:
            CaseError: the number of calls to match is not known.
            FailedAnswer: the model gave no usable answer, or a round does not shrink.
            BudgetExceeded: a limit of the study is reached.
            MissingAnswer: a replay has no such answer.
        """
        assert snapshot is not None
        limit = self._limit(issue.case_id)
        inquiry = Inquiry(self._model, issue, self._parameters)
        paths = hash_order(issue.case_id, (file.path for file in snapshot.files))
        menus = path_menus(paths, self._parameters)
        played = affordable_menus(menus, self._parameters, limit)
        inquiry.built()
        ranking = Tournament(inquiry, self._parameters).run(played)
        _note_end(inquiry, ranking, len(menus) - len(played))
        scores = rank_scores([c.path for c in ranking], k)
        return inquiry.answer(scores, truncated=len(played) < len(menus))

    def explain(self, issue: Issue, snapshot: Snapshot | None, answer: Answer) -> Reasons:
        """Returns the rounds that each file was in."""
        return menu_evidence(answer, "round")

    def _limit(self, case_id: str) -> int | None:
        if self._parameters.calls_of is None:
            return self._parameters.calls
        if case_id not in self._calls:
            raise CaseError(f"no number of calls of arm {self._parameters.calls_of}")
        return self._calls[case_id]


def _note_end(inquiry: Inquiry, ranking: Sequence[Contender], left_out: int) -> None:
    for rank, contender in enumerate(ranking, start=1):
        inquiry.note(_step("file", contender, rank=rank))
    reason = f"{left_out} menus left out by the limit of calls" if left_out else "tournament over"
    inquiry.note(TraceStep(kind="stop", reason=reason))


def create(parameters: FlatParameters, resources: Resources) -> FlatRanker:
    """Returns a ranker for one repository.

    Raises:
        RoutebenchError: the choice model is not configured.
    """
    calls = resources.calls.get(parameters.calls_of or "", {})
    return FlatRanker(parameters, configured_model(resources, parameters.model), calls)
