"""From the settings file of the reporting stage to what tables and figures take."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from routebench.planning.jobs import files_by_arm
from routebench.reporting.published import Published, load_published, published_file
from routebench.reporting.views import ArmEntry, ResultFiles, StudySettings

PUBLISHED_FIGURES: Mapping[str, Mapping[str, Any]] = {
    "paper-2": {"arm": "tree", "comparator": "fts5"},
    "paper-3": {"cost": "calls"},
}


def parse_reporting(settings: Mapping[str, Any]) -> StudySettings:
    """Returns what tables and figures must know of a study."""
    comparisons, name = settings["comparisons"], settings["published"]
    return StudySettings(
        ks=tuple(settings["k"]),
        arms=tuple(ArmEntry(*arm) for arm in settings["arms"]),
        comparator=comparisons[0][1] if comparisons else settings["arms"][0][3],
        main_budget=settings["main_budget"],
        provenance=settings["provenance"],
        published=load_published(published_file(name)) if name else Published(),
    )


def result_files(inputs: Any, settings: Mapping[str, Any]) -> ResultFiles:
    """Returns the result files of a study from the named inputs of a reporting rule."""
    arms = [name for name, *_ in settings["arms"]]
    return ResultFiles(
        cases=Path(inputs.cases),
        gold=Path(inputs.gold),
        exclusions=Path(inputs.exclusions),
        scores=Path(inputs.scores),
        statistics=Path(inputs.statistics),
        overlaps=Path(inputs.overlaps),
        spans=[Path(path) for path in inputs.spans],
        rankings=files_by_arm(inputs.rankings, arms),
        operations=files_by_arm(inputs.operations, arms),
    )


def figure_settings(figure: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a figure is asked for: the study's main comparison, a cost, or nothing."""
    if figure in PUBLISHED_FIGURES:
        return dict(PUBLISHED_FIGURES[figure])
    if figure == "repository-differences":
        arm, comparator = settings["comparisons"][0]
        return {"arm": arm, "comparator": comparator}
    return {"cost": settings["cost"]} if figure == "cost-recall" else {}


def places(folder: Path) -> dict[str, Path]:
    """Returns where the outputs of a study are, by what they are."""
    return {
        "Tables": folder / "tables",
        "Figures": folder / "figures",
        "Data": folder,
        "Report": folder / "report" / "index.html",
    }
