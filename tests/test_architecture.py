"""Who may import whom, and how large things may grow (STYLE "Our conventions")."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "workflow" / "routebench"
MODULES = sorted(PACKAGE.rglob("*.py"))
SCRIPTS = sorted((ROOT / "scripts").glob("*.py"))
RULES = sorted((ROOT / "workflow" / "rules").glob("*.smk"))
BASE = ("errors", "files", "records", "tables")
ROOMS = (
    "datasets",
    "corpus",
    "choice",
    "arms",
    "context",
    "evaluation",
    "statistics",
    "reporting",
    "verification",
    "planning",
    "command_line",
    "__main__",
)
RULE = re.compile(r"^(?:rule|checkpoint) (?P<name>\w+):\n(?P<body>(?:    .*\n|\n)+)", re.MULTILINE)
# `all` and `corpus` are targets: they run nothing.
TARGETS = {"all", "corpus"}
LONGEST_FUNCTION = 60


def module_name(path: Path) -> str:
    parts = ("routebench", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported(path: Path) -> Iterator[str]:
    """Yields every module that a file imports, in functions and for types too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def graph() -> dict[str, set[str]]:
    names = {module_name(path) for path in MODULES}
    return {
        module_name(path): {name for name in imported(path) if name in names} for path in MODULES
    }


def room_of(module: str) -> str:
    """Name of a module's room, or of the module itself in the base."""
    return f"{module}.".split(".")[1]


def place(module: str) -> int:
    """Position of a module's room in the flow of data; the base is before all."""
    room = room_of(module)
    return ROOMS.index(room) if room in ROOMS else -1


def test_every_module_is_in_a_room_or_the_base() -> None:
    assert {room_of(module_name(path)) for path in MODULES} == {"", *BASE, *ROOMS}


def test_rooms_import_only_from_rooms_upstream() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, others in graph().items()
        for other in sorted(others - {"routebench"})
        if place(other) > place(module)
    ]
    assert wrong == []


def test_imports_have_no_circle() -> None:
    waiting = graph()
    while ready := [module for module, others in waiting.items() if not others & waiting.keys()]:
        for module in ready:
            del waiting[module]
    assert sorted(waiting) == []


def test_the_package_does_not_know_snakemake() -> None:
    wrong = [
        f"{module_name(path)} imports {name}"
        for path in MODULES
        for name in imported(path)
        if name.split(".")[0].startswith("snakemake")
    ]
    assert wrong == []


def test_the_object_snakemake_is_in_scripts_only() -> None:
    users = [
        path.relative_to(ROOT).as_posix()
        for path in [*MODULES, *(ROOT / "tests").rglob("*.py")]
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Name) and node.id == "snakemake"
    ]
    assert users == []
    assert all("snakemake." in path.read_text() for path in SCRIPTS)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_are_thin(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 25
    nodes = list(ast.walk(tree(path)))
    assert not [n for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef | ast.Lambda)]
    assert any(isinstance(node, ast.With) for node in tree(path).body), "not in `logged`"


def test_every_script_belongs_to_a_rule_and_every_rule_to_a_script() -> None:
    named = {name for path in RULES for name in re.findall(r"/scripts/(\w+)\.py", path.read_text())}
    assert named == {path.stem for path in SCRIPTS}


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_rules_are_short_and_say_what_they_do(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) < 120
    for word in ("inputs ", "outputs ", "steps "):
        assert f"\n{word}" in text.split('"""')[1], f"docstring without {word}"
    assert "lambda" not in text
    assert not re.search(r"^ +run:", text, re.MULTILINE)
    assert not re.search(r"^def ", text, re.MULTILINE)
    rules = list(RULE.finditer(text))
    assert rules
    for rule in rules:
        assert rule["body"].startswith('    """'), f"{rule['name']} has no docstring"
        if rule["name"] not in TARGETS:
            for part in ("output", "log", "conda", "resources", "script"):
                assert f"\n    {part}:\n" in rule["body"], f"{rule['name']} has no {part}"


def test_the_snakefile_is_one_screen() -> None:
    text = (ROOT / "Snakefile").read_text()
    assert len(text.splitlines()) <= 60
    assert "lambda" not in text
    assert not re.search(r"\bdef ", text)
    included = re.findall(r'^include: "workflow/rules/(\w+)\.smk"', text, re.MULTILINE)
    assert sorted(included) == [path.stem for path in RULES]


def test_no_function_is_too_long() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in [*MODULES, *(ROOT / "tests").rglob("*.py")]
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef)
        and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    ]
    assert long == []


def test_every_module_says_what_it_is() -> None:
    assert [str(path) for path in MODULES if not ast.get_docstring(tree(path))] == []
