"""One repository of a study: a mirror of a git repository, or releases as commits."""

from collections.abc import Sequence
from pathlib import Path

from routebench.corpus.eligibility import PathRule
from routebench.corpus.mirror import MirrorRecord, mirror_path, update_mirror
from routebench.corpus.releases import build_release_repository
from routebench.datasets.release_pins import ReleaseRepository, load_releases
from routebench.datasets.release_wheels import fetch_release_files


def provide_repository(
    repo: str,
    commits: Sequence[str],
    *,
    url_template: str,
    folder: Path,
    origin: str | None = None,
    releases: Path | None = None,
    downloads: Path,
    pins: Path | None = None,
    rule: PathRule = "contextbench",
) -> MirrorRecord:
    """Brings the commits of one repository into its bare mirror in ``folder``.

    Args:
        repo: identity as owner/name.
        commits: full commit ids.
        url_template: address of git repositories, see ``update_mirror``.
        folder: where mirrors are kept.
        origin: address of this repository in place of the template, braces and all.
        releases: pin file of the repositories that are made of releases.
        downloads: where the files of releases are kept.
        pins: folder that stands in for downloads of releases.
        rule: which paths are not eligible; a release is always whole.

    Raises:
        RoutebenchError: a pinned release cannot be had or is not what its pin says.
    """
    known = {made.repository: made for made in load_releases(releases)} if releases else {}
    if repo in known:
        return _build(known[repo], commits, folder=folder, downloads=downloads, pins=pins)
    return update_mirror(
        repo, commits, url_template=url_template, folder=folder, origin=origin, rule=rule
    )


def _build(
    made: ReleaseRepository,
    commits: Sequence[str],
    *,
    folder: Path,
    downloads: Path,
    pins: Path | None,
) -> MirrorRecord:
    wheels = fetch_release_files(made, folder=downloads, mirror=pins)
    build_release_repository(made, wheels, target=mirror_path(folder, made.repository))
    wanted = tuple(dict.fromkeys(commits))
    missing = {c: "not a pinned release" for c in wanted if c not in made.commits}
    whole = tuple(commit for commit in wanted if commit in made.commits)
    return MirrorRecord(made.repository, "package index", True, None, whole, missing)
