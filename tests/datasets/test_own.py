"""A user's own issues, in three formats, with gold or a patch."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from routebench.datasets.own import load_own
from routebench.errors import RoutebenchError
from routebench.records import WHOLE_FILE

COMMIT = "0123456789" * 4
PATCH = """\
diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -3,3 +3,4 @@
 context
-old
+new
+newer
 context
"""
ROW = {"id": "one", "repo": "me/mine", "commit": COMMIT, "text": "It breaks", "gold": "src/a.py"}


def write_jsonl(tmp_path, *rows):
    path = tmp_path / "issues.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    return path


def spans(case):
    return [(span.path, span.start_line, span.end_line) for span in case.gold]


def test_the_same_case_from_csv_jsonl_and_parquet(tmp_path):
    row = {**ROW, "gold": "src/a.py:3-4; b.py:7; c d.py"}
    csv_path = tmp_path / "issues.csv"
    csv_path.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n", encoding="utf-8-sig")
    parquet_path = tmp_path / "issues.parquet"
    pq.write_table(pa.Table.from_pylist([row]), parquet_path)
    for path in (csv_path, parquet_path, write_jsonl(tmp_path, row)):
        (case,) = load_own(path).cases
        assert case.repo == "me/mine"
        assert spans(case) == [("src/a.py", 3, 4), ("b.py", 7, 7), ("c d.py", 1, WHOLE_FILE)]


def test_gold_as_a_json_list(tmp_path):
    as_list = {**ROW, "gold": ["a.py:1-2", "b.py"]}
    as_text = {**ROW, "id": "two", "gold": '["a.py:1-2", "b.py"]'}
    first, second = load_own(write_jsonl(tmp_path, as_list, as_text)).cases
    assert spans(first) == spans(second) == [("a.py", 1, 2), ("b.py", 1, WHOLE_FILE)]


def test_gold_from_a_patch(tmp_path):
    row = {**ROW, "gold": None, "patch": PATCH}
    (case,) = load_own(write_jsonl(tmp_path, row)).cases
    assert spans(case) == [("src/a.py", 4, 4)]


def test_local_repository(tmp_path):
    row = {**ROW, "repo": None, "path": "../my repo"}
    folder = tmp_path / "data"
    folder.mkdir()
    (case,) = load_own(write_jsonl(folder, row)).cases
    assert case.repo == "local/my-repo"
    assert case.origin == str(tmp_path / "my repo")


@pytest.mark.parametrize("path", ["circle", "nul\0", "surrogate \ud800"])
def test_path_that_cannot_be_followed_is_left_out(tmp_path, path):
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    loaded = load_own(write_jsonl(tmp_path, ROW, {**ROW, "id": "two", "path": path}))
    assert [case.case_id for case in loaded.cases] == ["one"]
    assert "leads nowhere" in loaded.exclusions[0].reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": ""}, "id is empty"),
        ({"id": 7}, "id is not text"),
        ({"id": "i" * 201}, "id is longer than 200 characters"),
        ({"text": None}, "text is empty"),
        ({"text": 5}, "text is not text"),
        ({"commit": "HEAD"}, "git rev-parse"),
        ({"repo": "mine"}, "is not owner/name"),
        ({"repo": None}, "neither repo nor path"),
        ({"repo": "../up"}, "expected owner/name"),
        ({"repo": "-x/--upload-pack"}, "expected owner/name"),
        ({"repo": "a/" + "b" * 300}, "longer than 200 characters"),
        ({"repo": "me/" + "ab" * 20}, "ends in 20 times the same"),
        ({"repo": None, "path": "z" * 300}, "longer than 200 characters"),
        ({"gold": None}, "no gold"),
        ({"gold": [7]}, "expected file, file:12 or file:12-40"),
        ({"gold": "[broken"}, "looks like a JSON list"),
        ({"gold": "[" * 100_000}, "looks like a JSON list"),
        ({"gold": 5}, "neither text nor a list"),
        ({"gold": {"src/a.py": [1, 2]}}, "neither text nor a list"),
        ({"gold": "a.py:9-3"}, "expected 1 <= start <= end"),
        ({"gold": f"a.py:1-{2**40}"}, "expected no end over 2147483647"),
        ({"gold": "a.py:" + "9" * 5000}, "not a number of lines"),
        ({"gold": None, "patch": PATCH.replace("-3,3", f"-{2**40},3")}, "expected no end over"),
        ({"gold": None, "patch": PATCH.replace("-3,3", "-" + "9" * 5000)}, "not a unified diff"),
        ({"gold": "/a.py"}, "relative POSIX path"),
        ({"gold": None, "patch": "no diff at all"}, "not a unified diff"),
        ({"gold": None, "patch": "@@ -1 +1 @@\n-a\n+b\n"}, "not a unified diff"),
    ],
)
def test_bad_rows_are_left_out_with_the_reason(tmp_path, change, reason):
    loaded = load_own(write_jsonl(tmp_path, {**ROW, "id": "good"}, {**ROW, **change}))
    assert [case.case_id for case in loaded.cases] == ["good"]
    assert reason in loaded.exclusions[0].reason


@pytest.mark.parametrize("column", ["id", "text", "gold", "language", "difficulty"])
def test_half_a_surrogate_pair_is_left_out(tmp_path, column):
    loaded = load_own(write_jsonl(tmp_path, ROW, {**ROW, "id": "two", column: "\ud800"}))
    assert [case.case_id for case in loaded.cases] == ["one"]
    (exclusion,) = loaded.exclusions
    assert "half a character" in exclusion.reason
    assert exclusion.case_id.encode() == (b"\\ud800" if column == "id" else b"two")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("issues.txt", "", "expected a .parquet, .csv or .jsonl file"),
        ("issues.jsonl", "{oops", "line 1 is not JSON"),
        ("issues.jsonl", "[1]", "line 1 is not a JSON object"),
        ("issues.jsonl", "[" * 100_000, "line 1 is not JSON"),
        ("issues.jsonl", '{"id": "a", "gold": "b", "id": "c"}', "key 'id' stands twice"),
        ("issues.jsonl", "", "holds no row"),
        ("issues.csv", "id,text\n", "holds no row"),
        ("issues.csv", "id,colour\n1,2\n", "unknown column 'colour'"),
        ("issues.csv", 'id,text\n1,"open\n', "cannot be read"),
        ("issues.csv", "id,gold,gold\n1,a.py,b.py\n", "column 'gold' stands twice"),
        ("issues.csv", "id,text\n1,2,3\n", "unknown column 'None'"),
    ],
)
def test_files_that_cannot_be_read_are_refused(tmp_path, name, content, reason):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(RoutebenchError, match=reason):
        load_own(path)


def test_parquet_column_that_stands_twice_is_refused(tmp_path):
    columns = [pa.array([value]) for value in (*ROW.values(), "other.py")]
    path = tmp_path / "issues.parquet"
    pq.write_table(pa.Table.from_arrays(columns, names=[*ROW, "gold"]), path)
    with pytest.raises(RoutebenchError, match="column 'gold' stands twice"):
        load_own(path)


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(RoutebenchError, match="cannot be read"):
        load_own(tmp_path / "none.csv")
