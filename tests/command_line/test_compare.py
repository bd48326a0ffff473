import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from routebench.tables import write_rows

ALIKE = "The same in every ranking, score and cost: find, other."


@pytest.fixture
def pair(study):
    """Two studies alike, not written yet."""
    return study("before"), study("after")


@pytest.fixture
def compared(pair, run):
    """Writes both and compares them."""

    def call(*arguments):
        a, b = pair
        return run("compare", a.write(), b.write(), *arguments)

    return call


def measure(ran, arm, metric):
    arms = {found["arm"]: found for found in json.loads(ran.out)["arms"]}
    return next(m for m in arms[arm]["measures"] if m["metric"] == metric)


def test_the_same_results_are_the_same(compared):
    ran = compared("--fail-on", "change")
    assert (ran.status, ran.err) == (0, "")
    assert ALIKE in ran.out
    assert "4 shared cases of 2 repositories; k 8; budgets 100" in ran.out


def test_won_and_lost_cases_means_and_interval(pair, compared):
    # B finds b2 too, and loses a1 and a2: of alpha -2 of 2 cases, of beta +1 of 2.
    pair[1].found["find"] = {"a1": ["x.py"], "a2": [], "b1": ["gold.py"], "b2": ["gold.py"]}
    ran = compared("--json")
    recall = measure(ran, "find", "file_recall")
    assert (recall["a"], recall["b"], recall["delta"]) == (0.75, 0.5, -0.25)
    # Of two repositories drawn twice, a quarter of the draws is alpha alone, a quarter beta.
    assert (recall["lower"], recall["upper"]) == (-1.0, 0.5)
    assert recall["won"] == [{"case_id": "b2", "a": 0.0, "b": 1.0}]
    assert [case["case_id"] for case in recall["lost"]] == ["a1", "a2"]
    # 2 · (C(3,0) + C(3,1)) / 2³ = 1.
    assert recall["p"] == 1.0
    lines = measure(ran, "find", "line_recall")
    assert (lines["a"], lines["b"], lines["budget"]) == (0.375, 0.25, 100)
    whole = measure(ran, "find", "complete_files")
    assert (whole["a"], whole["b"], whole["lower"]) == (3, 2, None)
    assert ran.status == 1
    assert json.loads(ran.out)["failed_for"] == [
        "find: file recall (k 8) -0.2500",
        "find: line recall (k 8, 100 tokens) -0.1250",
    ]


@pytest.mark.parametrize(("tolerance", "status"), [("0.24", 1), ("0.25", 0)])
def test_a_fall_within_the_tolerance_is_let_pass(pair, compared, tolerance, status):
    pair[1].found["find"]["b1"] = ["x.py"]
    assert compared("--tolerance", tolerance).status == status


def test_a_rise_fails_only_on_change(pair, compared):
    pair[1].found["find"]["b2"] = ["gold.py"]
    assert compared().status == 0
    assert compared("--fail-on", "change").status == 1


def test_another_order_is_a_change_without_a_change_of_score(pair, compared):
    pair[1].found["find"]["a2"] = ["gold.py", "x.py"]
    ran = compared()
    assert ran.status == 0
    assert "rankings changed: 1 case, of which 1 without a change of score" in ran.out
    assert compared("--fail-on", "change").status == 1


def test_a_ranking_that_changed_a_score_is_counted_apart(pair, compared):
    pair[1].found["find"] |= {"a2": ["gold.py", "x.py"], "b1": ["x.py"]}
    assert "rankings changed: 2 cases, of which 1 without a change of score" in compared().out


def test_a_new_failure_is_worse_and_named(pair, compared):
    # b2 was not found before either: no mean falls.
    pair[1].errors["find", "b2"] = "no answer"
    ran = compared()
    assert ran.status == 1
    assert "failed in B alone: 1: b2" in ran.out
    assert ran.err == "routebench: worse: find: 1 more failed cases\n"
    assert compared("--tolerance", "0.25").status == 0


def test_times_are_shown_and_never_judged(pair, compared):
    pair[1].query_ms = 900.0
    ran = compared("--fail-on", "change")
    assert ran.status == 0
    assert "900.0" in ran.out


def test_what_models_took_counts_as_a_change(pair, compared):
    pair[1].tokens = 5
    ran = compared("--fail-on", "change")
    assert (ran.status, "Tokens A" in ran.out) == (1, True)


def test_only_arms_asked_for_are_judged(pair, compared):
    pair[1].found["find"]["b1"] = ["x.py"]
    assert compared("--arm", "other").status == 0
    assert compared("--arm", "other", "--fail-on", "change").status == 0


def test_cases_arms_gold_and_budgets_of_one_side_are_told(pair, compared):
    a, b = pair
    a.cases.append(("c1", "o/gamma"))
    a.gold["c1"] = "gold.py"
    b.gold["a1"] = "moved.py"
    a.found["old"] = {}
    b.found["new"] = {}
    a.budgets = [100, 50]
    ran = compared()
    assert ran.status == 0
    for line in (
        "cases in A only: 1: c1",
        "arms in A only: 1: old",
        "arms in B only: 1: new",
        "cases with another question or answer: 1: a1 (gold)",
        "budget 50 is in A alone",
        "4 shared cases of 2 repositories; k 8; budgets 100",
    ):
        assert line in ran.out
    assert compared("--fail-on", "change").status == 1


def test_settings_and_versions_that_differ_are_named(pair, compared):
    for made, weight in zip(pair, (2.0, 8.0), strict=True):
        made.write()
        (made.folder / "versions.json").write_text(json.dumps({"python": f"3.{weight:.0f}"}))
        settings = made.folder / "settings" / "arms"
        settings.mkdir(parents=True)
        content = {"code": "same", "values": {"parameters": {"path_weight": weight}}}
        (settings / "find.json").write_text(json.dumps(content))
    ran = compared()
    assert "version: python 3.2 -> 3.8" in ran.out
    assert "arm find: parameters.path_weight 2.0 -> 8.0" in ran.out
    assert ran.status == 0


def test_five_cases_are_named_and_all_on_demand(pair, compared):
    for made in pair:
        for number in range(7):
            made.cases.append((f"d{number}", "o/delta"))
            made.gold[f"d{number}"] = "gold.py"
    pair[1].found["find"] |= {f"d{number}": ["gold.py"] for number in range(7)}
    won = "won, file recall (k 8): 7: d0 (0.00 to 1.00), d1"
    few, every = compared(), compared("--all")
    assert won in " ".join(few.out.split())
    assert "2 more (--all)" in few.out
    assert "2 more (--all)" not in every.out
    assert "d6 (0.00 to 1.00)" in " ".join(every.out.split())


def test_markdown_has_tables_and_no_live_markup(pair, compared):
    for made in pair:
        made.found["a|b<i>"] = {}
    pair[1].found["a|b<i>"] = {"a1": ["gold.py"]}
    ran = compared("--markdown")
    assert "### Scores" in ran.out
    assert "| a\\|b\\<i\\>" in ran.out


def test_lines_fit_the_terminal(pair, compared):
    pair[1].found["find"] = {}
    # The folders stand whole on their own lines.
    lines = [x for x in compared("--all").out.splitlines() if not x.startswith(("  A:", "  B:"))]
    assert max(map(len, lines)) <= 80


OPERATIONS = "operations/find/all.parquet"


def test_arms_with_and_without_contexts_stand_in_one_study(pair, run):
    folders = [made.write() for made in pair]
    none = {"budget": pa.int32(), "line_recall": pa.float64(), "complete_lines": pa.bool_()}
    for folder in folders:
        path = folder / "scores.parquet"
        for column, kind in none.items():
            values = pq.read_table(path).column(column).to_pylist()
            rewrite(path, column, pa.array([*values[:4], None, None, None, None], kind))
    ran = run("compare", *folders)
    assert (ran.status, ran.err) == (0, "")


def damage(name):
    def change(folder):
        path = folder / name
        path.write_bytes(path.read_bytes()[:-20])

    return change


def remove(name):
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    ("change", "name", "says"),
    [
        (remove("scores.parquet"), "scores.parquet", "missing, the study is not finished"),
        (damage("scores.parquet"), "scores.parquet", "damaged or no scores table"),
        (damage("cases.parquet"), "cases.parquet", "damaged or no cases table"),
        (remove("gold.parquet"), "gold.parquet", "missing"),
        (remove("operations/find/all.parquet"), "operations/find", "no results of the arm"),
        (damage("rankings/find/all.parquet"), "rankings/find/all.parquet", "damaged"),
        (remove("cases.parquet"), "after", "holds no results of a study"),
    ],
)
def test_damage_is_one_line_that_names_the_file(pair, run, change, name, says):
    a, b = (made.write() for made in pair)
    change(b)
    ran = run("compare", a, b)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"routebench: {b.parent / 'after' / name}".removesuffix("/after"))
    assert says in ran.err
    assert "run make study of it again" in ran.err
    assert ran.err.count("\n") == 1


def test_a_case_without_result_is_an_unfinished_study(pair, run):
    a, b = (made.write() for made in pair)
    pair[1].cases.append(("z", "o/z"))
    pair[1].gold["z"] = "gold.py"
    pair[1]._write_cases()
    ran = run("compare", a, b)
    assert ran.status == 2
    assert "scores.parquet: arm find and the study differ in case z" in ran.err


def rewrite(path, column, values):
    content = pq.read_table(path)
    place = content.column_names.index(column)
    pq.write_table(content.set_column(place, column, values), path)


@pytest.mark.parametrize(
    ("name", "column", "values", "says"),
    [
        ("scores.parquet", "file_recall", pa.array(["1"] * 8), "column file_recall is not what"),
        ("scores.parquet", "k", pa.array([8] * 7 + [None], pa.int32()), "column k is not what"),
        ("cases.parquet", "case_id", pa.array(["a1", "a1", "b1", "b2"]), "a case is there twice"),
        ("cases.parquet", "repo", pa.array([b"\xff"] * 4).view(pa.string()), "damaged or no cases"),
        (OPERATIONS, "case_id", pa.array(["a1", "x", "b1", "b2"]), "nothing of case a2"),
        ("scores.parquet", "file_recall", pa.array([1.0] * 7 + [float("nan")]), "b2 is nan"),
        ("scores.parquet", "line_recall", pa.array([float("inf")] * 8), "line_recall of case a1"),
        ("scores.parquet", "file_recall", pa.array([-0.1] * 8), "of case a1 is -0.1"),
        ("scores.parquet", "case_id", pa.array(["a1"] * 8), "a row is there twice"),
        (
            "scores.parquet",
            "k",
            pa.array([8] * 4 + [9] * 4, pa.int32()),
            "nothing of arm find at k 9, 100 tokens",
        ),
        (OPERATIONS, "query_ms", pa.array([float("nan")] * 4), "case a1 has a cost that is"),
        (OPERATIONS, "calls", pa.array([1, -1, 1, 1], pa.int32()), "case a2 has a cost that is"),
        (OPERATIONS, "case_id", pa.array(["a1", "a2", "b1", "a1"]), "a row is there twice"),
        ("rankings/find/all.parquet", "rank", pa.array([7] * 5, pa.int32()), "has rank 7 in place"),
    ],
)
def test_tables_of_wrong_content_are_refused(pair, run, name, column, values, says):
    a, b = (made.write() for made in pair)
    rewrite(b / name, column, values)
    ran = run("compare", a, b)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert says in ran.err


def test_a_missing_file_of_rankings_is_no_empty_ranking(pair, run):
    a, b = (made.write() for made in pair)
    write_rows(b / "operations" / "find" / "more.parquet", "operations", [])
    ran = run("compare", a, b)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    missed = b / "rankings" / "find" / "more.parquet"
    assert ran.err.startswith(f"routebench: {missed}: missing, the study is not finished; ")


@pytest.mark.parametrize("text", ["{", "[]", "\udcff", '{"a": NaN}'])
def test_settings_that_are_no_json_are_refused(pair, run, text):
    a, b = (made.write() for made in pair)
    (b / "versions.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    ran = run("compare", a, b)
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert f"{b / 'versions.json'}: damaged" in ran.err


def test_nothing_in_common_cannot_be_compared(pair, run):
    a, b = pair
    b.cases = [("z", "o/z")]
    b.gold = {"z": "gold.py"}
    assert run("compare", a.write(), b.write()).err.endswith(
        "no case in common; nothing to compare\n"
    )
    a.cases, a.gold = b.cases, b.gold
    b.found = {"third": {}}
    ran = run("compare", a.write(), b.write())
    assert (ran.status, "no arm in common" in ran.err) == (2, True)
    ran = run("compare", a.write(), a.folder, "--arm", "none")
    assert (ran.status, "--arm none: not in" in ran.err) == (2, True)


def test_a_folder_of_studies_is_not_a_study(pair, run):
    a, _ = (made.write() for made in pair)
    ran = run("compare", a.parent, a)
    assert ran.status == 2
    assert f"name a study in it, such as {a.parent / 'after'}" in ran.err
