"""Why an arm nominated a file, in the arm's own terms and weights."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from routebench.arms.base import Answer, Ranked, Snapshot, TraceStep
from routebench.records import Issue, SourceFile

Kind = Literal["term", "step", "round", "judged", "source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One thing that speaks for a file; what does not apply is None.

    Attributes:
        kind: ``term`` (a query term in it), ``step`` (a directory or the file itself, chosen
            on a walk), ``round`` (a menu of a tournament), ``judged`` (a yes/no question) or
            ``source`` (another ranking that holds it).
        text: the term, path, menu, request or ranking.
        weight: what it adds to the arm's score of the file.
        in_name: times that the term is in the file's name, if the arm looks there.
        in_path: times that the term is in the path.
        in_content: times that the term is in the text.
        lines: lines of the text that hold the term.
        probability: the model's.
        rank: place in the source, from 1.
    """

    kind: Kind
    text: str
    weight: float | None = None
    in_name: int | None = None
    in_path: int | None = None
    in_content: int | None = None
    lines: int | None = None
    probability: float | None = None
    rank: int | None = None


Reasons = Mapping[str, Sequence[Evidence]]


@runtime_checkable
class Explainer(Protocol):
    """A ranker that can say why; most can."""

    def explain(self, issue: Issue, snapshot: Snapshot | None, answer: Answer) -> Reasons:
        """Returns the evidence for each ranked path of the last answer, the strongest first.

        Args:
            issue: of the last call of ``rank``.
            snapshot: of the last call of ``rank``.
            answer: what it returned, or less.
        """


def strongest_first(found: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Returns evidence by weight, the highest first, then text."""
    return tuple(sorted(found, key=lambda e: (-(e.weight or 0.0), e.text)))


def ranked_files(snapshot: Snapshot, ranking: Iterable[Ranked]) -> list[SourceFile]:
    """Returns the files of a ranking that the snapshot has, best first."""
    files = {file.path: file for file in snapshot.files}
    return [files[item.path] for item in ranking if item.path in files]


def source_evidence(
    path: str, rankings: Mapping[str, Sequence[Ranked]], constant: int | None = None
) -> Iterator[Evidence]:
    """Yields the place of a path in each ranking that holds it, in their order.

    Args:
        path: the file.
        rankings: by name, best first.
        constant: of a fusion that adds 1/(constant + rank); None where nothing is added.
    """
    for name, ranking in rankings.items():
        for rank, item in enumerate(ranking, start=1):
            if item.path == path:
                weight = None if constant is None else 1 / (constant + rank)
                yield Evidence(kind="source", text=name, rank=rank, weight=weight)


def walk_evidence(answer: Answer) -> Reasons:
    """Returns the steps of a walk to each file, from the root, with the model's choices."""
    chosen = {step.path: step.probability for step in answer.trace if step.kind == "option"}
    return {
        item.path: tuple(
            Evidence(kind="step", text=path, probability=chosen.get(path))
            for path in _lineage(item.path)
        )
        for item in answer.ranking
    }


def menu_evidence(answer: Answer, kind: Kind) -> Reasons:
    """Returns the menus or questions that offered each file, in the order asked."""
    offered: dict[str, list[TraceStep]] = {}
    for step in answer.trace:
        if step.kind == "option" and step.probability is not None:
            offered.setdefault(step.path, []).append(step)
    return {
        item.path: tuple(
            Evidence(kind=kind, text=step.menu or "", probability=step.probability)
            for step in offered.get(item.path, ())
        )
        for item in answer.ranking
    }


def _lineage(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
