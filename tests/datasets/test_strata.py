"""The seeded sample by difficulty within each repository."""

import hashlib

import pytest

from routebench.datasets.cohort import CohortRule, Strata, select_cohort
from routebench.errors import RoutebenchError
from routebench.records import Case, GoldSpan


def case(case_id, repo="o/r", difficulty="easy"):
    gold = (GoldSpan("a.py", 1, 1),)
    return Case(case_id, repo, "python", "t", "a" * 40, "q", gold, difficulty=difficulty)


# o/r: 6 easy, 3 hard, 1 without a label; o/s: 2 easy.
CASES = [
    *(case(f"e{n}") for n in range(6)),
    *(case(f"h{n}", difficulty="hard") for n in range(3)),
    case("n0", difficulty=None),
    *(case(f"s{n}", repo="o/s") for n in range(2)),
]


def sample(**strata):
    return [c.case_id for c in select_cohort(CASES, CohortRule(stratified=Strata(**strata)))]


def digest_order(ids, seed=0):
    return sorted(ids, key=lambda i: hashlib.sha256(f"{seed} {i}".encode()).hexdigest())


def test_each_difficulty_has_its_share():
    """5 of 10 cases: 3 of 6 easy, 1.5 of 3 hard, 0.5 of 1 without a label.

    Drawn where 5 * size - 10 * taken is largest: easy 30, easy 20, hard 15, easy 10, then
    hard and none are both 5 behind, and the label that comes first, the empty one, is taken.
    """
    drawn = sample(per_repository={"o/r": 5})
    easy, hard = digest_order(f"e{n}" for n in range(6)), digest_order(["h0", "h1", "h2"])
    assert drawn == [easy[0], easy[1], hard[0], easy[2], "n0"]


def test_cases_named_first_count_for_their_difficulty():
    drawn = sample(per_repository={"o/s": 1, "o/r": 4}, first=["h2", "h0"])
    easy = digest_order(f"e{n}" for n in range(6))
    assert drawn[0] in ("s0", "s1")
    assert drawn[1:] == ["h2", "h0", easy[0], easy[1]]


def test_the_seed_decides_and_nothing_else():
    wanted = {"per_repository": {"o/r": 2}}
    assert sample(**wanted) == sample(**wanted)
    assert len({tuple(sample(**wanted, seed=seed)) for seed in range(9)}) > 1
    assert sample(**wanted, seed=3)[0] == digest_order([f"e{n}" for n in range(6)], 3)[0]


def test_all_cases_can_be_asked_for():
    assert sorted(sample(per_repository={"o/r": 10})) == sorted(c.case_id for c in CASES[:10])


@pytest.mark.parametrize(
    ("strata", "reason"),
    [
        ({"per_repository": {"o/s": 3}}, "3 cases of o/s wanted, 2 are eligible"),
        ({"per_repository": {"o/t": 1}}, "1 cases of o/t wanted, 0 are eligible"),
        ({"per_repository": {"o/s": 1}, "first": ["s0", "s1"]}, "1 cases of o/s wanted, 2 named"),
        ({"per_repository": {"o/s": 1}, "first": ["e0"]}, "'e0' is no eligible case"),
    ],
)
def test_rules_that_do_not_fit_are_refused(strata, reason):
    with pytest.raises(RoutebenchError, match=reason):
        sample(**strata)
