import os
from pathlib import Path

import pytest

from routebench.corpus.materialize import write_blob_files, write_tree
from routebench.corpus.snapshots import build_corpus
from routebench.errors import CaseError
from routebench.records import SourceFile

BLOB = "0123456789" * 4


def source_file(path: str) -> SourceFile:
    return SourceFile(path, BLOB, 2, 1)


@pytest.fixture
def blob_folder(tmp_path: Path) -> Path:
    """A folder with the one blob that ``source_file`` names."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / BLOB).write_bytes(b"x\n")
    return folder


def test_blob_files_hold_original_bytes_of_eligible_blobs_only(source, tmp_path: Path) -> None:
    commit = source.commit({"a": b"x\r\ny", "b": b"\0", "c/a": b"x\r\ny", "d": b"z"})
    blobs = tmp_path / "blobs.parquet"
    build_corpus(source.folder, [commit], snapshots=tmp_path / "snapshots", blobs=blobs)
    write_blob_files(source.folder, blobs, tmp_path / "files")
    assert {path.name: path.read_bytes() for path in (tmp_path / "files").iterdir()} == {
        source.blob(b"x\r\ny"): b"x\r\ny",
        source.blob(b"z"): b"z",
    }


def test_tree_has_the_files_under_their_paths(blob_folder: Path, tmp_path: Path) -> None:
    paths = ["a", "b/c/d.py", "b/é 😀.txt", "back\\slash", "A"]
    write_tree(blob_folder, map(source_file, paths), target=tmp_path / "tree")
    found = [p for p in (tmp_path / "tree").rglob("*") if p.is_file()]
    assert {str(p.relative_to(tmp_path / "tree")) for p in found} == set(paths)
    assert {p.read_bytes() for p in found} == {b"x\n"}
    assert {p.stat().st_mode & 0o777 for p in found} == {0o444}


def test_writing_to_the_tree_leaves_the_blob_file_alone(blob_folder: Path, tmp_path: Path) -> None:
    write_tree(blob_folder, [source_file("a")], target=tmp_path / "tree")
    (tmp_path / "tree" / "a").chmod(0o644)
    (tmp_path / "tree" / "a").write_bytes(b"changed by a user's program")
    assert (blob_folder / BLOB).read_bytes() == b"x\n"


def test_an_old_tree_with_links_out_of_it_is_replaced(blob_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "d").symlink_to(tmp_path / "outside")
    write_tree(blob_folder, [source_file("d/a")], target=tmp_path / "tree")
    assert list((tmp_path / "outside").iterdir()) == []
    assert not (tmp_path / "tree" / "d").is_symlink()


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (["../x"], "not a safe relative path"),
        (["a/../../x"], "not a safe relative path"),
        (["/etc/x"], "not a safe relative path"),
        (["a//b"], "not a safe relative path"),
        (["a\0b"], "not a safe relative path"),
        (["é" * 128], "a part is longer than 255 bytes"),
        (["d/" * 1500 + "x"], "nested in more than 199 folders"),
        (["/".join(["d" * 200] * 30)], "too long for this file system"),
        (["a", "a/b"], "another path of the tree is in its place"),
        (["a/b", "a"], "another path of the tree is in its place"),
        # What README and Readme are to a file system that ignores case.
        (["a", "a"], "another path of the tree is in its place"),
    ],
)
def test_paths_that_cannot_be_written_fail_the_case_and_leave_nothing(
    paths: list[str], message: str, blob_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(CaseError, match=message):
        write_tree(blob_folder, map(source_file, paths), target=tmp_path / "tree")
    assert sorted(os.listdir(tmp_path)) == ["files"]
