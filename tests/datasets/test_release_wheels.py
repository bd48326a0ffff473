"""Wheels come from the folder, the mirror or pip, and are checked in every case."""

import hashlib
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from routebench.datasets import release_wheels
from routebench.datasets.release_pins import Release, ReleaseRepository
from routebench.datasets.release_wheels import fetch_release_files
from routebench.datasets.wheel_files import read_package_files
from routebench.errors import RoutebenchError

WHEEL = "tiny-1.0-py3-none-any.whl"


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """A mirror folder with one wheel, deep down and under another name."""
    folder = tmp_path / "mirror" / "deep"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "renamed.whl", "w") as archive:
        archive.writestr("tiny/a.py", "x = 1\n")
    return tmp_path / "mirror"


@pytest.fixture
def pins(mirror: Path) -> ReleaseRepository:
    content = (mirror / "deep" / "renamed.whl").read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    release = Release("tiny", "1.0", WHEEL, len(content), digest, "0" * 40)
    return ReleaseRepository("some/tiny", "python", "MIT", (release,))


@pytest.fixture(autouse=True)
def no_download(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RoutebenchError("a download was tried")

    monkeypatch.setattr(release_wheels, "_download", refuse)


def test_mirror_is_searched_by_hash(pins: ReleaseRepository, mirror: Path, tmp_path: Path) -> None:
    folder = tmp_path / "wheels"
    wheels = fetch_release_files(pins, folder=folder, mirror=mirror)
    assert wheels == (folder / WHEEL,)
    assert list(folder.iterdir()) == [folder / WHEEL]


def test_file_at_hand_is_used(pins: ReleaseRepository, mirror: Path, tmp_path: Path) -> None:
    folder = tmp_path / "wheels"
    fetch_release_files(pins, folder=folder, mirror=mirror)
    assert fetch_release_files(pins, folder=folder, mirror=None) == (folder / WHEEL,)


def test_missing_file_is_downloaded(pins: ReleaseRepository, tmp_path: Path) -> None:
    with pytest.raises(RoutebenchError, match="a download was tried"):
        fetch_release_files(pins, folder=tmp_path / "wheels", mirror=tmp_path / "nothing")


@pytest.mark.parametrize("place", ["wheels", "mirror"])
def test_changed_file_is_refused_with_both_hashes(
    place: str, pins: ReleaseRepository, mirror: Path, tmp_path: Path
) -> None:
    (mirror / "deep" / "renamed.whl").unlink()
    (tmp_path / place).mkdir(exist_ok=True)
    (tmp_path / place / WHEEL).write_bytes(b"other")
    # printf other | sha256sum
    found = "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"
    with pytest.raises(RoutebenchError) as error:
        fetch_release_files(pins, folder=tmp_path / "wheels", mirror=mirror)
    message = str(error.value)
    assert WHEEL in message
    assert found in message
    assert pins.releases[0].sha256 in message
    assert "\n" not in message


def test_size_must_agree_as_well(pins: ReleaseRepository, mirror: Path, tmp_path: Path) -> None:
    fetch_release_files(pins, folder=tmp_path, mirror=mirror)
    longer = replace(pins.releases[0], bytes=pins.releases[0].bytes + 1)
    with pytest.raises(RoutebenchError, match="bytes, pinned"):
        fetch_release_files(replace(pins, releases=(longer,)), folder=tmp_path, mirror=None)


def test_pip_is_asked_for_the_pinned_hash(
    pins: ReleaseRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    asked: list[str] = []

    def fail(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.extend([*command, Path(command[-1]).read_text()])
        return subprocess.CompletedProcess(command, 1, "", "ERROR: no such\nversion")

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(RoutebenchError, match="pip cannot download it: ERROR: no such version"):
        fetch_release_files(pins, folder=tmp_path / "wheels", mirror=None)
    assert "--require-hashes" in asked
    assert asked[-1] == f"tiny==1.0 --hash=sha256:{pins.releases[0].sha256}\n"
    assert list((tmp_path / "wheels").iterdir()) == []


def test_metadata_is_left_out_and_links_are_plain_files(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("tiny/link.py")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / WHEEL, "w") as archive:
        archive.writestr("tiny/", "")
        archive.writestr("tiny-1.0.dist-info/METADATA", "")
        archive.writestr("tiny-1.0.data/data/share/man", "")
        archive.writestr(link, "../../etc/passwd")
        archive.writestr("tiny/a.py", "x")
    assert read_package_files(tmp_path / WHEEL) == [
        ("tiny/a.py", b"x"),
        ("tiny/link.py", b"../../etc/passwd"),
    ]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_path_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / WHEEL, "w") as archive:
        archive.writestr("tiny/a.py", "one")
        archive.writestr("tiny/a.py", "two")
    with pytest.raises(RoutebenchError, match="stands twice"):
        read_package_files(tmp_path / WHEEL)


def test_broken_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / WHEEL).write_bytes(b"PK")
    with pytest.raises(RoutebenchError, match="unreadable wheel"):
        read_package_files(tmp_path / WHEEL)
