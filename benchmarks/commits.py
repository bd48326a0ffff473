"""What commits of one repository cost together, against each alone (METHODS C2).

Run by ``make bench-commits REPOSITORY=path/to/django.git``. Commits are evenly spaced on
the first-parent line between two base commits of SWE-bench Verified. Both ways are measured in
this one run; the target is a third.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from routebench.arms.base import Resources
from routebench.arms.registry import create_ranker, parse_parameters
from routebench.corpus.git import run_git
from routebench.corpus.snapshots import build_corpus
from routebench.corpus.store import BlobStore, open_snapshot, order_commits
from routebench.errors import RoutebenchError
from routebench.records import Issue

# Base commits of django__django-10097 (2018) and django__django-15695 (2022).
FIRST = "b9cf764be62e77b4777b3a75ec256f6209a57671"
LAST = "647480166bfe7532e8c471fef0146e3a17e6c0c9"
TARGET = 1 / 3
QUERY = "A Count annotation with a Case condition and distinct=True gives a query syntax error"
ARMS: dict[str, tuple[str, dict[str, Any]]] = {
    "bm25 harness": ("bm25", {"variant": "harness"}),
    "bm25 pipeline": ("bm25", {"variant": "pipeline"}),
    "fts5": ("fts5", {}),
}


class Measured(NamedTuple):
    """Seconds for all commits, one after another and each from nothing."""

    name: str
    together: float
    apart: float

    @property
    def ratio(self) -> float:
        """What together costs of apart."""
        return self.together / self.apart


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(prog="make bench-commits", description=__doc__)
    parser.add_argument("repository", type=Path, help="git directory that holds the commits")
    parser.add_argument("--first", default=FIRST, help="oldest commit")
    parser.add_argument("--last", default=LAST, help="newest commit")
    parser.add_argument("--count", type=int, default=29, help="how many commits")
    given = parser.parse_args(arguments)
    try:
        commits = spaced_commits(given.repository, given.first, given.last, given.count)
        with tempfile.TemporaryDirectory(prefix="routebench-bench-") as folder:
            rows = list(measure(given.repository, commits, Path(folder)))
    except RoutebenchError as error:
        sys.exit(f"bench-commits: {error}")
    print(f"{len(commits)} commits of {given.repository}; target: at most {TARGET:.2f}")
    headings = ("", "Together (s)", "Apart (s)", "Ratio")
    cells = [(row.name, row.together, row.apart, row.ratio) for row in rows]
    print(tabulate(cells, headings, floatfmt=("", ".1f", ".1f", ".2f")))


def spaced_commits(repository: Path, first: str, last: str, count: int) -> list[str]:
    """Returns commits evenly spaced on the first-parent line from ``first`` to ``last``."""
    listed = run_git(repository, "rev-list", "--reverse", "--first-parent", f"{first}..{last}")
    line = [first, *listed.decode().split()]
    step = (len(line) - 1) / (count - 1)
    return [line[round(step * place)] for place in range(count)]


def measure(repository: Path, commits: Sequence[str], folder: Path) -> Iterator[Measured]:
    """Yields the corpus, then each arm on it."""
    whole = folder / "whole"
    yield Measured(
        "corpus",
        timed(build, repository, commits, whole),
        sum(timed(build, repository, [commit], folder / "one") for commit in commits),
    )
    store, order = BlobStore(whole / "blobs.parquet"), order_commits(whole / "snapshots")
    for name, (kind, values) in ARMS.items():
        shared = make_ranker(kind, values)
        together = sum(timed(ask, shared, whole, store, commit) for commit in order)
        alone = (make_ranker(kind, values) for _ in order)
        apart = sum(
            timed(ask, ranker, whole, store, commit)
            for ranker, commit in zip(alone, order, strict=True)
        )
        yield Measured(name, together, apart)


def build(repository: Path, commits: Sequence[str], folder: Path) -> None:
    """Makes a corpus of some commits."""
    folder.mkdir(exist_ok=True)
    snapshots, blobs = folder / "snapshots", folder / "blobs.parquet"
    build_corpus(repository, commits, snapshots=snapshots, blobs=blobs, rule="text")


def make_ranker(kind: str, values: dict[str, Any]) -> Any:
    """Returns a new ranker."""
    return create_ranker(kind, parse_parameters(kind, values), Resources())


def ask(ranker: Any, folder: Path, store: BlobStore, commit: str) -> None:
    """Ranks one issue at a commit."""
    snapshot = open_snapshot(folder / "snapshots", store, commit=commit)
    ranker.rank(Issue(commit, "django/django", commit, QUERY), snapshot, 100)


def timed(work: Callable[..., object], *arguments: object) -> float:
    """Returns how many seconds a call takes."""
    started = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
