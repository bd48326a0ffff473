"""The demo study's issues as people edit them (``workflow/datasets/demo/issues.yaml``)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from routebench.datasets.release_pins import DEMO_RELEASES, ReleaseRepository
from routebench.errors import RoutebenchError
from routebench.records import GoldSpan

DEMO = Path(__file__).parents[2] / "datasets" / "demo"
ISSUES = DEMO / "issues.yaml"


@dataclass(frozen=True, slots=True)
class DemoIssue:
    """A defect of one release that a later release mends.

    Attributes:
        id: unique, starts with the project's name.
        repository: identity as ``owner/name``.
        base: version that has the defect.
        fixed: version that mends it.
        issue: what a user would report: title, empty line, text.
        gold: lines of the base version that the mend touches.
        why: what the later version does, in one sentence.
    """

    id: str
    repository: str
    base: str
    fixed: str
    issue: str
    gold: tuple[GoldSpan, ...]
    why: str

    def __post_init__(self) -> None:
        if not self.issue.strip() or not self.gold:
            raise RoutebenchError(f"{self.id}: an issue needs a text and gold lines")


def load_issues(path: Path = ISSUES) -> tuple[DemoIssue, ...]:
    """Returns the issues of the readable source, in its order.

    Raises:
        RoutebenchError: not valid YAML, an id stands twice, or a record lacks a key, has an
            unknown one or a bad value.
    """
    try:
        records = yaml.safe_load(path.read_text(encoding="utf-8"))["issues"]
        issues = tuple(_issue(record) for record in records)
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError, RoutebenchError) as error:
        reason = " ".join(str(error).split())
        raise RoutebenchError(f"{path}: {reason}; correct the record") from error
    if len({issue.id for issue in issues}) < len(issues):
        raise RoutebenchError(f"{path}: an id stands twice; rename one")
    return issues


def find_repository(pinned: Mapping[str, ReleaseRepository], issue: DemoIssue) -> ReleaseRepository:
    """Returns the pinned repository of an issue, which has both its versions.

    Raises:
        RoutebenchError: the repository or one of the versions is not pinned.
    """
    if issue.repository not in pinned:
        raise RoutebenchError(f"{issue.id}: {issue.repository} is not in {DEMO_RELEASES.name}")
    repository = pinned[issue.repository]
    for version in (issue.base, issue.fixed):
        repository.release(version)
    return repository


def _issue(record: Mapping[str, Any]) -> DemoIssue:
    gold = tuple(
        GoldSpan(path, start, end) for path, spans in record["gold"].items() for start, end in spans
    )
    return DemoIssue(**{**record, "gold": gold})
