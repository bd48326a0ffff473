"""The pin file of releases is read strictly."""

from pathlib import Path

import pytest
import yaml

from routebench.datasets.release_pins import DEMO_RELEASES, load_releases
from routebench.errors import RoutebenchError

RELEASE = {
    "project": "tiny",
    "version": "1.0",
    "wheel": "tiny-1.0-py3-none-any.whl",
    "bytes": 10,
    "sha256": "a" * 64,
    "commit": "b" * 40,
}
REPOSITORY = {
    "repository": "some/tiny",
    "language": "python",
    "licence": "MIT",
    "releases": [RELEASE],
}


def write(path: Path, *repositories: object) -> Path:
    path.write_text(yaml.safe_dump({"repositories": list(repositories)}))
    return path


def test_demo_releases_are_as_documented() -> None:
    pinned = load_releases(DEMO_RELEASES)
    assert [len(repository.releases) for repository in pinned] == [3, 2, 2, 2, 3, 2]
    first, last = pinned[0].releases[0], pinned[-1].releases[-1]
    assert (first.wheel, first.bytes) == ("networkx-3.2.1-py3-none-any.whl", 1647772)
    assert (last.wheel, last.commit[:8]) == ("rich-13.9.4-py3-none-any.whl", "a97156a4")
    assert sum(r.bytes for repository in pinned for r in repository.releases) == 31_190_168


def test_unknown_version_names_those_pinned(tmp_path: Path) -> None:
    (repository,) = load_releases(write(tmp_path / "pins.yaml", REPOSITORY))
    assert repository.release("1.0").commit == "b" * 40
    with pytest.raises(RoutebenchError, match=r"some/tiny: version 2\.0 is not one of 1\.0"):
        repository.release("2.0")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"sha256": "A" * 64}, "sha256"),
        ({"commit": "b" * 39}, "commit"),
        ({"wheel": "../tiny.whl"}, "wheel"),
        ({"version": "1.0 --index-url=x"}, "version"),
        ({"project": "-r"}, "project"),
        ({"bytes": 0}, "bytes"),
        ({"url": "x"}, "url"),
    ],
)
def test_bad_release_is_refused(change: dict[str, object], reason: str, tmp_path: Path) -> None:
    path = write(tmp_path / "pins.yaml", {**REPOSITORY, "releases": [{**RELEASE, **change}]})
    with pytest.raises(RoutebenchError, match=reason) as error:
        load_releases(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "repositories",
    [
        [REPOSITORY, REPOSITORY],
        [{**REPOSITORY, "releases": []}],
        [{**REPOSITORY, "releases": [RELEASE, RELEASE]}],
        [{**REPOSITORY, "repository": "tiny"}],
        [{"repository": "some/tiny"}],
    ],
)
def test_bad_repository_is_refused(repositories: list[object], tmp_path: Path) -> None:
    with pytest.raises(RoutebenchError, match="correct the pins"):
        load_releases(write(tmp_path / "pins.yaml", *repositories))
