"""What the pages name is there: files, links, commands, studies, keys, kinds."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from routebench.arms.registry import KINDS
from routebench.choice.registry import MODEL_KINDS
from routebench.planning.configuration import overlay
from routebench.planning.schema import configuration_schema

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "config" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^ *```(?P<kind>[\w-]*)\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)
LITERAL = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
MADE_THERE = re.compile(r"^`(?P<path>[\w/.-]+)`:\n\n```", re.MULTILINE)
TARGET = re.compile(r"^([a-z-]+):", re.MULTILINE)
FOLDERS = r"(?:benchmarks|config|docs|envs|examples|scripts|tests|workflow)"
FILE = re.compile(rf"(?<![\w./<-]){FOLDERS}/[\w./-]*\w")
MADE_BY_COMMANDS = {"examples/own/repository"}
SUFFIXES = {"parquet"}
# Names that stand for the reader's own.
OWN = {"mine", "name", "mine/study.yaml"}

EVERY_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> str:
    return FENCE.sub("", text_of(page))


def code(page: Path) -> Iterator[str]:
    """Yields every literal and every line of a fenced block."""
    yield from LITERAL.findall(prose(page))
    for block in FENCE.finditer(text_of(page)):
        yield from block["text"].splitlines()


def blocks(page: Path, kind: str) -> list[str]:
    return [m["text"] for m in FENCE.finditer(text_of(page)) if m["kind"] == kind]


def anchors(page: Path) -> set[str]:
    """Returns the anchors of headings as GitHub makes them."""
    text = FENCE.sub("", text_of(page))
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text))
    return {heading.replace(" ", "-") for heading in plain}


@EVERY_PAGE
def test_links_and_anchors_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(prose(page)):
        name, _, anchor = target.partition("#")
        if "://" in target:
            continue
        other = (page.parent / name).resolve() if name else page
        assert other.exists(), target
        assert not anchor or anchor in anchors(other), target


@EVERY_PAGE
def test_every_page_is_in_the_index(page: Path) -> None:
    index = ROOT / "docs" / "README.md"
    if page.parent == index.parent and page != index:
        assert f"]({page.name})" in text_of(index)


@EVERY_PAGE
def test_files_that_are_named_are_there(page: Path) -> None:
    made = set(MADE_THERE.findall(text_of(page))) | MADE_BY_COMMANDS
    for line in code(page):
        for name in FILE.findall(line):
            if name not in made:
                assert (ROOT / name).exists(), name


@EVERY_PAGE
def test_make_targets_studies_and_profiles_are_there(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(TARGET.findall(makefile))
    for line in code(page):
        words = shlex.split(line, comments=True) if line.startswith("make ") else []
        for word in words[1:]:
            name, given, value = word.partition("=")
            if not given:
                assert name in targets, line
            elif name == "STUDY" and value not in OWN:
                study = ROOT / "workflow" / "studies" / f"{value}.yaml"
                assert study.is_file() or (ROOT / value).is_file(), line
            elif name == "PROFILE":
                assert (ROOT / "workflow" / "profiles" / value).is_dir(), line
            else:
                assert re.search(rf"^{name} \?=|\$\({name}\)", makefile, re.MULTILINE), line


@EVERY_PAGE
def test_modules_that_are_run_are_there(page: Path) -> None:
    for name in re.findall(r"-m (routebench[\w.]*)", text_of(page)):
        assert (ROOT / "workflow" / f"{name.replace('.', '/')}.py").is_file(), name


@EVERY_PAGE
def test_keys_and_values_of_the_configuration_are_allowed(page: Path) -> None:
    """Kinds that a page makes itself are checked where they are made."""
    if page.name.startswith("adding-"):
        return
    schema = configuration_schema()
    defaults = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    for block in blocks(page, "yaml"):
        values: dict[str, Any] = yaml.safe_load(block)
        if values.keys() & schema["properties"].keys():
            whole = overlay(defaults, values)
            assert [e.message for e in Draft202012Validator(schema).iter_errors(whole)] == [], block


@EVERY_PAGE
def test_dotted_keys_are_keys(page: Path) -> None:
    schema = configuration_schema()
    for literal in LITERAL.findall(prose(page)):
        match = re.match(r"([a-z]+)\.([a-z_]+)\b(?!\.)", literal)
        part = schema["properties"].get(match[1], {}) if match else {}
        if match and "$ref" in part and match[2] not in SUFFIXES:
            section = schema["$defs"][part["$ref"].rpartition("/")[2]]
            assert match[2] in section["properties"], literal


def test_kinds_are_listed_whole_where_they_are_listed() -> None:
    config = (ROOT / "config.yaml").read_text(encoding="utf-8").replace("\n#", "")
    listed = [re.split(", ", words) for words in re.findall(r"Kinds: ([a-z0-9, -]+)\.", config)]
    assert listed == [sorted(KINDS), sorted(MODEL_KINDS)]
    table = re.findall(
        r"^\| `([a-z]+)` \|", text_of(ROOT / "docs" / "choice-models.md"), re.MULTILINE
    )
    assert sorted(table[: len(MODEL_KINDS)]) == sorted(MODEL_KINDS)
