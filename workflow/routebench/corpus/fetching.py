"""Fetches single objects from a remote into a mirror.

The remote exists on the command line alone: the mirror's own configuration never names
one, so that reading the mirror cannot go to the network, and no address is stored.
"""

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from routebench.corpus.git import GitError, run_git
from routebench.errors import RoutebenchError
from routebench.files import replacing_folder
from routebench.records import repository_slug

ATTEMPTS = 3
PAUSE = wait_exponential(max=8)
TIMEOUT_SECONDS = 3600.0
NETWORK_PROTOCOLS = "https:http:ssh:git"
LOCAL_UPLOAD_PACK = shlex.join(
    (
        # A hostile source could name a remote whose transport is a command of its own.
        *("env", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1", "git", "-c", "safe.directory=*"),
        *("-c", "uploadpack.allowFilter=true", "-c", "uploadpack.allowAnySHA1InWant=true"),
        "upload-pack",
    )
)
_FETCH = (
    *("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"),
    *("--stdin",),
)
_SETTINGS = {
    "remote.origin.promisor": "true",
    "remote.origin.partialclonefilter": "blob:none",
    # Told of a commit at hand, the remote takes its blobs to be at hand as well.
    "fetch.negotiationAlgorithm": "noop",
    "fetch.unpackLimit": "1",
    "fetch.fsckObjects": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
}
_ABSENT = re.compile(r"not our ref ([0-9a-f]{40})")
_REFUSED = re.compile(
    r"unadvertised object|does not support shallow|does not support --depth", re.IGNORECASE
)
_FULL = re.compile(r"^(?!remote:).*(?:No space left on device|Disk quota exceeded)", re.MULTILINE)
_NETWORK = re.compile(
    r"could not resolve host|connection|timed out|early EOF|RPC failed|hung up|TLS|SSL|"
    r"failed to connect|returned error: (?:429|5\d\d)|unexpected disconnect",
    re.IGNORECASE,
)


def repository_url(template: str, repo: str) -> str:
    """Returns the address of a repository.

    Args:
        template: address with ``{repo}``, ``{owner}`` and ``{name}``; a URL or a path.
        repo: identity as owner/name.

    Raises:
        RoutebenchError: the identity is malformed, or the template has another placeholder.
    """
    repository_slug(repo)
    owner, name = repo.split("/")
    rest = template
    for placeholder in ("{repo}", "{owner}", "{name}"):
        rest = rest.replace(placeholder, "")
    if "{" in rest or "}" in rest:
        raise RoutebenchError(f"git URL {template!r}: expected only {{repo}}, {{owner}}, {{name}}")
    url = template.replace("{repo}", repo).replace("{owner}", owner).replace("{name}", name)
    return str(Path(url).absolute()) if _is_path(url) else url


def create_mirror(folder: Path) -> None:
    """Makes an empty bare repository; one that is there stays as it is.

    Raises:
        GitError: the folder cannot be written.
    """
    run_git(folder, "init", "--bare", "--quiet", "--template=", "--object-format=sha1")


def absent_object(error: GitError) -> str | None:
    """Returns the id that the remote says it does not have, if that was the failure."""
    named = _ABSENT.search(error.stderr)
    return named[1] if named else None


def is_refusal(error: GitError) -> bool:
    """Tells whether the remote gives whole branches only, no single commits."""
    return bool(_REFUSED.search(error.stderr))


def is_full(error: GitError) -> bool:
    """Tells whether our own disk was full, which says nothing about the repository."""
    return bool(_FULL.search(error.stderr))


def is_transient(error: BaseException) -> bool:
    """Tells whether the failure looks like the network's, worth another attempt."""
    return (
        isinstance(error, GitError)
        and absent_object(error) is None
        and not is_refusal(error)
        and bool(_NETWORK.search(error.stderr))
    )


@dataclass(frozen=True, slots=True)
class Remote:
    """Where the objects of a mirror come from.

    A full disk of ours is a RoutebenchError and no GitError, lest it be recorded as one.

    Attributes:
        mirror: the bare repository to fill.
        url: address of the source.
    """

    mirror: Path
    url: str

    def fetch_commits(self, commits: Iterable[str]) -> None:
        """Fetches commits with their trees, neither history nor blobs.

        A remote that does not know filters sends the blobs as well.

        Raises:
            GitError: none of them was fetched.
        """
        refspecs = (f"+{commit}:refs/commits/{commit}" for commit in commits)
        self._fetch(refspecs, "--depth=1", "--filter=blob:none")

    def fetch_blobs(self, blobs: Iterable[str]) -> None:
        """Fetches blobs in one request, as git does for a checkout of a partial clone.

        Raises:
            GitError: none of them was fetched.
        """
        self._fetch(blobs, "--filter=blob:none")

    def fetch_everything(self) -> None:
        """Replaces the mirror by one with all branches and tags, whole.

        What was there could make git believe that nothing, or less, is needed.

        Raises:
            GitError: nothing was fetched; the mirror is as before.
        """
        branches_and_tags = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
        with replacing_folder(self.mirror) as private:
            create_mirror(private)
            Remote(private, self.url)._fetch(branches_and_tags, "--no-filter")

    def _fetch(self, refspecs: Iterable[str], *options: str) -> None:
        request = "".join(f"{refspec}\n" for refspec in refspecs).encode()
        attempts = Retrying(
            retry=retry_if_exception(is_transient),
            stop=stop_after_attempt(ATTEMPTS),
            wait=PAUSE,
            reraise=True,
        )
        attempts(self._run, request, *options)

    def _run(self, request: bytes, *options: str) -> None:
        local = _is_path(self.url) or self.url.startswith("file://")
        settings = _SETTINGS | {"remote.origin.url": self.url}
        if local:
            settings["remote.origin.uploadpack"] = LOCAL_UPLOAD_PACK
        try:
            run_git(
                self.mirror,
                *(*_FETCH, *options, "origin"),
                input=request,
                config=settings,
                protocols="file" if local else NETWORK_PROTOCOLS,
                timeout=TIMEOUT_SECONDS,
            )
        except GitError as error:
            if is_full(error):
                raise RoutebenchError(f"{error}; make room and run it again") from error
            raise


def _is_path(url: str) -> bool:
    # git's own rule: a colon before the first slash makes it host:path or a helper.
    return "://" not in url and ":" not in url.split("/", maxsplit=1)[0]
