"""Where a repository can be read on GitHub, if it came from there."""

import re
from collections.abc import Iterable
from pathlib import Path

from routebench.files import read_json

GITHUB = re.compile(r"(?:https://github\.com/|git@github\.com:)([\w.-]+/[\w.-]+?)(?:\.git)?/?")


def github_repositories(commits: Iterable[Path], url: str | None) -> dict[str, str]:
    """Returns ``owner/name`` on GitHub by repository, for those that came from there.

    Args:
        commits: files that name a repository and, where the dataset gives one, its address.
        url: template of the addresses of the others; None where they came from elsewhere.
    """
    found = {}
    for path in commits:
        content = read_json(path)
        name = github_name(content["repo"], content.get("origin"), url)
        if name:
            found[content["repo"]] = name
    return found


def github_name(repo: str, origin: str | None, url: str | None) -> str | None:
    """Returns the repository's ``owner/name`` on GitHub; None if it came from elsewhere."""
    owner, _, name = repo.partition("/")
    address = origin or (url.format(repo=repo, owner=owner, name=name) if url else "")
    match = GITHUB.fullmatch(address)
    return match[1] if match else None
