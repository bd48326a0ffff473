import pytest

from routebench.evaluation.flags import in_several_directories, names_gold_file, names_gold_path


@pytest.mark.parametrize(
    ("query", "expected"),
    [("see SRC/App.py:3", True), ("see app.py", False), ("", False)],
)
def test_issue_names_a_gold_path_in_any_case(query: str, expected: bool) -> None:
    assert names_gold_path(query, ["src/app.py", "x.c"]) is expected


@pytest.mark.parametrize(
    ("query", "files", "expected"),
    [
        ("crash in App.py", ["src/app.py"], True),
        ("crash in abc.c", ["src/abc.c"], True),  # five characters
        ("crash in ab.c", ["src/ab.c"], False),  # four
        ("crash in src", ["src/app.py"], False),
    ],
)
def test_issue_names_a_gold_file(query: str, files: list[str], expected: bool) -> None:
    assert names_gold_file(query, files) is expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["a/x", "a/y"], False),
        (["a/x", "a/b/y"], True),  # a parent directory is another directory
        (["x", "y"], False),
        (["x", "a/x"], True),
    ],
)
def test_gold_in_several_directories(files: list[str], expected: bool) -> None:
    assert in_several_directories(files) is expected
