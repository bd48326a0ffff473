"""The yardstick of ``make bench``: the lexical arms as one would write them first.

One case after another: check out its commit, read all files, build a fresh full-text index
for each arm that wants one, start ripgrep with its JSON output and its own threads, read the
nominated files again for each arm's context. Nothing is kept between cases or arms but the
texts of the case in hand. Pure definitions (query terms, eligible paths, ranges, scores) are
those of the package; what it does for speed is not used.
"""

import json
import math
import os
import sqlite3
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from routebench.arms.ripgrep_search import find_ripgrep
from routebench.arms.terms import query_terms, tokens
from routebench.context.build import Packing, context_rows
from routebench.context.packer import Block, render_block
from routebench.context.selector import select_ranges
from routebench.context.tokens import load_counter
from routebench.corpus.eligibility import content_problem, decode, path_problem

FIRST_CHARACTERS = 500
CANDIDATES = 16
FUSED_CONSTANT = 60
BATCH = 256
Row = dict[str, Any]
Ranking = list[tuple[str, float]]


@dataclass
class Clock:
    """Seconds spent under each name."""

    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Adds the time of the block."""
        started = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - started


@dataclass
class Outcome:
    """What the arms gave: rows of the tables rankings and contexts, by arm."""

    rankings: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    contexts: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True)
class Case:
    """A case in hand: its issue, its checkout and the texts of its eligible files."""

    query: str
    folder: Path
    texts: Mapping[str, str]


def run(
    issues: Sequence[Row],
    mirrors: Mapping[str, Path],
    folder: Path,
    *,
    arms: Sequence[str],
    ks: Sequence[int],
    budgets: Sequence[int],
) -> tuple[Outcome, Clock]:
    """Ranks and packs every case with every arm.

    Args:
        issues: rows of the table issues.
        mirrors: git directory by repository, with every blob of the commits.
        folder: an empty folder for the checkouts.
        arms: names in ``ARMS``.
        ks: numbers of candidates.
        budgets: tokens.
    """
    outcome, clock = Outcome(), Clock()
    for issue in issues:
        checkout = folder / issue["repo"].replace("/", "__")
        with clock.timed("checkout"):
            check_out(mirrors[issue["repo"]], issue["base_commit"], checkout)
        with clock.timed("reading"):
            case = Case(issue["query"], checkout, read_files(checkout))
        for arm in arms:
            with clock.timed(arm):
                ranking = ARMS[arm](case)[:CANDIDATES]
                outcome.rankings[arm] += ranking_rows(issue["case_id"], ranking)
            with clock.timed(f"{arm} context"):
                blocks = list(build_blocks(case, ranking, max(budgets)))
                packing = Packing(ks, budgets)
                outcome.contexts[arm] += context_rows(issue["case_id"], blocks, packing)
    return outcome, clock


def check_out(mirror: Path, commit: str, folder: Path) -> None:
    """Moves the repository's work tree to a commit."""
    if not folder.exists():
        git("init", "--quiet", str(folder))
        shared = folder / ".git" / "objects" / "info" / "alternates"
        shared.write_text(f"{mirror.resolve() / 'objects'}\n")
    git("-C", str(folder), "checkout", "--quiet", "--force", "--detach", commit)


def git(*arguments: str) -> None:
    """Runs git without any configuration but its own."""
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(
        ["git", "-c", "core.autocrlf=false", "-c", "core.attributesFile=/dev/null", *arguments],
        env={**os.environ, **quiet},
        check=True,
    )


def read_files(folder: Path) -> dict[str, str]:
    """Returns the text of every eligible file by path."""
    texts = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            file = Path(place, name)
            path = file.relative_to(folder).as_posix()
            if file.is_symlink() or path_problem(path.encode(), "100644"):
                continue
            content = file.read_bytes()
            if not content_problem(content):
                texts[path] = decode(content)
    return dict(sorted(texts.items()))


def full_text(case: Case, characters: int | None, *, with_content: bool) -> Ranking:
    """Ranks by a fresh FTS5 index."""
    terms = query_terms(case.query, characters)
    if not terms:
        return []
    columns, weights = ("path, content", "2, 1") if with_content else ("path", "1")
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE source USING fts5({columns})")
    if with_content:
        connection.executemany("INSERT INTO source VALUES (?, ?)", case.texts.items())
    else:
        connection.executemany("INSERT INTO source VALUES (?)", ((path,) for path in case.texts))
    match = " OR ".join(f'"{term}"' for term in terms)
    found = connection.execute(
        f"SELECT path, -bm25(source, {weights}) AS score FROM source WHERE source MATCH ? "
        f"ORDER BY score DESC, path LIMIT {CANDIDATES}",
        [match],
    ).fetchall()
    connection.close()
    return found


def ripgrep_hits(case: Case, terms: Sequence[str]) -> dict[str, set[str]]:
    """Returns the terms found in each file, by ripgrep's JSON."""
    hits: dict[str, set[str]] = defaultdict(set)
    paths = list(case.texts)
    for start in range(0, len(paths) if terms else 0, BATCH):
        done = subprocess.run(
            [
                *(find_ripgrep(), "--no-config", "--json", "--fixed-strings", "--ignore-case"),
                *("--file=-", "--", *paths[start : start + BATCH]),
            ],
            input="".join(f"{term}\n" for term in terms).encode(),
            capture_output=True,
            cwd=case.folder,
            check=False,
        )
        for line in done.stdout.split(b"\n"):
            event = json.loads(line) if line else {"type": ""}
            if event["type"] == "match":
                path, text = event["data"]["path"]["text"], event["data"]["lines"]["text"].lower()
                hits[path].update(term for term in terms if term in text)
    return hits


def rank_hits(case: Case, hits: Mapping[str, set[str]]) -> Ranking:
    """Ranks by rarity and path (METHODS R2)."""
    counts = Counter(term for found in hits.values() for term in found)
    size = len(case.texts)
    scores = {}
    for path, found in hits.items():
        rarity = [1 + math.log((size + 1) / (counts[term] + 1)) for term in found]
        in_path = [2.0 for term in found if term in path.lower()]
        scores[path] = math.fsum(rarity + in_path)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def ripgrep(case: Case) -> Ranking:
    """Ranks by one search."""
    return rank_hits(case, ripgrep_hits(case, query_terms(case.query)))


def ripgrep_feedback(case: Case) -> Ranking:
    """Ranks by two searches, fused (METHODS R4)."""
    first = ripgrep_hits(case, query_terms(case.query))
    counts = Counter(term for found in first.values() for term in found)
    rarest = sorted(counts, key=lambda term: (counts[term], term))[:5]
    second = ripgrep_hits(case, sorted(rarest))
    scores: dict[str, list[float]] = defaultdict(list)
    for hits in (first, second):
        for rank, (path, _) in enumerate(rank_hits(case, hits), start=1):
            scores[path].append(1 / (FUSED_CONSTANT + rank))
    fused = ((path, math.fsum(parts)) for path, parts in scores.items())
    return sorted(fused, key=lambda item: (-item[1], item[0]))


def basename(case: Case) -> Ranking:
    """Ranks by terms in names (METHODS R5)."""
    terms = set(query_terms(case.query, FIRST_CHARACTERS))
    scores = (
        (path, 2.0 * len(terms & set(tokens(Path(path).stem))) + len(terms & set(tokens(path))))
        for path in case.texts
    )
    return sorted((item for item in scores if item[1]), key=lambda item: (-item[1], item[0]))


ARMS = {
    "fts5": lambda case: full_text(case, FIRST_CHARACTERS, with_content=True),
    "fts5-full": lambda case: full_text(case, None, with_content=True),
    "path-fts5": lambda case: full_text(case, FIRST_CHARACTERS, with_content=False),
    "rg": ripgrep,
    "rg-feedback": ripgrep_feedback,
    "basename": basename,
}


def ranking_rows(case_id: str, ranking: Ranking) -> list[Row]:
    """Returns a ranking as rows of the table rankings."""
    return [
        {"case_id": case_id, "rank": rank, "path": path, "score": score}
        for rank, (path, score) in enumerate(ranking, start=1)
    ]


def build_blocks(case: Case, ranking: Ranking, largest: int) -> Iterator[Block]:
    """Yields the ranges of the nominated files, each file read again from disk."""
    terms, counter = query_terms(case.query), load_counter()
    for rank, (path, _) in enumerate(ranking, start=1):
        lines = decode((case.folder / path).read_bytes()).splitlines(keepends=True)
        for found in select_ranges(lines, terms):
            count = counter.count_within(render_block(path, lines, found), largest)
            yield Block(rank, path, found.start_line, found.end_line, count)
