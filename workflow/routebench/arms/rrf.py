"""Reciprocal rank fusion of other arms' rankings (METHODS R7)."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from fractions import Fraction

from pydantic import Field

from routebench.arms.base import Answer, Operations, Parameters, Ranked, Resources, Snapshot
from routebench.arms.evidence import Reasons, source_evidence
from routebench.errors import RoutebenchError
from routebench.records import Issue

RANK_CONSTANT = 60


class RrfParameters(Parameters):
    """Parameters of the kind ``rrf``.

    Attributes:
        sources: names of the arms that are fused.
        constant: added to each rank; larger values flatten the difference of ranks.
    """

    needs_corpus = False
    arm_keys = ("sources",)

    sources: tuple[str, ...] = Field(min_length=1)
    constant: int = Field(default=RANK_CONSTANT, ge=0)

    @property
    def source_arms(self) -> tuple[str, ...]:
        """Names of the arms whose rankings this one reads."""
        return self.sources


PARAMETERS = RrfParameters


def fuse(rankings: Iterable[Sequence[Ranked]], constant: int = RANK_CONSTANT) -> list[Ranked]:
    """Returns all paths of the rankings by sum of 1/(constant + rank), ties by path.

    Ranks count from 1. Sums are exact until they are stored, so that a tie is one
    whatever the order of the lists.
    """
    scores: dict[str, Fraction] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item.path] = scores.get(item.path, Fraction()) + Fraction(1, constant + rank)
    order = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Ranked(path, float(score)) for path, score in order]


def add_costs(costs: Iterable[Operations]) -> Operations:
    """Returns the sum of what several answers cost; truncated if one of them is."""
    names = [field.name for field in fields(Operations)]
    listed = list(costs)
    sums = {name: sum(getattr(cost, name) for cost in listed) for name in names}
    return Operations(**{**sums, "truncated": any(cost.truncated for cost in listed)})


class RrfRanker:
    """Fuses the rankings of the source arms, case by case."""

    def __init__(self, parameters: RrfParameters, resources: Resources) -> None:
        self._parameters = parameters
        self._rankings = resources.rankings
        self._costs = resources.costs

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns at most k fused paths; a case that failed in a source is an empty list.

        It costs what its sources cost.
        """
        sources = self._parameters.sources
        lists = [self._rankings[arm].get(issue.case_id, ()) for arm in sources]
        costs = [self._costs.get(arm, {}).get(issue.case_id, Operations()) for arm in sources]
        return Answer(tuple(fuse(lists, self._parameters.constant)[:k]), add_costs(costs))

    def explain(self, issue: Issue, snapshot: Snapshot | None, answer: Answer) -> Reasons:
        """Returns each file's places in the sources."""
        arms = self._parameters.sources
        lists = {arm: self._rankings[arm].get(issue.case_id, ()) for arm in arms}
        return {
            item.path: tuple(source_evidence(item.path, lists, self._parameters.constant))
            for item in answer.ranking
        }


def create(parameters: RrfParameters, resources: Resources) -> RrfRanker:
    """Returns a ranker over the source rankings of one repository.

    Raises:
        RoutebenchError: the job was not given a source's rankings.
    """
    missing = sorted(set(parameters.sources) - resources.rankings.keys())
    if missing:
        raise RoutebenchError(f"rrf: no rankings of source arm {', '.join(missing)}")
    return RrfRanker(parameters, resources)
