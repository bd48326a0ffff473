"""Fingerprints change with code that runs, and with nothing else."""

from pathlib import Path

import pytest

from routebench.planning import fingerprints
from routebench.planning.fingerprints import ROOT, fingerprint_modules, module_closure

ARM = '''\
"""An arm."""

from typing import TYPE_CHECKING

from routebench.base import thing

if TYPE_CHECKING:
    from routebench.types_only import Type


class Arm:
    """A class."""

    def rank(self):
        """Ranks."""
        from routebench.late import helper

        return helper(thing)
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "routebench"
    (root / "room").mkdir(parents=True)
    (root / "__init__.py").write_text("")
    (root / "room" / "__init__.py").write_text('"""A room."""')
    (root / "arm.py").write_text(ARM)
    (root / "base.py").write_text("thing = 1\n")
    (root / "late.py").write_text("from routebench import room\nimport json\n")
    (root / "types_only.py").write_text("class Type: ...\n")
    (root / "apart.py").write_text("import routebench.base\n")
    return root


def fingerprint(package: Path, module: str = "routebench.arm") -> str:
    # Files are read once per run of the program, so a second look needs a fresh start.
    for function in (fingerprints._tree, fingerprints._imports, fingerprints._code_digest):
        function.cache_clear()
    return fingerprint_modules([module], package)


def test_closure_follows_imports_in_functions_but_not_for_type_checking(package: Path) -> None:
    found = module_closure(["routebench.arm"], package)
    assert found == {"routebench.arm", "routebench.base", "routebench.late", "routebench.room"} | (
        {"routebench"} if "routebench" in found else set()
    )
    assert "routebench.types_only" not in found
    assert "routebench.apart" not in found


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("arm.py", '"""An arm."""', '"""Another text."""'),
        ("arm.py", '"""A class."""', '"""Another text."""'),
        ("arm.py", '        """Ranks."""\n', ""),
        ("arm.py", "        return", "        # why\n\n        return"),
        ("arm.py", "helper(thing)", "helper( thing )"),
        ("types_only.py", "Type", "Other"),
        ("apart.py", "base", "late"),
    ],
)
def test_words_layout_and_other_modules_do_not_count(
    package: Path, file: str, old: str, new: str
) -> None:
    before = fingerprint(package)
    edit(package / file, old, new)
    assert fingerprint(package) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("arm.py", "helper(thing)", "helper(-thing)"),
        ("base.py", "1", "2"),
        ("late.py", "json", "csv"),
        ("room/__init__.py", '"""A room."""', "x = 1"),
    ],
)
def test_code_of_a_module_and_of_what_it_imports_counts(
    package: Path, file: str, old: str, new: str
) -> None:
    before = fingerprint(package)
    edit(package / file, old, new)
    assert fingerprint(package) != before


def test_a_folder_of_data_beside_a_module_is_not_the_module(package: Path) -> None:
    (package / "late").mkdir()
    before = fingerprint(package)
    edit(package / "late.py", "json", "csv")
    assert fingerprint(package) != before


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_an_arm_does_not_depend_on_another_arm() -> None:
    found = module_closure(
        ["routebench.arms.run", "routebench.arms.inputs", "routebench.arms.fts5"]
    )
    assert "routebench.arms.fts5" in found
    assert "routebench.arms.ripgrep" not in found
    assert "routebench.arms.ripgrep_search" not in found
    assert not {name for name in found if name.startswith("routebench.evaluation")}


def test_every_module_of_the_package_can_be_fingerprinted() -> None:
    names = [
        ".".join(["routebench", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(
            ".__init__"
        )
        for path in sorted(ROOT.rglob("*.py"))
    ]
    assert len(names) > 50
    assert len(fingerprint_modules(names)) == 64


PLACES = """\
try:
    import routebench.a
except ValueError:
    import routebench.b
else:
    import routebench.c
finally:
    import routebench.d
for x in ():
    with x:
        import routebench.e
else:
    match x:
        case 1:
            import routebench.f
class Inner:
    async def run(self):
        while True:
            if x:
                pass
            elif y:
                import routebench.g
"""


def test_an_import_is_found_wherever_a_statement_may_stand(package: Path) -> None:
    (package / "arm.py").write_text(PLACES)
    for letter in "abcdefg":
        (package / f"{letter}.py").write_text("")
    fingerprint(package)
    assert module_closure(["routebench.arm"], package) == {
        "routebench.arm",
        *(f"routebench.{letter}" for letter in "abcdefg"),
    }
