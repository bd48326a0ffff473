"""What the end of a run says: the main table, what is missing, and where things are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
DROPPED = """
    SELECT arm, sum(dropped_paths) FROM operations JOIN arms USING (arm)
    GROUP BY arm, position HAVING sum(dropped_paths) > 0 ORDER BY position
"""
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
        dropped: paths answered that are not in the corpus, by arm.
        stand_ins: arms that ask the free stand-in for a model, or build on one.
    """

    study: str
    cases: int
    repositories: int
    excluded: Mapping[str, int]
    k: int
    budget: str
    dropped: Mapping[str, int] = field(default_factory=dict)
    stand_ins: Sequence[str] = ()


def text(*, table: Table, facts: Facts, places: Mapping[str, Path]) -> str:
    """Returns the summary, at most 100 columns wide as long as the paths are.

    Args:
        table: the arm summary at one k.
        facts: what stands beside it.
        places: where outputs are, by what they are, as the reader can open them.
    """
    width = max((len(what) for what in places), default=0) + 2
    lines = [
        f"{facts.study}: {_counted(facts.cases, 'case', 'cases')} of "
        f"{_counted(facts.repositories, 'repository', 'repositories')}, k = {facts.k}, "
        f"context budget {facts.budget}",
        "",
        plain_text(display(table.showing(SHOWN)), label_width=LABEL_WIDTH, cell_width=ARM_WIDTH),
        "",
        f"Failed: {_failed(table)}. Excluded: {_excluded(facts.excluded)}.",
        "Reasons are in the report." if facts.excluded or any(table.column("failures")) else None,
        _dropped(facts.dropped),
        _stand_ins(facts.stand_ins),
        *(f"{what + ':':<{width}}{place.as_posix()}" for what, place in places.items()),
    ]
    return "\n".join(line for line in lines if line is not None) + "\n"


def study_text(
    *,
    name: str,
    query: Path,
    files: ResultFiles,
    study: StudySettings,
    places: Mapping[str, Path],
    stand_ins: Sequence[str] = (),
) -> str:
    """Returns the summary of a study from its results; arguments as in ``text``.

    Args:
        name: name of the study.
        query: the query of the arm summary.
        files: the results.
        study: the study they belong to.
        places: where outputs are, by what they are.
        stand_ins: arms that ask the free stand-in for a model, or build on one.

    Raises:
        RoutebenchError: results are missing or inconsistent.
    """
    stages = "SELECT stage, count(*) FROM exclusions GROUP BY stage ORDER BY stage"
    with open_results(files, study) as connection:
        words = values(connection, study)
        table = evaluate(read_query(query).filled(words), connection)
        excluded = dict(connection.execute(stages).fetchall())
        dropped = dict(connection.execute(DROPPED).fetchall())
    facts = Facts(
        study=name,
        cases=int(words["cases"]),
        repositories=int(words["repositories"]),
        excluded=excluded,
        k=study.ks[0],
        budget=words["budget"],
        dropped=dropped,
        stand_ins=stand_ins,
    )
    return text(table=table.where("k", study.ks[0]), facts=facts, places=places)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _dropped(arms: Mapping[str, int]) -> str | None:
    named = ", ".join(f"{arm} {count}" for arm, count in arms.items())
    return f"Dropped paths (not in the corpus): {named}." if named else None


def _stand_ins(arms: Sequence[str]) -> str | None:
    if not arms:
        return None
    return f"{', '.join(arms)}: asked a free stand-in, not a language model."


def _failed(table: Table) -> str:
    failures = zip(table.column("arm"), table.column("failures"), strict=True)
    named = [f"{arm} {count}" for arm, count in failures if count]
    return f"{', '.join(named)} (counted as empty rankings)" if named else "none"


def _excluded(stages: Mapping[str, int]) -> str:
    named = ", ".join(f"{count} ({stage})" for stage, count in stages.items())
    return named or "none"
