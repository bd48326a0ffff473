"""Reorders another arm's ranking by yes/no questions about each file (METHODS R11)."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from pydantic import Field

from routebench.arms.asking import configured_model
from routebench.arms.base import (
    Answer,
    Operations,
    Parameters,
    Ranked,
    Resources,
    Snapshot,
    TraceStep,
)
from routebench.arms.evidence import Reasons, menu_evidence, source_evidence
from routebench.arms.rrf import add_costs
from routebench.arms.terms import query_terms, tokens
from routebench.choice.base import (
    ChoiceError,
    ChoiceModel,
    Relevance,
    RelevanceRequest,
    Usage,
    total_usage,
)
from routebench.choice.systemone import body_bytes, relevance_body
from routebench.corpus.outlines import Line, Outline, outline_text, render_outline
from routebench.errors import RoutebenchError
from routebench.records import Issue

# Room for the model's id, so that the same files share a request whatever the model.
MODEL_ROOM = "m" * 100
ENVELOPE: Mapping[str, object] = {"state": "", "model": MODEL_ROOM, "questions": {}}
INSTRUCTION = (
    "Would a fix of the issue have to change this file? Judge by its outline: the path, the "
    "leading imports, the definitions at its top level and the lines that match the issue."
)


class RerankParameters(Parameters):
    """Parameters of the kind ``rerank``.

    Attributes:
        source: name of the arm whose ranking is reordered.
        model: name of the choice model.
        candidates: how many files of the source are judged; the others are left out.
        outline_bytes: size of a file's outline, at most.
        request_bytes: a request's JSON stays below this.
        query_characters: leading characters of the issue that are shown; None for all.
        instruction: the question, in front of each outline.
        state_prefix: what stands before the issue.
        repeat: number of the repeat from 0; another number asks anew.
    """

    arm_keys: ClassVar[tuple[str, ...]] = ("source",)

    source: str
    model: str
    candidates: int = Field(default=100, ge=1)
    outline_bytes: int = Field(default=1800, ge=100)
    request_bytes: int = Field(default=70_000, ge=10_000)
    query_characters: int | None = Field(default=None, ge=1)
    instruction: str = INSTRUCTION
    state_prefix: str = "User issue: "
    repeat: int = Field(default=0, ge=0)

    @property
    def source_arms(self) -> tuple[str, ...]:
        """The arm that is reordered."""
        return (self.source,)

    @property
    def models(self) -> tuple[str, ...]:
        """The choice model."""
        return (self.model,)


PARAMETERS = RerankParameters


@dataclass(slots=True)
class Judgement:
    """What came of the questions about one case.

    Attributes:
        groups: paths asked about, request by request.
        answers: the model's, in the same order; fewer if one failed.
        spent: what all of it cost.
        failure: why a file was left unanswered.
        cut: whether the issue had to be cut to fit a request.
    """

    groups: list[tuple[str, ...]] = field(default_factory=list)
    answers: list[Relevance] = field(default_factory=list)
    spent: Usage = field(default_factory=Usage)
    failure: str | None = None
    cut: bool = False

    @property
    def probabilities(self) -> dict[str, float]:
        """The probability of each path that was answered."""
        return {
            path: probability
            for group, answer in zip(self.groups, self.answers, strict=False)
            for path, probability in zip(group, answer.probabilities.values(), strict=True)
        }


class RerankRanker:
    """Reorders the rankings of one repository; a blob's outline is made once."""

    def __init__(
        self, parameters: RerankParameters, model: ChoiceModel, resources: Resources
    ) -> None:
        self._parameters = parameters
        self._model = model
        self._rankings = resources.rankings[parameters.source]
        self._costs = resources.costs.get(parameters.source, {})
        self._outlines: dict[str, Outline] = {}

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns at most k files of the source by probability, ties by path.

        If any file is left unanswered all stay in the source's order, which is counted as
        a fallback; the order is never partly the model's. It costs what the source cost
        and what the model took.
        """
        assert snapshot is not None
        started = time.perf_counter()
        listed = self._rankings.get(issue.case_id, ())[: self._parameters.candidates]
        blobs = {file.path: file.blob for file in snapshot.files}
        known = [item for item in listed if item.path in blobs]
        outlines = {
            item.path: self._outline(item.path, blobs[item.path], issue, snapshot) for item in known
        }
        prepared = time.perf_counter()
        judged = self._judge(issue, outlines)
        ranking = reorder(known, judged)
        own = Operations(
            query_ms=(prepared - started + judged.spent.seconds) * 1e3,
            calls=judged.spent.calls,
            input_tokens=judged.spent.input_tokens,
            output_tokens=judged.spent.output_tokens,
            cost_usd=judged.spent.cost_usd,
            retries=judged.spent.retries,
            truncated=judged.cut,
            dropped_paths=len(listed) - len(known),
            fallbacks=int(judged.failure is not None),
        )
        source = self._costs.get(issue.case_id, Operations())
        return Answer(ranking[:k], add_costs([source, own]), tuple(_trace(judged, ranking)))

    def explain(self, issue: Issue, snapshot: Snapshot | None, answer: Answer) -> Reasons:
        """Returns what the model said of each file, and its place in the source."""
        ranked = {self._parameters.source: self._rankings.get(issue.case_id, ())}
        return {
            path: (*judged, *source_evidence(path, ranked))
            for path, judged in menu_evidence(answer, "judged").items()
        }

    def _outline(self, path: str, blob: str, issue: Issue, snapshot: Snapshot) -> str:
        text = snapshot.text(blob)
        if blob not in self._outlines:
            self._outlines[blob] = outline_text(text)
        matches = matching_lines(text, issue.query[: self._parameters.query_characters])
        limit = self._parameters.outline_bytes
        return render_outline(path, self._outlines[blob], matches, limit=limit)

    def _judge(self, issue: Issue, outlines: Mapping[str, str]) -> Judgement:
        judgement = Judgement()
        if not outlines:
            return judgement
        requests, judgement.cut = make_requests(issue, outlines, self._parameters)
        paths = iter(outlines)
        judgement.groups = [tuple(next(paths) for _ in r.questions) for r in requests]
        try:
            judgement.answers = self._model.judge_many(requests)
            judgement.spent = total_usage(judgement.answers)
        except ChoiceError as error:
            judgement.spent, judgement.failure = error.usage, str(error)
        return judgement


def matching_lines(text: str, query: str) -> list[Line]:
    """Returns the lines with a query term (METHODS Q), most distinct terms first, then earlier."""
    terms = set(query_terms(query))
    scored = (
        (-len(terms.intersection(tokens(line))), Line(number, line))
        for number, line in enumerate(text.splitlines(), start=1)
    )
    return [line for score, line in sorted(scored) if score]


def make_requests(
    issue: Issue, outlines: Mapping[str, str], parameters: RerankParameters
) -> tuple[list[RelevanceRequest], bool]:
    """Returns requests about every file, in order, and whether the issue had to be cut.

    A request takes files while its JSON stays below ``request_bytes``. An issue that leaves
    no room for the longest question is cut until it does.
    """
    questions = [(f"file_{n}", text) for n, text in enumerate(outlines.values(), start=1)]
    request = RelevanceRequest(
        state=parameters.state_prefix + issue.query[: parameters.query_characters],
        questions=tuple(questions),
        instruction=parameters.instruction,
        repeat=parameters.repeat,
        case_id=issue.case_id,
    )
    sizes = [_question_bytes(replace(request, state="", questions=(q,))) for q in questions]
    room = parameters.request_bytes - len(body_bytes(ENVELOPE))
    state = _cut_state(request.state, room - max(sizes))
    groups = _groups(questions, sizes, room - _state_bytes(state))
    requests = [replace(request, state=state, questions=tuple(group)) for group in groups]
    return requests, state != request.state


def reorder(ranked: Sequence[Ranked], judged: Judgement) -> tuple[Ranked, ...]:
    """Returns files by probability, ties by path; as they were if one has none."""
    found = judged.probabilities
    if any(item.path not in found for item in ranked):
        return tuple(ranked)
    order = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Ranked(path, probability) for path, probability in order)


def _question_bytes(request: RelevanceRequest) -> int:
    # With the comma that parts it from the one before.
    body = relevance_body(request, MODEL_ROOM)
    return len(body_bytes(body)) - len(body_bytes(ENVELOPE)) + 1


def _state_bytes(state: str) -> int:
    return len(body_bytes({"": state})) - len(body_bytes({"": ""}))


def _cut_state(state: str, room: int) -> str:
    # Cutting a text takes at least as many bytes as characters off its JSON.
    while (excess := _state_bytes(state) - room) > 0:
        state = state[: max(0, min(len(state) - 1, len(state) - excess // 6))]
    return state


def _groups(
    questions: Sequence[tuple[str, str]], sizes: Sequence[int], room: int
) -> Iterator[list[tuple[str, str]]]:
    group: list[tuple[str, str]] = []
    left = room
    for question, size in zip(questions, sizes, strict=True):
        if group and size > left:
            yield group
            group, left = [], room
        group.append(question)
        left -= size
    yield group


def _trace(judged: Judgement, ranking: Sequence[Ranked]) -> Iterator[TraceStep]:
    found = judged.probabilities
    ranks = {item.path: rank for rank, item in enumerate(ranking, start=1)}
    for number, group in enumerate(judged.groups, start=1):
        for path in group:
            yield TraceStep(
                kind="option",
                path=path,
                menu=str(number),
                probability=found.get(path),
                calls=number,
                rank=ranks[path],
            )
    if judged.failure:
        yield TraceStep(kind="stop", calls=len(judged.groups), reason=judged.failure)


def create(parameters: RerankParameters, resources: Resources) -> RerankRanker:
    """Returns a ranker over the source's rankings of one repository.

    Raises:
        RoutebenchError: the job was not given the source's rankings or the model.
    """
    if parameters.source not in resources.rankings:
        raise RoutebenchError(f"rerank: no rankings of source arm {parameters.source}")
    return RerankRanker(parameters, configured_model(resources, parameters.model), resources)
