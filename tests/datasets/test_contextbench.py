"""ContextBench rows: eligible, mended or reported (METHODS D1, D4)."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from routebench.datasets.contextbench import load_contextbench, parse_gold, strip_numbers
from routebench.errors import RoutebenchError

COMMIT = "a" * 40
SPAN = {"file": "src/a.py", "start_line": 2, "end_line": 3, "content": "x = 1\n"}
ROW = {
    "instance_id": "case-1",
    "original_inst_id": None,
    "repo": "owner/name",
    "language": "python",
    "base_commit": COMMIT,
    "gold_context": json.dumps([SPAN]),
    "problem_statement": "It breaks",
    "source": "Poly",
}


def load(tmp_path, *changes, mend=True):
    rows = [{**ROW, **change} for change in changes]
    path = tmp_path / "issues.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return load_contextbench(path, mend=mend)


def test_eligible_row_becomes_a_case(tmp_path):
    (case,) = load(tmp_path, {}).cases
    assert (case.case_id, case.repo, case.base_commit) == ("case-1", "owner/name", COMMIT)
    assert [(s.path, s.start_line, s.end_line, s.text) for s in case.gold] == [
        ("src/a.py", 2, 3, "x = 1\n")
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"problem_statement": " \n"}, "problem statement is empty"),
        ({"problem_statement": None}, "problem_statement is empty"),
        ({"base_commit": "A" * 40}, "is not 40 lower-case hex digits"),
        ({"base_commit": "abc"}, "is not 40 lower-case hex digits"),
        ({"gold_context": "the fix is in a.py"}, "gold context is not JSON"),
        ({"gold_context": "[" * 100_000}, "gold context is not JSON"),
        ({"gold_context": "[]"}, "not a list with at least one span"),
        ({"gold_context": '{"file": "a"}'}, "not a list with at least one span"),
        ({"gold_context": '[{"file": 3}]'}, "without a file name"),
        ({"repo": "nobody-knows"}, "is not owner/name and has no alias"),
        ({"repo": None}, "repo is empty"),
    ],
)
def test_other_rows_are_left_out_with_the_reason(tmp_path, change, reason):
    loaded = load(tmp_path, {}, {"instance_id": "case-2", **change})
    assert [case.case_id for case in loaded.cases] == ["case-1"]
    (exclusion,) = loaded.exclusions
    assert (exclusion.case_id, exclusion.stage) == ("case-2", "dataset")
    assert reason in exclusion.reason


@pytest.mark.parametrize(
    ("span", "reason"),
    [
        ({"file": "/etc/passwd"}, "expected a relative POSIX path"),
        ({"file": "a/../b"}, "expected a relative POSIX path"),
        ({"file": "a\\b"}, "expected a relative POSIX path"),
        ({"file": "./a"}, "expected a relative POSIX path"),
        ({"start_line": 0}, "expected 1 <= start <= end"),
        ({"start_line": 9, "end_line": 3}, "expected 1 <= start <= end"),
        ({"start_line": "2"}, "without whole line numbers"),
        ({"start_line": True}, "without whole line numbers"),
        ({"end_line": 10**12}, "without whole line numbers"),
        ({"content": 7}, "whose content is not text"),
    ],
)
def test_bad_spans_are_named(span, reason):
    with pytest.raises(RoutebenchError, match=reason):
        parse_gold(json.dumps([{**SPAN, **span}]), mend=True)


def test_dirt_is_mended(tmp_path):
    gold = [{"file": "/workspace/cli__cli__0.1/pkg/a.go", "start_line": 1, "end_line": 2}]
    change = {"repo": "cli", "gold_context": json.dumps(gold)}
    (case,) = load(tmp_path, change).cases
    assert (case.repo, case.gold_files) == ("cli/cli", ("pkg/a.go",))


def test_dirt_is_left_out_where_it_is_not_mended(tmp_path):
    gold = [{"file": "/workspace/cli__cli__0.1/pkg/a.go", "start_line": 1, "end_line": 2}]
    loaded = load(tmp_path, {"gold_context": json.dumps(gold)}, mend=False)
    assert loaded.cases == ()


def test_bare_name_without_alias_comes_from_the_original_id(tmp_path):
    change = {"repo": "thing", "original_inst_id": "some-owner__thing-12"}
    (case,) = load(tmp_path, change).cases
    assert case.repo == "some-owner/thing"


def test_line_numbers_are_stripped_only_where_every_line_has_one():
    assert strip_numbers("12\tfoo\n13\t\n14\tbar") == "foo\n\nbar"
    assert strip_numbers("12\tfoo\nbar") == "12\tfoo\nbar"


def test_two_rows_with_one_id_are_refused(tmp_path):
    with pytest.raises(RoutebenchError, match="'case-1' stands twice"):
        load(tmp_path, {}, {})


def test_missing_column_is_named(tmp_path):
    path = tmp_path / "issues.parquet"
    pq.write_table(pa.table({"instance_id": ["a"]}), path)
    with pytest.raises(RoutebenchError, match="no column repo, language"):
        load_contextbench(path)


def test_file_that_is_no_parquet_is_refused(tmp_path):
    path = tmp_path / "issues.parquet"
    path.write_text("id,text\n")
    with pytest.raises(RoutebenchError, match="not a Parquet file"):
        load_contextbench(path)


@pytest.mark.published
def test_published_files(published):
    """50 rows: 2 have gold outside the repository; unmended, 16 do not fit the rule."""
    path = published / "contextbench" / "contextbench_verified_test.parquet"
    mended = load_contextbench(path)
    assert (len(mended.cases), len(mended.exclusions)) == (48, 2)
    assert all("/workspace/" in exclusion.reason for exclusion in mended.exclusions)
    assert len(load_contextbench(path, mend=False).cases) == 34
    partial = load_contextbench(published / "contextbench" / "paper_cases_partial.parquet")
    assert (len(partial.cases), len(partial.exclusions)) == (42, 0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"source": 5}, "source is not text"),
        ({"repo": "nobody-knows", "original_inst_id": 5}, "has no alias"),
    ],
)
def test_number_in_an_optional_column_is_left_out_with_the_reason(tmp_path, change, reason):
    """Such a column is no text in any row, as Parquet has one type for all of them."""
    loaded = load(tmp_path, change)
    assert loaded.cases == ()
    assert reason in loaded.exclusions[0].reason
