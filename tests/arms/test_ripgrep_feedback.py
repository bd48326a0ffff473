import pytest

from routebench.arms import ripgrep_feedback
from routebench.arms.base import Resources
from routebench.arms.ripgrep_feedback import blobs_with, rarest_terms


def ranker(**parameters):
    return ripgrep_feedback.create(ripgrep_feedback.PARAMETERS(**parameters), Resources())


def test_rarest_terms_by_frequency_then_alphabet():
    counts = {"zeta": 1, "beta": 1, "alpha": 3, "gamma": 2, "delta": 2}
    assert rarest_terms(counts, 3) == ("beta", "delta", "zeta")
    assert rarest_terms(counts, 9) == ("alpha", "beta", "delta", "gamma", "zeta")


def test_only_blobs_with_a_rare_term_are_searched_again():
    hits = {"1": frozenset(["a"]), "2": frozenset(["a", "b"]), "3": frozenset(["c"])}
    assert blobs_with(["b", "c"], hits) == ["2", "3"]


def test_the_two_rankings_are_fused(snapshot_of, issue_of):
    contents = {
        "many.py": "common1 common2 common3",
        "rare.py": "needle common1",
        "x.py": "common2",
        "y.py": "common3 common1",
    }
    answer = ranker(feedback_terms=1).rank(
        issue_of("needle common1 common2 common3"), snapshot_of(contents), 16
    )
    # N=4; df: needle 1, common1 3, common2 2, common3 2. First search: many (common1, 2, 3),
    # rare (needle, common1), y (common1, 3), x (common2). Second, of needle: rare.
    assert answer.ranking == (
        ("rare.py", pytest.approx(1 / 62 + 1 / 61)),
        ("many.py", 1 / 61),
        ("y.py", 1 / 63),
        ("x.py", 1 / 64),
    )
    assert answer.operations.calls == 2


def test_fusion_reads_whole_rankings_not_the_first_k(snapshot_of, issue_of):
    contents = {f"{n}.py": "common other third" for n in range(9)} | {"z.py": "needle"}
    arm = ranker(feedback_terms=1)
    issue = issue_of("needle common other third")
    ranking = arm.rank(issue, snapshot_of(contents), 1).ranking
    # First search: three terms of df 9 outweigh one of df 1, so z.py comes tenth.
    assert ranking == (("z.py", pytest.approx(1 / 70 + 1 / 61)),)


def test_no_hits_and_no_terms_give_an_empty_ranking(snapshot_of, issue_of):
    snapshot = snapshot_of({"a.py": "word"})
    assert ranker().rank(issue_of("absent"), snapshot, 16).ranking == ()
    assert ranker().rank(issue_of(""), snapshot, 16).ranking == ()
