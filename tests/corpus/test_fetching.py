import os
from pathlib import Path

import pytest

from routebench.corpus import fetching
from routebench.corpus.fetching import absent_object, is_refusal, is_transient, repository_url
from routebench.corpus.git import GitError
from routebench.errors import RoutebenchError

REPO = "owner/name"


@pytest.mark.parametrize(
    ("template", "url"),
    [
        ("https://host/{repo}.git", "https://host/cli/cli.git"),
        ("file:///m/{owner}+{name}/repo", "file:///m/cli+cli/repo"),
        ("git@host:{repo}", "git@host:cli/cli"),
        ("/srv/{name}", "/srv/cli"),
        ("{name}", os.path.join(os.getcwd(), "cli")),
    ],
)
def test_address_comes_from_the_template(template: str, url: str) -> None:
    assert repository_url(template, "cli/cli") == url


@pytest.mark.parametrize("repo", ["cli", "../x", "a/..", "-u/x", "a/b/c", "a/b c", ""])
def test_malformed_identity_is_refused(repo: str) -> None:
    with pytest.raises(RoutebenchError, match="expected owner/name"):
        repository_url("/srv/{repo}", repo)


def test_unknown_placeholder_is_refused() -> None:
    with pytest.raises(RoutebenchError, match="expected only"):
        repository_url("/srv/{repository}", REPO)


@pytest.mark.parametrize(
    ("stderr", "transient"),
    [
        ("fatal: unable to access 'https://host/': Could not resolve host: host", True),
        ("error: RPC failed; curl 56 recv failure\nfatal: early EOF", True),
        ("fatal: unable to access 'https://host/': The requested URL returned error: 503", True),
        ("fatal: unable to access 'https://host/': The requested URL returned error: 403", False),
        ("remote: Repository not found.\nfatal: repository 'https://host/' not found", False),
        ("fatal: could not read Username for 'https://host': terminal prompts disabled", False),
    ],
)
def test_only_the_networks_failures_are_worth_another_attempt(stderr: str, transient: bool) -> None:
    assert is_transient(GitError("git fetch: failed", stderr)) is transient


def test_a_refusal_and_an_absent_object_are_told_apart() -> None:
    absent = GitError("", f"fatal: remote error: upload-pack: not our ref {'0' * 40}\nhung up")
    refused = GitError("", "error: Server does not allow request for unadvertised object 1")
    assert absent_object(absent) == "0" * 40
    assert absent_object(refused) is None
    assert [is_refusal(absent), is_refusal(refused)] == [False, True]
    assert not is_transient(absent)


def test_a_full_disk_of_ours_is_no_fault_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cases were left out, and the study ended as if it were whole."""

    def run_git(*_: object, **__: object) -> bytes:
        raise GitError("git fetch: failed", "fatal: write error: No space left on device")

    monkeypatch.setattr(fetching, "run_git", run_git)
    with pytest.raises(RoutebenchError, match="make room and run it again") as caught:
        fetching.Remote(tmp_path, "/nowhere").fetch_commits(["a" * 40])
    assert not isinstance(caught.value, GitError)
    assert not fetching.is_full(GitError("", "remote: fatal: No space left on device"))
