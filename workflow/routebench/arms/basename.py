"""Terms of the issue in the file's name and path (METHODS R5)."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import nsmallest
from pathlib import PurePosixPath

from pydantic import Field

from routebench.arms.base import Answer, Operations, Parameters, Ranked, Resources, Snapshot
from routebench.arms.evidence import Evidence, Reasons, strongest_first
from routebench.arms.terms import query_terms, tokens
from routebench.records import Issue

STEM_WEIGHT = 2


class BasenameParameters(Parameters):
    """Parameters of the kind ``basename``.

    Attributes:
        query_characters: leading characters of the issue that are read; None for all.
    """

    query_characters: int | None = Field(default=500, ge=1)


PARAMETERS = BasenameParameters


def path_score(path: str, terms: frozenset[str]) -> int:
    """Returns 2·(terms among the stem's tokens) + (terms among the path's tokens)."""
    stem = terms.intersection(tokens(PurePosixPath(path).stem))
    return STEM_WEIGHT * len(stem) + len(terms.intersection(tokens(path)))


class BasenameRanker:
    """Ranks the files of one repository by their names."""

    def __init__(self, parameters: BasenameParameters) -> None:
        self._parameters = parameters

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns at most k paths of positive score, best first, ties by path."""
        assert snapshot is not None
        started = time.perf_counter()
        terms = frozenset(query_terms(issue.query, self._parameters.query_characters))
        scores = ((path_score(file.path, terms), file.path) for file in snapshot.files)
        best = nsmallest(k, ((-score, path) for score, path in scores if score))
        ranking = tuple(Ranked(path, float(-negative)) for negative, path in best)
        return Answer(ranking, Operations(query_ms=(time.perf_counter() - started) * 1e3))

    def explain(self, issue: Issue, snapshot: Snapshot | None, answer: Answer) -> Reasons:
        """Returns the terms in each file's name and path, with what each adds."""
        terms = query_terms(issue.query, self._parameters.query_characters)
        return {item.path: strongest_first(_evidence(item.path, terms)) for item in answer.ranking}


def _evidence(path: str, terms: Iterable[str]) -> Iterator[Evidence]:
    in_name, in_path = Counter(tokens(PurePosixPath(path).stem)), Counter(tokens(path))
    for term in terms:
        if weight := path_score(path, frozenset([term])):
            yield Evidence(
                kind="term",
                text=term,
                weight=weight,
                in_name=in_name[term],
                in_path=in_path[term],
            )


def create(parameters: BasenameParameters, resources: Resources) -> BasenameRanker:
    """Returns a ranker for one repository."""
    return BasenameRanker(parameters)
