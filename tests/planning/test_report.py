"""What the report takes from the configuration and from the inputs of its rule."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from routebench.planning.configuration import Configuration, load_configuration
from routebench.planning.report import parse_report, report_files
from routebench.planning.report_settings import report_values

DEFAULTS = Path(__file__).parents[2] / "config.yaml"
ARMS = {
    "rg": {"kind": "ripgrep"},
    "tree": {"kind": "tree", "model": "static", "p_min": 0.02},
    "both": {"kind": "rrf", "sources": ["rg", "tree"]},
}
SETTINGS = {
    "study": "demo",
    "title": "Which?",
    "k": [8],
    "main_budget": None,
    "comparisons": [["tree", "rg"]],
    "provenance": "by hand",
    "published": None,
    "arms": [[name, arm["kind"], "", name] for name, arm in ARMS.items()],
}


def config(**sections: Any) -> Configuration:
    given = {"arms": ARMS, "comparisons": [{"arm": "tree", "against": "rg"}], **sections}
    return load_configuration(given, DEFAULTS)


def test_arms_are_described_with_all_that_they_are_given() -> None:
    arms = report_values(config())["arms"]
    assert arms["tree"]["summary"] == "Walk of the directory tree with a choice model."
    assert arms["tree"]["given"] == ["model", "p_min"]
    assert arms["tree"]["parameters"]["p_min"] == 0.02
    assert arms["tree"]["parameters"]["calls"] == 32
    assert arms["tree"]["models"]["static"]["kind"] == "static"
    assert arms["both"]["sources"] == ["rg", "tree"]


@pytest.mark.parametrize("kind", ["fts5", "basename", "ripgrep"])
def test_summaries_name_no_internal_page(kind: str) -> None:
    summary = report_values(config(arms={"a": {"kind": kind}}, comparisons=[]))["arms"]["a"]
    assert summary["summary"].endswith(".")
    assert "METHODS" not in summary["summary"]


def test_addresses_are_those_of_the_study_not_of_a_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUTEBENCH_GIT_URL", "file:///mirror/{repo}")
    fetched = config(repositories={"releases": None})
    assert report_values(fetched)["url"] == "https://github.com/{repo}.git"
    assert report_values(config())["url"] is None, "releases stand in for the repositories"


def test_the_study_comes_back_from_its_settings() -> None:
    values = json.loads(json.dumps(report_values(config())))
    study = parse_report(SETTINGS, values)
    assert [arm.name for arm in study.arms] == list(ARMS)
    assert study.comparisons == [("tree", "rg")]
    assert study.settings.ks == (8,)


def test_descriptions_load_nothing_heavy() -> None:
    """They are made whenever the Snakefile is read."""
    names = ("routebench.planning.report_settings", "routebench.reporting.site.parts")
    code = f"import sys, {', '.join(names)}; print({{'duckdb', 'pyarrow'}} & sys.modules.keys())"
    asked = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(DEFAULTS.parent / "workflow")}
    done = subprocess.run(asked, capture_output=True, check=True, text=True, env=environment)
    assert done.stdout == "set()\n"


def test_files_by_arm() -> None:
    names = ("cases", "gold", "exclusions", "scores", "statistics", "overlaps")
    inputs = SimpleNamespace(
        **{name: f"{name}.parquet" for name in names},
        spans=[],
        rankings=["rankings/rg/a__b.parquet"],
        operations=[],
        contexts=[],
        traces=["traces/tree/a__b.parquet"],
        commits=["commits/a__b.json"],
        queries=["arms.sql"],
        figures=[],
        verdicts=["verify.csv"],
    )
    files = report_files(inputs, SETTINGS)
    assert files.traces == {"rg": [], "tree": [Path("traces/tree/a__b.parquet")], "both": []}
    assert files.verdicts == Path("verify.csv")
    inputs.verdicts = []
    assert report_files(inputs, SETTINGS).verdicts is None
