import sqlite3

import pytest

from routebench.arms import basename, run
from routebench.arms.base import Answer, FailedAnswer, Operations, Ranked, Resources, TraceStep
from routebench.arms.cases import ask_all
from routebench.arms.run import rank_repository
from routebench.errors import CaseError, RoutebenchError
from routebench.records import Issue
from routebench.tables import read_rows, write_rows

ONE, TWO, GONE = "1" * 40, "2" * 40, "9" * 40


class Scripted:
    """Answers with what it was given by query; raises what is an error."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    def rank(self, issue, snapshot, k):
        self.asked.append((issue.case_id, snapshot and snapshot.commit))
        answer = self.answers.get(issue.query, Answer())
        if isinstance(answer, BaseException):
            raise answer
        return answer


@pytest.fixture
def repository(tmp_path):
    """Paths of a repository with two commits: a.py stays, b.py comes with the second."""
    blobs = [("a" * 40, "alpha"), ("b" * 40, "beta")]
    write_rows(
        tmp_path / "blobs.parquet",
        "blobs",
        [{"blob": b, "bytes": len(t), "lines": 1, "text": t} for b, t in blobs],
    )
    facts = {"mode": "100644", "bytes": 5, "lines": 1, "eligible": True, "reason": None}
    for commit, paths in {ONE: ["a.py"], TWO: ["a.py", "b.py"]}.items():
        rows = [{"path": path, "blob": path[0] * 40, **facts} for path in paths]
        write_rows(tmp_path / "snapshots" / f"{commit}.parquet", "snapshots", rows)
    return tmp_path


@pytest.fixture
def ranked(repository, monkeypatch):
    """Runs a ranker on issues given as (case, commit, query); returns rows of both tables."""

    def call(ranker, issues, k=16, corpus=True, **paths):
        monkeypatch.setattr(run, "create_ranker", lambda *_: ranker)
        columns = ("case_id", "base_commit", "query")
        rows = [{"repo": "o/n", **dict(zip(columns, i, strict=True))} for i in issues]
        write_rows(repository / "issues.parquet", "issues", rows)
        rank_repository(
            kind="basename",
            parameters=basename.PARAMETERS(),
            issues=repository / "issues.parquet",
            rankings=repository / "rankings.parquet",
            operations=repository / "operations.parquet",
            k=k,
            resources=Resources(),
            snapshots=repository / "snapshots" if corpus else None,
            blobs=repository / "blobs.parquet" if corpus else None,
            **paths,
        )
        rankings = read_rows(repository / "rankings.parquet", "rankings")
        operations = read_rows(repository / "operations.parquet", "operations")
        return [tuple(row.values()) for row in rankings], {r["case_id"]: r for r in operations}

    return call


def listed(*paths):
    return tuple(Ranked(path, 1.0) for path in paths)


def test_cases_are_asked_commit_by_commit_and_written_in_order_of_the_issues(ranked):
    answers = {"x": Answer(listed("a.py")), "y": Answer(listed("b.py", "a.py"))}
    ranker = Scripted(answers)
    issues = [("c3", TWO, "y"), ("c1", ONE, "x"), ("c2", TWO, "x")]
    rankings, operations = ranked(ranker, issues)
    assert ranker.asked == [("c1", ONE), ("c3", TWO), ("c2", TWO)]
    assert rankings == [
        ("c3", 1, "b.py", 1.0),
        ("c3", 2, "a.py", 1.0),
        ("c1", 1, "a.py", 1.0),
        ("c2", 1, "a.py", 1.0),
    ]
    assert list(operations) == ["c3", "c1", "c2"]


def test_unknown_and_repeated_paths_are_dropped_before_the_cut(ranked):
    answer = Answer(listed("b.py", "a.py", "a.py", "/a.py"), Operations(dropped_paths=1))
    rankings, operations = ranked(Scripted({"x": answer}), [("c1", ONE, "x"), ("c2", TWO, "x")], 1)
    assert rankings == [("c1", 1, "a.py", 1.0), ("c2", 1, "b.py", 1.0)]
    assert [o["dropped_paths"] for o in operations.values()] == [3, 2]


def test_a_full_disk_is_no_result_of_a_case(ranked, repository):
    """A folder for temporary files without room gave the arm a lower mean for good."""
    ranker = Scripted({"bad": OSError(28, "No space left on device"), "good": Answer()})
    with pytest.raises(RoutebenchError, match="make room"):
        ranked(ranker, [("c1", ONE, "bad"), ("c2", ONE, "good")])
    assert not (repository / "operations.parquet").exists()


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (CaseError("program ended\nwith /tmp/x/y"), "program ended with y"),
        (OSError(5, "Broken disk", "/tmp/x"), "OSError: [Errno 5] Broken disk: 'x'"),
        (sqlite3.OperationalError("disk I/O error"), "OperationalError: disk I/O error"),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogate"), "UnicodeEncodeError: "),
    ],
)
def test_a_failed_case_is_recorded_and_the_next_is_asked(ranked, failure, told):
    ranker = Scripted({"bad": failure, "good": Answer(listed("a.py"))})
    rankings, operations = ranked(ranker, [("c1", ONE, "bad"), ("c2", ONE, "good")])
    assert rankings == [("c2", 1, "a.py", 1.0)]
    assert operations["c1"]["error"].startswith(told)
    assert operations["c2"]["error"] is None


def test_what_a_failed_case_had_cost_is_kept_and_its_ranking_is_not(ranked):
    answer = Answer(listed("a.py"), Operations(calls=7), (TraceStep(kind="stop"),))
    failure = FailedAnswer("model gone", answer)
    rankings, operations = ranked(Scripted({"bad": failure}), [("c1", ONE, "bad")])
    assert rankings == []
    assert (operations["c1"]["calls"], operations["c1"]["error"]) == (7, "model gone")


def test_a_commit_without_snapshot_fails_its_cases_alone(ranked):
    ranker = Scripted({"x": Answer(listed("a.py"))})
    issues = [("c1", GONE, "x"), ("c2", ONE, "x"), ("c3", GONE, "x")]
    rankings, operations = ranked(ranker, issues)
    assert ranker.asked == [("c2", ONE)]
    assert rankings == [("c2", 1, "a.py", 1.0)]
    assert [bool(o["error"]) for o in operations.values()] == [True, False, True]
    assert "no snapshot" in operations["c1"]["error"]


def test_an_arm_without_corpus_gets_no_snapshot_and_keeps_its_paths(ranked):
    ranker = Scripted({"x": Answer(listed("gone.py"))})
    rankings, operations = ranked(ranker, [("c1", GONE, "x")], corpus=False)
    assert ranker.asked == [("c1", None)]
    assert rankings == [("c1", 1, "gone.py", 1.0)]
    assert operations["c1"]["dropped_paths"] == 0


def test_times_and_costs_are_written(ranked):
    costs = Operations(build_ms=1.5, query_ms=2.5, calls=3, cost_usd=0.25, truncated=True)
    _, operations = ranked(Scripted({"x": Answer((), costs)}), [("c1", ONE, "x")])
    row = operations["c1"]
    assert (row["build_ms"], row["query_ms"], row["calls"]) == (1.5, 2.5, 3)
    assert (row["cost_usd"], row["truncated"]) == (0.25, True)
    assert 0 <= row["wall_ms"] < 10_000


def test_the_trace_is_written_on_request(ranked, repository):
    answer = Answer(trace=(TraceStep(kind="enter", path="."), TraceStep(kind="stop", depth=1)))
    ranked(Scripted({"x": answer}), [("c1", ONE, "x")], traces=repository / "traces.parquet")
    rows = read_rows(repository / "traces.parquet", "traces")
    assert [(r["case_id"], r["step"], r["kind"]) for r in rows] == [
        ("c1", 1, "enter"),
        ("c1", 2, "stop"),
    ]


def test_no_issues_give_empty_tables(ranked):
    assert ranked(Scripted({}), []) == ([], {})


def test_a_broken_ranker_writes_nothing(ranked, repository):
    with pytest.raises(RoutebenchError, match="no files"):
        ranked(Scripted({"x": RoutebenchError("no files")}), [("c1", ONE, "x")])
    assert not (repository / "rankings.parquet").exists()


def test_the_same_run_writes_the_same_rankings(ranked, repository):
    ranker = Scripted({"x": Answer(listed("a.py"))})
    ranked(ranker, [("c1", ONE, "x")])
    first = (repository / "rankings.parquet").read_bytes()
    ranked(ranker, [("c1", ONE, "x")])
    assert (repository / "rankings.parquet").read_bytes() == first


def test_a_snapshot_is_opened_once_per_commit():
    opened = []
    issues = [Issue(f"c{n}", "o/n", commit, "x") for n, commit in enumerate([ONE, ONE, TWO])]
    list(ask_all(Scripted({}), issues, opened.append, k=16))
    assert opened == [ONE, TWO]
