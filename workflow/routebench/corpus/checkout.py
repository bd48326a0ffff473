"""A user's own repository: where its git directory is, which commit is meant, what is changed."""

import os
from pathlib import Path
from typing import NamedTuple

from routebench.corpus.git import GitError, run_git
from routebench.records import COMMIT

STATUS = ("--no-optional-locks", "status", "--porcelain", "-z", "--ignore-submodules=all")


class Repository(NamedTuple):
    """A git directory, and the work tree it belongs to, if it has one."""

    git_folder: Path
    work_tree: Path | None

    def absolute(self) -> "Repository":
        """Returns the same with whole paths."""
        return Repository(self.git_folder.absolute(), self.work_tree and self.work_tree.absolute())

    @property
    def name(self) -> str:
        """The name of its folder."""
        return (self.work_tree or self.git_folder).resolve().name.removesuffix(".git")


class Changes(NamedTuple):
    """Files of a work tree that differ from its commit, and files git does not know."""

    changed: int
    untracked: int


def find_repository(path: Path) -> Repository:
    """Returns the repository at a path: the top of a work tree, or a bare git directory.

    Nothing above the path is taken by itself: paths of files count from the top.

    Raises:
        GitError: there is none.
    """
    if not path.is_dir():
        what = "a file" if path.exists() else "no such folder"
        raise GitError(f"{path}: {what}; expected a git repository")
    if (path / ".git").exists():
        return Repository(path / ".git", path)
    if _is_git_folder(path):
        return Repository(path, path.parent if path.name == ".git" else None)
    above = next((p for p in path.absolute().parents if (p / ".git").exists()), None)
    hint = f"it is a folder of {above}, name that one" if above else "expected a work tree or .git"
    raise GitError(f"{path}: not a git repository; {hint}")


def find_commit(repository: Repository, revision: str) -> str:
    """Returns the commit that a revision names, 40 hex digits.

    Raises:
        GitError: the repository is broken or empty, or has no such commit.
    """
    folder = repository.git_folder
    run_git(folder, "rev-parse", "--git-dir")
    if revision.startswith("-") or "\0" in revision:
        raise GitError(f"revision {revision!r}: expected a branch, tag or commit")
    try:
        asked = ("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        commit = run_git(folder, *asked).decode().strip()
    except GitError as error:
        raise GitError(_no_commit(repository, revision)) from error
    if not COMMIT.fullmatch(commit):
        raise GitError(f"{folder}: object ids of {len(commit)} digits; only SHA-1 can be read")
    return commit


def count_changes(repository: Repository) -> Changes | None:
    """Counts what the work tree holds beside its commit; None where it is not looked at.

    Another user's is left alone, as git itself does. Filters that the repository's
    configuration names are programs; none is run, as its files may come from anywhere.

    Raises:
        GitError: git failed.
    """
    folder, work_tree = repository
    if work_tree is None or folder.stat().st_uid != os.geteuid():
        return None
    listed = run_git(folder, f"--work-tree={work_tree}", *STATUS, config=_no_filters(folder))
    entries = [entry for entry in listed.split(b"\0") if entry[2:3] == b" "]
    untracked = sum(entry.startswith(b"??") for entry in entries)
    return Changes(len(entries) - untracked, untracked)


def _no_filters(folder: Path) -> dict[str, str]:
    names = run_git(folder, "config", "--null", "--name-only", "--list").decode("utf-8", "replace")
    keys = [name for name in names.split("\0") if name.startswith("filter.")]
    filters = {key.rpartition(".")[0] for key in keys}
    if any("=" in name or not name.isprintable() for name in filters):
        raise GitError(f"{folder}: its configuration names a filter that cannot be turned off")
    off = {"clean": "", "smudge": "", "process": "", "required": "false"}
    return {f"{name}.{key}": value for name in sorted(filters) for key, value in off.items()}


def _no_commit(repository: Repository, revision: str) -> str:
    folder, place = repository.git_folder, repository.work_tree or repository.git_folder
    if not run_git(folder, "rev-list", "--all", "--max-count=1").strip():
        return f"{place}: the repository has no commit; only committed files are read"
    if run_git(folder, "rev-parse", "--is-shallow-repository").strip() == b"true":
        return (
            f"revision {revision!r}: not in {place}, which is a shallow clone; "
            "git fetch --unshallow brings all commits"
        )
    return f"revision {revision!r}: no such commit in {place}"


def _is_git_folder(path: Path) -> bool:
    return (path / "HEAD").exists() and (path / "objects").is_dir()
