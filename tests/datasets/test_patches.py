"""Gold lines from unified diffs."""

import pytest

from routebench.datasets.patches import spans_of_patch, unquote_path
from routebench.errors import RoutebenchError

HEADER = "diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n"


def spans(patch):
    return [(span.path, span.start_line, span.end_line) for span in spans_of_patch(patch)]


def test_removed_lines_are_spans_and_runs_join():
    patch = HEADER + "@@ -10,5 +10,3 @@\n a\n-b\n-c\n d\n-e\n+E\n"
    assert spans(patch) == [("f.py", 11, 12), ("f.py", 14, 14)]


def test_added_lines_count_as_the_line_before():
    assert spans(HEADER + "@@ -10,2 +10,3 @@\n a\n+new\n b\n") == [("f.py", 10, 10)]


def test_lines_added_at_the_top_count_as_the_first_line():
    assert spans(HEADER + "@@ -1,1 +1,2 @@\n+new\n a\n") == [("f.py", 1, 1)]
    assert spans(HEADER + "@@ -0,0 +1,1 @@\n+new\n") == [("f.py", 1, 1)]


def test_lines_added_at_the_start_of_a_hunk_without_context():
    assert spans(HEADER + "@@ -7,0 +8,1 @@\n+new\n") == [("f.py", 7, 7)]


def test_new_file_has_no_old_lines():
    patch = "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n"
    assert spans(patch + "@@ -0,0 +1,1 @@\n+x\n") == []


def test_deleted_file_counts_whole():
    patch = "diff --git a/o.py b/o.py\ndeleted file mode 100644\n--- a/o.py\n+++ /dev/null\n"
    assert spans(patch + "@@ -1,2 +0,0 @@\n-x\n-y\n") == [("o.py", 1, 2)]


def test_pure_rename_counts_with_its_old_name():
    header = "diff --git a/old.py b/new.py\nsimilarity index 100%\n"
    patch = header + "rename from old.py\nrename to new.py\n"
    assert spans(patch) == [("old.py", 1, 1)]


def test_empty_patch_gives_nothing():
    assert spans("") == []


def test_other_text_is_refused():
    with pytest.raises(RoutebenchError, match="not a unified diff"):
        spans_of_patch("hello")


@pytest.mark.published
def test_published_patches(published):
    import pyarrow.parquet as pq

    path = published / "swebench" / "verified_django_partial.parquet"
    rows = {row["instance_id"]: row for row in pq.read_table(path).to_pylist()}
    assert spans(rows["django__django-11603"]["patch"]) == [
        ("django/db/models/aggregates.py", 101, 101),
        ("django/db/models/aggregates.py", 144, 144),
    ]


def test_a_combined_diff_is_refused():
    """It gave line 1 of its file as gold: unidiff passes over hunks that it does not know."""
    patch = "diff --cc a.py\n--- a/a.py\n+++ b/a.py\n@@@ -1,2 -1,2 +1,2 @@@\n  one\n--two\n++2\n"
    with pytest.raises(RoutebenchError, match="combined diff of a merge"):
        spans_of_patch(patch)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ('"a/\\303\\244.py"', "ä.py"),
        ('"a/tab\\tquote\\".py"', 'tab\tquote".py'),
        ("a/two words.py\t", "two words.py"),
        ("a/two words.py\t2020-01-01 00:00:00", "two words.py"),
    ],
)
def test_paths_as_git_writes_them(written, path):
    target = written.replace("a/", "b/")
    patch = f"--- {written}\n+++ {target}\n@@ -3 +3 @@\n-old\n+new\n"
    assert spans(patch) == [(path, 3, 3)]


def test_bytes_that_are_no_text_keep_their_quotes():
    assert unquote_path('"a/\\351.py"') == '"a/\\351.py"'
    assert unquote_path('"a/back\\\\slash.py"') == "a/back\\slash.py"
