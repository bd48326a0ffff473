import json

import pytest

from routebench.arms import archive
from routebench.arms.base import Resources
from routebench.errors import CaseError, RoutebenchError


@pytest.fixture
def archive_of(tmp_path):
    """Makes a ranker over an archive with the given entries."""

    def make(published, key="results", **parameters):
        path = tmp_path / "published.json"
        path.write_text(json.dumps({key: published}))
        chosen = archive.PARAMETERS(pin="published", **parameters)
        return archive.create(chosen, Resources(pins={"published": path}))

    return make


def test_published_order_with_reciprocal_ranks(archive_of, issue_of):
    arm = archive_of([{"id": "case-1", "paths": ["b", "a", "c"], "file_recall@8": 1.0}])
    assert arm.rank(issue_of("x"), None, 2).ranking == (("b", 1.0), ("a", 0.5))


def test_a_repeated_path_counts_once(archive_of, issue_of):
    arm = archive_of([{"id": "case-1", "paths": ["a", "a", "b"]}])
    assert arm.rank(issue_of("x"), None, 16).ranking == (("a", 1.0), ("b", 0.5))


def test_an_empty_ranking_is_a_ranking(archive_of, issue_of):
    assert archive_of([{"id": "case-1", "paths": []}]).rank(issue_of("x"), None, 16).ranking == ()


def test_query_mode_and_variant_choose(archive_of, issue_of):
    entries = [
        {"id": "case-1", "paths": ["full"], "query_mode": "full", "variant": "wide"},
        {"id": "case-1", "paths": ["head"], "query_mode": "first500", "variant": "wide"},
        {"id": "case-1", "paths": ["slim"], "query_mode": "full", "variant": "slim"},
    ]
    arm = archive_of(entries, query_mode="full", variant="slim")
    assert arm.rank(issue_of("x"), None, 16).ranking == (("slim", 1.0),)
    with pytest.raises(RoutebenchError, match="two rankings of case case-1; choose by query_mode"):
        archive_of(entries, query_mode="full")


def test_other_lists_are_read_by_name(archive_of, issue_of):
    arm = archive_of(
        [{"id": "case-1", "paths": ["a"]}], "basename_rankings", entries="basename_rankings"
    )
    assert arm.rank(issue_of("x"), None, 16).ranking == (("a", 1.0),)


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        ({"build_ms": 9.0, "query_ms": 2.0}, (9.0, 2.0)),
        ({"enumerate_ms": 8.0, "search_ms": 3.0}, (8.0, 3.0)),
        ({"search_ms": 3.0, "latency_ms": 7.0}, (4.0, 3.0)),
        ({"latency_ms": 7.0}, (0.0, 7.0)),
        ({}, (0.0, 0.0)),
    ],
)
def test_published_times(archive_of, issue_of, published, expected):
    arm = archive_of([{"id": "case-1", "paths": ["a"], **published}])
    operations = arm.rank(issue_of("x"), None, 16).operations
    assert (operations.build_ms, operations.query_ms) == expected


def test_published_costs(archive_of, issue_of):
    costs = {
        "input_tokens": 5,
        "output_tokens": 6,
        "cost_usd": 0.5,
        "truncated": True,
        "retries": 2,
    }
    arm = archive_of([{"id": "case-1", "paths": [], "model_calls": 4, **costs}])
    operations = arm.rank(issue_of("x"), None, 16).operations
    assert operations.calls == 4
    assert {name: getattr(operations, name) for name in costs} == costs


def test_a_case_that_was_not_published_fails(archive_of, issue_of):
    with pytest.raises(CaseError, match="no ranking in the archive published"):
        archive_of([]).rank(issue_of("x"), None, 16)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"results": 3}', '{"results": [{"id": 1}]}'])
def test_what_is_no_archive_is_told(tmp_path, content):
    path = tmp_path / "published.json"
    path.write_text(content)
    resources = Resources(pins={"published": path})
    with pytest.raises(RoutebenchError, match=r"published\.json: not an archive"):
        archive.create(archive.PARAMETERS(pin="published"), resources)


def test_the_pin_is_known_to_the_planner_and_must_be_given():
    parameters = archive.PARAMETERS(pin="published")
    assert parameters.pins == ("published",)
    assert not parameters.needs_corpus
    with pytest.raises(RoutebenchError, match="pinned file published was not given"):
        archive.create(parameters, Resources())
