"""Which files of a commit are part of the corpus (METHODS C1, R9, R10).

Paths are judged by the rule that a study names: ``contextbench`` is C1; ``text`` leaves
out no path that git can check out, for arms that have a rule of their own.

Git LFS pointers are ordinary text files here: the corpus is what the object database
holds, and the published study read it the same way.
"""

from collections.abc import Callable
from typing import Literal

PathRule = Literal["contextbench", "text"]
IGNORED_PARTS = frozenset(
    (
        *(".fastindex", ".git", ".hg", ".svn", ".venv", "venv", "__pycache__", "node_modules"),
        *("dist", "build", ".next", ".nuxt", ".pytest_cache", ".mypy_cache", ".ruff_cache"),
        *(".cache", ".tox", "coverage", ".coverage", "target"),
    )
)
RESERVED_NAMES = frozenset(("index.md", "log.md", "_error.log"))
DEFAULT_MAX_FILE_BYTES = 64 << 20
_KINDS = {"120000": "symbolic link", "160000": "submodule"}
_UNSAFE_PARTS = frozenset(("", ".", ".."))


def path_problem(path: bytes, mode: str, rule: PathRule = "contextbench") -> str | None:
    """Tells why a tree entry is not eligible by its mode and path alone.

    Every rule refuses what git never checks out: empty parts, ``.``, ``..`` and ``.git``
    in any case. Only a repository made by hand holds such paths.

    Args:
        path: path as stored in git.
        mode: git file mode, six digits.
        rule: which paths are left out.

    Returns:
        The reason, or None for a file whose content decides.
    """
    if not mode.startswith("100"):
        return _KINDS.get(mode, f"mode {mode} is no regular file")
    try:
        parts = path.decode("utf-8").split("/")
    except UnicodeDecodeError:
        return "path is not UTF-8"
    return _unsafe_problem(parts) or _PATH_RULES[rule](parts)


def content_problem(content: bytes) -> str | None:
    """Tells why a blob is not eligible by its content, or returns None."""
    if b"\0" in content:
        return "content holds NUL"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "content is not UTF-8"
    return None


def size_problem(size: int, limit: int) -> str | None:
    """Tells that a blob of ``size`` bytes is over the limit, or returns None.

    METHODS sets no limit; this one keeps a single file from filling the memory.
    """
    return f"larger than {limit} bytes" if size > limit else None


def decode(content: bytes) -> str:
    r"""Returns eligible content as text, with CRLF and CR as LF.

    A byte order mark stays, as U+FEFF. Other line boundaries of ``str.splitlines`` (form
    feed, U+2028 and so on) stay as they are.

    Raises:
        UnicodeDecodeError: the content is not UTF-8.
    """
    return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def count_lines(text: str) -> int:
    """Returns the number of ``str.splitlines()`` lines, the lines of all gold spans."""
    return len(text.splitlines())


def shown_path(path: bytes) -> str:
    r"""Returns a path as text; bytes that are not UTF-8 appear as ``\xNN``."""
    return path.decode("utf-8", "backslashreplace")


def _unsafe_problem(parts: list[str]) -> str | None:
    for part in parts:
        if part in _UNSAFE_PARTS or (part != ".git" and part.lower() == ".git"):
            return f"unsafe path part {part!r}"
    return None


def _c1_problem(parts: list[str]) -> str | None:
    for part in parts:
        if part in IGNORED_PARTS:
            return f"ignored path part {part!r}"
    if parts[-1].startswith("."):
        return "file name begins with a dot"
    if parts[-1] in RESERVED_NAMES:
        return f"reserved file name {parts[-1]!r}"
    return None


def _git_problem(parts: list[str]) -> str | None:
    return "ignored path part '.git'" if ".git" in parts else None


_PATH_RULES: dict[PathRule, Callable[[list[str]], str | None]] = {
    "contextbench": _c1_problem,
    "text": _git_problem,
}
