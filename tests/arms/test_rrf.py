import pytest
from pydantic import ValidationError

from routebench.arms import rrf
from routebench.arms.base import Ranked, Resources
from routebench.arms.rrf import fuse
from routebench.errors import RoutebenchError


def listed(*paths):
    return [Ranked(path, 1.0) for path in paths]


def test_scores_are_sums_of_reciprocal_ranks():
    assert fuse([listed("a", "b"), listed("c", "a")]) == [
        ("a", pytest.approx(1 / 61 + 1 / 62, abs=1e-17)),
        ("c", 1 / 61),
        ("b", 1 / 62),
    ]


def test_ties_go_by_path():
    assert [item.path for item in fuse([listed("b", "x"), listed("a", "y")])] == list("abxy")


def test_three_lists_tie_whatever_their_order():
    one, two, three = listed("a", "b", "c"), listed("b", "c", "a"), listed("c", "a", "b")
    assert fuse([one, two, three]) == fuse([three, one, two])
    assert [item.path for item in fuse([two, three, one])] == list("abc")


def test_the_constant_is_a_parameter():
    assert fuse([listed("a")], 0) == [("a", 1.0)]


def rank(issue, rankings, k=16, **parameters):
    parameters = rrf.PARAMETERS(sources=tuple(rankings), **parameters)
    return rrf.create(parameters, Resources(rankings=rankings)).rank(issue, None, k)


def test_the_fused_list_is_cut_at_k(issue_of):
    rankings = {"tree": {"case-1": listed("a", "b")}, "fts5": {"case-1": listed("b", "c")}}
    assert [item.path for item in rank(issue_of("x"), rankings, 2).ranking] == ["b", "a"]


def test_a_case_that_failed_in_a_source_is_an_empty_list(issue_of):
    rankings = {"tree": {}, "fts5": {"case-1": listed("b")}}
    assert rank(issue_of("x"), rankings).ranking == (("b", 1 / 61),)
    assert rank(issue_of("x"), {"tree": {}, "fts5": {}}).ranking == ()


def test_source_arms_are_known_to_the_planner_and_must_be_given():
    parameters = rrf.PARAMETERS(sources=["tree", "fts5"])
    assert parameters.source_arms == ("tree", "fts5")
    assert not parameters.needs_corpus
    with pytest.raises(RoutebenchError, match="no rankings of source arm tree"):
        rrf.create(parameters, Resources(rankings={"fts5": {}}))


def test_no_sources_are_refused():
    with pytest.raises(ValidationError):
        rrf.PARAMETERS(sources=[])
