"""The demo study in an empty folder, twice: the same bytes, and nothing to do again."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def wheels() -> str | None:
    """Folder of the demo's releases, if they are at hand; else pip fetches them."""
    given = os.environ.get("ROUTEBENCH_MIRROR")
    ours = ROOT / "cache" / "releases"
    return given or (str(ours) if ours.is_dir() else None)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, project: Any) -> Any:
    workspace = project(tmp_path_factory.mktemp("demo") / "project", "workflow/studies/demo.yaml")
    mirror = wheels()
    if mirror:
        workspace.environment["ROUTEBENCH_MIRROR"] = mirror
    finished = workspace.make_study()
    print(f"demo study: {finished.seconds:.0f} s")
    assert finished.status == 0, finished.output
    return workspace, finished


def test_it_ends_with_the_main_table_and_where_things_are(demo: Any) -> None:
    workspace, finished = demo
    summary = (workspace.results / "summary.txt").read_text()
    assert finished.output.endswith(summary)
    assert "Failed: none" in summary
    for arm in yaml.safe_load(workspace.path("config.yaml").read_text())["arms"]:
        assert f"\n{arm} " in summary


def test_the_readme_shows_what_it_ends_with(demo: Any) -> None:
    summary = (demo[0].results / "summary.txt").read_text()
    assert f"```\n{summary}```" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_second_run_does_nothing(demo: Any) -> None:
    finished = demo[0].make_study()
    print(f"second run of the demo: {finished.seconds:.1f} s")
    assert "Nothing to be done" in finished.output
    assert finished.seconds < 6


def test_from_the_start_again_it_gives_the_same_bytes(demo: Any) -> None:
    """Results and Snakemake's records go; downloads stay, and mirrors, whose ids are pinned."""
    workspace = demo[0]
    before = workspace.bytes()
    for name in ("results", ".snakemake"):
        shutil.rmtree(workspace.path(name))
    finished = workspace.make_study()
    assert finished.status == 0, finished.output
    after = workspace.bytes()
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == []
    assert len(before) > 100
