"""Plain Snakemake's own commands, as docs/snakemake.md lists them, on a finished study."""

import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "snakemake.md").read_text(encoding="utf-8")
COMMAND = re.compile(r"^\| `\.venv/bin/snakemake --configfile (\S+) ([^`]+)` \|", re.MULTILINE)
EDGE = re.compile(r"^\s+(\w+) --> (\w+)$", re.MULTILINE)
NODE = re.compile(r"^\s+(\w+)\[(\w+)\]$", re.MULTILINE)
# Not in every study: a pinned dataset, published values.
SOMETIMES = {"download", "verify", "verified"}
# What waits for a checkpoint is linked to it no more once it has run.
AFTER_CHECKPOINT = {("cohort", "mirror")}
# Covered elsewhere: by the tests of what a change reruns, and by make lint.
ELSEWHERE = {"--dry-run", "--lint"}
NO_NETWORK = ("unshare", "--net")


def without_network() -> tuple[str, ...]:
    """Returns what a command is started with to have no network, where that is allowed."""
    if not shutil.which(NO_NETWORK[0]):
        return ()
    tried = subprocess.run([*NO_NETWORK, "true"], capture_output=True, check=False)
    return NO_NETWORK if tried.returncode == 0 else ()


@pytest.fixture(scope="module")
def outputs(base: tuple[Any, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each command prints, by its first option; of the report, its text."""
    workspace = base[0]
    report = tmp_path_factory.mktemp("report") / "report.html"
    start = (*without_network(), sys.executable, "-m", "snakemake", "--nolock", "--nocolor")

    def run(options: str) -> tuple[str, str]:
        words = shlex.split(options.replace("report.html", str(report)))
        done = workspace.run([*start, "--configfile", workspace.study, *words])
        assert done.status == 0, done.output
        return words[0], done.output

    with ThreadPoolExecutor(2) as pool:
        listed = [options for _, options in COMMAND.findall(PAGE)]
        asked = [options for options in listed if options.split()[0] not in ELSEWHERE]
        found = dict(pool.map(run, asked))
    return {**found, "--report": report.read_text(encoding="utf-8")}


def test_the_page_sets_what_the_makefile_sets() -> None:
    """Without them Snakemake and matplotlib make folders in the home folder."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.findall(r"^export (\w+) :?= (.+)$", makefile, re.MULTILINE)
    sets = " ".join(f"{name}={value.replace('$(CURDIR)', '$PWD')}" for name, value in named)
    assert f"\nexport {sets}\n" in PAGE


def test_a_finished_study_is_up_to_date(outputs: dict[str, str]) -> None:
    rows = [line.split("\t") for line in outputs["--summary"].splitlines() if "\t" in line]
    assert len(rows) > 50
    assert {row[-1] for row in rows[1:]} == {"no update"}


def test_every_rule_says_what_it_does(outputs: dict[str, str]) -> None:
    listed = dict(re.findall(r"^(\w+) \((.+)\)$", outputs["--list-rules"], re.MULTILINE))
    rules = (ROOT / "workflow" / "rules").glob("*.smk")
    named = {n for p in rules for n in re.findall(r"(?:rule|checkpoint) (\w+):", p.read_text())}
    assert named | {"all", "corpus"} == listed.keys()


def test_the_picture_of_a_run_shows_what_feeds_what(outputs: dict[str, str]) -> None:
    """Each arrow is one of the rule graph's, or of a stage that this study has not."""
    names = dict(NODE.findall(outputs["--rulegraph"]))
    edges = {(names[a], names[b]) for a, b in EDGE.findall(outputs["--rulegraph"])}
    picture = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    drawn = set(EDGE.findall(picture[picture.index("```mermaid") :]))
    assert {edge for edge in drawn - edges - AFTER_CHECKPOINT if not SOMETIMES & set(edge)} == set()
    assert {name for edge in drawn for name in edge} == (set(names.values()) - {"all"}) | SOMETIMES


def test_the_graph_of_jobs_has_each_arm_and_repository(outputs: dict[str, str]) -> None:
    """Six arms that ask no model, and one that does, on two repositories."""
    jobs = re.findall(r"^\s+\w+\[\"?(\w+)", outputs["--dag"], re.MULTILINE)
    assert [jobs.count(rule) for rule in ("rank", "ask", "context", "mirror")] == [12, 2, 2, 2]


def test_the_report_holds_tables_figures_and_cases(outputs: dict[str, str]) -> None:
    report = outputs["--report"]
    for category in ("Tables", "Figures", "Summary", "Cases"):
        assert f'"{category}"' in report
    assert "which of the lines that" in report
    assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="https?:', report)


def test_the_workflow_catalog_finds_what_it_looks_for() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    assert "snakemake" in readme
    assert "workflow" in readme
    assert (ROOT / "Snakefile").is_file()
    assert list((ROOT / "workflow" / "rules").glob("*.smk"))
    assert (ROOT / "config" / "README.md").is_file()
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert (ROOT / usage["mandatory-flags"]["flags"].split()[-1]).is_file()
    assert usage["report"] is True
