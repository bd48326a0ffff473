"""Every wrong configuration is one line: the key, its value, what is allowed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from routebench.errors import RoutebenchError
from routebench.planning.configuration import (
    Configuration,
    load_configuration,
    overlay,
    parse_configuration,
)
from routebench.planning.run import read_study

ROOT = Path(__file__).parents[2]
FTS5 = {"kind": "fts5"}
TWO = {"fts5": FTS5, "rg": {"kind": "ripgrep"}}

DEFAULTS = yaml.safe_load((ROOT / "config.yaml").read_text()) | {
    "dataset": {"kind": "own", "path": "issues.jsonl"},
    "arms": TWO,
    "models": {"static": {"kind": "static"}},
    "comparisons": [{"arm": "fts5", "against": "rg"}],
}


def parse(**sections: Any) -> Configuration:
    return parse_configuration(overlay(DEFAULTS, sections))


def arms(**entries: Any) -> dict[str, Any]:
    return {"arms": {**TWO, **entries}}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key at the top": (
        {"studdy": "x"},
        "studdy is not a key (did you mean study?); expected one of study, ",
    ),
    "unknown key of a section": (
        {"context": {"budget": [1]}},
        "context.budget is not a key (did you mean budgets?); "
        "expected one of budgets, best_lines, margin",
    ),
    "unknown key of a list's entry": (
        {"comparisons": [{"arm": "fts5", "against": "rg", "k": 8}]},
        "comparisons.0.k is not a key; expected one of arm, against",
    ),
    "unknown key of a quota": (
        {"cohort": {"quotas": {"python": {"repositories": 1, "owners": 2}}}},
        "cohort.quotas.python.owners is not a key; expected one of repositories, distinct_owners",
    ),
    "unknown limit": (
        {"limits": {"arms": {"fts5": {"eur": 1}}}},
        "limits.arms.fts5.eur is not a key; expected one of usd, calls, tokens",
    ),
    "missing key": (
        {"comparisons": [{"arm": "fts5"}]},
        "comparisons.0.against is missing; expected: Arm that is subtracted.",
    ),
    "section that is a list": ({"context": [1]}, "context is [1]; expected keys and values"),
    "section that is empty": ({"cohort": None}, "cohort is None; expected keys and values"),
    "text for a list": ({"context": {"budgets": "8"}}, "context.budgets is '8'; expected a list"),
    "text for a number": (
        {"statistics": {"resamples": "many"}},
        "statistics.resamples is 'many'; expected a whole number",
    ),
    "dataset with a wildcard in its name": (
        {"dataset": {"kind": "own", "path": "issues{1}.csv"}},
        "dataset.path is 'issues{1}.csv'; expected text of the form ^[^{}]+$",
    ),
    "number for text": ({"title": 3}, "title is 3; expected text"),
    "true for a number": ({"k": [True]}, "k.0 is True; expected a whole number"),
    "bad choice": (
        {"reporting": {"cost": "hours"}},
        "reporting.cost is 'hours'; expected 'wall_ms' or 'calls'",
    ),
    "too few resamples": (
        {"statistics": {"resamples": 39}},
        "statistics.resamples is 39; expected at least 40",
    ),
    "budget of nothing": (
        {"context": {"budgets": [100, 0]}},
        "context.budgets.1 is 0; expected at least 1",
    ),
    "k beyond any count": (
        {"k": [2**31]},
        "k.0 is 2147483648; expected at most 2147483647",
    ),
    "no k": ({"k": []}, "k is []; expected at least 1 items"),
    "descending k": (
        {"k": [16, 8]},
        "k is [16, 8]; expected distinct numbers in ascending order",
    ),
    "k twice": ({"k": [8, 8]}, "k is [8, 8]; expected distinct numbers in ascending order"),
    "no arms": ({"arms": {}}, "arms is {}; expected at least 1 items"),
    "arms in a list": ({"arms": [FTS5]}, "arms is [{'kind': 'fts5'}]; expected keys and values"),
    "arm that is text": (arms(x="fts5"), "arms.x is 'fts5'; expected keys and values"),
    "arm without kind": (arms(x={}), "arms.x.kind is None; expected one of archive, basename, "),
    "unknown kind of arm": (
        arms(x={"kind": "grep"}),
        "arms.x.kind is 'grep' (did you mean ripgrep?); expected one of archive, basename, ",
    ),
    "unknown parameter": (
        arms(x={"kind": "basename", "weight": 1}),
        "arms.x.weight is not a key; expected one of kind, ",
    ),
    "wrong type of parameter": (
        arms(x={"kind": "fts5", "path_weight": "two"}),
        "arms.x.path_weight is 'two'; expected a number",
    ),
    "parameter out of range": (
        arms(x={"kind": "fts5", "path_weight": 0}),
        "arms.x.path_weight is 0; expected more than 0.0",
    ),
    "parameter without end": (
        arms(x={"kind": "fts5", "path_weight": "1e999"}),
        "arms.x.path_weight is '1e999'; expected a finite number",
    ),
    "bad choice of a parameter": (
        arms(x={"kind": "fts5", "columns": ["name"]}),
        "arms.x.columns.0 is 'name'; expected 'path' or 'content'",
    ),
    "missing parameter": (
        arms(x={"kind": "rrf"}),
        "arms.x.sources is missing; expected: Names of the arms that are fused.",
    ),
    "parameter that is a number": (arms(x={"kind": "fts5", 5: 1}), "arms.x.5 is not a key; "),
    "source that is not there": (
        arms(x={"kind": "rrf", "sources": ["fts5", "bm"]}),
        "arms.x.sources: no arm 'bm'; expected one of fts5, rg, x",
    ),
    "arm that feeds itself": (
        arms(x={"kind": "rrf", "sources": ["x"]}),
        "arms.x.sources: arms feed each other in a circle",
    ),
    "arms in a circle": (
        arms(x={"kind": "rrf", "sources": ["y"]}, y={"kind": "rrf", "sources": ["fts5", "x"]}),
        "arms.x.sources: arms feed each other in a circle",
    ),
    "compared with no arm": (
        {"comparisons": [{"arm": "fts5", "against": "tree"}]},
        "comparisons: no arm 'tree'; expected one of fts5, rg",
    ),
    "overlap with no arm": (
        {"statistics": {"overlaps": [{"arm": "fts5", "without": ["tree"]}]}},
        "statistics.overlaps: no arm 'tree'; expected one of fts5, rg",
    ),
    "limit of no arm": (
        {"limits": {"arms": {"tree": {"usd": 1}}}},
        "limits.arms: no arm 'tree'; expected one of fts5, rg",
    ),
    "negative limit": (
        {"limits": {"study": {"usd": -1}}},
        "limits.study.usd is -1; expected at least 0.0",
    ),
    "unknown model": (
        arms(x={"kind": "tree", "model": "gpt"}),
        "arms.x.model: no model 'gpt'; expected one of static",
    ),
    "unknown model where there are none": (
        {**arms(x={"kind": "tree", "model": "gpt"}), "models": {}},
        "arms.x.model: no model 'gpt'; none is configured",
    ),
    "unknown kind of model": (
        {"models": {"m": {"kind": "oracle"}}},
        "models.m.kind is 'oracle'; expected one of openai, replay, static, typesafe",
    ),
    "unknown parameter of a model": (
        {"models": {"m": {"kind": "static", "heat": 1}}},
        "models.m.heat is not a key; expected one of kind, ",
    ),
    "unknown pin of an arm": (
        arms(x={"kind": "archive", "pin": "nope"}),
        "arms.x.pin: no pin 'nope'; expected one of contextbench, ",
    ),
    "unknown pin of the dataset": (
        {"dataset": {"kind": "contextbench", "pin": "nope"}},
        "dataset.pin: no pin 'nope'; expected one of contextbench, ",
    ),
    "both pin and path": (
        {"dataset": {"kind": "contextbench", "pin": "contextbench", "path": "x"}},
        "dataset: pin is 'contextbench' and path 'x'; expected exactly one of them",
    ),
    "neither pin nor path": (
        {"dataset": {"kind": "contextbench"}},
        "dataset: pin is None and path None; expected exactly one of them",
    ),
    "own issues by pin": (
        {"dataset": {"kind": "own", "pin": "contextbench"}},
        "dataset: pin is 'contextbench'; expected none, kind own takes a path",
    ),
    "address without a repository": (
        {"repositories": {"url": "https://example.org/"}},
        "repositories.url is 'https://example.org/'; expected text of the form ",
    ),
    "results at the root": ({"results": ""}, "results is ''; expected text of the form "),
    "results with a wildcard": ({"results": "a{b}"}, "results is 'a{b}'; expected text of the "),
    "study above its folder": ({"study": "../x"}, "study is '../x'; expected text of the form "),
    "study in a folder": ({"study": "a/b"}, "study is 'a/b'; expected text of the form "),
    "model in a folder": (
        {"models": {"a/b": {"kind": "static"}}},
        "models has the name 'a/b'; expected text of the form ",
    ),
}
WRONG_NAMES = {
    "a/b": "arms has the name 'a/b'; expected text of the form ",
    "..": "arms has the name '..'; expected text of the form ",
    ".hidden": "arms has the name '.hidden'; expected text of the form ",
    "two words": "arms has the name 'two words'; expected text of the form ",
    "two\nlines": "arms has the name 'two\\nlines'; expected text of the form ",
    "a" * 101: f"arms has the name '{'a' * 79}…; expected text of at most 100 characters",
    "": "arms has the name ''; expected text of the form ",
    5: "arms has the name 5; expected text",
    "repo": "arms.repo: tables have a column named repo already; expected another name, ",
    "cases": "arms.cases: tables have a column named cases already; expected another name, ",
    "Excluded": "arms.Excluded: tables have a column named excluded already; expected another ",
    "FTS5": "arms.FTS5: tables have an arm named fts5 already; expected another name, ",
}


def message(values: dict[str, Any]) -> str:
    with pytest.raises(RoutebenchError) as caught:
        parse(**values)
    return str(caught.value)


@pytest.mark.parametrize(("values", "expected"), WRONG.values(), ids=WRONG.keys())
def test_names_key_value_and_what_is_allowed(values: dict[str, Any], expected: str) -> None:
    found = message(values)
    assert found.startswith(f"config: {expected}")
    assert "\n" not in found


@pytest.mark.parametrize("name", WRONG_NAMES)
def test_refuses_names_that_are_no_folder_or_column(name: Any) -> None:
    found = message({"arms": {**TWO, name: {"kind": "basename"}}})
    assert found.startswith(f"config: {WRONG_NAMES[name]}")
    assert "\n" not in found


def test_a_long_value_is_cut() -> None:
    found = message({"k": "8" * 1000})
    assert len(found) < 200


def test_the_defaults_above_are_right() -> None:
    assert tuple(parse().arms) == ("fts5", "rg")


def test_overlay_replaces_what_is_one_thing_and_adds_to_the_rest() -> None:
    base = {
        "study": "a",
        "k": [8, 16],
        "arms": {"x": {"kind": "fts5"}},
        "models": {"m": {"kind": "static"}},
        "dataset": {"kind": "own", "path": "p"},
        "comparisons": [1],
        "context": {"budgets": [1], "margin": 200},
        "limits": {"study": {"usd": 1}, "arms": {}},
    }
    study = {
        "k": [4],
        "arms": {"y": {"kind": "basename"}},
        "models": {},
        "dataset": {"kind": "contextbench", "pin": "q"},
        "comparisons": [],
        "context": {"margin": 3},
        "limits": {"study": {"calls": 2}},
    }
    assert overlay(base, study) == {
        "study": "a",
        "k": [4],
        "arms": {"y": {"kind": "basename"}},
        "models": {},
        "dataset": {"kind": "contextbench", "pin": "q"},
        "comparisons": [],
        "context": {"budgets": [1], "margin": 3},
        "limits": {"study": {"calls": 2}, "arms": {}},
    }
    assert base["context"] == {"budgets": [1], "margin": 200}


def test_files_that_are_not_there_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults = tmp_path / "config.yaml"
    defaults.write_text(yaml.safe_dump(DEFAULTS))
    with pytest.raises(RoutebenchError, match=r"^config: dataset\.path is 'no\.csv'; expected a f"):
        load_configuration({"dataset": {"kind": "own", "path": "no.csv"}}, defaults)
    (tmp_path / "issues.jsonl").write_text("")
    ours = {"dataset": {"kind": "own", "path": str(tmp_path / "issues.jsonl")}}
    monkeypatch.chdir(ROOT)
    assert load_configuration(ours, defaults).dataset.path == ours["dataset"]["path"]
    with pytest.raises(RoutebenchError, match=r"^config: repositories\.releases is 'no\.yaml'; "):
        load_configuration({**ours, "repositories": {"releases": "no.yaml"}}, defaults)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("study: [", "not YAML (while parsing"),
        ("a: b: c", "not YAML (mapping values are not allowed"),
        (b"\xff\xfe\xff", "not YAML ("),
        ("- study", "expected keys and values"),
        ("demo", "expected keys and values"),
        ("", "expected keys and values"),
    ],
    ids=["open bracket", "two colons", "bytes", "list", "word", "empty"],
)
def test_a_study_file_that_is_none_is_one_line(
    tmp_path: Path, text: str | bytes, expected: str
) -> None:
    file = tmp_path / "x.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RoutebenchError) as caught:
        read_study(file)
    assert str(caught.value).startswith(f"{file}: {expected}")
    assert "\n" not in str(caught.value)


def commands(file: Path, folder: Path) -> dict[str, list[str]]:
    plain = ["-m", "snakemake", "-n", "--directory", str(folder), "--configfile", str(file)]
    return {
        "make study": ["-m", "routebench.planning.run", "--study", str(file), "--cores", "1"],
        "snakemake": [*plain, "--snakefile", str(ROOT / "Snakefile")],
    }


@pytest.mark.parametrize("command", ["make study", "snakemake"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("contxt: {}", "contxt is not a key (did you mean context?); expected one of study, "),
        (
            "arms: {x: {kind: grep}}",
            "arms.x.kind is 'grep' (did you mean ripgrep?); expected one of archive, ",
        ),
        ("arms: {a/b: {kind: fts5}}\ncomparisons: []", "arms has the name 'a/b'; "),
    ],
    ids=["key", "kind", "name"],
)
def test_the_commands_say_the_line_and_start_nothing(
    tmp_path: Path, command: str, text: str, expected: str
) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(text)
    given = {"PYTHONPATH": str(ROOT / "workflow"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, *commands(file, tmp_path)[command]],
        cwd=ROOT,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("routebench: ")]
    assert len(lines) == 1
    # Plain Snakemake hands over values, and no name of their file.
    place = file if command == "make study" else "config"
    assert lines[0].startswith(f"routebench: {place}: {expected}")
    assert "Traceback" not in done.stdout + done.stderr
    assert not (tmp_path / "results").exists()
    if command == "make study":
        assert done.stderr.splitlines() == lines


@pytest.mark.parametrize("text", ["- a list", "", "a: ["], ids=["list", "empty", "no YAML"])
def test_plain_snakemake_refuses_a_file_that_is_no_study(tmp_path: Path, text: str) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(text)
    done = subprocess.run(
        [sys.executable, *commands(file, tmp_path)["snakemake"]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert "Config file " in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_study_that_is_not_there_names_those_that_are() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "routebench.planning.run", "--study", "nope", "--cores", "1"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "workflow"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("routebench: STUDY=nope: no such study or file; studies are demo")
    assert done.stderr.count("\n") == 1
