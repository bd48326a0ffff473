"""The walk as METHODS R6 words it, on trees and answers made by hand and by chance."""

import hashlib
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from routebench.arms.base import FailedAnswer, Resources
from routebench.arms.registry import create_ranker, parse_parameters
from routebench.arms.tree import TreeParameters, create
from routebench.choice.base import BudgetExceeded, Choice, ChoiceError, Usage
from routebench.errors import RoutebenchError
from routebench.records import Issue
from routebench.tables import read_rows, write_rows

INSTRUCTION = (
    "Choose the best route toward answer evidence. Directory options summarize descendants, "
    "so select a directory when a descendant could answer. Choose none only when the question "
    "is unrelated to every option."
)


def entry(path, *, mode="100644", eligible=True, size=1, reason=None):
    return SimpleNamespace(path=path, mode=mode, eligible=eligible, bytes=size, reason=reason)


class Names:
    """A snapshot that shows names; whoever reads a file fails."""

    commit = "0" * 40

    def __init__(self, entries):
        self.entries = [entry(e) if isinstance(e, str) else e for e in entries]

    def __getattr__(self, name):
        raise AssertionError(f"the walk used {name}")


class Scripted:
    """Answers from a table of probabilities by path; remembers what it was asked."""

    def __init__(self, chances=None, *, default=0.5, none=0.0, seconds=0.0):
        self.chances = chances or {}
        self.default, self.none, self.seconds = default, none, seconds
        self.asked = []

    def choose_many(self, requests):
        return [self.choose(request) for request in requests]

    def choose(self, request):
        self.asked.append(request)
        paths = [text.partition(": ")[0] for text in request.options]
        return Choice(
            probabilities=tuple(self.chances.get(path, self.default) for path in paths),
            none=self.none,
            model="scripted",
            calls=1,
            input_tokens=10,
            output_tokens=2,
            cost_usd=0.25,
            seconds=self.seconds,
        )


def issue(query="Why?"):
    return Issue("case-1", "owner/name", "0" * 40, query)


def walk(entries, model, *, k=16, query="Why?", **parameters):
    ranker = create(TreeParameters(model="m", **parameters), Resources(models={"m": model}))
    return ranker.rank(issue(query), Names(entries), k)


def paths(answer):
    return [ranked.path for ranked in answer.ranking]


def test_the_question_is_literally_that_of_the_study():
    model = Scripted()
    walk(["a.py", "b.py"], model, query="é" * 501)
    [request] = model.asked
    assert request.state == "User question: " + "é" * 500
    assert request.instruction == INSTRUCTION
    assert request.none_text == "None contains direct answer evidence"
    assert request.options == ("a.py: - [a.py](a.py)", "b.py: - [b.py](b.py)")
    assert (request.repeat, request.case_id) == (0, "case-1")


def test_wording_query_length_and_repeat_are_parameters():
    model = Scripted()
    wording = {"instruction": "I", "none_text": "N", "state_prefix": "S: "}
    walk(["a", "b"], model, query="long", query_characters=2, repeat=3, **wording)
    [request] = model.asked
    assert (request.state, request.instruction, request.none_text) == ("S: lo", "I", "N")
    assert request.repeat == 3


def test_the_best_child_and_all_below_it_come_before_the_next():
    chances = {"d": 0.6, "a": 0.3, "d/x": 0.2, "d/y": 0.7}
    answer = walk(["a", "d/x", "d/y"], Scripted(chances))
    assert paths(answer) == ["d/y", "d/x", "a"]
    assert [ranked.score for ranked in answer.ranking] == [1, 1 / 2, 1 / 3]


def test_ties_are_visited_in_reverse_menu_order():
    model = Scripted({"b": 0.9}, default=0.2)
    assert paths(walk(["a", "b", "c", "d/x", "d/y"], model)) == ["b", "c", "a", "d/y", "d/x"]


@pytest.mark.parametrize(
    ("best", "chance", "kept"),
    [(0.5, 0.01, True), (0.5, 0.0099, False), (0.9, 0.01, True), (0.002, 0.001, False)],
)
def test_children_below_one_percent_are_not_followed(best, chance, kept):
    found = paths(walk(["best", "other"], Scripted({"best": best, "other": chance})))
    assert ("other" in found) == kept


def test_the_share_of_the_best_raises_the_threshold():
    model = Scripted({"a": 0.8, "b": 0.4, "c": 0.39})
    assert paths(walk(["a", "b", "c"], model, p_ratio=0.5)) == ["a", "b"]


def test_none_is_never_a_child_and_never_the_best():
    model = Scripted({"a": 0.02, "b": 0.01}, none=0.99)
    assert paths(walk(["a", "b"], model, p_ratio=0.5)) == ["a", "b"]


def test_nothing_is_found_where_no_option_passes():
    answer = walk(["a", "b"], Scripted(default=0.0, none=1.0))
    assert (answer.ranking, answer.operations.truncated) == ((), False)


@pytest.mark.parametrize("entries", [["d/e/only.py"], ["only.py"], ["d/e/f/.gitkeep"]])
def test_directories_with_one_child_are_entered_without_a_call(entries):
    model = Scripted()
    answer = walk(entries, model)
    assert paths(answer) == [path for path in entries if path.endswith(".py")]
    assert (model.asked, answer.operations.calls) == ([], 0)


def test_an_empty_tree_has_an_empty_ranking():
    answer = walk([], Scripted())
    assert (answer.ranking, answer.operations.calls) == ((), 0)


def test_binary_and_empty_files_are_shown_but_not_nominated():
    image = entry("b.png", eligible=False, size=9, reason="content holds NUL")
    model = Scripted({"a.py": 0.1, "b.png": 0.5, "c.py": 0.4})
    answer = walk(["a.py", image, entry("c.py", size=0)], model)
    assert [text.partition(":")[0] for text in model.asked[0].options] == ["a.py", "b.png", "c.py"]
    assert paths(answer) == ["a.py"]
    skipped = {step.path: step.reason for step in answer.trace if step.kind == "skip"}
    assert skipped == {"b.png": "content holds NUL", "c.py": "empty"}


def test_the_walk_stops_at_sixteen_files():
    model = Scripted({"z": 0.9})
    answer = walk([*(f"z/{i:02}" for i in range(17)), "a/x", "a/y"], model)
    assert len(answer.ranking) == 16
    assert (answer.operations.calls, answer.operations.truncated) == (2, False)
    assert answer.trace[-1].reason == "16 files"


def test_skipped_files_do_not_count_as_found():
    answer = walk([*(entry(f"{i}", size=0) for i in range(3)), "3", "4"], Scripted(), files=2)
    assert paths(answer) == ["4", "3"]


def chain(depth):
    """A directory with a file and a directory at each level."""
    return [f"{'d/' * level}f" for level in range(depth)] + ["d/" * depth + "end"]


def test_the_walk_stops_at_32_calls():
    model = Scripted({f"{'d/' * level}f": 0.4 for level in range(40)}, default=0.5)
    answer = walk(chain(40), model, files=50)
    assert answer.operations.calls == len(model.asked) == 32
    assert (answer.ranking, answer.operations.truncated) == ((), True)
    assert answer.trace[-1].reason == "1 calls needed, 0 left"


def test_files_of_the_last_menu_are_still_visited():
    answer = walk(["a", "b", "d/x", "d/y"], Scripted({"d": 0.4}), calls=1)
    assert paths(answer) == ["b", "a"]
    assert (answer.operations.calls, answer.operations.truncated) == (1, True)


def test_a_walk_that_ends_with_its_last_call_is_not_truncated():
    answer = walk(["a", "b"], Scripted(default=0.0), calls=1)
    assert (answer.operations.calls, answer.operations.truncated) == (1, False)


def test_the_walk_stops_after_180_seconds_in_the_model():
    model = Scripted({f"{'d/' * level}f": 0.4 for level in range(9)}, seconds=60.0)
    answer = walk(chain(9), model)
    assert (len(model.asked), answer.operations.truncated) == (3, True)
    assert answer.trace[-1].reason == "180 s"
    assert answer.operations.query_ms >= 180_000


def test_split_menus_share_one_threshold_and_are_not_renormalised():
    entries = [f"f{i:03}" for i in range(255)]
    model = Scripted({"f000": 0.3, "f254": 0.9}, default=0.001)
    answer = walk(entries, model, p_ratio=0.5)
    assert [len(request.options) for request in model.asked] == [254, 1]
    assert paths(answer) == ["f254"]
    assert paths(walk(entries, model, p_ratio=0.1)) == ["f254", "f000"]


def test_a_menu_with_more_parts_than_calls_left_stops_the_walk():
    model = Scripted({"big": 0.9})
    answer = walk(["a", *(f"big/{i}" for i in range(6))], model, menu_options=2, calls=3)
    assert (len(model.asked), answer.ranking, answer.operations.truncated) == (1, (), True)
    assert answer.trace[-1].reason == "3 calls needed, 2 left"
    answer = walk(["a", *(f"big/{i}" for i in range(6))], model, menu_options=2, calls=4)
    assert (len(answer.ranking), answer.operations.truncated) == (7, False)


def test_best_first_visits_the_highest_product_of_probabilities():
    chances = {"d": 0.6, "a": 0.4, "d/x": 0.9, "d/y": 0.5}
    entries = ["a", "d/x", "d/y"]
    assert paths(walk(entries, Scripted(chances))) == ["d/x", "d/y", "a"]
    assert paths(walk(entries, Scripted(chances), order="best-first")) == ["d/x", "a", "d/y"]


def test_best_first_breaks_ties_like_the_stack():
    entries = ["a", "b", "d/x", "d/y"]
    assert paths(walk(entries, Scripted(default=1.0), order="best-first")) == [
        "b",
        "a",
        "d/y",
        "d/x",
    ]


def test_at_most_k_paths_are_returned():
    assert paths(walk(["a", "b", "c"], Scripted(), k=2)) == ["c", "b"]


def test_costs_are_added_up():
    costs = walk(["a", "d/x", "d/y"], Scripted(seconds=0.5)).operations
    assert (costs.calls, costs.input_tokens, costs.output_tokens) == (2, 20, 4)
    assert costs.cost_usd == 0.5
    assert costs.query_ms >= 1000


def test_the_trace_tells_the_walk():
    chances = {"d": 0.6, "a": 0.3, "b": 0.001, "d/x": 0.2}
    answer = walk(["a", "b", "d/x"], Scripted(chances, none=0.1))
    steps = [
        (s.kind, s.path, s.menu, s.probability, s.kept, s.depth, s.calls) for s in answer.trace
    ]
    assert steps == [
        ("enter", ".", None, None, None, 0, 0),
        ("option", "d", ".", 0.6, True, 1, 1),
        ("option", "a", ".", 0.3, True, 1, 1),
        ("option", "b", ".", 0.001, False, 1, 1),
        ("none", "", ".", 0.1, None, 1, 1),
        ("enter", "d", ".", 0.6, None, 1, 1),
        ("file", "d/x", "d", None, None, 2, 1),
        ("file", "a", ".", 0.3, None, 1, 1),
        ("stop", "", None, None, None, 0, 1),
    ]
    assert [s.rank for s in answer.trace if s.kind == "file"] == [1, 2]
    assert answer.trace[-1].reason == "nothing left to visit"


def test_the_trace_fits_its_table(tmp_path):
    answer = walk(["a", entry("b", size=0), "d/x"], Scripted())
    write_rows(tmp_path / "traces.parquet", "traces", answer.trace_rows("case-1"))
    rows = read_rows(tmp_path / "traces.parquet", "traces")
    assert [row["step"] for row in rows] == list(range(1, len(answer.trace) + 1))
    assert {row["case_id"] for row in rows} == {"case-1"}
    assert rows[0] == {
        "case_id": "case-1",
        "step": 1,
        "kind": "enter",
        "path": ".",
        "depth": 0,
        "calls": 0,
        **dict.fromkeys(("menu", "probability", "kept", "rank", "reason")),
    }


class Failing(Scripted):
    def __init__(self, error, after):
        super().__init__({"d": 0.9})
        self.error, self.after = error, after

    def choose(self, request):
        if len(self.asked) == self.after:
            raise self.error
        return super().choose(request)


def test_a_failed_answer_keeps_what_was_spent():
    error = ChoiceError("no probability for option_1", Usage(calls=1, cost_usd=0.5))
    with pytest.raises(FailedAnswer, match="no probability") as caught:
        walk(["a", "d/x", "d/y"], Failing(error, after=1))
    answer = caught.value.answer
    assert (answer.operations.calls, answer.operations.cost_usd) == (2, 0.75)
    assert answer.trace[-1].reason == "no probability for option_1"
    assert [s.path for s in answer.trace if s.kind == "enter"] == [".", "d"]


def test_a_spent_budget_stops_the_job():
    with pytest.raises(BudgetExceeded):
        walk(["a", "b"], Failing(BudgetExceeded("1 USD"), after=0))


def test_an_unknown_model_is_named_with_the_known_ones():
    parameters = parse_parameters("tree", {"model": "jev"})
    with pytest.raises(RoutebenchError, match="'jev': not configured; expected one of other"):
        create_ranker("tree", parameters, Resources(models={"other": Scripted()}))


def test_parameters_name_their_model_and_refuse_the_unknown():
    assert parse_parameters("tree", {"model": "jev"}).models == ("jev",)
    with pytest.raises(ValidationError):
        parse_parameters("tree", {"model": "jev", "top_k": 3})
    with pytest.raises(ValidationError):
        parse_parameters("tree", {})


# A slow reading of R6, sentence by sentence, that shares no code with the package.
IGNORED = {"build", "node_modules", ".git"}


def slow_children(entries, directory):
    """Immediate child directories, then files, each by name."""
    base = directory + "/" if directory else ""
    inside = [e for e in entries if e.path.startswith(base)]
    inside = [e for e in inside if not set(e.path.split("/")[:-1]) & IGNORED]
    tails = [(e, e.path[len(base) :].split("/")) for e in inside]
    folders = {base + tail[0] for _, tail in tails if len(tail) > 1}
    shown = {
        e.path
        for e, tail in tails
        if len(tail) == 1 and e.mode[:3] == "100" and tail[0][0] != "." and tail[0] != "index.md"
    }
    return [(p, True) for p in sorted(folders)] + [(p, False) for p in sorted(shown)]


def slow_text(entries, path, is_directory, rules):
    name = path.split("/")[-1]
    if not is_directory:
        return f"{path}: - [{name}]({name})"[: rules.option_characters]
    names, level = [], [path]
    for _ in range(rules.descendant_levels):
        following = []
        for folder in level:
            for child, deeper in slow_children(entries, folder):
                last = child.split("/")[-1]
                dot = last.rfind(".")
                names.append((last[:dot] if 0 < dot < len(last) - 1 else last).replace("-", " "))
                following += [child] if deeper else []
        level = following
    described = ", ".join(names[: rules.descendants])
    text = f"{path}: - [{name}/]({name}/); subtopics: {described}"
    return text[: rules.option_characters]


def slow_menus(entries, children, state, rules):
    menus, size = [[]], len(state)
    for path, is_directory in children:
        text = slow_text(entries, path, is_directory, rules)
        full = len(menus[-1]) + 1 > rules.menu_options or size + len(text) > rules.menu_characters
        if full and menus[-1]:
            menus.append([])
            size = len(state)
        menus[-1].append(text)
        size += len(text)
    return menus


def slow_walk(entries, query, chance, seconds, rules):
    """Returns the files in visiting order, the menus asked and whether a cap struck."""
    state, found, asked = "User question: " + query[:500], [], []
    waiting = [("", True, 1.0)]
    while waiting:
        if len(found) == rules.files:
            return found, asked, False
        if len(asked) * seconds >= rules.seconds:
            return found, asked, True
        next_one = len(waiting) - 1
        if rules.order == "best-first":
            next_one = max(range(len(waiting)), key=lambda i: (waiting[i][2], i))
        path, is_directory, weight = waiting.pop(next_one)
        if not is_directory:
            [e] = [e for e in entries if e.path == path]
            found += [path] if e.eligible and e.bytes else []
            continue
        children = slow_children(entries, path)
        if len(children) <= 1:
            waiting += [(child, deeper, weight) for child, deeper in children]
            continue
        menus = slow_menus(entries, children, state, rules)
        if len(menus) > rules.calls - len(asked):
            return found, asked, True
        asked += menus
        chances = [chance(child) for child, _ in children]
        kept = [
            (p, child, deeper)
            for p, (child, deeper) in zip(chances, children, strict=True)
            if p >= max(rules.p_min, rules.p_ratio * max(chances))
        ]
        kept.sort(key=lambda item: item[0])
        waiting += [(child, deeper, weight * p) for p, child, deeper in kept]
    return found, asked, False


NAMES = st.sampled_from(
    ["a", "b", "b.c", "c-d.py", "x.tar.gz", ".hid", ".gh", "index.md", "build", "e" * 9]
)
MODES = st.sampled_from(["100644", "100644", "100644", "100755", "120000", "160000"])


@st.composite
def trees(draw):
    found = {}
    for parts in draw(st.lists(st.lists(NAMES, min_size=1, max_size=4), max_size=25)):
        path = "/".join(parts)
        clash = any(o.startswith(path + "/") or path.startswith(o + "/") for o in found)
        if not clash:
            found[path] = entry(
                path,
                mode=draw(MODES),
                eligible=draw(st.sampled_from([True, True, True, False])),
                size=draw(st.sampled_from([0, 5, 5, 5])),
            )
    return [found[path] for path in sorted(found)]


RULES = st.fixed_dictionaries(
    {},
    optional={
        "files": st.integers(1, 4),
        "calls": st.integers(0, 6),
        "seconds": st.integers(1, 4),
        "p_min": st.sampled_from([0.0, 0.01, 0.3]),
        "p_ratio": st.sampled_from([0.0, 0.01, 0.5, 1.0]),
        "order": st.sampled_from(["depth-first", "best-first"]),
        "menu_options": st.integers(1, 4),
        "menu_characters": st.integers(1, 200),
        "option_characters": st.integers(1, 60),
        "descendants": st.integers(0, 4),
        "descendant_levels": st.integers(0, 4),
    },
)
CHANCES = (0.0, 0.005, 0.01, 0.02, 0.25, 0.25, 0.5, 0.5, 1.0)


@given(trees(), RULES, st.integers(0, 99), st.sampled_from([0.0, 1.0]))
@settings(max_examples=400, deadline=None)
def test_the_walk_is_that_of_a_slow_reading_of_the_text(entries, rules, seed, seconds):
    def chance(path):
        digest = hashlib.sha256(f"{seed} {path}".encode()).digest()
        return CHANCES[digest[0] % len(CHANCES)]

    rules = TreeParameters(model="m", **rules)
    model = Scripted(seconds=seconds)
    by_text = {}
    for e in entries:
        parts = e.path.split("/")
        for end in range(1, len(parts) + 1):
            path, is_directory = "/".join(parts[:end]), end < len(parts)
            by_text.setdefault(slow_text(entries, path, is_directory, rules), []).append(path)
    if any(len(set(same)) > 1 for same in by_text.values()):
        return  # texts cut too short tell nothing apart
    model.choose = lambda request: _answer(request, model, by_text, chance)
    ranker = create(rules, Resources(models={"m": model}))
    answer = ranker.rank(issue("Why? " * 200), Names(entries), 16)
    found, asked, truncated = slow_walk(entries, "Why? " * 200, chance, seconds, rules)
    assert paths(answer) == found
    assert [list(request.options) for request in model.asked] == asked
    assert answer.operations.truncated == truncated


def _answer(request, model, by_text, chance):
    model.asked.append(request)
    chances = tuple(chance(by_text[text][0]) for text in request.options)
    return Choice(probabilities=chances, none=0.3, model="m", calls=1, seconds=model.seconds)
