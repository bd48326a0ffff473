"""Bare partial clones with just the commits a study needs."""

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock

from routebench.corpus.eligibility import PathRule, path_problem
from routebench.corpus.fetching import (
    Remote,
    absent_object,
    create_mirror,
    is_refusal,
    is_transient,
    repository_url,
)
from routebench.corpus.git import GitError, describe_objects, list_tree, without_credentials
from routebench.files import damaged
from routebench.records import COMMIT, repository_slug


@dataclass(frozen=True, slots=True)
class MirrorRecord:
    """What came of an update.

    Attributes:
        repo: identity as owner/name.
        url: address asked, without credentials.
        available: False when the repository could not be had and no commit is at hand.
        reason: why the repository could not be had; None if it was, or was not needed.
        commits: wanted commits that are whole in the mirror, in the order asked for.
        missing: reason by commit for the others.
    """

    repo: str
    url: str
    available: bool
    reason: str | None
    commits: tuple[str, ...]
    missing: Mapping[str, str]

    def to_json(self) -> str:
        """Returns the record as JSON with sorted keys, ending in a newline."""
        return json.dumps(asdict(self), indent=2, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "MirrorRecord":
        """Returns the record that ``to_json`` wrote."""
        values = json.loads(text)
        return cls(**values | {"commits": tuple(values["commits"])})

    @classmethod
    def read(cls, path: Path) -> "MirrorRecord":
        """Returns the record that ``to_json`` wrote to a file.

        Raises:
            RoutebenchError: the file is damaged.
        """
        try:
            return cls.from_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise damaged(path, error) from error


def mirror_path(folder: Path, repo: str) -> Path:
    """Returns where the mirror of ``repo`` is kept: ``<folder>/<owner>__<name>.git``."""
    return folder / f"{repository_slug(repo)}.git"


def update_mirror(
    repo: str,
    commits: Sequence[str],
    *,
    url_template: str,
    folder: Path,
    origin: str | None = None,
    rule: PathRule = "contextbench",
) -> MirrorRecord:
    """Brings commits, their trees and the blobs that may be eligible into a mirror.

    Only what is missing is fetched; nothing is contacted when all is there. Killed at any
    point, it can be run again; of two processes at work on one mirror the second waits.

    Args:
        repo: identity as owner/name.
        commits: ids of 40 lower-case hex digits.
        url_template: address with ``{repo}``, ``{owner}``, ``{name}``, or a path.
        folder: where mirrors are kept.
        origin: address of this repository, taken as it is in place of the template.
        rule: which paths are not eligible, so that their blobs are not needed.

    Returns:
        What is at hand. A repository or a commit that cannot be had is told there, with
        the reason.

    Raises:
        RoutebenchError: malformed identity or template.
    """
    mirror = mirror_path(folder, repo)
    remote = Remote(mirror, origin or repository_url(url_template, repo))
    wanted = tuple(dict.fromkeys(commits))
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f".{mirror.name}.lock"):
        _prepare(mirror)
        missing, reason = _bring(remote, wanted, rule)
    whole = tuple(commit for commit in wanted if commit not in missing)
    return MirrorRecord(
        repo=repo,
        url=without_credentials(remote.url),
        available=reason is None or bool(whole),
        reason=reason,
        commits=whole,
        missing={commit: missing[commit] for commit in wanted if commit in missing},
    )


def candidate_blobs(mirror: Path, commit: str, rule: PathRule = "contextbench") -> dict[str, None]:
    """Returns the distinct blobs of a commit that may be eligible, in git's tree order.

    Raises:
        GitError: the commit or part of its tree is not there or broken.
    """
    tree = list_tree(mirror, commit)
    return dict.fromkeys(
        entry.blob for entry in tree if not path_problem(entry.path, entry.mode, rule)
    )


def _prepare(mirror: Path) -> None:
    leftovers = [*mirror.glob("*.lock"), *mirror.glob("refs/**/*.lock")]
    leftovers += [*mirror.glob("objects/pack/tmp_*"), *mirror.glob("objects/pack/.tmp-*")]
    for file in leftovers:
        file.unlink(missing_ok=True)
    for quarantine in mirror.glob("objects/tmp_objdir-*"):
        shutil.rmtree(quarantine, ignore_errors=True)
    create_mirror(mirror)


def _bring(
    remote: Remote, wanted: Iterable[str], rule: PathRule
) -> tuple[dict[str, str], str | None]:
    # Returns the reason by missing commit, and the reason why the repository failed.
    malformed = {c: "no id of 40 lower-case hex digits" for c in wanted if not COMMIT.fullmatch(c)}
    ids = [commit for commit in wanted if commit not in malformed]
    failure, missing = None, malformed
    try:
        missing = missing | _bring_objects(remote, ids, rule)
    except GitError as error:
        failure = str(error)
    for commit in ids:
        if commit not in missing and (problem := _problem(remote.mirror, commit, rule)):
            missing[commit] = failure or problem
    return missing, failure


def _bring_objects(remote: Remote, commits: Sequence[str], rule: PathRule) -> dict[str, str]:
    groups = {commit: {commit} for commit in _absent(remote.mirror, commits)}
    try:
        lost = _fetch_groups(remote.fetch_commits, groups)
        return lost | _bring_blobs(remote, [c for c in commits if c not in lost], rule)
    except GitError as error:
        if not is_refusal(error):
            raise
        remote.fetch_everything()
        return {}


def _bring_blobs(remote: Remote, commits: Iterable[str], rule: PathRule) -> dict[str, str]:
    groups: dict[str, Set[str]] = {}
    broken: dict[str, str] = {}
    for commit in commits:
        try:
            blobs = candidate_blobs(remote.mirror, commit, rule)
            groups[commit] = _absent(remote.mirror, blobs)
        except GitError as error:
            broken[commit] = str(error)
    return broken | _fetch_groups(remote.fetch_blobs, groups)


def _fetch_groups(
    fetch: Callable[[Iterable[str]], None], groups: Mapping[str, Set[str]]
) -> dict[str, str]:
    # One request for all; each object the remote lacks costs its groups and one more request.
    left = dict(groups)
    lost: dict[str, str] = {}
    while ids := sorted(set().union(*left.values())):
        try:
            fetch(ids)
            break
        except GitError as error:
            absent = absent_object(error)
            hit = [name for name, group in left.items() if absent in group]
            if not hit:
                return lost | _fetch_singly(fetch, left, error)
        for name in hit:
            del left[name]
            lost[name] = f"the repository does not have object {absent}"
    return lost


def _fetch_singly(
    fetch: Callable[[Iterable[str]], None], groups: Mapping[str, Set[str]], failure: GitError
) -> dict[str, str]:
    # The remote did not say which object it stumbled over; the groups without it must not pay.
    asked = {name: group for name, group in groups.items() if group}
    if len(asked) < 2 or is_transient(failure) or is_refusal(failure):
        raise failure
    lost: dict[str, str] = {}
    for name, group in asked.items():
        try:
            lost |= _fetch_groups(fetch, {name: group})
        except GitError as error:
            lost[name] = str(error)
    if len(lost) == len(asked):
        raise failure
    return lost


def _absent(mirror: Path, ids: Iterable[str]) -> set[str]:
    asked = set(ids)
    return asked - describe_objects(mirror, asked).keys()


def _problem(mirror: Path, commit: str, rule: PathRule) -> str | None:
    if _absent(mirror, [commit]):
        return "on no branch or tag of the repository"
    try:
        absent = _absent(mirror, candidate_blobs(mirror, commit, rule))
    except GitError as error:
        return str(error)
    return f"{len(absent)} blobs are not at hand, {min(absent)} is one" if absent else None
