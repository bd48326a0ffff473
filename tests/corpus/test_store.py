import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from routebench.arms.base import Snapshot
from routebench.corpus import snapshots as snapshots_module
from routebench.corpus.materialize import write_blob_files
from routebench.corpus.snapshots import build_corpus
from routebench.corpus.store import BlobStore, open_snapshot, order_commits, read_files
from routebench.errors import CaseError, RoutebenchError
from routebench.records import SourceFile

ABSENT = "0123456789" * 4


@pytest.fixture
def corpus(source, tmp_path: Path):
    """Builds the corpus of commits given as files; returns their ids."""

    def build(*trees: dict[str, bytes]) -> list[str]:
        commits = [source.commit(files, f"b{n}") for n, files in enumerate(trees)]
        blobs = tmp_path / "blobs.parquet"
        build_corpus(source.folder, commits, snapshots=tmp_path / "snapshots", blobs=blobs)
        return commits

    return build


def test_snapshot_has_the_eligible_files_by_path_and_their_text(
    corpus, source, tmp_path: Path
) -> None:
    (commit,) = corpus({"b.py": b"x\r\ny\n", "a.py": b"", ".env": b"1", "z": b"\0"})
    snapshot: Snapshot = open_snapshot(
        tmp_path / "snapshots", BlobStore(tmp_path / "blobs.parquet"), commit=commit
    )
    text, empty = source.blob(b"x\r\ny\n"), source.blob(b"")
    assert snapshot.commit == commit
    assert snapshot.files == [
        SourceFile("a.py", empty, 0, 0),
        SourceFile("b.py", text, 5, 2),
    ]
    assert snapshot.text(text) == "x\ny\n"
    assert snapshot.blob_folder is None
    with pytest.raises(RoutebenchError, match="opened without its blob folder"):
        snapshot.tree_folder()


def test_missing_snapshot_is_an_error_of_the_case(corpus, tmp_path: Path) -> None:
    corpus({"a": b"1"})
    store = BlobStore(tmp_path / "blobs.parquet")
    with pytest.raises(CaseError, match=f"commit {ABSENT}: no snapshot"):
        open_snapshot(tmp_path / "snapshots", store, commit=ABSENT)


def test_tree_folder_is_made_once_and_goes_with_the_snapshot(
    corpus, source, tmp_path: Path
) -> None:
    (commit,) = corpus({"src/a.py": b"x\r\n"})
    write_blob_files(source.folder, tmp_path / "blobs.parquet", tmp_path / "files")
    store = BlobStore(tmp_path / "blobs.parquet")
    snapshot = open_snapshot(tmp_path / "snapshots", store, commit=commit, files=tmp_path / "files")
    folder = snapshot.tree_folder()
    assert (folder / "src" / "a.py").read_bytes() == b"x\r\n"
    assert snapshot.tree_folder() == folder
    del snapshot
    assert not folder.exists()


def remove_file(folder: Path) -> None:
    (folder / "src" / "a.py").unlink()


def edit_file(folder: Path) -> None:
    (folder / "src" / "a.py").chmod(0o644)
    (folder / "src" / "a.py").write_bytes(b"y\r\n")
    (folder / "src" / "a.py").chmod(0o444)
    os.utime(folder / "src" / "a.py", (0, 0))


def add_file(folder: Path) -> None:
    (folder / "src" / "b.py").write_bytes(b"planted")


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder)


def put_link_in_its_place(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.symlink_to("/etc")


@pytest.mark.parametrize(
    "change", [remove_file, edit_file, add_file, remove_folder, put_link_in_its_place]
)
def test_tree_folder_that_a_program_has_changed_is_made_anew(
    corpus, source, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    """What a user's program did to the source of one case was what it read in the next."""
    (commit,) = corpus({"src/a.py": b"x\r\n"})
    write_blob_files(source.folder, tmp_path / "blobs.parquet", tmp_path / "files")
    store = BlobStore(tmp_path / "blobs.parquet")
    snapshot = open_snapshot(tmp_path / "snapshots", store, commit=commit, files=tmp_path / "files")
    change(snapshot.tree_folder())
    folder = snapshot.tree_folder()
    assert not folder.is_symlink()
    assert [path.name for path in (folder / "src").iterdir()] == ["a.py"]
    assert (folder / "src" / "a.py").read_bytes() == b"x\r\n"


def test_texts_come_in_storage_order_from_row_groups_read_once(
    corpus, source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots_module, "ROW_GROUP_BYTES", 2)
    corpus({"a": b"1", "b": b"2", "c": b"3", "d": b"4", "e": b"5"})
    one, two, five = (source.blob(content) for content in (b"1", b"2", b"5"))
    store, groups = BlobStore(tmp_path / "blobs.parquet"), []
    read = pq.ParquetFile.read_row_group

    def counted(file, group, **options):
        groups.append(group)
        return read(file, group, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counted)
    assert list(store.texts([five, two, one, two])) == [(one, "1"), (two, "2"), (five, "5")]
    assert groups == [0, 2]


def test_store_knows_what_it_holds(corpus, source, tmp_path: Path) -> None:
    corpus({"a": b"1"})
    store = BlobStore(tmp_path / "blobs.parquet")
    assert source.blob(b"1") in store
    assert ABSENT not in store
    with pytest.raises(RoutebenchError, match=f"blob {ABSENT}: not in"):
        store.text(ABSENT)


def test_store_of_a_broken_file(tmp_path: Path) -> None:
    (tmp_path / "blobs.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(RoutebenchError, match=r"damaged .*; delete it and run make study again"):
        BlobStore(tmp_path / "blobs.parquet")


def test_commits_are_ordered_by_few_changes(corpus, tmp_path: Path) -> None:
    base = {f"f{n}": b"%d" % n for n in range(6)}
    far = base | {f"f{n}": b"other" for n in range(6)}
    near = base | {"f0": b"changed"}
    commits = corpus(base, far, near)
    names = dict(zip(commits, ("base", "far", "near"), strict=True))
    # By id they are base, far, near. From base, near is 2 away (one file out, one in), far 12.
    assert [names[commit] for commit in sorted(names)] == ["base", "far", "near"]
    order = order_commits(tmp_path / "snapshots")
    assert [names[commit] for commit in order] == ["base", "near", "far"]


def test_no_snapshots_no_order(tmp_path: Path) -> None:
    assert order_commits(tmp_path) == []


def test_files_of_a_snapshot_without_texts(corpus, source, tmp_path: Path) -> None:
    (commit,) = corpus({"a": b"1\n2"})
    assert read_files(tmp_path / "snapshots", commit) == [
        SourceFile("a", source.blob(b"1\n2"), 3, 2)
    ]
