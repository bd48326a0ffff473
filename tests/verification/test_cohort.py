from typing import Any

import pytest

from routebench.verification.cohort import find_gaps
from routebench.verification.relations import Indexed, Results

FLAGS = ("aligned", "names_gold_path", "names_gold_file", "several_directories")
ANSIBLE, CLI = "Pro__python__a__b__1", "Multi__go__a__b__2"


def published(case_id: str, repo: str, **flags: str) -> dict[str, str]:
    return {"case_id": case_id, "repo": repo, **dict.fromkeys(FLAGS, "0"), **flags}


PUBLISHED = {
    ANSIBLE: published(ANSIBLE, "ansible/ansible", aligned="1"),
    CLI: published(CLI, "cli/cli"),
}
EXCLUDED = {"Multi__rust__a__b__3": "clap-rs/clap"}


def study(*cases: str, audited_out: tuple[str, ...] = ()) -> Results:
    exclusions = {case_id: {"case_id": case_id, "stage": "audit"} for case_id in audited_out}
    rows = Indexed([{"case_id": case_id} for case_id in cases])
    return Results({"cases": rows}, {}, exclusions, frozenset())


def test_nothing_stands_between_equal_cohorts() -> None:
    gaps = find_gaps(study(ANSIBLE, CLI, audited_out=tuple(EXCLUDED)), PUBLISHED, EXCLUDED)
    assert gaps.reason("scores", {}) == gaps.reason("selected", {}) == ""


@pytest.mark.parametrize(
    ("relation", "where", "reason"),
    [
        ("scores", {}, "1 of 2 cases are missing: ansible/ansible 1"),
        ("scores", {"repo": "cli/cli"}, ""),
        ("scores", {"aligned": True}, "1 of 1 cases are missing: ansible/ansible 1"),
        ("statistics", {"subset": "unaligned"}, ""),
        ("statistics", {"subset": "all"}, "1 of 2 cases are missing: ansible/ansible 1"),
        ("selected", {}, "2 of 3 cases are missing: ansible/ansible 1, clap-rs/clap 1"),
        ("selected", {"language": "go"}, ""),
    ],
)
def test_missing_cases_are_named_by_repository(
    relation: str, where: dict[str, Any], reason: str
) -> None:
    assert find_gaps(study(CLI), PUBLISHED, EXCLUDED).reason(relation, where) == reason


def test_a_case_that_our_audit_excluded_is_not_missing_but_different() -> None:
    gaps = find_gaps(study(CLI, audited_out=(ANSIBLE,)), PUBLISHED, EXCLUDED)
    assert gaps.reason("scores", {}) == ""


def test_cases_beyond_the_published_ones_spoil_aggregates_only() -> None:
    gaps = find_gaps(study(ANSIBLE, CLI, "own"), PUBLISHED, {})
    assert gaps.reason("scores", {}) == "the study has 1 cases that were not published"
    assert gaps.reason("scores", {"case_id": CLI}) == ""
