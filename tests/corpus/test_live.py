from pathlib import Path

import pytest

from routebench.corpus.eligibility import PathRule
from routebench.corpus.git import GitError
from routebench.corpus.live import read_snapshot
from routebench.corpus.materialize import write_blob_files
from routebench.corpus.snapshots import build_corpus
from routebench.corpus.store import BlobStore, open_snapshot

ODD = (
    ("100644", b"a.py", b"one\r\ntwo\rthree\n"),
    ("100755", b"b.sh", b"\xef\xbb\xbfecho\n"),
    ("120000", b"link", b"a.py"),
    ("100644", b".hidden", b"x\n"),
    ("100644", b"bin", b"a\0b"),
    ("100644", b"empty", b""),
    ("100644", b"latin", b"caf\xe9\n"),
    ("100644", b"large.txt", b"x" * 100),
    ("100644", b"na\xefve", b"x\n"),
    ("100644", b"same.py", b"one\r\ntwo\rthree\n"),
)


@pytest.mark.parametrize("rule", ["contextbench", "text"])
def test_a_commit_is_the_same_as_in_a_corpus(source, tmp_path: Path, rule: PathRule) -> None:
    entries = sorted((mode, name, source.blob(content)) for mode, name, content in ODD)
    commit = source.commit_entries(sorted(entries, key=lambda entry: entry[1]))
    folders = tmp_path / "snapshots", tmp_path / "blobs.parquet"
    build_corpus(
        source.folder,
        [commit],
        snapshots=folders[0],
        blobs=folders[1],
        max_file_bytes=99,
        rule=rule,
    )
    write_blob_files(source.folder, folders[1], tmp_path / "files")
    kept = open_snapshot(folders[0], BlobStore(folders[1]), commit=commit, files=tmp_path / "files")
    live = read_snapshot(source.folder, commit, max_file_bytes=99, rule=rule)
    assert list(live.entries) == list(kept.entries)
    assert list(live.files) == list(kept.files)
    assert [f.path for f in live.files][-4:] == ["a.py", "b.sh", "empty", "same.py"]
    for file in live.files:
        assert live.text(file.blob) == kept.text(file.blob)
        assert (live.blob_folder / file.blob).read_bytes() == (
            tmp_path / "files" / file.blob
        ).read_bytes()
    assert (live.tree_folder() / "a.py").read_bytes() == b"one\r\ntwo\rthree\n"


def test_files_go_away_with_the_snapshot(source, tmp_path: Path) -> None:
    snapshot = read_snapshot(source.folder, source.commit({"a.py": b"one\n"}))
    folders = snapshot.blob_folder, snapshot.tree_folder()
    assert all(folder.is_dir() for folder in folders)
    del snapshot
    assert not any(folder.parent.exists() for folder in folders)


def test_a_checkout_that_was_changed_is_made_anew(source) -> None:
    snapshot = read_snapshot(source.folder, source.commit({"a.py": b"one\n"}))
    (snapshot.tree_folder() / "left.py").write_text("x")
    assert [path.name for path in snapshot.tree_folder().iterdir()] == ["a.py"]


def test_what_the_repository_lacks_is_named(source) -> None:
    commit = source.commit({"a.py": b"one\n", "b/c.py": b"two\n"})
    blob = source.blob(b"two\n")
    (source.folder / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(GitError, match=r"lacks 1 file, 'b/c\.py'; clone it again"):
        read_snapshot(source.folder, commit)
    with pytest.raises(GitError, match="0000000"):
        read_snapshot(source.folder, "0" * 40)
