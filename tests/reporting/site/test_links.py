import json
from pathlib import Path

import pytest

from routebench.reporting.site.links import github_name, github_repositories

GITHUB = "https://github.com/{repo}.git"


@pytest.mark.parametrize(
    ("origin", "url", "expected"),
    [
        (None, GITHUB, "cli/cli"),
        (None, "git@github.com:{owner}/{name}", "cli/cli"),
        (None, "file:///mirrors/{owner}/{name}", None),
        (None, "https://example.org/github.com/{repo}", None),
        (None, None, None),
        ("https://github.com/fork/cli", GITHUB, "fork/cli"),
        ("/home/me/cli", GITHUB, None),
        ('https://github.com/a/b"onclick="x', GITHUB, None),
    ],
)
def test_github_name(origin: str | None, url: str | None, expected: str | None) -> None:
    assert github_name("cli/cli", origin, url) == expected


def test_repositories_that_came_from_elsewhere_have_no_link(tmp_path: Path) -> None:
    for name, origin in (("a", None), ("b", "/somewhere/b")):
        content = {"repo": f"o/{name}", "origin": origin, "commits": []}
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    assert github_repositories(sorted(tmp_path.iterdir()), GITHUB) == {"o/a": "o/a"}
    assert github_repositories(sorted(tmp_path.iterdir()), None) == {}
