"""Two literal searches: all terms, then the rarest, fused (METHODS R4)."""

import time
from collections.abc import Mapping, Sequence

from pydantic import Field

from routebench.arms.base import Answer, Operations, Ranked, Resources, Snapshot
from routebench.arms.evidence import Reasons, source_evidence
from routebench.arms.ripgrep import (
    Hits,
    RipgrepParameters,
    document_frequency,
    explain_hits,
    rank_hits,
)
from routebench.arms.ripgrep_search import SearchResult, search
from routebench.arms.rrf import RANK_CONSTANT, fuse
from routebench.arms.terms import query_terms
from routebench.records import Issue


class RipgrepFeedbackParameters(RipgrepParameters):
    """Parameters of the kind ``ripgrep-feedback``; those of ``ripgrep`` hold for both searches.

    Attributes:
        feedback_terms: how many of the rarest matched terms are searched again.
        constant: of the fusion (METHODS R7).
    """

    feedback_terms: int = Field(default=5, ge=1)
    constant: int = Field(default=RANK_CONSTANT, ge=0)


PARAMETERS = RipgrepFeedbackParameters


def rarest_terms(counts: Mapping[str, int], number: int) -> tuple[str, ...]:
    """Returns the terms of smallest document frequency, ties alphabetical, sorted."""
    by_rarity = sorted(counts, key=lambda term: (counts[term], term))
    return tuple(sorted(by_rarity[:number]))


def blobs_with(terms: Sequence[str], hits: Hits) -> list[str]:
    """Returns the blobs hit by any of the terms, in order of ``hits``.

    The second search needs no others: a line that it matches was matched by the first,
    so a term it finds there was found before.
    """
    wanted = frozenset(terms)
    return [blob for blob, found in hits.items() if found & wanted]


class RipgrepFeedbackRanker:
    """Ranks the files of one repository by two searches."""

    def __init__(self, parameters: RipgrepFeedbackParameters, threads: int) -> None:
        self._parameters = parameters
        self._threads = threads
        self._searches: tuple[SearchResult, ...] = ()

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns at most k paths, best first, ties by path (METHODS R4).

        Raises:
            CaseError: a search failed or took too long.
        """
        assert snapshot is not None
        started = time.perf_counter()
        terms = query_terms(issue.query, self._parameters.query_characters)
        first = self._search(terms, [file.blob for file in snapshot.files], snapshot)
        counts = document_frequency(snapshot.files, first.hits)
        rarest = rarest_terms(counts, self._parameters.feedback_terms)
        second = self._search(rarest, blobs_with(rarest, first.hits), snapshot)
        self._searches = (first, second)
        ranking = fuse(self._rankings(snapshot), self._parameters.constant)[:k]
        operations = Operations(
            query_ms=(time.perf_counter() - started) * 1e3,
            calls=2,
            tool_errors=first.troubled_batches + second.troubled_batches,
        )
        return Answer(tuple(ranking), operations)

    def _search(
        self, terms: Sequence[str], blobs: Sequence[str], snapshot: Snapshot
    ) -> SearchResult:
        return search(
            terms,
            snapshot.texts(blobs),
            threads=self._threads,
            time_limit_s=self._parameters.time_limit_s,
        )

    def explain(self, issue: Issue, snapshot: Snapshot | None, answer: Answer) -> Reasons:
        """Returns each file's places in the two searches, then the terms of the first."""
        assert snapshot is not None
        boost = self._parameters.path_boost
        hits = self._searches[0].hits if self._searches else {}
        names = ("all terms", "rarest terms")
        rankings = dict(zip(names, self._rankings(snapshot), strict=False))
        terms = explain_hits(snapshot, hits, answer, boost)
        constant = self._parameters.constant
        return {
            path: (*source_evidence(path, rankings, constant), *found)
            for path, found in terms.items()
        }

    def _rankings(self, snapshot: Snapshot) -> list[list[Ranked]]:
        boost = self._parameters.path_boost
        return [rank_hits(snapshot.files, found.hits, boost) for found in self._searches]


def create(parameters: RipgrepFeedbackParameters, resources: Resources) -> RipgrepFeedbackRanker:
    """Returns a ranker for one repository."""
    return RipgrepFeedbackRanker(parameters, resources.threads)
