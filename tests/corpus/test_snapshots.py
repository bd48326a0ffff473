import json
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from routebench.corpus import snapshots as module
from routebench.corpus import trees
from routebench.corpus.git import GitError
from routebench.corpus.mirror import mirror_path, update_mirror
from routebench.corpus.snapshots import build_corpus
from routebench.corpus.store import read_files
from routebench.tables import read_rows

ABSENT = "0123456789" * 4
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
MIRRORED = ("clap-rs/clap", "cli/cli", "ponylang/ponyc", "NodeBB/NodeBB", "ansible/ansible")


def build(source, commits, tmp_path: Path, **options) -> dict[str, str]:
    folder, blobs = tmp_path / "snapshots", tmp_path / "blobs.parquet"
    return build_corpus(source.folder, commits, snapshots=folder, blobs=blobs, **options)


def rows(tmp_path: Path, commit: str) -> list[dict[str, Any]]:
    return read_rows(tmp_path / "snapshots" / f"{commit}.parquet", "snapshots")


def texts(tmp_path: Path) -> list[tuple[str, int, int]]:
    return [
        (row["text"], row["bytes"], row["lines"])
        for row in read_rows(tmp_path / "blobs.parquet", "blobs")
    ]


def verdicts(tmp_path: Path, commit: str) -> dict[str, tuple[int | None, str | None]]:
    """Returns (lines, reason) by path."""
    return {row["path"]: (row["lines"], row["reason"]) for row in rows(tmp_path, commit)}


def test_every_entry_has_a_row_and_the_ineligible_a_reason(source, tmp_path: Path) -> None:
    text = source.blob(b"x\n")
    commit = source.commit_entries(
        [
            ("100644", b".env", text),
            ("40000", b"build", source.tree([("100644", b"out.txt", text)])),
            ("100644", b"caf\xe9.txt", text),
            ("120000", b"link", source.blob(b"/etc/passwd")),
            ("100644", b"log.md", text),
            ("100644", b"latin.txt", source.blob(b"caf\xe9")),
            ("100644", b"lfs.bin", source.blob(LFS)),
            ("100644", b"nul.bin", source.blob(b"a\0b")),
            ("100755", b"run", text),
            ("160000", b"sub", ABSENT),
        ]
    )
    assert build(source, [commit], tmp_path) == {}
    assert verdicts(tmp_path, commit) == {
        ".env": (None, "file name begins with a dot"),
        "build/out.txt": (None, "ignored path part 'build'"),
        "caf\\xe9.txt": (None, "path is not UTF-8"),
        "latin.txt": (None, "content is not UTF-8"),
        "lfs.bin": (3, None),
        "link": (None, "symbolic link"),
        "log.md": (None, "reserved file name 'log.md'"),
        "nul.bin": (None, "content holds NUL"),
        "run": (1, None),
        "sub": (None, "submodule"),
    }
    assert rows(tmp_path, commit)[-2] == {
        "path": "run",
        "blob": text,
        "mode": "100755",
        "bytes": 2,
        "lines": 1,
        "eligible": True,
        "reason": None,
    }


def test_texts_have_universal_newlines_and_splitlines_lines(source, tmp_path: Path) -> None:
    files = {
        "1-crlf": b"a\r\nb\r\n",
        "2-cr": b"a\rb",
        "3-form-feed": b"a\x0cb\n",
        "4-u2028": "a\u2028b\n".encode(),
        "5-bom": b"\xef\xbb\xbfa\n",
        "6-empty": b"",
    }
    build(source, [source.commit(files)], tmp_path)
    assert texts(tmp_path) == [
        ("a\nb\n", 6, 2),
        ("a\nb", 3, 2),
        ("a\x0cb\n", 4, 2),
        ("a\u2028b\n", 6, 2),
        ("\ufeffa\n", 5, 1),
        ("", 0, 0),
    ]


def test_paths_are_sorted_by_code_point_and_case_variants_both_stay(source, tmp_path: Path) -> None:
    # git puts the folder `a` (as "a/") after `a-b`; as text, "a-b" < "a/x" < "a0" as well.
    commit = source.commit(
        {"é": b"1", "a": b"2", "A": b"2", "z/x": b"3", "z-": b"4", "\U0001f600": b""}
    )
    build(source, [commit], tmp_path)
    assert [row["path"] for row in rows(tmp_path, commit)] == ["A", "a", "z-", "z/x", "é", "😀"]


def test_shared_blobs_are_read_once_and_stored_in_order_of_first_use(
    source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = source.commit({"b": b"one\n", "a": b"two\n", "copy": b"one\n"})
    second = source.commit({"b": b"one\n", "0": b"three\n", "a": b"two\n"}, "second")
    read: list[str] = []
    read_blobs, decode = module.read_blobs, trees.decode
    decoded: list[bytes] = []
    monkeypatch.setattr(
        module, "read_blobs", lambda m, ids: read_blobs(m, read.extend(ids) or read)
    )
    monkeypatch.setattr(trees, "decode", lambda c: decoded.append(c) or decode(c))
    build(source, [first, second], tmp_path)
    assert decoded == [b"two\n", b"one\n", b"three\n"]
    assert read == [source.blob(content) for content in decoded]
    assert [text for text, _, _ in texts(tmp_path)] == ["two\n", "one\n", "three\n"]


def test_order_of_commits_decides_the_order_of_blobs_and_bytes_repeat(
    source, tmp_path: Path
) -> None:
    first = source.commit({"a": b"1"})
    second = source.commit({"a": b"2"}, "second")
    build(source, [second, first, second], tmp_path)
    assert [text for text, _, _ in texts(tmp_path)] == ["2", "1"]
    before = (tmp_path / "blobs.parquet").read_bytes()
    build(source, [second, first], tmp_path)
    assert (tmp_path / "blobs.parquet").read_bytes() == before


def test_row_groups_are_bounded(source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROW_GROUP_BYTES", 10)
    build(source, [source.commit({f"{n}": b"%04d" % n for n in range(7)})], tmp_path)
    file = pq.ParquetFile(tmp_path / "blobs.parquet")
    # Four bytes each: the third brings a group to twelve, which is over ten.
    groups = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
    assert groups == [3, 3, 1]


def test_a_file_of_200_mb_is_left_out_unread(source, tmp_path: Path) -> None:
    size = 200_000_000
    commit = source.commit({"big.txt": b"a" * size, "small.txt": b"a\n"})
    tracemalloc.start()
    build(source, [commit], tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000
    big, small = rows(tmp_path, commit)
    assert (big["bytes"], big["reason"]) == (size, "larger than 67108864 bytes")
    assert small["eligible"]


def test_size_limit_can_be_set(source, tmp_path: Path) -> None:
    commit = source.commit({"a": b"12345", "b": b"1234"})
    build(source, [commit], tmp_path, max_file_bytes=4)
    assert verdicts(tmp_path, commit) == {"a": (None, "larger than 4 bytes"), "b": (1, None)}


def test_missing_commit_has_no_snapshot_and_the_rest_goes_on(source, tmp_path: Path) -> None:
    commit = source.commit({"a": b"1"})
    missing = build(source, [ABSENT, commit, "main"], tmp_path)
    assert list(missing) == [ABSENT, "main"]
    assert [path.stem for path in (tmp_path / "snapshots").iterdir()] == [commit]


def test_commit_without_one_of_its_blobs_has_no_snapshot(source, tmp_path: Path) -> None:
    whole = source.commit({"a": b"1"})
    entries = [("100644", b"a", source.blob(b"1")), ("100644", b"lost", ABSENT)]
    partial = source.commit_entries(entries, "partial")
    missing = build(source, [partial, whole], tmp_path)
    assert missing == {partial: "1 blobs are not in the mirror, first lost"}
    assert not (tmp_path / "snapshots" / f"{partial}.parquet").exists()
    assert verdicts(tmp_path, whole) == {"a": (1, None)}


def test_empty_tree_is_an_empty_snapshot(source, tmp_path: Path) -> None:
    commit = source.commit({})
    assert build(source, [commit], tmp_path) == {}
    assert rows(tmp_path, commit) == []
    assert texts(tmp_path) == []


def test_empty_repository_gives_an_empty_corpus(source, tmp_path: Path) -> None:
    assert build(source, [], tmp_path) == {}
    assert list((tmp_path / "snapshots").iterdir()) == []


def test_hostile_tree_is_listed_with_reasons(source, tmp_path: Path) -> None:
    text = source.blob(b"x\n")
    below = source.tree([("100644", b"up", text)])
    commit = source.commit_entries(
        [
            ("40000", b"..", below),
            ("40000", b".Git", below),
            ("100644", b"/etc/passwd", text),
            ("100644", b"d/up", text),
            ("40000", b"d", below),
            ("100644", b"twice", text),
            ("100644", b"twice", source.blob(b"y\n")),
            ("100644", b"tree", below),
            ("100664", b"group", text),
            ("100644", b"line\nbreak", text),
        ]
    )
    assert build(source, [commit], tmp_path) == {}
    assert verdicts(tmp_path, commit) == {
        "../up": (None, "unsafe path part '..'"),
        ".Git/up": (None, "unsafe path part '.Git'"),
        "/etc/passwd": (None, "unsafe path part ''"),
        "d/up": (None, "path occurs twice"),
        "group": (1, None),
        "line\nbreak": (1, None),
        "tree": (None, "a tree, no blob"),
        "twice": (None, "path occurs twice"),
    }


def test_tree_that_git_cannot_read_takes_out_its_commit(source, tmp_path: Path) -> None:
    commit = source.commit_entries([("100644", b"", source.blob(b"x"))])
    assert build(source, [commit], tmp_path) == {
        commit: "git ls-tree: empty filename in tree entry"
    }


@pytest.mark.mirrors
@pytest.mark.parametrize("repo", MIRRORED)
def test_eligible_files_are_as_many_as_published(
    repo: str, git_url: str, published: Path, tmp_path: Path
) -> None:
    cases = [case for case in published_cases(published) if case["repo"] == repo]
    commits = [case["base_commit"] for case in cases]
    record = update_mirror(repo, commits, url_template=git_url, folder=tmp_path)
    if not record.available:
        pytest.skip(f"no mirror of {repo}: {record.reason}")
    mirror, folder = mirror_path(tmp_path, repo), tmp_path / "snapshots"
    assert build_corpus(mirror, commits, snapshots=folder, blobs=tmp_path / "blobs") == {}
    counts = published_counts(published)
    for case in cases:
        files = read_files(folder, case["base_commit"])
        assert len(files) == counts[case["instance_id"]], case["instance_id"]


def published_cases(published: Path) -> list[dict[str, str]]:
    table = pq.read_table(published / "contextbench" / "paper_cases_partial.parquet")
    return table.select(["instance_id", "repo", "base_commit"]).to_pylist()


def published_counts(published: Path) -> dict[str, int]:
    archive = published / "paper-archive" / "contextbench-paper-fts5.json"
    results = json.loads(archive.read_text(encoding="utf-8"))["results"]
    return {result["id"]: result["file_count"] for result in results}


def test_the_rule_of_all_text_keeps_what_c1_leaves_out(source: Any, tmp_path: Path) -> None:
    commit = source.commit({"a.py": b"x", "build/b.py": b"y", ".c.py": b"z", "d.png": b"\0"})
    eligible = {}
    for rule in ("contextbench", "text"):
        folder = tmp_path / rule
        missing = build_corpus(
            source.folder, [commit], snapshots=folder, blobs=tmp_path / "blobs", rule=rule
        )
        assert not missing
        rows = read_rows(folder / f"{commit}.parquet", "snapshots")
        eligible[rule] = [row["path"] for row in rows if row["eligible"]]
    assert eligible == {"contextbench": ["a.py"], "text": [".c.py", "a.py", "build/b.py"]}


def test_a_mirror_that_lost_what_it_held_is_an_error_and_no_exclusion(
    source, tmp_path: Path
) -> None:
    """A damaged pack in the cache took its cases out of the study, which ended as if whole."""
    commit = source.commit({"a": b"1\n"})
    blob = source.blob(b"1\n")
    (source.folder / "objects" / blob[:2] / blob[2:]).unlink()
    places = {"snapshots": tmp_path / "snapshots", "blobs": tmp_path / "blobs.parquet"}
    assert commit in build_corpus(source.folder, [commit], **places)
    with pytest.raises(GitError, match=r"source\.git: damaged \(1 blobs .* delete it and the"):
        build_corpus(source.folder, [commit], **places, whole=[commit])
