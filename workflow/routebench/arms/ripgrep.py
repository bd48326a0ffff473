"""Literal search with rarity and path boost (METHODS R2, R3)."""

import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import fsum, log

from pydantic import Field

from routebench.arms.base import Answer, Operations, Parameters, Ranked, Resources, Snapshot
from routebench.arms.evidence import Evidence, Reasons, ranked_files, strongest_first
from routebench.arms.ripgrep_search import TermFinder, search
from routebench.arms.terms import query_terms
from routebench.records import Issue, SourceFile


class RipgrepParameters(Parameters):
    """Parameters of the kind ``ripgrep``.

    Attributes:
        query_characters: leading characters of the issue that are read; None for all.
        path_boost: added to a file's score for each of its terms that is in its path.
        time_limit_s: for one search, in seconds.
    """

    query_characters: int | None = Field(default=None, ge=1)
    path_boost: float = Field(default=2.0, ge=0)
    time_limit_s: float = Field(default=600.0, gt=0)


PARAMETERS = RipgrepParameters
Hits = Mapping[str, frozenset[str]]


def document_frequency(files: Sequence[SourceFile], hits: Hits) -> Counter[str]:
    """Counts the files hit by each term; a blob at two paths is two files."""
    return Counter(term for file in files for term in hits.get(file.blob, ()))


def rank_hits(files: Sequence[SourceFile], hits: Hits, path_boost: float) -> list[Ranked]:
    """Returns every file with a hit, by score descending, then path (METHODS R2).

    score = sum over hits of 1 + ln((N+1) / (df+1)), plus ``path_boost`` for each hit in
    the lower-cased path; N counts files, df the files hit by the term. The sum is exact,
    so that files with equal addends are equal (METHODS R3).
    """
    rarity = term_rarity(files, hits)
    ranked = [
        Ranked(file.path, _score(file.path, found, rarity, path_boost))
        for file in files
        if (found := hits.get(file.blob))
    ]
    return sorted(ranked, key=lambda item: (-item.score, item.path))


def term_rarity(files: Sequence[SourceFile], hits: Hits) -> dict[str, float]:
    """Returns what a hit of each term adds to a file's score: 1 + ln((N+1) / (df+1))."""
    counts = document_frequency(files, hits)
    return {term: 1 + log((len(files) + 1) / (df + 1)) for term, df in counts.items()}


def explain_hits(snapshot: Snapshot, hits: Hits, answer: Answer, path_boost: float) -> Reasons:
    """Returns the terms that hit each ranked file, with what each adds and its lines."""
    rarity = term_rarity(snapshot.files, hits)
    return {
        file.path: strongest_first(
            _evidence(file, snapshot.text(file.blob), hits.get(file.blob, ()), rarity, path_boost)
        )
        for file in ranked_files(snapshot, answer.ranking)
    }


def _evidence(
    file: SourceFile,
    text: str,
    found: Collection[str],
    rarity: Mapping[str, float],
    path_boost: float,
) -> Iterator[Evidence]:
    finder = TermFinder(sorted(found))
    lines = Counter(term for line in text.split("\n") for term in finder.terms_in(line.encode()))
    for term in found:
        in_path = file.path.lower().count(term)
        weight = rarity[term] + path_boost * (in_path > 0)
        yield Evidence(kind="term", text=term, weight=weight, in_path=in_path, lines=lines[term])


def _score(
    path: str, found: frozenset[str], rarity: Mapping[str, float], path_boost: float
) -> float:
    lowered = path.lower()
    in_path = sum(term in lowered for term in found)
    return fsum([path_boost * in_path, *map(rarity.__getitem__, found)])


class RipgrepRanker:
    """Ranks the files of one repository by ripgrep's matches."""

    def __init__(self, parameters: RipgrepParameters, threads: int) -> None:
        self._parameters = parameters
        self._threads = threads
        self._hits: Hits = {}

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns at most k paths, best first, ties by path (METHODS R2).

        Raises:
            CaseError: the search failed or took too long.
        """
        assert snapshot is not None
        started = time.perf_counter()
        found = search(
            query_terms(issue.query, self._parameters.query_characters),
            snapshot.texts(file.blob for file in snapshot.files),
            threads=self._threads,
            time_limit_s=self._parameters.time_limit_s,
        )
        self._hits = found.hits
        ranking = rank_hits(snapshot.files, found.hits, self._parameters.path_boost)
        query_ms = (time.perf_counter() - started) * 1e3
        return Answer(
            tuple(ranking[:k]),
            Operations(query_ms=query_ms, calls=1, tool_errors=found.troubled_batches),
        )

    def explain(self, issue: Issue, snapshot: Snapshot | None, answer: Answer) -> Reasons:
        """Returns the terms that hit each file in the last search."""
        assert snapshot is not None
        return explain_hits(snapshot, self._hits, answer, self._parameters.path_boost)


def create(parameters: RipgrepParameters, resources: Resources) -> RipgrepRanker:
    """Returns a ranker for one repository."""
    return RipgrepRanker(parameters, resources.threads)
