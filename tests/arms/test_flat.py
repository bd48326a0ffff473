"""The tournament as METHODS R8 words it, on paths and answers made by hand and by chance."""

import hashlib
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from routebench.arms.base import FailedAnswer, Resources
from routebench.arms.estimate import estimate_flat
from routebench.arms.flat import FlatParameters, create, hash_order, path_menus, tournament_cost
from routebench.choice.base import Choice, ChoiceError, Usage
from routebench.choice.recorded import Direct, StudyModel
from routebench.errors import CaseError
from routebench.records import Issue

INSTRUCTION = (
    "Choose the source file path most likely to contain direct evidence for the issue. "
    "Judge paths only; no file contents or directory summaries are available. Choose none only "
    "if no listed path could contain relevant evidence."
)
ISSUE = Issue("case-1", "owner/name", "0" * 40, "Why?")


class Names:
    """A snapshot that shows names; whoever reads a file fails."""

    commit = "0" * 40

    def __init__(self, paths):
        self.files = [SimpleNamespace(path=path) for path in sorted(paths)]

    def __getattr__(self, name):
        raise AssertionError(f"the tournament used {name}")


class Scripted:
    """Answers by path; remembers what it was asked."""

    def __init__(self, chance=lambda path: 0.5, *, none=0.0):
        self.chance, self.none, self.asked = chance, none, []

    def choose_many(self, requests):
        self.asked += requests
        return [self._answer(request) for request in requests]

    def _answer(self, request):
        paths = [text.removeprefix("Source file: ") for text in request.options]
        chances = tuple(map(self.chance, paths))
        return Choice(probabilities=chances, none=self.none, model="m", calls=1, input_tokens=10)


def play(paths, model, *, issue=ISSUE, k=16, calls=None, **parameters):
    resources = Resources(models={"m": model}, calls=calls or {})
    ranker = create(FlatParameters(model="m", **parameters), resources)
    return ranker.rank(issue, Names(paths), k)


def ranked(answer):
    return [item.path for item in answer.ranking]


def many(count):
    return [f"src/f{i:04}.py" for i in range(count)]


def test_the_question_is_literally_that_of_the_study():
    model = Scripted()
    play(["a b.py"], model, issue=Issue("case-1", "o/n", "0" * 40, "é" * 501))
    [request] = model.asked
    assert request.state == "User issue: " + "é" * 500
    assert request.instruction == INSTRUCTION
    assert request.options == ("Source file: a b.py",)
    assert request.none_text == "None contains direct answer evidence"
    assert (request.repeat, request.case_id) == (0, "case-1")


def test_wording_query_length_and_repeat_are_parameters():
    model = Scripted()
    wording = {"instruction": "I", "none_text": "N", "state_prefix": "S ", "option_prefix": "O "}
    play(["a"], model, query_characters=1, repeat=2, **wording)
    [request] = model.asked
    assert (request.state, request.instruction, request.none_text) == ("S W", "I", "N")
    assert (request.options, request.repeat) == (("O a",), 2)


def test_paths_are_offered_by_the_digest_of_case_and_path():
    """The digests begin with 81be (a), bc76 (b) and 72f4 (c)."""
    model = Scripted()
    play("abc", model)
    assert [text[-1] for text in model.asked[0].options] == ["c", "a", "b"]


def test_menus_hold_200_options_and_16_of_each_go_on():
    model = Scripted()
    answer = play(many(401), model)
    assert [len(request.options) for request in model.asked] == [200, 200, 1, 33]
    assert answer.operations.calls == 4
    assert len(answer.ranking) == 16


def test_those_that_go_on_keep_the_order_of_menus_and_rank():
    paths = hash_order("case-1", many(250))
    model = Scripted({path: i / 250 for i, path in enumerate(paths)}.__getitem__)
    answer = play(paths, model)
    best = [*reversed(paths[184:200]), *reversed(paths[234:])]
    assert [text.removeprefix("Source file: ") for text in model.asked[2].options] == best
    assert ranked(answer) == list(reversed(paths[234:]))


def test_equal_probabilities_go_by_path():
    assert ranked(play(many(100), Scripted())) == many(16)


def test_none_of_these_takes_no_place():
    answer = play(many(20), Scripted(lambda path: 0.0, none=1.0))
    assert ranked(answer) == many(16)
    assert {s.probability for s in answer.trace if s.kind == "none"} == {1.0}


def test_few_paths_are_ranked_with_one_call():
    answer = play(["a", "b"], Scripted(lambda path: {"a": 0.1, "b": 0.8}[path]))
    assert [(item.path, item.score) for item in answer.ranking] == [("b", 1), ("a", 1 / 2)]
    assert answer.operations.calls == 1


def test_no_paths_need_no_call():
    answer = play([], Scripted())
    assert (answer.ranking, answer.operations.calls, answer.operations.truncated) == ((), 0, False)


def test_menus_hold_48000_characters_with_600_for_the_envelope_and_20_beside_each_path():
    """47,400 characters hold 100 paths of 454 with 20 each, to the character."""
    paths = [f"{i:0454}" for i in range(101)]
    menus = path_menus(paths, FlatParameters(model="m"))
    assert [len(menu) for menu in menus] == [100, 1]
    assert [len(m) for m in path_menus([*paths[:99], "x" * 455], FlatParameters(model="m"))] == [
        99,
        1,
    ]


def test_a_round_that_does_not_shrink_the_field_fails_the_case():
    with pytest.raises(FailedAnswer, match="a round left 20 of 20 paths") as caught:
        play(many(20), Scripted(), menu_characters=601)
    assert caught.value.answer.operations.calls == 20


def test_a_failed_answer_fails_the_case():
    def refuse(requests):
        raise ChoiceError("nothing usable")

    model = Scripted()
    model.choose_many = refuse
    with pytest.raises(FailedAnswer, match="nothing usable"):
        play(many(3), model)


class Breaking:
    """A provider whose second question fails after it has cost something."""

    at_once = 1

    def __init__(self):
        self.asked = 0

    def choose(self, request):
        self.asked += 1
        if self.asked == 2:
            raise ChoiceError("nothing usable", Usage(calls=1, cost_usd=0.25))
        chances = tuple(1 / (i + 2) for i in range(len(request.options)))
        return Choice(probabilities=chances, none=0.0, model="m", calls=1, cost_usd=0.5)


def test_a_round_that_fails_costs_what_its_menus_cost():
    """Three menus: the first is answered, the second fails, the third is not asked."""
    model = StudyModel("m", "flat", {}, Direct(Breaking()))
    with pytest.raises(FailedAnswer, match="nothing usable") as caught:
        play(many(500), model)
    operations = caught.value.answer.operations
    assert (operations.calls, operations.cost_usd) == (2, 0.75)


def test_at_most_k_paths_are_returned():
    assert ranked(play(many(30), Scripted(), k=3)) == many(3)


def test_the_trace_tells_menus_and_ranks():
    """In hash order c, a, b: c beats a, then b beats c."""
    chances = {"a": 0.1, "b": 0.8, "c": 0.3}
    answer = play("abc", Scripted(chances.__getitem__, none=0.2), keep=1, menu_options=2)
    steps = [(s.kind, s.path, s.menu, s.probability, s.kept, s.depth) for s in answer.trace]
    assert steps == [
        ("option", "c", "1/1", 0.3, True, 1),
        ("option", "a", "1/1", 0.1, False, 1),
        ("none", "", "1/1", 0.2, None, 1),
        ("option", "b", "1/2", 0.8, True, 1),
        ("none", "", "1/2", 0.2, None, 1),
        ("option", "c", "2/1", 0.3, False, 2),
        ("option", "b", "2/1", 0.8, True, 2),
        ("none", "", "2/1", 0.2, None, 2),
        ("file", "b", "2/1", 0.8, None, 2),
        ("stop", "", None, None, None, 0),
    ]
    assert [s.calls for s in answer.trace] == [2] * 5 + [3] * 5
    assert answer.trace[-1].reason == "tournament over"


def test_a_limit_of_calls_plays_the_first_menus_that_can_be_paid():
    """401 paths need 4 calls; with 3, two menus and their final can be paid."""
    model = Scripted()
    answer = play(many(401), model, calls=None)
    whole = [request.options for request in model.asked[:3]]
    for limit, menus in ((4, 3), (3, 2), (2, 1), (1, 1)):
        model = Scripted()
        ranker = create(FlatParameters(model="m", calls=limit), Resources(models={"m": model}))
        answer = ranker.rank(ISSUE, Names(many(401)), 16)
        assert [request.options for request in model.asked[:menus]] == whole[:menus]
        assert answer.operations.calls == len(model.asked) <= limit
        assert answer.operations.truncated == (menus < 3)
    assert answer.trace[-1].reason == "2 menus left out by the limit of calls"


def test_no_calls_give_an_empty_ranking():
    answer = create(FlatParameters(model="m", calls=0), Resources(models={"m": Scripted()})).rank(
        ISSUE, Names(many(3)), 16
    )
    assert (answer.ranking, answer.operations.truncated) == ((), True)


def test_calls_can_be_those_of_another_arm_for_the_same_issue():
    parameters = FlatParameters(model="m", calls_of="tree")
    assert (parameters.call_arms, parameters.models) == (("tree",), ("m",))
    calls = {"tree": {"case-1": 2, "case-2": 9}}
    assert play(many(401), Scripted(), calls=calls, calls_of="tree").operations.calls == 1
    with pytest.raises(CaseError, match="no number of calls of arm tree"):
        play(many(401), Scripted(), calls={"tree": {"case-2": 9}}, calls_of="tree")


@pytest.mark.parametrize(
    "values", [{"keep": 16, "menu_options": 16}, {"calls": 3, "calls_of": "tree"}, {"top_k": 8}]
)
def test_parameters_that_cannot_work_are_refused(values):
    with pytest.raises(ValidationError):
        FlatParameters(model="m", **values)


def test_a_repository_of_16128_files_costs_89_calls():
    """An ansible case of the published archive."""
    parameters = FlatParameters(model="m")
    assert tournament_cost(path_menus(many(16_128), parameters), parameters).calls == 89


# A slow reading of R8, sentence by sentence, that shares no code with the package.


def slow_menus(field, rules):
    menus = [[]]
    for path in field:
        room = rules.menu_characters - sum(len(p) + 20 for p in menus[-1]) - 600
        if menus[-1] and (len(menus[-1]) == rules.menu_options or len(path) + 20 > room):
            menus.append([])
        menus[-1].append(path)
    return menus


def slow_tournament(case_id, paths, chance, rules):
    """Returns the ranking and the menus asked; None for a round that does not shrink."""
    field = sorted(paths, key=lambda p: hashlib.sha256(f"{case_id}\0{p}".encode()).hexdigest())
    asked = []
    while field:
        menus = slow_menus(field, rules)
        asked += menus
        best = [sorted(menu, key=lambda p: (-chance(p), p))[: rules.keep] for menu in menus]
        before, field = len(field), [path for menu in best for path in menu]
        if len(field) <= rules.keep:
            break
        if len(field) == before:
            return None, asked
    return sorted(field, key=lambda p: (-chance(p), p)), asked


PATHS = st.sets(st.text("ab/", min_size=1, max_size=6), max_size=40)


@given(
    PATHS,
    st.integers(1, 4),
    st.integers(1, 6),
    st.sampled_from([620, 660, 700, 48_000]),
    st.integers(0, 99),
    st.none() | st.integers(0, 12),
)
@settings(max_examples=400, deadline=None)
def test_the_tournament_is_that_of_a_slow_reading_of_the_text(
    paths, keep, more, characters, seed, limit
):
    def chance(path):
        return hashlib.sha256(f"{seed} {path}".encode()).digest()[0] % 5 / 4

    values = {"keep": keep, "menu_options": keep + more, "menu_characters": characters}
    rules = FlatParameters(model="m", **values)
    ranking, asked = slow_tournament("case-1", paths, chance, rules)
    model = Scripted(chance)
    if ranking is None:
        with pytest.raises(FailedAnswer):
            play(paths, model, **values)
        return
    answer = play(paths, model, **values)
    assert ranked(answer) == ranking[:16]
    shown = [[text.removeprefix("Source file: ") for text in r.options] for r in model.asked]
    assert shown == asked
    if characters < 48_000:
        return
    estimate = estimate_flat(paths, rules, case_id="case-1", query="Why?")
    assert (estimate.calls, estimate.options) == (len(asked), sum(map(len, asked)))
    ranker = create(
        FlatParameters(model="m", calls=limit, **values), Resources(models={"m": model})
    )
    limited = ranker.rank(ISSUE, Names(paths), 16).operations
    assert limit is None or limited.calls <= limit
    assert limited.truncated == (limit is not None and limit < len(asked))
