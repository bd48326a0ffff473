import os
import time
from pathlib import Path

import pytest

from routebench.corpus import git
from routebench.corpus.git import (
    GitError,
    ObjectFacts,
    TreeEntry,
    describe_objects,
    git_environment,
    list_tree,
    read_blobs,
    run_git,
)

ABSENT = "0123456789" * 4


def test_callers_git_variables_do_not_reach_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    environment = git_environment()
    assert "GIT_DIR" not in environment
    assert "GIT_CONFIG_COUNT" not in environment
    assert environment["GIT_ALLOW_PROTOCOL"] == ""


def test_users_configuration_is_not_read(
    source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitconfig").write_text("[routebench]\n\tseen = yes\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(GitError):
        run_git(source.folder, "config", "routebench.seen")


def test_failure_is_one_line_without_credentials(source) -> None:
    with pytest.raises(GitError) as caught:
        run_git(source.folder, "fetch", "ext::sh -c true https://me:secret@host/x")
    assert str(caught.value) == "git fetch: transport 'ext' not allowed"
    assert git.without_credentials("at https://me:secret@host/x@y") == "at https://host/x@y"


def test_timeout_ends_the_helpers_too(source) -> None:
    started = time.monotonic()
    with pytest.raises(GitError, match=r"git wait: timed out after 0\.2 s"):
        run_git(source.folder, "wait", config={"alias.wait": "!sleep 30"}, timeout=0.2)
    assert time.monotonic() - started < 10


def test_missing_git_says_what_to_install(source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(GitError, match=r"install git 2\.30 or later"):
        run_git(source.folder, "version")


def test_input_may_be_bytes_or_a_file(source, tmp_path: Path) -> None:
    (tmp_path / "content").write_bytes(b"x\n")
    with (tmp_path / "content").open("rb") as file:
        from_file = run_git(source.folder, "hash-object", "--stdin", input=file)
    assert from_file == run_git(source.folder, "hash-object", "--stdin", input=b"x\n")
    assert from_file == b"587be6b4c3f93f93c489c0111bba5596147a26cb\n"


def test_list_tree_gives_leaves_with_raw_paths(source) -> None:
    blob = source.blob(b"x\n")
    inner = source.tree([("100755", b"caf\xe9 \n", blob)])
    commit = source.commit_entries([("120000", b"a", blob), ("40000", b"d", inner)])
    assert list_tree(source.folder, commit) == [
        TreeEntry("120000", blob, b"a"),
        TreeEntry("100755", blob, b"d/caf\xe9 \n"),
    ]


@pytest.mark.parametrize("commit", [ABSENT, "main", "--help", "0" * 64])
def test_list_tree_of_what_is_no_commit(source, commit: str) -> None:
    with pytest.raises(GitError):
        list_tree(source.folder, commit)


def test_a_tree_without_end_is_refused(source, monkeypatch: pytest.MonkeyPatch) -> None:
    # Ten levels of ten names for the level below: 31 objects, 10^10 paths.
    tree = source.tree([("100644", b"%d" % n, source.blob(b"")) for n in range(10)])
    for _ in range(9):
        tree = source.tree([("40000", b"%d" % n, tree) for n in range(10)])
    monkeypatch.setattr(git, "MAX_LISTING_BYTES", 1 << 20)
    with pytest.raises(GitError, match="its tree takes over 1048576 bytes"):
        list_tree(source.folder, source.commit_tree(tree))


def test_describe_objects_leaves_out_the_missing(source) -> None:
    blob, tree = source.blob(b"abc"), source.tree([])
    assert describe_objects(source.folder, [tree, ABSENT, blob]) == {
        tree: ObjectFacts("tree", 0),
        blob: ObjectFacts("blob", 3),
    }


def test_read_blobs_keeps_order_and_reports_the_missing(source) -> None:
    blob, tree = source.blob(b"a\nmissing\n"), source.tree([])
    empty = source.blob(b"")
    assert list(read_blobs(source.folder, [empty, ABSENT, blob, tree])) == [
        (empty, b""),
        (ABSENT, None),
        (blob, b"a\nmissing\n"),
        (tree, None),
    ]


def test_read_blobs_of_more_than_any_pipe_holds(source) -> None:
    # 40,000 requests of 41 bytes and 64 MB of answers: both exceed a 64 KiB pipe.
    blob = source.blob(b"x" * 1600)
    assert sum(len(c or b"") for _, c in read_blobs(source.folder, [blob] * 40_000)) == 64_000_000


def test_read_blobs_can_be_left_early(source) -> None:
    blob = source.blob(b"x" * 100_000)
    blobs = read_blobs(source.folder, [blob] * 100)
    next(blobs)
    blobs.close()


def test_a_corrupt_object_is_an_error_not_an_empty_file(source) -> None:
    blob = source.blob(b"content")
    loose = source.folder / "objects" / blob[:2] / blob[2:]
    loose.chmod(0o644)
    loose.write_bytes(loose.read_bytes()[:-4])
    with pytest.raises(GitError, match="git cat-file"):
        list(read_blobs(source.folder, [blob]))
