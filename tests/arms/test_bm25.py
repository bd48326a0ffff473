"""BM25 in its two published variants (METHODS R9, R10)."""

import math
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from routebench.arms import bm25
from routebench.arms.base import Ranked, Resources
from routebench.arms.bm25 import VARIANTS, take_shortlist
from routebench.arms.code_files import FILE_RULES
from routebench.arms.code_tokens import TOKEN_RULES
from routebench.records import Issue


def ranker(**parameters):
    return bm25.create(bm25.PARAMETERS(**parameters), Resources())


def paths(answer):
    return [item.path for item in answer.ranking]


def plain_scores(snapshot, query, parameters):
    """The formula of R9 and R10, file by file, term by term."""
    tokenize = TOKEN_RULES[parameters.tokens]
    keep = FILE_RULES[parameters.files]
    contents = snapshot.contents
    files = [file for file in snapshot.files if keep(file) and contents[file.path].strip()]
    documents = {}
    for file in files:
        head = file.path
        for separator in "/_.":
            head = head.replace(separator, " ")
        tokens = tokenize(contents[file.path])
        documents[file.path] = Counter(tokens + (tokenize(head) if parameters.path_text else []))
    lengths = {path: sum(counts.values()) for path, counts in documents.items()}
    mean = sum(lengths.values()) / len(lengths) if lengths else 0
    terms = set(tokenize(query[: parameters.query_characters]))
    scores = {}
    for path, counts in documents.items():
        score = 0.0
        for term in terms:
            df = sum(term in other for other in documents.values())
            idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
            relative = lengths[path] / mean if mean else 0
            norm = parameters.k1 * (1 - parameters.b + parameters.b * relative)
            if counts[term]:
                score += idf * counts[term] * (parameters.k1 + 1) / (counts[term] + norm)
        score += parameters.path_boost * len(terms.intersection(tokenize(path)))
        if score > 0:
            scores[path] = score
    return scores


WORDS = st.sampled_from(
    ["apple", "Pear", "plumTree", "HTTPError", "fig_leaf", "the", "x", "数据库"]
)
TEXT = st.lists(WORDS, max_size=8).map(" ".join)
NAMES = st.sampled_from(["apple.py", "a/pear.py", "docs/plum.txt", "fig_leaf.py", "z/http.c"])
TREES = st.lists(st.dictionaries(NAMES, TEXT, max_size=5), min_size=1, max_size=4)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TREES, TEXT, st.sampled_from(list(VARIANTS)), st.floats(0, 3), st.floats(0, 1))
def test_scores_are_those_of_the_plain_formula_after_any_move(
    snapshot_of, trees, query, variant, k1, b
):
    parameters = bm25.PARAMETERS(variant=variant, k1=k1, b=b, prose_share=None)
    moving = bm25.create(parameters, Resources())
    for contents in trees:
        answer = moving.rank(Issue("c", "o/n", "0" * 40, query), snapshot_of(contents), 100)
        expected = plain_scores(snapshot_of(contents), query, parameters)
        assert dict(answer.ranking) == pytest.approx(expected, abs=1e-9)
        order = [(-item.score, item.path) for item in answer.ranking]
        assert order == sorted(order)


def test_score_worked_by_hand(snapshot_of, issue_of):
    contents = {"a.py": "apple apple", "b.py": "pear", "c.py": "plum"}
    answer = ranker().rank(issue_of("apple apple"), snapshot_of(contents), 9)
    # The path gives `py` (`a` is too short): 3, 2 and 2 tokens, mean 7/3. N=3, df=1, tf=2.
    idf, norm = math.log(1 + 2.5 / 1.5), 1.2 * (0.25 + 0.75 * 3 / (7 / 3))
    assert answer.ranking == (("a.py", pytest.approx(idf * 2 * 2.2 / (2 + norm))),)


def test_a_path_of_the_harness_is_part_of_its_text(snapshot_of, issue_of):
    snapshot = snapshot_of({"db/sql_compiler.py": "x", "other.py": "compiler x"})
    answer = ranker().rank(issue_of("sql"), snapshot, 9)
    assert paths(answer) == ["db/sql_compiler.py"]


def test_a_path_of_the_pipeline_is_worth_1_5_a_token(snapshot_of, issue_of):
    snapshot = snapshot_of({"db/sqlCompiler.py": "nothing", "z.py": "nothing"})
    answer = ranker(variant="pipeline").rank(issue_of("sql compiler sql"), snapshot, 9)
    assert answer.ranking == (("db/sqlCompiler.py", 3.0),)


def test_the_next_commit_reads_only_new_blobs(snapshot_of, issue_of):
    read = []

    class Watched(snapshot_of):
        def text(self, blob):
            read.append(blob)
            return super().text(blob)

    arm = ranker()
    first = {f"{n}.py": f"apple {n}" for n in range(9)}
    arm.rank(issue_of("apple"), Watched(first), 9)
    assert len(read) == 9
    moved = {**first, "3.py": "apple changed", "new/4.py": first["4.py"]}
    assert len(arm.rank(issue_of("apple"), Watched(moved), 99).ranking) == 10
    assert len(read) == 10


def test_equal_scores_are_ordered_by_path_and_cut_at_k(snapshot_of, issue_of):
    snapshot = snapshot_of({f"{name}x.py": "apple" for name in "dbca"})
    assert paths(ranker().rank(issue_of("apple"), snapshot, 3)) == ["ax.py", "bx.py", "cx.py"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("query", ["", "the of", "- ( )", "é"])
def test_an_issue_without_terms_gives_an_empty_ranking(snapshot_of, issue_of, variant, query):
    answer = ranker(variant=variant).rank(issue_of(query), snapshot_of({"a.py": "apple"}), 9)
    assert answer.ranking == ()


@pytest.mark.parametrize("contents", [{}, {"a.c": "apple"}, {"a.py": " \n\f"}])
def test_a_repository_without_python_gives_an_empty_ranking(snapshot_of, issue_of, contents):
    assert ranker().rank(issue_of("apple"), snapshot_of(contents), 9).ranking == ()


def test_an_issue_of_40000_characters_is_read_as_far_as_the_variant_does(snapshot_of, issue_of):
    issue = issue_of("early " + " ".join(f"word{n}" for n in range(5000)) + " late")
    assert len(issue.query) > 40_000
    snapshot = snapshot_of({"a.py": "early", "b.py": "late"})
    assert sorted(paths(ranker().rank(issue, snapshot, 9))) == ["a.py", "b.py"]
    assert paths(ranker(variant="pipeline").rank(issue, snapshot, 9)) == ["a.py"]


def test_parameters_lie_over_those_of_the_variant():
    parameters = bm25.PARAMETERS(variant="pipeline", path_boost=0, prose_share=None)
    assert (parameters.tokens, parameters.query_characters) == ("identifiers", 2000)
    assert (parameters.path_boost, parameters.prose_share) == (0, None)
    assert bm25.PARAMETERS(**parameters.model_dump()) == parameters


def test_defaults_are_those_of_the_harness():
    fields = bm25.PARAMETERS.model_fields
    assert {name: fields[name].default for name in VARIANTS["harness"]} == VARIANTS["harness"]


@pytest.mark.parametrize("odd", [{"variant": "other"}, {"b": 1.5}, {"prose_share": 2}, {"k": 1}])
def test_bad_parameters_are_refused(odd):
    with pytest.raises(ValidationError):
        bm25.PARAMETERS(**odd)


def ranked(names):
    """Upper case is code, lower case prose; best first."""
    return [Ranked(f"{n}.{'py' if n.isupper() else 'txt'}", 1.0) for n in names]


@pytest.mark.parametrize(
    ("names", "size", "share", "taken"),
    [
        ("abcABC", 4, None, "abcA"),
        ("abcABC", 4, 0.0, "ABC" + "a"),  # code runs short: prose fills up
        ("abcABC", 4, 0.5, "abAB"),
        ("aAbBcC", 4, 0.25, "aABC"),
        ("aAbBcC", 2, 0.25, "aA"),  # half a place is rounded up
        ("ABCD", 3, 0.5, "ABC"),  # prose runs short: code fills up
        ("aAb", 9, 0.1, "aAb"),
        ("", 9, 0.1, ""),
    ],
)
def test_prose_has_its_share_of_the_shortlist(names, size, share, taken):
    expected = [item for item in ranked(names) if item.path[0] in taken]
    assert take_shortlist(ranked(names), size, share) == expected
