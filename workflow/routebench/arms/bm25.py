"""Okapi BM25 over whole files, two published variants of one method (METHODS R9, R10).

Terms of a blob and of a path are counted once per repository; the next commit costs only
its new blobs and paths (METHODS C2).
"""

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from routebench.arms.base import Answer, Operations, Parameters, Ranked, Resources, Snapshot
from routebench.arms.code_files import FILE_RULES, FileRule, is_prose
from routebench.arms.code_tokens import TOKEN_RULES, TokenRule
from routebench.arms.evidence import Evidence, Reasons, strongest_first
from routebench.arms.term_counts import Integers, TermCounts
from routebench.records import Issue

Variant = Literal["harness", "pipeline"]
Floats = npt.NDArray[np.float64]
PATH_SEPARATORS = str.maketrans("/_.", "   ")

VARIANTS: Mapping[Variant, Mapping[str, Any]] = {
    "harness": {
        "tokens": "words",
        "files": "python",
        "query_characters": None,
        "path_text": True,
        "path_boost": 0.0,
        "prose_share": None,
    },
    "pipeline": {
        "tokens": "identifiers",
        "files": "text",
        "query_characters": 2000,
        "path_text": False,
        "path_boost": 1.5,
        "prose_share": 0.1,
    },
}


class Bm25Parameters(Parameters):
    """Parameters of the kind ``bm25``; those not given are those of the variant.

    Attributes:
        variant: whose defaults hold (METHODS R9, R10).
        tokens: how text becomes terms: words (R9) or identifiers (R10).
        files: which files are indexed: python (R9) or text (R10); never blank ones.
        query_characters: leading characters of the issue that are read; None for all.
        k1: how soon a repeated term stops counting.
        b: how much a long file is held back, 0 to 1.
        path_text: whether the path is part of the indexed text.
        path_boost: added for each distinct query term among the terms of the path.
        shortlist: how many files are taken at most.
        prose_share: share of the shortlist for the best prose files; None for no quota.
    """

    variant: Variant = "harness"
    tokens: TokenRule = "words"
    files: FileRule = "python"
    query_characters: int | None = Field(default=None, ge=1)
    k1: float = Field(default=1.2, ge=0)
    b: float = Field(default=0.75, ge=0, le=1)
    path_text: bool = True
    path_boost: float = Field(default=0.0, ge=0)
    shortlist: int = Field(default=100, ge=1)
    prose_share: float | None = Field(default=None, ge=0, le=1)

    @model_validator(mode="before")
    @classmethod
    def _lay_over_variant(cls, values: Any) -> Any:
        preset = VARIANTS.get(values.get("variant", "harness"), {})
        return {**preset, **values}


PARAMETERS = Bm25Parameters


@dataclass(frozen=True, slots=True)
class Documents:
    """The indexed files of one commit, sorted by path.

    Attributes:
        commit: the commit.
        paths: path of each.
        blob_slots: where the counts of its text are.
        path_slots: where the counts of its path are.
    """

    commit: str
    paths: Sequence[str]
    blob_slots: Integers
    path_slots: Integers


class Addend(NamedTuple):
    """What one query term adds to each document, in the order of the documents.

    Attributes:
        term: the term.
        in_content: how often it stands in the text.
        in_path: how often it stands in the path.
        score: its BM25 score.
        boost: what its place in the path adds.
    """

    term: str
    in_content: Integers
    in_path: Integers
    score: Floats
    boost: Floats


class Index:
    """Term counts of a repository, and the documents of the commit it stands at."""

    def __init__(self, parameters: Bm25Parameters) -> None:
        self._parameters = parameters
        self._tokenize = TOKEN_RULES[parameters.tokens]
        self._blobs = TermCounts(self._tokenize)
        self._path_terms = TermCounts(self._tokenize)
        self._blank: set[str] = set()
        self._documents: Documents | None = None

    def move_to(self, snapshot: Snapshot) -> None:
        """Makes the index hold exactly the files of ``snapshot``."""
        if self._documents is not None and self._documents.commit == snapshot.commit:
            return
        holds = FILE_RULES[self._parameters.files]
        files = [file for file in snapshot.files if holds(file)]
        self._learn([file.blob for file in files], snapshot)
        kept = [file for file in files if file.blob not in self._blank]
        paths = [file.path for file in kept]
        self._path_terms.add((path, self._path_document(path)) for path in paths)
        self._documents = Documents(
            snapshot.commit,
            paths,
            self._blobs.slots(file.blob for file in kept),
            self._path_terms.slots(paths),
        )

    def search(self, text: str) -> list[Ranked]:
        """Returns the files with a positive score, best first, ties by path."""
        documents = self._documents
        if documents is None or not documents.paths:
            return []
        scores = np.zeros(len(documents.paths))
        for addend in self._addends(text, documents):
            scores += addend.score
            scores += addend.boost
        order = np.argsort(-scores, kind="stable")
        found = order[: np.count_nonzero(scores > 0)].tolist()
        return [Ranked(documents.paths[place], float(scores[place])) for place in found]

    def explain(self, text: str, paths: Iterable[str]) -> Reasons:
        """Returns the query terms in each of these files that is indexed."""
        documents = self._documents
        places = {path: place for place, path in enumerate(documents.paths if documents else ())}
        found: dict[str, list[Evidence]] = {path: [] for path in paths if path in places}
        for addend in self._addends(text, documents) if documents and found else ():
            for path, evidence in found.items():
                if weight := addend.score[places[path]] + addend.boost[places[path]]:
                    evidence.append(_evidence(addend, places[path], float(weight)))
        return {path: strongest_first(evidence) for path, evidence in found.items()}

    def _learn(self, blobs: Iterable[str], snapshot: Snapshot) -> None:
        new = [b for b in dict.fromkeys(blobs) if b not in self._blobs and b not in self._blank]
        texts = snapshot.texts(new)
        self._blobs.add((blob, text) for blob, text in texts if not self._note_blank(blob, text))

    def _note_blank(self, blob: str, text: str) -> bool:
        blank = not text.strip()
        if blank:
            self._blank.add(blob)
        return blank

    def _path_document(self, path: str) -> str:
        # Only where the path is text are its separators spaces: `_` joins a word of R9.
        return path.translate(PATH_SEPARATORS) if self._parameters.path_text else path

    def _addends(self, text: str, documents: Documents) -> Iterator[Addend]:
        norms = self._norms(documents)
        for term in sorted(set(self._tokenize(text))):
            in_content = self._blobs.counts(term)[documents.blob_slots]
            in_path = self._path_terms.counts(term)[documents.path_slots]
            counts = in_content + in_path if self._parameters.path_text else in_content
            score = term_scores(counts, norms, self._parameters.k1)
            boost = self._parameters.path_boost * (in_path > 0).astype(np.float64)
            yield Addend(term, in_content, in_path, score, boost)

    def _norms(self, documents: Documents) -> Floats:
        lengths = self._blobs.lengths[documents.blob_slots]
        if self._parameters.path_text:
            lengths = lengths + self._path_terms.lengths[documents.path_slots]
        relative = lengths / (lengths.mean() or 1.0)
        norms: Floats = self._parameters.k1 * (
            1 - self._parameters.b + self._parameters.b * relative
        )
        return norms


def _evidence(addend: Addend, place: int, weight: float) -> Evidence:
    return Evidence(
        kind="term",
        text=addend.term,
        weight=weight,
        in_path=int(addend.in_path[place]),
        in_content=int(addend.in_content[place]),
    )


def term_scores(counts: Integers, norms: Floats, k1: float) -> Floats:
    """Returns what one query term adds to each document's BM25 score.

    idf · tf · (k1 + 1) / (tf + norm), idf = ln(1 + (N - df + 0.5) / (df + 0.5)).

    Args:
        counts: tf, how often the term stands in each document.
        norms: k1 · (1 - b + b · length / mean length) of each document.
        k1: as in the formula.
    """
    holding = np.count_nonzero(counts)
    if not holding:
        return np.zeros(len(counts))
    idf = math.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))
    found = counts > 0
    scores = np.zeros(len(counts))
    scores[found] = idf * counts[found] * (k1 + 1) / (counts[found] + norms[found])
    return scores


def take_shortlist(ranked: Sequence[Ranked], size: int, prose_share: float | None) -> list[Ranked]:
    """Returns the shortlist, in the order given (METHODS R10).

    The best prose files take their share of the places, rounded half up, or more if other
    files run short; the best other files take the rest.

    Args:
        ranked: files, best first.
        size: how many are taken at most.
        prose_share: share of the places for prose; None takes the best whatever they are.
    """
    if prose_share is None:
        return list(ranked[:size])
    prose = [is_prose(item.path) for item in ranked]
    places = max(math.floor(size * prose_share + 0.5), size - prose.count(False))
    left = {True: places, False: size - min(places, prose.count(True))}
    taken = []
    for item, kind in zip(ranked, prose, strict=True):
        if left[kind] > 0:
            left[kind] -= 1
            taken.append(item)
    return taken


class Bm25Ranker:
    """Ranks the files of one repository by BM25."""

    def __init__(self, parameters: Bm25Parameters) -> None:
        self._parameters = parameters
        self._index = Index(parameters)

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns the first k paths of the shortlist; score is BM25's, higher is better.

        An issue without terms, or a commit without files of the rule, gives an empty ranking.
        """
        assert snapshot is not None
        started = time.perf_counter()
        self._index.move_to(snapshot)
        built = time.perf_counter()
        parameters = self._parameters
        ranked = self._index.search(issue.query[: parameters.query_characters])
        shortlist = take_shortlist(ranked, parameters.shortlist, parameters.prose_share)
        ended = time.perf_counter()
        return Answer(
            tuple(shortlist[:k]),
            Operations(build_ms=(built - started) * 1e3, query_ms=(ended - built) * 1e3),
        )

    def explain(self, issue: Issue, snapshot: Snapshot | None, answer: Answer) -> Reasons:
        """Returns the query terms in each file: what each adds, and how often it is there."""
        assert snapshot is not None
        self._index.move_to(snapshot)
        text = issue.query[: self._parameters.query_characters]
        return self._index.explain(text, [item.path for item in answer.ranking])


def create(parameters: Bm25Parameters, resources: Resources) -> Bm25Ranker:
    """Returns a ranker for one repository."""
    return Bm25Ranker(parameters)
