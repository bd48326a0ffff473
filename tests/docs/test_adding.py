"""Who follows the pages on adding an arm and a choice model ends with kinds that work."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("adding-an-arm.md", "adding-a-choice-model.md")
FILE = re.compile(r"^`(?P<path>[\w/.-]+)`:\n\n```python\n(?P<text>.*?)^```$", re.M | re.S)
LINE = re.compile(
    r"^A line in `(?P<table>\w+)` of `(?P<path>[\w/.-]+)`.*?```python\n(?P<text>.*?)```",
    re.M | re.S,
)
COPIED = (
    "workflow",
    "config.yaml",
    "pyproject.toml",
    "tests/conftest.py",
    "tests/arms/conftest.py",
)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A copy of the project after both pages, and the files that they add."""
    project = tmp_path_factory.mktemp("followed")
    for name in COPIED:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, project / name)
    (project / "docs").mkdir()
    added = []
    for page in PAGES:
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        for file in FILE.finditer(text):
            (project / file["path"]).parent.mkdir(parents=True, exist_ok=True)
            (project / file["path"]).write_text(file["text"], encoding="utf-8")
            added.append(file["path"])
        [line] = LINE.finditer(text)
        registry = project / line["path"]
        start = f"{line['table']} = {{\n"
        assert start in registry.read_text()
        registry.write_text(registry.read_text().replace(start, start + line["text"]))
    return project, added


def run(project: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=project,
        env={"PYTHONPATH": "workflow", "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_tests_of_the_pages_pass(followed: tuple[Path, list[str]]) -> None:
    project, added = followed
    assert len(added) == 4
    tests = [name for name in added if name.startswith("tests/")]
    assert "3 passed" in run(project, "pytest", *tests, "-o", "addopts=--import-mode=importlib")


def test_the_generated_files_tell_of_the_new_kinds(followed: tuple[Path, list[str]]) -> None:
    project, _ = followed
    run(project, "routebench.planning.references")
    page = (project / "docs" / "config.md").read_text(encoding="utf-8")
    assert "| `seed` | whole number from 0 | `0` | Another seed gives another order. |" in page
    assert "| `enough` | whole number from 1 | `4` | " in page
