"""The files a cohort is split into: what arms may see, and what they may not."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from routebench.errors import RoutebenchError
from routebench.files import damaged, read_json, replacing_folder, write_text
from routebench.records import Case, Exclusion, GoldSpan, repository_slug
from routebench.tables import read_rows, write_rows


class CommitList(NamedTuple):
    """The commits of one repository that a study needs, in the order of its cases."""

    repo: str
    origin: str | None
    commits: tuple[str, ...]


def write_cohort(
    cases: Sequence[Case],
    exclusions: Iterable[Exclusion],
    *,
    folder: Path,
    issues: Path,
    commits: Path,
    left_out: Path,
) -> None:
    """Writes the cohort, one file per repository in each of three folders.

    Args:
        cases: the cases of the study.
        exclusions: rows of the dataset that are no case.
        folder: gets ``<owner>__<name>.parquet`` with gold, for audit and scoring.
        issues: gets the same without gold, for ranking.
        commits: gets ``<owner>__<name>.json``, for mirrors and snapshots.
        left_out: Parquet file of the exclusions.

    Raises:
        RoutebenchError: two repositories differ only in letter case, or one repository
            has two origins.
    """
    groups = _by_slug(cases)
    with (
        replacing_folder(folder) as gold_folder,
        replacing_folder(issues) as issue_folder,
        replacing_folder(commits) as commit_folder,
    ):
        for slug, group in groups.items():
            write_rows(gold_folder / f"{slug}.parquet", "cohort", map(_cohort_row, group))
            write_rows(
                issue_folder / f"{slug}.parquet", "issues", (asdict(case.issue) for case in group)
            )
            write_text(commit_folder / f"{slug}.json", _commit_text(group))
    write_rows(left_out, "exclusions", map(asdict, exclusions))


def read_commits(path: Path) -> CommitList:
    """Reads the commit list of a repository.

    Raises:
        RoutebenchError: the file is damaged.
    """
    content = read_json(path)
    try:
        return CommitList(content["repo"], content["origin"], tuple(content["commits"]))
    except (TypeError, KeyError) as error:
        raise damaged(path, error) from error


def read_cohort(path: Path) -> tuple[Case, ...]:
    """Reads the cases of one repository with their gold."""
    return tuple(_case(row) for row in read_rows(path, "cohort"))


def _by_slug(cases: Sequence[Case]) -> dict[str, list[Case]]:
    groups: dict[str, list[Case]] = defaultdict(list)
    names: dict[str, str] = {}
    for case in cases:
        slug = repository_slug(case.repo)
        if names.setdefault(slug.lower(), case.repo) != case.repo:
            raise RoutebenchError(
                f"repositories {names[slug.lower()]} and {case.repo} would share a folder; "
                "give them one name in workflow/pins/aliases.yaml"
            )
        groups[slug].append(case)
    return groups


def _commit_text(cases: Sequence[Case]) -> str:
    origins = {case.origin for case in cases}
    if len(origins) > 1:
        raise RoutebenchError(f"repository {cases[0].repo}: two different paths in one dataset")
    content = {
        "repo": cases[0].repo,
        "origin": origins.pop(),
        "commits": list(dict.fromkeys(case.base_commit for case in cases)),
    }
    return json.dumps(content, indent=1) + "\n"


def _cohort_row(case: Case) -> Mapping[str, Any]:
    row = asdict(case)
    row["gold"] = json.dumps([asdict(span) for span in case.gold])
    return row


def _case(row: dict[str, Any]) -> Case:
    spans = tuple(GoldSpan(**span) for span in json.loads(row.pop("gold")))
    return Case(**row, gold=spans)
