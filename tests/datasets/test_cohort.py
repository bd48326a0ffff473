"""Selection of cases (METHODS D5) and the files of a cohort."""

import json

import pytest

from routebench.datasets.cohort import CohortRule, Quota, select_cohort
from routebench.datasets.cohort_files import read_cohort, read_commits, write_cohort
from routebench.errors import RoutebenchError
from routebench.records import Case, GoldSpan
from routebench.tables import read_rows, table_schema


def case(case_id, repo="o/r", language="go", commit="a" * 40, origin=None):
    gold = (GoldSpan("src/a.go", 1, 2, "text"),)
    return Case(case_id, repo, language, "test", commit, "query", gold, origin)


def ids(cases):
    return [c.case_id for c in cases]


CASES = [
    *(case(f"x{n}", "own/x", "go") for n in range(3)),
    *(case(f"y{n}", "own/y", "go") for n in range(3)),
    *(case(f"z{n}", "other/z", "go") for n in range(2)),
    *(case(f"p{n}", "py/p", "python") for n in range(1)),
]


def test_default_rule_takes_all_in_order():
    assert select_cohort(CASES, CohortRule()) == tuple(CASES)


def test_ids_give_cases_and_order():
    assert ids(select_cohort(CASES, CohortRule(ids=["z1", "x0"]))) == ["z1", "x0"]


def test_quota_takes_the_largest_repositories_ties_by_name():
    rule = CohortRule(quotas={"python": Quota(1), "go": Quota(2)})
    assert ids(select_cohort(CASES, rule)) == ["p0", "x0", "x1", "x2", "y0", "y1", "y2"]


def test_distinct_owners_pass_over_an_owner_taken_before():
    rule = CohortRule(quotas={"go": Quota(2, distinct_owners=True)})
    assert ids(select_cohort(CASES, rule)) == ["x0", "x1", "x2", "z0", "z1"]


def test_limit_takes_the_first_by_digest_of_the_id():
    """SHA-256 of x2, x0, x1 begins with 844e, b70a, ec31."""
    rule = CohortRule(repositories=["own/x"], cases_per_repository=2)
    assert ids(select_cohort(CASES, rule)) == ["x2", "x0"]


def test_left_out_repository_does_not_fill_a_quota():
    rule = CohortRule(leave_out=["own/x"], quotas={"go": Quota(1)})
    assert ids(select_cohort(CASES, rule)) == ["y0", "y1", "y2"]


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (CohortRule(ids=["x0", "nope"]), "1 of 2 not among the eligible cases, first 'nope'"),
        (CohortRule(repositories=["a/b"]), "no eligible case of a/b"),
        (CohortRule(leave_out=["own/x", "own/y", "other/z", "py/p"]), "leaves no case"),
        (CohortRule(quotas={"python": Quota(2)}), "2 repositories wanted, 1 have"),
    ],
)
def test_rules_that_do_not_fit_are_refused(rule, reason):
    with pytest.raises(RoutebenchError, match=reason):
        select_cohort(CASES, rule)


def write(tmp_path, cases):
    write_cohort(
        cases,
        [],
        folder=tmp_path / "cohort",
        issues=tmp_path / "issues",
        commits=tmp_path / "commits",
        left_out=tmp_path / "left_out.parquet",
    )


def test_files_of_a_cohort(tmp_path):
    cases = [case("a", commit="1" * 40), case("b", commit="2" * 40), case("c", commit="1" * 40)]
    write(tmp_path, cases)
    assert read_cohort(tmp_path / "cohort" / "o__r.parquet") == tuple(cases)
    issues = read_rows(tmp_path / "issues" / "o__r.parquet", "issues")
    assert [issue["case_id"] for issue in issues] == ["a", "b", "c"]
    commits = read_commits(tmp_path / "commits" / "o__r.json")
    assert commits == ("o/r", None, ("1" * 40, "2" * 40))


def test_issue_files_hold_no_gold(tmp_path):
    write(tmp_path, [case("a")])
    assert table_schema("issues").names == ["case_id", "repo", "base_commit", "query"]
    assert b"src/a.go" not in (tmp_path / "issues" / "o__r.parquet").read_bytes()
    assert "src/a.go" not in json.dumps(read_rows(tmp_path / "issues" / "o__r.parquet", "issues"))


def test_repositories_that_would_share_a_folder_are_refused(tmp_path):
    with pytest.raises(RoutebenchError, match="o/r and O/R would share a folder"):
        write(tmp_path, [case("a", "o/r"), case("b", "O/R")])


def test_one_repository_with_two_paths_is_refused(tmp_path):
    with pytest.raises(RoutebenchError, match="two different paths"):
        write(tmp_path, [case("a", origin="p"), case("b", origin="q")])
