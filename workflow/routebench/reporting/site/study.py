"""What the report must know of a study, and where its results are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from routebench.reporting.views import ResultFiles, StudySettings


@dataclass(frozen=True, slots=True)
class SiteArm:
    """An arm as its page describes it.

    Attributes:
        name: name of the arm.
        kind: its kind.
        summary: what the kind does, in one line.
        parameters: every parameter with its value, as JSON.
        given: names of the parameters that the study sets.
        models: what tells each model it asks from others, by the model's name.
        sources: arms that it is made from.
    """

    name: str
    kind: str
    summary: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    given: Sequence[str] = ()
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sources: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SiteStudy:
    """A study as the report shows it.

    Attributes:
        name: name of the study.
        title: what it asks, in one line.
        settings: what its tables know of it.
        comparisons: pairs of arms in the study's order, arm minus comparator; main one first.
        arms: the arms in the study's order.
        url: template of the repositories' addresses; None where releases stand in for them.
    """

    name: str
    title: str
    settings: StudySettings
    comparisons: Sequence[tuple[str, str]]
    arms: Sequence[SiteArm]
    url: str | None = None


@dataclass(frozen=True, slots=True)
class SiteFiles:
    """The files that the report is made from.

    Attributes:
        results: the result tables.
        contexts: packed contexts by arm; empty for a study that packs none.
        traces: traces by arm, for arms that ask a model.
        commits: repositories with their addresses, ``commits/<owner>__<name>.json``.
        queries: queries of the tables, in their order.
        figures: drawn figures, SVG.
        verdicts: published numbers beside ours, ``verify.csv``.
    """

    results: ResultFiles
    contexts: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    traces: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    commits: Sequence[Path] = ()
    queries: Sequence[Path] = ()
    figures: Sequence[Path] = ()
    verdicts: Path | None = None
