"""An arm with repeats becomes several, which the study compares as one."""

from pathlib import Path
from typing import Any

import pytest

from routebench.errors import RoutebenchError
from routebench.planning.configuration import Configuration, load_configuration
from routebench.planning.repeats import expand_repeats
from routebench.planning.stages import arm_settings

ROOT = Path(__file__).parents[2]
TREE = {"kind": "tree", "model": "static"}
FLAT = {"kind": "flat", "model": "static"}


def configuration(comparisons: Any = (), **arms: Any) -> Configuration:
    given = {"arms": arms, "comparisons": list(comparisons)}
    return load_configuration(given, ROOT / "config.yaml")


def test_repeats_are_arms_with_numbers() -> None:
    assert expand_repeats({"tree": {**TREE, "repeats": 2}, "fts5": {"kind": "fts5"}}) == {
        "tree.0": {**TREE, "repeats": 2, "repeat": 0},
        "tree.1": {**TREE, "repeats": 2, "repeat": 1},
        "fts5": {"kind": "fts5"},
    }


def test_an_arm_that_names_a_repeated_arm_means_the_same_repeat() -> None:
    config = configuration(
        tree={**TREE, "repeats": 2},
        flat={**FLAT, "repeats": 2, "calls_of": "tree"},
        fts5={"kind": "fts5"},
        fused={"kind": "rrf", "sources": ["tree", "fts5"], "repeats": 2},
    )
    assert config.arms["flat.1"].parameters.call_arms == ("tree.1",)
    assert config.arms["fused.1"].parameters.source_arms == ("tree.1", "fts5")
    assert config.families == {
        "tree": ("tree.0", "tree.1"),
        "flat": ("flat.0", "flat.1"),
        "fts5": ("fts5",),
        "fused": ("fused.0", "fused.1"),
    }


def test_repeats_ask_different_questions() -> None:
    config = configuration(tree={**TREE, "repeats": 2})
    assert arm_settings("tree.0", config) != arm_settings("tree.1", config)


def test_comparisons_name_arms_as_the_study_file_does() -> None:
    pair = {"arm": "tree", "against": "fts5"}
    arms = {"tree": {**TREE, "repeats": 2}, "fts5": {"kind": "fts5"}}
    assert configuration([pair], **arms).comparisons[0].arm == "tree"
    with pytest.raises(
        RoutebenchError,
        match=r"no arm 'tree\.0' \(did you mean tree\?\); expected one of tree, fts5",
    ):
        configuration([{**pair, "arm": "tree.0"}], **arms)


@pytest.mark.parametrize(
    ("arms", "message"),
    [
        ({"x": {**TREE, "repeats": 0}}, r"arms\.x\.repeats is 0; expected a number from 1"),
        ({"x": {**TREE, "repeats": 2, "repeat": 1}}, r"arms\.x: expected one of repeat and"),
        ({"x": {**TREE, "repeats": 1}, "x.0": TREE}, r"arms\.x\.0 is a repeat of arms\.x; rename"),
        ({"x": {"kind": "fts5", "repeats": 2}}, r"arms\.x\.repeats: kind fts5 gives the same"),
        (
            {"x": {**TREE, "repeats": 1}, "y": {**FLAT, "calls_of": "x", "repeats": 2}},
            r"arms\.y\.calls_of: x has no repeat 1",
        ),
        (
            {"x": {**TREE, "repeats": 1}, "y": {**FLAT, "calls_of": "x"}},
            r"arms\.y\.calls_of: no arm 'x'; expected one of x\.0, y",
        ),
        ({"x": {**TREE, "repeat": -1}}, r"arms\.x\.repeat is -1"),
    ],
)
def test_what_cannot_be_repeated_is_said_in_one_line(arms: Any, message: str) -> None:
    with pytest.raises(RoutebenchError, match=message):
        configuration(**arms)


def test_the_hierarchy_study_asks_with_the_published_prompts() -> None:
    """The swapped prompts are written out in the study file; they must stay the kinds' own."""
    import yaml

    given = yaml.safe_load((ROOT / "workflow/studies/hierarchy.yaml").read_text())
    config = load_configuration(given, ROOT / "config.yaml")
    prompts = {}
    for family, names in config.families.items():
        parameters: Any = config.arms[names[0]].parameters
        prompts[family] = (parameters.state_prefix, parameters.instruction)
        assert len(names) >= 3
    assert prompts["tree"] == prompts["flat-asked-as-tree"] == prompts["flat-asked-as-tree-matched"]
    assert prompts["flat"] == prompts["tree-asked-as-flat"] == prompts["flat-matched"]
    assert prompts["tree"] != prompts["flat"]
