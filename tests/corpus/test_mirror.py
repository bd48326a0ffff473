import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tenacity import wait_none

from routebench.corpus import fetching
from routebench.corpus.git import GitError, describe_objects, git_environment, list_tree
from routebench.corpus.mirror import MirrorRecord, candidate_blobs, mirror_path, update_mirror

ABSENT = "0123456789" * 4
REPO = "owner/name"
HOOKS = ("post-checkout", "pre-auto-gc", "reference-transaction", "post-update", "pre-receive")


def update(source, commits, tmp_path: Path) -> MirrorRecord:
    folder = tmp_path / "mirrors"
    return update_mirror(REPO, commits, url_template=str(source.folder), folder=folder)


def mirrored(tmp_path: Path) -> Path:
    return mirror_path(tmp_path / "mirrors", REPO)


def test_only_wanted_trees_and_possible_blobs_arrive(source, tmp_path: Path) -> None:
    old = source.commit({"a.txt": b"old\n", "same.txt": b"same\n"})
    new = source.commit({"a.txt": b"new\n", "same.txt": b"same\n", "build/x": b"made\n"}, "new")
    other = source.commit({"c.txt": b"other\n"}, "other")
    record = update(source, [new, old, new], tmp_path)
    assert record == MirrorRecord(REPO, str(source.folder), True, None, (new, old), {})
    blobs = [source.blob(text) for text in (b"old\n", b"same\n", b"new\n")]
    unwanted = [other, source.blob(b"other\n"), source.blob(b"made\n")]
    assert list(describe_objects(mirrored(tmp_path), [*blobs, *unwanted])) == blobs


def test_history_of_a_wanted_commit_stays_away(source, tmp_path: Path) -> None:
    parent = source.commit({"a": b"1\n"})
    child = source.commit({"a": b"2\n"}, parents=[parent])
    assert update(source, [child], tmp_path).commits == (child,)
    assert list(describe_objects(mirrored(tmp_path), [parent, child])) == [child]


def test_second_update_contacts_nobody_and_a_new_commit_is_added(source, tmp_path: Path) -> None:
    first = source.commit({"a": b"1\n", "b": b"same\n"})
    second = source.commit({"a": b"2\n", "b": b"same\n"}, parents=[first])
    record = update(source, [first], tmp_path)
    assert update(source, [first, second], tmp_path).commits == (first, second)
    shutil.rmtree(source.folder)
    assert update(source, [first], tmp_path) == record


def test_blob_that_a_fetched_commit_shares_with_an_ignored_path(source, tmp_path: Path) -> None:
    # The remote must not conclude that we hold `build/x` because we hold its commit.
    first = source.commit({"build/x": b"text\n"})
    second = source.commit({"src/x": b"text\n"}, "second")
    update(source, [first], tmp_path)
    assert update(source, [first, second], tmp_path).commits == (first, second)


def test_absent_and_malformed_commits_are_named_with_a_reason(source, tmp_path: Path) -> None:
    commit = source.commit({"a": b"1\n"})
    blob = source.blob(b"1\n")
    record = update(source, [ABSENT, commit, "main", blob], tmp_path)
    assert record.available
    assert record.commits == (commit,)
    assert list(record.missing) == [ABSENT, "main", blob]
    assert record.missing[ABSENT] == f"the repository does not have object {ABSENT}"
    assert record.missing["main"] == "no id of 40 lower-case hex digits"
    assert "expected commit type" in record.missing[blob]


def test_commit_with_a_lost_blob_is_missing_and_the_others_arrive(source, tmp_path: Path) -> None:
    good, bad = source.commit({"a": b"1\n"}), source.commit({"a": b"2\n"}, "bad")
    lost = source.blob(b"2\n")
    (source.folder / "objects" / lost[:2] / lost[2:]).unlink()
    record = update(source, [bad, good], tmp_path)
    assert record.commits == (good,)
    assert record.missing == {bad: f"the repository does not have object {lost}"}


def test_empty_repository_lacks_every_commit(source, tmp_path: Path) -> None:
    assert update(source, [], tmp_path).available
    record = update(source, [ABSENT], tmp_path)
    assert record.available
    assert record.missing == {ABSENT: f"the repository does not have object {ABSENT}"}


def test_absent_repository_is_a_record_that_survives_json(tmp_path: Path) -> None:
    template = f"file://{tmp_path}/{{owner}}/{{name}}"
    record = update_mirror(REPO, [ABSENT], url_template=template, folder=tmp_path / "mirrors")
    reason = f"git fetch: '{tmp_path}/owner/name' does not appear to be a git repository"
    assert record == MirrorRecord(
        REPO, f"file://{tmp_path}/owner/name", False, reason, (), {ABSENT: reason}
    )
    assert MirrorRecord.from_json(record.to_json()) == record
    assert list(json.loads(record.to_json())) == sorted(json.loads(record.to_json()))


def test_credentials_are_written_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "PAUSE", wait_none())
    template, folder = "https://me:secret@localhost:1/{repo}.git", tmp_path / "mirrors"
    record = update_mirror(REPO, [ABSENT], url_template=template, folder=folder)
    assert not record.available
    assert record.url == "https://localhost:1/owner/name.git"
    assert "secret" not in record.to_json()
    assert not [f for f in folder.rglob("*") if f.is_file() and b"secret" in f.read_bytes()]


def test_transport_that_runs_a_command_is_not_allowed(tmp_path: Path) -> None:
    template = f"ext::sh -c 'touch {tmp_path}/marker'"
    record = update_mirror(REPO, [ABSENT], url_template=template, folder=tmp_path / "mirrors")
    assert record.reason == "git fetch: transport 'ext' not allowed"
    assert not (tmp_path / "marker").exists()


def test_network_failure_is_tried_again(
    source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, run = source.commit({}), fetching.run_git
    failures = ["Could not resolve host: host", "early EOF"]

    def flaky(*arguments, **options):
        if failures and "fetch" in arguments:
            raise GitError("git fetch: failed", f"fatal: {failures.pop()}")
        return run(*arguments, **options)

    monkeypatch.setattr(fetching, "PAUSE", wait_none())
    monkeypatch.setattr(fetching, "run_git", flaky)
    assert update(source, [commit], tmp_path).commits == (commit,)
    assert failures == []


def test_server_without_filters_sends_blobs_at_once(
    source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = "git -c uploadpack.allowFilter=false upload-pack"
    monkeypatch.setattr(fetching, "LOCAL_UPLOAD_PACK", plain)
    commit = source.commit({"a": b"1\n"})
    assert update(source, [commit], tmp_path).commits == (commit,)


def test_server_that_refuses_single_commits_gives_its_branches(
    source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = source.commit({"a": b"1\n"})
    second = source.commit({"a": b"2\n"}, parents=[first])
    third = source.commit({"a": b"3\n"}, parents=[second])
    assert update(source, [second], tmp_path).commits == (second,)
    old = "env -u GIT_PROTOCOL git -c uploadpack.allowAnySHA1InWant=false upload-pack"
    monkeypatch.setattr(fetching, "LOCAL_UPLOAD_PACK", old)
    record = update(source, [first, second, third, ABSENT], tmp_path)
    assert record.commits == (first, second, third)
    assert record.missing == {ABSENT: "on no branch or tag of the repository"}


def test_leftovers_of_a_killed_fetch_are_no_obstacle(source, tmp_path: Path) -> None:
    first, second = source.commit({"a": b"1\n"}), source.commit({"a": b"2\n"}, "second")
    update(source, [first], tmp_path)
    pack = mirrored(tmp_path) / "objects" / "pack"
    leftovers = [pack / "tmp_pack_x", mirrored(tmp_path) / "shallow.lock"]
    leftovers.append(mirrored(tmp_path) / "refs" / "commits" / f"{second}.lock")
    for file in leftovers:
        file.write_bytes(b"half")
    assert update(source, [first, second], tmp_path).commits == (first, second)
    assert not [file for file in leftovers if file.exists()]


def test_two_processes_may_update_one_mirror(source, tmp_path: Path) -> None:
    commits = [source.commit({"a": b"%d\n" % n}, f"b{n}") for n in range(3)]
    program = (
        "import sys; from pathlib import Path; from routebench.corpus.mirror import update_mirror\n"
        "print(update_mirror('owner/name', sys.argv[3:], url_template=sys.argv[1],"
        " folder=Path(sys.argv[2])).to_json())"
    )
    command = [sys.executable, "-c", program, str(source.folder), str(tmp_path / "m"), *commits]
    path = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, env=path) for _ in range(2)]
    records = [MirrorRecord.from_json(p.communicate()[0].decode()) for p in both]
    assert [record.commits for record in records] == [tuple(commits)] * 2


def hostile_config(marker: Path) -> str:
    touch = f"touch {shlex.quote(str(marker))}"
    return f"""[core]
    repositoryformatversion = 1
    bare = true
    fsmonitor = {touch}
    sshCommand = {touch}
    alternateRefsCommand = {touch}
[uploadpack]
    packObjectsHook = {touch}
[protocol]
    allow = always
[protocol "ext"]
    allow = always
[extensions]
    partialClone = evil
[remote "evil"]
    promisor = true
    url = "ext::{touch}"
    uploadpack = {touch}
"""


def test_hostile_source_runs_nothing(source, tmp_path: Path) -> None:
    good, bad = source.commit({"a": b"1\n"}), source.commit({"a": b"2\n"}, "bad")
    lost = source.blob(b"2\n")
    (source.folder / "objects" / lost[:2] / lost[2:]).unlink()
    marker = tmp_path / "marker"
    (source.folder / "config").write_text(hostile_config(marker))
    (source.folder / "hooks").mkdir()
    for name in HOOKS:
        (source.folder / "hooks" / name).write_text(f"#!/bin/sh\ntouch '{marker}'\n")
        (source.folder / "hooks" / name).chmod(0o755)
    record = update(source, [good, bad], tmp_path)
    assert record.commits == (good,)
    assert not marker.exists()
    # The trap is live: git left to itself asks the remote that the configuration names.
    trusting = {k: v for k, v in git_environment().items() if not k.startswith("GIT_")}
    command = ["git", f"--git-dir={source.folder}", "cat-file", "-t", lost]
    subprocess.run(command, env=trusting, capture_output=True)
    assert marker.exists()


def test_hostile_trees_are_mirrored_and_listed_only(source, tmp_path: Path) -> None:
    text = source.blob(b"x\n")
    modules = source.blob(b'[submodule "s"]\npath = s\nurl = -u./payload\nurl = ext::sh -c x\n')
    commit = source.commit_entries(
        [
            ("100644", b"../escape", text),
            ("100644", b".git", text),
            ("100644", b".gitmodules", modules),
            ("100644", b"/etc/passwd", text),
            ("40000", b"..", source.tree([("100644", b"up", text)])),
            ("160000", b"s", ABSENT),
        ]
    )
    assert update(source, [commit], tmp_path).commits == (commit,)
    assert candidate_blobs(mirrored(tmp_path), commit) == {}
    assert len(list_tree(mirrored(tmp_path), commit)) == 6


def test_origin_is_an_address_and_no_template(source, tmp_path: Path) -> None:
    """A folder named br{ace} failed the job, and {repo} in one was filled in."""
    commit = source.commit({"a": b"1\n"})
    for name in ("br{ace}", "br{repo}"):
        origin, folder = source.folder.rename(tmp_path / name), tmp_path / f"mirrors {name}"
        source.folder = origin
        record = update_mirror(
            REPO, [commit], url_template="/nowhere/{repo}", folder=folder, origin=str(origin)
        )
        assert (record.commits, record.url) == ((commit,), str(origin))


def test_commit_that_the_remote_stumbles_over_costs_no_other(source, tmp_path: Path) -> None:
    """The id of a file where a commit should be, or a lost tree, took all commits with it."""
    good = source.commit({"a": b"1\n"})
    broken = source.commit({"d/b": b"2\n"}, "broken")
    folder = source.tree([("100644", b"b", source.blob(b"2\n"))])
    (source.folder / "objects" / folder[:2] / folder[2:]).unlink()
    blob = source.blob(b"1\n")
    record = update(source, [blob, broken, good], tmp_path)
    assert record.commits == (good,)
    assert record.reason is None
    assert "expected commit type" in record.missing[blob]
    assert "died" in record.missing[broken]
