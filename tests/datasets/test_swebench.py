"""Gold of patches (METHODS D2) and the rows of SWE-bench."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from routebench.datasets.swebench import gold_files, gold_of_patch, load_swebench
from routebench.errors import RoutebenchError
from routebench.records import GoldSpan

CHANGED = """diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -4,3 +4,3 @@ def f():
 x
-y
+z
 w
"""
ADDED = """diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+x
"""
DELETED = """diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-x
-y
"""
RENAMED = """diff --git a/old.py b/moved.py
similarity index 100%
rename from old.py
rename to moved.py
"""
EDITED_AND_RENAMED = """diff --git a/old2.py b/moved2.py
similarity index 90%
rename from old2.py
rename to moved2.py
--- a/old2.py
+++ b/moved2.py
@@ -5,2 +5,2 @@
 c
-d
+e
"""
MODE = "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"
BINARY = """diff --git a/i.png b/i.png
index 1111111..2222222 100644
Binary files a/i.png and b/i.png differ
"""


def span(path, start=1, end=1):
    return GoldSpan(path, start, end, audited=False)


@pytest.mark.parametrize(
    ("patch", "gold"),
    [
        (CHANGED, (span("a.py", 5, 5),)),
        (ADDED, (span("new.py"),)),
        (DELETED, (span("gone.py", 1, 2),)),
        (RENAMED, (span("old.py"),)),
        (EDITED_AND_RENAMED, (span("old2.py", 6, 6),)),
        (MODE, (span("run"),)),
        (BINARY, (span("i.png"),)),
        (CHANGED + ADDED + MODE, (span("a.py", 5, 5), span("new.py"), span("run"))),
    ],
    ids=["changed", "added", "deleted", "renamed", "renamed and edited", "mode", "binary", "all"],
)
def test_every_header_is_a_gold_file(patch, gold):
    assert gold_of_patch(patch) == gold


@pytest.mark.parametrize(
    ("header", "path"),
    [
        ("diff --git a/x b/y.py b/x b/y.py", "x b/y.py"),
        ("diff --git a/x b/y", "x"),
        (r'diff --git "a/sp\303\251.py" "b/sp\303\251.py"', "spé.py"),
        (r'diff --git "a/q\".py" b/q.py', 'q".py'),
    ],
)
def test_paths_of_headers(header, path):
    assert gold_files(f"{header}\n") == (path,)


def test_a_header_in_the_changed_text_is_no_header():
    patch = CHANGED.replace("-y", "-diff --git a/x b/x").replace("+z", "+diff --git a/x b/x")
    assert gold_files(patch) == ("a.py",)


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ("see the other issue", "no `diff --git` header"),
        ("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n", "no `diff --git` header"),
        ("diff --git a/../x b/../x\nold mode 100644\n", "'../x', no relative POSIX path"),
        ("diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,9 +1 @@\n-a\n", "unified diff"),
    ],
)
def test_what_is_no_gold_is_refused(patch, reason):
    with pytest.raises(RoutebenchError, match=reason):
        gold_of_patch(patch)


def rows_file(folder, *rows):
    default = {
        "instance_id": "o__n-1",
        "repo": "o/n",
        "base_commit": "a" * 40,
        "patch": CHANGED,
        "problem_statement": "It breaks.",
        "difficulty": "<15 min fix",
    }
    pq.write_table(pa.Table.from_pylist([default | row for row in rows]), folder / "rows.parquet")
    return folder / "rows.parquet"


def test_a_row_is_a_case_with_its_difficulty(tmp_path):
    path = rows_file(tmp_path, {}, {"instance_id": "o__n-2", "difficulty": ""})
    first, second = load_swebench(path).cases
    assert (first.case_id, first.repo, first.difficulty) == ("o__n-1", "o/n", "<15 min fix")
    assert (first.language, first.source, first.gold_files) == ("python", "swe-bench", ("a.py",))
    assert second.difficulty is None


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"patch": ""}, "patch is empty"),
        ({"patch": None}, "patch is empty"),
        ({"problem_statement": " \n"}, "problem_statement is empty"),
        ({"base_commit": "a" * 39}, "is not 40 lower-case hex digits"),
        ({"repo": "n"}, "is not owner/name"),
    ],
)
def test_a_row_that_is_no_case_is_told_with_the_reason(tmp_path, row, reason):
    loaded = load_swebench(rows_file(tmp_path, row, {"instance_id": "o__n-2"}))
    assert [case.case_id for case in loaded.cases] == ["o__n-2"]
    assert loaded.exclusions[0].case_id == "o__n-1"
    assert reason in loaded.exclusions[0].reason


@pytest.mark.published
def test_the_nine_django_issues(published):
    loaded = load_swebench(published / "swebench" / "verified_django_partial.parquet")
    assert len(loaded.cases) == 9
    assert loaded.exclusions == ()
    assert loaded.cases[0].gold_files == ("django/db/models/aggregates.py",)
    assert {case.repo for case in loaded.cases} == {"django/django"}
