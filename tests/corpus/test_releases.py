"""Releases become commits: reproducible ids, safe paths, whole repositories or none."""

import pickle
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from routebench.corpus.fast_import import read_history
from routebench.corpus.releases import Release, ReleaseRepository, build_release_repository
from routebench.errors import RoutebenchError

WORKFLOW = Path(__file__).parents[2] / "workflow"
# Worked out once with git 2.39 from the files below; other versions give the same.
COMMITS = (
    "4068ff625b07ee53a412bc5952bd9ed40b2b23a0",
    "c2fa8d55e9080b52d753c68c21909a3bcf10f25c",
)
VERSIONS = {
    "1.0": {"tiny/__init__.py": b"", "tiny/a.py": b"x = 1\n", "tiny-1.0.dist-info/RECORD": b"-"},
    "1.1": {"tiny/a.py": b"x = 2\r\n", 'tiny/odd "name".txt': b"\xff\x00", "tiny/d/b.py": b"y\n"},
}
KILLED_BUILD = """
import os, pickle, signal, sys
from routebench.corpus import releases

repository, wheels, target = pickle.load(sys.stdin.buffer)
releases._publish = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
releases.build_release_repository(repository, wheels, target=target)
"""


def make_wheel(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def wheels(tmp_path: Path) -> list[Path]:
    return [
        make_wheel(tmp_path / f"tiny-{version}-py3-none-any.whl", files)
        for version, files in VERSIONS.items()
    ]


@pytest.fixture
def repository(wheels: list[Path]) -> ReleaseRepository:
    releases = tuple(
        Release("tiny", version, wheel.name, wheel.stat().st_size, "0" * 64, commit)
        for version, wheel, commit in zip(VERSIONS, wheels, COMMITS, strict=True)
    )
    return ReleaseRepository("some/tiny", "python", "MIT", releases)


def git(target: Path, *arguments: str) -> str:
    command = ["git", "--git-dir", str(target), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_commit_ids_and_trees_are_as_pinned(
    repository: ReleaseRepository, wheels: list[Path], tmp_path: Path
) -> None:
    target = tmp_path / "repos" / "tiny.git"
    build_release_repository(repository, wheels, target=target)
    assert read_history(target) == COMMITS
    assert git(target, "ls-tree", "-r", "-z", COMMITS[1]).split("\0")[:-1] == [
        "100644 blob 0b528c6d94042cbde2fe3f31edd3b9dd40a1284d\ttiny/a.py",
        "100644 blob 975fbec8256d3e8a3797e7a3611380f27c49f4ac\ttiny/d/b.py",
        '100644 blob 5d983463ed9b1bcb008a040949025e83abf576d1\ttiny/odd "name".txt',
    ]
    assert git(target, "log", "-1", "--format=%an <%ae> %at %cn %ct %s", COMMITS[1]) == (
        "routebench <routebench@example.invalid> 1577923200 routebench 1577923200 tiny 1.1\n"
    )


def test_user_configuration_and_environment_change_nothing(
    repository: ReleaseRepository,
    wheels: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[init]\n\tdefaultBranch = odd\n[core]\n\tautocrlf = true\n")
    for name, value in {
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_DIR": str(tmp_path / "elsewhere"),
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_AUTHOR_NAME": "someone",
    }.items():
        monkeypatch.setenv(name, value)
    build_release_repository(repository, wheels, target=tmp_path / "tiny.git")
    assert read_history(tmp_path / "tiny.git") == COMMITS
    assert not (tmp_path / "elsewhere").exists()
    assert not (tmp_path / "tiny.git" / "hooks").exists()


def test_second_build_reads_no_wheel(
    repository: ReleaseRepository, wheels: list[Path], tmp_path: Path
) -> None:
    target = tmp_path / "tiny.git"
    build_release_repository(repository, wheels, target=target)
    written = target.stat().st_ino
    build_release_repository(repository, [], target=target)
    assert target.stat().st_ino == written


def test_repository_of_other_pins_is_replaced(
    repository: ReleaseRepository, wheels: list[Path], tmp_path: Path
) -> None:
    older = replace(repository, releases=repository.releases[:1])
    build_release_repository(older, wheels[:1], target=tmp_path / "tiny.git")
    build_release_repository(repository, wheels, target=tmp_path / "tiny.git")
    assert read_history(tmp_path / "tiny.git") == COMMITS


def test_other_commit_than_pinned_is_refused_with_both_ids(
    repository: ReleaseRepository, wheels: list[Path], tmp_path: Path
) -> None:
    wrong = replace(repository.releases[1], commit="f" * 40)
    pins = replace(repository, releases=(repository.releases[0], wrong))
    with pytest.raises(RoutebenchError, match=f"{COMMITS[1]}.*{'f' * 40}"):
        build_release_repository(pins, wheels, target=tmp_path / "tiny.git")
    assert sorted(tmp_path.iterdir()) == sorted(wheels)


@pytest.mark.parametrize(
    "path",
    ["../out.py", "/etc/out.py", "tiny/../../out.py", "a\\b.py", "tiny/.GIT/hooks/x", "a\nb"],
)
def test_path_that_leaves_the_repository_is_refused(
    path: str, repository: ReleaseRepository, wheels: list[Path], tmp_path: Path
) -> None:
    make_wheel(wheels[1], {"tiny/a.py": b"", path: b"out"})
    with pytest.raises(RoutebenchError, match="unsafe path"):
        build_release_repository(repository, wheels, target=tmp_path / "tiny.git")
    assert sorted(tmp_path.iterdir()) == sorted(wheels)


def test_killed_build_leaves_no_repository(
    repository: ReleaseRepository, wheels: list[Path], tmp_path: Path
) -> None:
    target = tmp_path / "tiny.git"
    done = subprocess.run(
        [sys.executable, "-c", KILLED_BUILD],
        input=pickle.dumps((repository, wheels, target)),
        env={"PYTHONPATH": str(WORKFLOW), "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == -9
    assert not target.exists()
    build_release_repository(repository, wheels, target=target)
    assert read_history(target) == COMMITS


def test_two_builds_at_once_both_end_well(
    repository: ReleaseRepository, wheels: list[Path], tmp_path: Path
) -> None:
    target = tmp_path / "tiny.git"

    def build(_: int) -> None:
        build_release_repository(repository, wheels, target=target)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(build, range(4)))
    assert read_history(target) == COMMITS
    assert sorted(tmp_path.iterdir()) == sorted([*wheels, target])
