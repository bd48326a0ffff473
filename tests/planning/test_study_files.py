"""Study files: YAML that means one thing, and errors that name the file."""

from pathlib import Path
from typing import Any

import pytest

from routebench.errors import RoutebenchError, error_line
from routebench.planning.study_files import count_values, name_file, read_yaml


def refusal(tmp_path: Path, text: str) -> str:
    file = tmp_path / "study.yaml"
    file.write_text(text)
    with pytest.raises(RoutebenchError) as caught:
        read_yaml(file)
    return str(caught.value).removeprefix(f"{file}: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: 2\na: 3\n", "not YAML (key 'a' stands twice in"),
        ("a: {b: 1, b: 1}\n", "not YAML (key 'b' stands twice in"),
        ("- {a: 1, 'a': 2}\n", "not YAML (key 'a' stands twice in"),
        ("a: &a [*a]\n", "not YAML (a value that holds itself)"),
        ("[" * 20_000, "not YAML (nested too deeply)"),
        ("a: \x01\n", "not YAML (unacceptable character"),
        ("", "expected keys and values"),
    ],
)
def test_what_means_nothing_or_two_things_is_refused(tmp_path: Path, text: str, said: str) -> None:
    assert refusal(tmp_path, text).startswith(said)


def test_a_key_may_stand_in_two_mappings_and_beside_a_merged_one(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text("a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}\nc: {<<: *a}\n")
    assert read_yaml(file) == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 3, "y": 2},
        "c": {"x": 1, "y": 2},
    }


def test_values_behind_an_alias_count_each_time() -> None:
    ten = [0] * 10
    # The list, ten inner lists and a hundred numbers.
    assert count_values([ten] * 10) == 111
    with pytest.raises(ValueError, match="over 100,000 values"):
        count_values([ten] * 10, limit=110)


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("k is 0; expected a list", "mine.yaml"),
        ("context.margin is -1; expected at least 0", "mine.yaml"),
        ("context.budgets is 1; expected a list", "config.yaml"),
        ("arms.x.kind is 7; expected one of", "mine.yaml"),
        ("statistics.seed is 'x'; expected a whole number", "config.yaml"),
    ],
)
def test_an_error_names_the_file_that_gives_the_value(message: str, place: str) -> None:
    values: dict[str, Any] = {"k": 0, "context": {"margin": -1}, "arms": {}}
    error = RoutebenchError(f"config: {message}")
    found = name_file(error, file=Path("mine.yaml"), values=values, replaced=("arms",))
    assert str(found) == f"{place}: {message}"


def test_a_line_leaves_the_terminal_alone() -> None:
    assert error_line("a\x1b[31m\nb\x0f") == r"routebench: a\x1b[31m b\x0f"
    assert len(error_line("x" * 5000)) < 1100
