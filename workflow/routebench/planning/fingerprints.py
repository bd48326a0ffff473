"""Fingerprints of code: what a job imports, so that a change reruns it and no other.

Snakemake 9.27 does not see a change in a module that a script imports (DESIGN
"Incremental").
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PACKAGE = "routebench"
ROOT = Path(__file__).parents[1]
# What holds statements, of every kind of statement.
BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


def fingerprint_modules(modules: Iterable[str], root: Path = ROOT) -> str:
    """Returns a digest of the code of modules and all they import from the package.

    Comments, docstrings and layout do not count. An import inside a function counts.

    Args:
        modules: full names, such as ``routebench.arms.fts5``.
        root: folder of the package.
    """
    names = sorted(module_closure(modules, root))
    digests = [f"{name} {_code_digest(_file(name, root))}" for name in names]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def module_closure(modules: Iterable[str], root: Path = ROOT) -> set[str]:
    """Returns the modules and all modules of the package that they import, however deep."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_imports(_file(name, root), root))
    return found


def _file(module: str, root: Path) -> Path:
    path = root.joinpath(*module.split(".")[1:])
    package = path / "__init__.py"
    return package if package.is_file() else path.with_suffix(".py")


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes(), filename=str(path))


@cache
def _imports(path: Path, root: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in _statements(_tree(path)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    ours = (name for name in names if name.split(".")[0] == PACKAGE)
    return frozenset(name for name in ours if _file(name, root).is_file())


def _statements(node: ast.AST) -> list[ast.AST]:
    """Returns a node and the statements in it that run; expressions hold none."""
    found = [node]
    for name in BLOCKS:
        for child in getattr(node, name, ()):
            if not _is_for_types(child):
                found += _statements(child)
    return found


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and getattr(node.test, "id", None) == "TYPE_CHECKING"


@cache
def _code_digest(path: Path) -> str:
    tree = _tree(path)
    for node in _statements(tree):
        _drop_docstring(node)
    return hashlib.sha256(ast.dump(tree, annotate_fields=False).encode()).hexdigest()


def _drop_docstring(node: ast.AST) -> None:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            node.body = node.body[1:]
