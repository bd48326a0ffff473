"""What every page of the report shares: study, arms, repositories and the list of cases."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from routebench.reporting.site.links import github_repositories
from routebench.reporting.site.study import SiteArm, SiteFiles, SiteStudy
from routebench.tables import read_rows

STAND_IN = "static"
CASE_COLUMNS = (
    *("case_id", "repo", "language", "source", "base_commit", "query", "difficulty"),
    *("gold_files", "gold_spans", "clipped_spans", "aligned"),
    *("names_gold_path", "names_gold_file", "several_directories"),
)


def describe_study(study: SiteStudy) -> dict[str, Any]:
    """Returns what heads the report, as JSON."""
    settings = study.settings
    return {
        "name": study.name,
        "title": study.title,
        "provenance": settings.provenance,
        "ks": settings.ks,
        "budget": settings.main_budget,
        "comparator": settings.comparator,
        "comparisons": study.comparisons,
    }


def describe_arms(study: SiteStudy) -> list[dict[str, Any]]:
    """Returns the arms in the study's order, as JSON.

    ``stand_in`` tells whether its own model is the free stand-in (``own``), that of an arm
    it is made from (``source``), or none.
    """
    arms = {arm.name: arm for arm in study.arms}
    families = {entry.name: entry.family or entry.name for entry in study.settings.arms}
    return [
        {
            "name": arm.name,
            "family": families.get(arm.name, arm.name),
            "kind": arm.kind,
            "summary": arm.summary,
            "parameters": [[name, value] for name, value in arm.parameters.items()],
            "given": arm.given,
            "models": [[name, dict(identity)] for name, identity in arm.models.items()],
            "sources": arm.sources,
            "stand_in": stand_in(arm, arms),
        }
        for arm in study.arms
    ]


def stand_in(arm: SiteArm, arms: Mapping[str, SiteArm]) -> str | None:
    """Tells whose model is the stand-in: ``own``, ``source`` or nobody's."""
    if any(model.get("kind") == STAND_IN for model in arm.models.values()):
        return "own"
    sources = [arms[name] for name in arm.sources if name in arms]
    return "source" if any(stand_in(source, arms) for source in sources) else None


def read_cases(path: Path) -> dict[str, list[Any]]:
    """Returns the cases as columns, in the order of the file."""
    rows = read_rows(path, "cases", CASE_COLUMNS)
    return {name: [row[name] for row in rows] for name in CASE_COLUMNS}


def describe_repositories(
    cases: Mapping[str, Sequence[Any]], files: SiteFiles, study: SiteStudy
) -> list[dict[str, Any]]:
    """Returns the repositories of the cases, sorted, with their name on GitHub if any."""
    on_github = github_repositories(files.commits, study.url)
    return [{"name": repo, "github": on_github.get(repo)} for repo in sorted(set(cases["repo"]))]
