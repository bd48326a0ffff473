"""What each stage's settings file is made of, and what it is not."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from routebench.planning.configuration import Configuration, load_configuration
from routebench.planning.fingerprints import module_closure
from routebench.planning.stages import STAGES, arm_settings, stage_settings

ROOT = Path(__file__).parents[2]
IMPORT = re.compile(r"^from (routebench\.[\w.]+) import (.+)$", re.MULTILINE)
# What every script uses to run at all; its own behaviour is tested, results do not hang on it.
PLUMBING = {"routebench.planning.jobs", "routebench.planning.settings", "routebench.files"}
SCRIPT_STAGES = {
    "archived_cases": "cases",
    "figure": "reporting",
    "snapshot": "corpus",
    "summary": "reporting",
    "tables": "reporting",
    "verified": "verification",
    "verify": "verification",
}
# Both read everything, name the inputs of everything, and run last.
LAST = {"reporting", "verification", "report"}

ARMS: dict[str, Any] = {
    "fts5": {"kind": "fts5", "path_weight": 2.0, "content_weight": 1.0},
    "rg": {"kind": "ripgrep"},
    "asked": {"kind": "tree", "model": "static"},
    "rg+fts5": {"kind": "rrf", "sources": ["rg", "fts5"]},
}


def config(**sections: Any) -> Configuration:
    given = {"arms": ARMS, "comparisons": [{"arm": "fts5", "against": "rg"}], **sections}
    return load_configuration(given, ROOT / "config.yaml")


def texts(config: Configuration) -> dict[str, str]:
    stages = {name: stage_settings(name, config) for name in STAGES}
    return stages | {f"arm {name}": arm_settings(name, config) for name in config.arms}


def changed(**sections: Any) -> set[str]:
    """Which settings differ, but those of the last stages."""
    before, after = texts(config()), texts(config(**sections))
    return {name for name in after if before.get(name) != after[name]} - LAST


def test_nothing_changes_with_nothing() -> None:
    assert texts(config()) == texts(config())


def test_an_arm_changes_with_its_own_parameters() -> None:
    arms = {**ARMS, "fts5": {"kind": "fts5", "path_weight": 1.0, "content_weight": 2.0}}
    assert changed(arms=arms) == {"arm fts5"}


def test_an_arm_changes_with_its_model() -> None:
    assert changed(models={"static": {"kind": "static", "temperature": 0.5}}) == {"arm asked"}


def test_a_new_arm_changes_no_other() -> None:
    arms = {**ARMS, "new": {"kind": "basename"}}
    assert changed(arms=arms) <= {"arm new", "scores", "overlaps", "statistics"}


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ({"title": "Other"}, set()),
        ({"limits": {"study": {"usd": 1}}}, set()),
        ({"results": "elsewhere"}, set()),
        ({"reporting": {"cost": "calls"}}, set()),
        ({"statistics": {"resamples": 50}}, {"statistics"}),
        ({"context": {"budgets": [1]}}, {"context", "scores"}),
        ({"context": {"margin": 1}}, {"context"}),
        ({"corpus": {"max_file_bytes": 1}}, {"corpus"}),
        ({"cohort": {"cases_per_repository": 1}}, {"cohort"}),
    ],
    ids=lambda value: next(iter(value), "nothing") if isinstance(value, dict) else "",
)
def test_a_section_changes_its_own_stages(sections: dict[str, Any], expected: set[str]) -> None:
    assert changed(**sections) == expected


def test_a_larger_k_changes_every_arm_and_a_dropped_smaller_one_none() -> None:
    arms = {f"arm {name}" for name in ARMS}
    assert changed(k=[8, 20]) >= arms
    assert not changed(k=[16]) & arms


def test_an_arm_is_fingerprinted_without_the_others() -> None:
    for name, module in (("fts5", "routebench.arms.fts5"), ("rg", "routebench.arms.ripgrep")):
        assert json.loads(arm_settings(name, config()))["code"]
        others = {"routebench.arms.fts5", "routebench.arms.ripgrep"} - {module}
        closure = module_closure(["routebench.arms.run", "routebench.arms.inputs", module])
        assert not closure & others


def stage_of(script: str) -> str:
    return SCRIPT_STAGES.get(script, script)


@pytest.mark.parametrize(
    "script", sorted(p.stem for p in (ROOT / "scripts").glob("*.py")), ids=lambda name: name
)
def test_what_a_script_imports_is_in_its_stage(script: str) -> None:
    """A module that a script calls and its settings leave out would change unseen."""
    text = (ROOT / "scripts" / f"{script}.py").read_text()
    used = {match[1] for match in IMPORT.finditer(text)} - PLUMBING
    stage = stage_of(script)
    if stage not in STAGES:
        # Ranking has settings per arm, and a download is checked by its pin.
        assert script in {"rank", "download"}
        return
    covered = module_closure(STAGES[stage].modules)
    planning = {name for name in used if name.startswith("routebench.planning")}
    assert used - planning - covered - NOT_COUNTED.get(stage, set()) == set()


# A mirror is what its object ids say, however it was fetched.
NOT_COUNTED = {
    "mirror": {"routebench.corpus.provide", "routebench.datasets.cohort_files"},
    "corpus": {"routebench.corpus.mirror", "routebench.datasets.cohort_files"},
    "audit": {"routebench.corpus.mirror"},
}
