import sqlite3
from math import log

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from routebench.arms import fts5
from routebench.arms.base import Resources
from routebench.errors import CaseError, RoutebenchError


def ranker(**parameters):
    return fts5.create(fts5.PARAMETERS(**parameters), Resources())


def paths(answer):
    return [item.path for item in answer.ranking]


def test_score_is_okapi_bm25_as_sqlite_defines_it(snapshot_of, issue_of):
    snapshot = snapshot_of({"a.py": "apple", "b.py": "pear", "c.py": "plum"})
    answer = ranker().rank(issue_of("apple"), snapshot, 16)
    # N=3, n=1: idf = ln(2.5/1.5); each file has 3 tokens, so the length part is 1.
    assert answer.ranking == (("a.py", pytest.approx(log(2.5 / 1.5))),)


def test_a_word_in_the_path_counts_twice(snapshot_of, issue_of):
    snapshot = snapshot_of({"apple.py": "one", "b.py": "apple", "c.py": "plum", "d.py": "fig"})
    scores = dict(ranker().rank(issue_of("apple"), snapshot, 16).ranking)
    idf = 1e-6  # N=4, n=2: ln(2.5/2.5) = 0, which SQLite lifts
    assert scores["apple.py"] == pytest.approx(idf * 2 * 2.2 / (2 + 1.2))
    assert scores["b.py"] == pytest.approx(idf)


def test_default_weights_follow_the_columns():
    assert fts5.PARAMETERS().weights == (2.0, 1.0)
    assert fts5.PARAMETERS(columns=("path",)).weights == (1.0,)
    assert fts5.PARAMETERS(path_weight=5.0, content_weight=3.0).weights == (5.0, 3.0)


def test_path_only_sees_no_content(snapshot_of, issue_of):
    snapshot = snapshot_of({"apple.py": "pear", "b.py": "apple", "c.py": ""})
    answer = ranker(columns=["path"]).rank(issue_of("apple pear"), snapshot, 16)
    assert paths(answer) == ["apple.py"]


def test_equal_scores_are_ordered_by_path_and_cut_at_k(snapshot_of, issue_of):
    contents = {f"{name}.py": "same" for name in "dbca"} | {f"z{n}.py": "x" for n in range(9)}
    answer = ranker().rank(issue_of("same"), snapshot_of(contents), 3)
    assert paths(answer) == ["a.py", "b.py", "c.py"]


def test_only_the_first_characters_are_read(snapshot_of, issue_of):
    snapshot = snapshot_of({"a.py": "early", "b.py": "late", "c.py": ""})
    issue = issue_of("early" + " " * 500 + "late")
    assert paths(ranker().rank(issue, snapshot, 16)) == ["a.py"]
    assert paths(ranker(query_characters=None).rank(issue, snapshot, 16)) == ["a.py", "b.py"]


@pytest.mark.parametrize("query", ["", "the of", "___", "这是 é", "* - ( ) \" '"])
def test_an_issue_without_terms_gives_an_empty_ranking(snapshot_of, issue_of, query):
    assert ranker().rank(issue_of(query), snapshot_of({"a.py": "___ x"}), 16).ranking == ()


@pytest.mark.parametrize(
    "query", ['"quoted', "NEAR(x, 2)", "near NOT other", "path : near", "star* near^", "a AND near"]
)
def test_operators_of_the_query_language_are_plain_words(snapshot_of, issue_of, query):
    snapshot = snapshot_of({"a.py": "near quoted", "b.py": "x", "c.py": "y"})
    assert paths(ranker().rank(issue_of(query), snapshot, 16)) == ["a.py"]


def test_an_underscore_term_is_a_phrase(snapshot_of, issue_of):
    snapshot = snapshot_of({"a.py": "read file", "b.py": "file read", "c.py": "read_file"})
    assert paths(ranker().rank(issue_of("read_file"), snapshot, 16)) == ["a.py", "c.py"]


def test_thousands_of_terms_are_one_query(snapshot_of, issue_of):
    query = " ".join(f"term{n}" for n in range(5000))
    snapshot = snapshot_of({"a.py": "term4999", "b.py": "", "c.py": ""})
    assert paths(ranker(query_characters=None).rank(issue_of(query), snapshot, 16)) == ["a.py"]


def test_a_text_that_sqlite_refuses_fails_its_case_and_not_the_next(
    snapshot_of, issue_of, monkeypatch
):
    arm = ranker()
    small, large = snapshot_of({"a.py": "apple"}), snapshot_of({"a.py": "apple " * 300})
    opened = fts5._open_table

    def limited(columns):
        connection = opened(columns)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1000)
        return connection

    monkeypatch.setattr(fts5, "_open_table", limited)
    assert paths(arm.rank(issue_of("apple"), small, 16)) == ["a.py"]
    with pytest.raises(CaseError, match=r"indexing commit .*too big"):
        arm.rank(issue_of("apple"), large, 16)
    assert paths(arm.rank(issue_of("apple"), small, 16)) == ["a.py"]


def test_a_python_without_fts5_is_told_what_to_do(monkeypatch, snapshot_of, issue_of):
    class Bare(sqlite3.Connection):
        def execute(self, *args):
            raise sqlite3.OperationalError("no such module: fts5")

    connect = sqlite3.connect
    monkeypatch.setattr(fts5.sqlite3, "connect", lambda name: connect(name, factory=Bare))
    with pytest.raises(RoutebenchError, match=r"has no FTS5.*use a Python"):
        ranker().rank(issue_of("apple"), snapshot_of({"a.py": ""}), 16)


@pytest.mark.parametrize("wrong", [{"columns": []}, {"columns": ["size"]}, {"top": 3}])
def test_bad_parameters_are_refused(wrong):
    with pytest.raises(ValidationError):
        fts5.PARAMETERS(**wrong)


def test_the_index_moves_by_the_difference_when_that_is_less(snapshot_of):
    index = fts5.Index(("path", "content"))
    files = {f"{n}.py": f"word{n}" for n in range(10)}
    index.move_to(snapshot_of(files))
    connection = index._connection
    index.move_to(snapshot_of(files | {"0.py": "other"}))
    assert index._connection is connection
    index.move_to(snapshot_of({"new.py": "all new"}))
    assert index._connection is not connection


def fresh_hits(contents, expression, weights, columns):
    """The plain way: a table that stores its content, ordered by SQL."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE t USING fts5({', '.join(columns)})")
    for path, text in sorted(contents.items()):
        values = [path if column == "path" else text for column in columns]
        connection.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(values))})", values)
    marks = ", ".join(map(str, weights))
    order = f"SELECT bm25(t, {marks}) AS s, path FROM t WHERE t MATCH ? ORDER BY s, path"
    return connection.execute(order, [expression]).fetchall()


WORDS = st.lists(st.sampled_from(["red", "green", "blue", "read_file", "é", "\r"]), max_size=8)
SNAPSHOTS = st.lists(
    st.dictionaries(
        st.sampled_from(["a.py", "red/b.py", "blue.md", "é.txt", "Z/green.c", "_x.go"]),
        WORDS.map(" ".join),
        max_size=6,
    ),
    min_size=1,
    max_size=8,
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # it only names a class
)
@given(SNAPSHOTS, st.sampled_from([("path", "content"), ("path",), ("content", "path")]))
def test_a_moved_index_ranks_and_scores_as_a_fresh_one(snapshot_of, sequence, columns):
    index = fts5.Index(columns)
    expression = fts5.match_expression(["blue", "file", "read_file", "red"])
    weights = fts5.PARAMETERS(columns=columns).weights
    for contents in sequence:
        index.move_to(snapshot_of(contents))
        assert index.search(expression, weights, 100) == fresh_hits(
            contents, expression, weights, columns
        )
