"""What the end of a run says: the main table, what is missing, and where things are."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from routebench.reporting.markup import plain_text
from routebench.reporting.queries import read_query
from routebench.reporting.tables import Table, display, evaluate
from routebench.reporting.views import ResultFiles, StudySettings, open_results, values

SHOWN = (
    "arm",
    "failures",
    "file_recall",
    "complete_files",
    "micro_recall",
    "line_recall",
    "complete_lines",
    "context_tokens",
)
LABEL_WIDTH = 9
ARM_WIDTH = 20


@dataclass(frozen=True, slots=True)
class Facts:
    """Numbers of a study that stand beside its main table.

    Attributes:
        study: name of the study.
        cases: cases in every mean.
        repositories: repositories of these cases.
        excluded: cases that left the study, by stage.
        k: candidates counted in the table.
        budget: context budget of the table, as text.
    """

    study: str
    cases: int
    repositories: int
    excluded: Mapping[str, int]
    k: int
    budget: str


def text(*, table: Table, facts: Facts, places: Mapping[str, Path]) -> str:
    """Returns the summary, at most 100 columns wide as long as the paths are.

    Args:
        table: the arm summary at one k.
        facts: what stands beside it.
        places: where outputs are, by what they are, as the reader can open them.
    """
    width = max((len(what) for what in places), default=0) + 2
    lines = [
        f"{facts.study}: {facts.cases} cases of {facts.repositories} repositories, k = {facts.k}, "
        f"context budget {facts.budget}",
        "",
        plain_text(display(table.showing(SHOWN)), label_width=LABEL_WIDTH, cell_width=ARM_WIDTH),
        "",
        f"Failed: {_failed(table)}. Excluded: {_excluded(facts.excluded)}.",
        *(f"{what + ':':<{width}}{place.as_posix()}" for what, place in places.items()),
    ]
    return "\n".join(lines) + "\n"


def study_text(
    *,
    name: str,
    query: Path,
    files: ResultFiles,
    study: StudySettings,
    places: Mapping[str, Path],
) -> str:
    """Returns the summary of a study from its results; arguments as in ``text``.

    Args:
        name: name of the study.
        query: the query of the arm summary.
        files: the results.
        study: the study they belong to.
        places: where outputs are, by what they are.

    Raises:
        RoutebenchError: results are missing or inconsistent.
    """
    stages = "SELECT stage, count(*) FROM exclusions GROUP BY stage ORDER BY stage"
    with open_results(files, study) as connection:
        words = values(connection, study)
        table = evaluate(read_query(query).filled(words), connection)
        excluded = dict(connection.execute(stages).fetchall())
    facts = Facts(
        study=name,
        cases=int(words["cases"]),
        repositories=int(words["repositories"]),
        excluded=excluded,
        k=study.ks[0],
        budget=words["budget"],
    )
    return text(table=table.where("k", study.ks[0]), facts=facts, places=places)


def _failed(table: Table) -> str:
    failures = zip(table.column("arm"), table.column("failures"), strict=True)
    named = [f"{arm} {count}" for arm, count in failures if count]
    return f"{', '.join(named)} (counted as empty rankings)" if named else "none"


def _excluded(stages: Mapping[str, int]) -> str:
    named = ", ".join(f"{count} ({stage})" for stage, count in stages.items())
    return named or "none"
