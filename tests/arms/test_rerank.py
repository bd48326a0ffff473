"""Reordering a shortlist by yes/no questions (METHODS R11)."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from routebench.arms import rerank
from routebench.arms.base import Operations, Ranked, Resources
from routebench.arms.rerank import make_requests, matching_lines
from routebench.choice.base import ChoiceError, MissingAnswer, Relevance, Usage
from routebench.choice.recorded import Direct, StudyModel
from routebench.choice.static import Static, StaticModel
from routebench.choice.systemone import body_bytes, relevance_body
from routebench.errors import RoutebenchError
from routebench.records import Issue


class Scripted:
    """Answers by a word in the outline; keeps the requests."""

    def __init__(self, yes=None, error=None):
        self.yes, self.error, self.requests = yes or {}, error, []

    def judge_many(self, requests):
        self.requests += requests
        if self.error:
            raise self.error
        return [self._answer(request) for request in requests]

    def _answer(self, request):
        found = {
            name: next((p for word, p in self.yes.items() if word in text), 0.0)
            for name, text in request.questions
        }
        return Relevance(found, "m", calls=1, input_tokens=100, seconds=2.0, cost_usd=0.5)


CONTENTS = {f"{name}.py": f"def {name}():\n    return apple\n" for name in "abcd"}
SHORTLIST = [Ranked("c.py", 3.0), Ranked("a.py", 2.0), Ranked("b.py", 1.0)]


def ask(snapshot, issue, model, listed=SHORTLIST, k=9, **parameters):
    arm = rerank.create(
        rerank.PARAMETERS(source="bm25", model="m", **parameters),
        Resources(
            rankings={"bm25": {issue.case_id: listed}},
            models={"m": model},
            costs={"bm25": {issue.case_id: Operations(build_ms=7.0, query_ms=1.0)}},
        ),
    )
    return arm.rank(issue, snapshot, k)


def paths(answer):
    return [item.path for item in answer.ranking]


def test_files_are_ordered_by_probability_then_path(snapshot_of, issue_of):
    model = Scripted({"def b": 0.9, "def c": 0.5, "def a": 0.5})
    answer = ask(snapshot_of(CONTENTS), issue_of("apple"), model)
    assert answer.ranking == (("b.py", 0.9), ("a.py", 0.5), ("c.py", 0.5))
    assert paths(ask(snapshot_of(CONTENTS), issue_of("apple"), model, k=2)) == ["b.py", "a.py"]


def test_a_question_is_the_outline_and_the_state_the_issue(snapshot_of, issue_of):
    model = Scripted()
    ask(snapshot_of(CONTENTS), issue_of("the apple falls"), model, query_characters=9)
    (request,) = model.requests
    assert request.state == "User issue: the apple"
    assert [name for name, _ in request.questions] == ["file_1", "file_2", "file_3"]
    assert request.questions[0][1] == (
        "c.py (2 lines)\ndefinitions:\n1: def c():\nmatches:\n2: return apple"
    )
    assert request.instruction == rerank.INSTRUCTION


def test_it_costs_what_the_source_and_the_model_cost(snapshot_of, issue_of):
    operations = ask(snapshot_of(CONTENTS), issue_of("apple"), Scripted()).operations
    assert (operations.calls, operations.input_tokens, operations.cost_usd) == (1, 100, 0.5)
    assert operations.build_ms == 7.0
    assert operations.query_ms >= 2001.0
    assert (operations.fallbacks, operations.truncated, operations.dropped_paths) == (0, False, 0)


def test_a_file_without_an_answer_leaves_the_whole_order(snapshot_of, issue_of):
    """A failed request of several would otherwise leave a partly reordered list."""
    error = ChoiceError("no answer to file_2", Usage(calls=1, input_tokens=70))
    answer = ask(snapshot_of(CONTENTS), issue_of("apple"), Scripted(error=error))
    assert answer.ranking == tuple(SHORTLIST)
    assert (answer.operations.fallbacks, answer.operations.input_tokens) == (1, 70)
    assert answer.trace[-1].kind == "stop"
    assert answer.trace[-1].reason == "no answer to file_2"
    assert {step.probability for step in answer.trace[:-1]} == {None}


def test_a_replay_without_the_answer_stops_the_job(snapshot_of, issue_of):
    with pytest.raises(MissingAnswer):
        ask(snapshot_of(CONTENTS), issue_of("apple"), Scripted(error=MissingAnswer("none")))


@pytest.mark.parametrize("listed", [[], [Ranked("gone.py", 1.0)]])
def test_without_files_nothing_is_asked(snapshot_of, issue_of, listed):
    model = Scripted()
    answer = ask(snapshot_of(CONTENTS), issue_of("apple"), model, listed)
    assert (answer.ranking, model.requests, answer.trace) == ((), [], ())
    assert answer.operations.dropped_paths == len(listed)


def test_only_candidates_are_judged_and_returned(snapshot_of, issue_of):
    answer = ask(snapshot_of(CONTENTS), issue_of("apple"), Scripted({"def a": 1.0}), candidates=2)
    assert paths(answer) == ["a.py", "c.py"]


def test_the_trace_tells_probability_request_and_rank(snapshot_of, issue_of):
    answer = ask(snapshot_of(CONTENTS), issue_of("apple"), Scripted({"def b": 0.9}))
    facts = [(s.path, s.menu, s.probability, s.rank) for s in answer.trace]
    assert facts == [("c.py", "1", 0.0, 3), ("a.py", "1", 0.0, 2), ("b.py", "1", 0.9, 1)]


def test_an_outline_is_made_once_per_blob(snapshot_of, issue_of, monkeypatch):
    made = []
    outline = rerank.outline_text
    monkeypatch.setattr(rerank, "outline_text", lambda text: made.append(text) or outline(text))
    resources = Resources(
        rankings={"bm25": {"case-1": SHORTLIST, "case-2": SHORTLIST}}, models={"m": Scripted()}
    )
    arm = rerank.create(rerank.PARAMETERS(source="bm25", model="m"), resources)
    for case_id in ("case-1", "case-2"):
        arm.rank(replace(issue_of("apple"), case_id=case_id), snapshot_of(CONTENTS), 9)
    assert len(made) == 3


def test_the_free_model_answers_every_file(snapshot_of, issue_of):
    model = StudyModel("m", "a", Static().identity, Direct(StaticModel(Static())))
    answer = ask(snapshot_of(CONTENTS), issue_of("apple"), model)
    assert sorted(paths(answer)) == ["a.py", "b.py", "c.py"]
    assert all(0 <= item.score <= 1 for item in answer.ranking)


def test_lines_with_most_terms_come_first():
    text = "pear\napple\nnothing\napple pear apple\nAPPLE"
    assert [line.number for line in matching_lines(text, "apple pear")] == [4, 1, 2, 5]
    assert matching_lines(text, "") == []


HOSTILE = st.text(st.sampled_from('a"\\\n\x00é数😀'), max_size=60)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.builds(lambda text, times: text * times, HOSTILE, st.integers(0, 900)),
    outlines=st.lists(HOSTILE, min_size=1, max_size=40),
    limit=st.integers(10_000, 14_000),
)
def test_a_request_stays_below_its_size_and_no_file_is_lost(query, outlines, limit):
    parameters = rerank.PARAMETERS(source="s", model="m", request_bytes=limit)
    by_path = {str(number): text for number, text in enumerate(outlines)}
    requests, cut = make_requests(Issue("c", "o/n", "0" * 40, query), by_path, parameters)
    sizes = [len(body_bytes(relevance_body(r, rerank.MODEL_ROOM))) for r in requests]
    assert max(sizes) < limit
    assert [text for request in requests for _, text in request.questions] == outlines
    states = {request.state for request in requests}
    assert len(states) == 1
    assert cut == (states != {f"User issue: {query}"})


def test_files_share_requests_as_far_as_they_fit():
    """Three questions of 4,000 characters and their envelopes go into 13,000 bytes, not four."""
    parameters = rerank.PARAMETERS(source="s", model="m", request_bytes=14_000, instruction="")
    outlines = {str(n): "x" * 4000 for n in range(7)}
    requests, cut = make_requests(Issue("c", "o/n", "0" * 40, "apple"), outlines, parameters)
    assert [len(request.questions) for request in requests] == [3, 3, 1]
    assert not cut


def test_an_issue_of_40000_characters_is_asked_whole(snapshot_of, issue_of):
    model = Scripted()
    answer = ask(snapshot_of(CONTENTS), issue_of("apple " * 7000), model)
    assert len(model.requests[0].state) > 40_000
    assert not answer.operations.truncated


def test_an_issue_that_fills_a_request_is_cut(snapshot_of, issue_of):
    model = Scripted()
    answer = ask(snapshot_of(CONTENTS), issue_of("é" * 60_000), model)
    assert answer.operations.truncated
    assert 30_000 < len(model.requests[0].state) < 35_000
    assert len(answer.ranking) == 3


def test_a_job_without_the_source_is_refused():
    with pytest.raises(RoutebenchError, match="no rankings of source arm bm25"):
        rerank.create(rerank.PARAMETERS(source="bm25", model="m"), Resources(models={"m": None}))
