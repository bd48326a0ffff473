"""SQLite full-text search, ranked by BM25 (METHODS R1).

One in-memory index per repository moves from commit to commit: only rows whose path
or blob changed are deleted and inserted (METHODS C2).
"""

import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from heapq import nsmallest
from typing import Literal, NamedTuple

from pydantic import Field

from routebench.arms.base import Answer, Operations, Parameters, Ranked, Resources, Snapshot
from routebench.arms.evidence import Evidence, Reasons, ranked_files, strongest_first
from routebench.arms.terms import query_terms
from routebench.errors import CaseError, RoutebenchError
from routebench.records import Issue, SourceFile

# None of these changes a result. Postings are gathered in memory up to `hashsize` before they
# become a segment: SQLite's default of 1 MB makes a build of 17 MB of source 40 % slower.
# Segments are merged only when there are `crisismerge`: a move from commit to commit writes
# one or two, and by default a quarter of its time goes into merging them.
TUNING = {"hashsize": 64 << 20, "automerge": 0, "crisismerge": 64}

Column = Literal["path", "content"]


class Fts5Parameters(Parameters):
    """Parameters of the kind ``fts5``.

    Attributes:
        query_characters: leading characters of the issue that are read; None for all.
        columns: what is indexed.
        path_weight: BM25 weight of the path.
        content_weight: BM25 weight of the content.
    """

    query_characters: int | None = Field(default=500, ge=1)
    columns: tuple[Column, ...] = Field(default=("path", "content"), min_length=1, max_length=2)
    path_weight: float | None = Field(default=None, gt=0)
    content_weight: float = Field(default=1.0, gt=0)

    @property
    def weights(self) -> tuple[float, ...]:
        """BM25 weight of each column; path weighs 2 beside content and 1 alone."""
        path = self.path_weight or (2.0 if "content" in self.columns else 1.0)
        return tuple(path if c == "path" else self.content_weight for c in self.columns)


PARAMETERS = Fts5Parameters


class Hit(NamedTuple):
    """A matching file; ``bm25`` is SQLite's, lower is better."""

    bm25: float
    path: str


def match_expression(terms: Iterable[str]) -> str:
    """Returns the FTS5 expression for any of the terms; quotes make each one literal."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)


class Index:
    """An FTS5 table that holds the eligible files of one commit at a time."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = tuple(columns)
        self._snapshot: Snapshot | None = None
        self._rows: dict[str, tuple[int, SourceFile]] = {}
        self._paths: dict[int, str] = {}
        self._next_row = 1
        self._connection = _open_table(self._columns)

    def move_to(self, snapshot: Snapshot) -> None:
        """Makes the index hold exactly the files of ``snapshot``.

        Raises:
            sqlite3.Error: a row was refused; the index must not be used again.
        """
        if self._snapshot is not None and self._snapshot.commit == snapshot.commit:
            return
        wanted = {file.path: file for file in snapshot.files}
        old = [f for _, f in self._rows.values() if not self._same(f, wanted.get(f.path))]
        new = [f for f in snapshot.files if not self._same(f, self._row_file(f.path))]
        if self._snapshot is not None and self._cost(old) + self._cost(new) > self._cost(
            snapshot.files
        ):
            self._clear()
            old, new = [], list(snapshot.files)
        self._change(old, new, snapshot)

    def search(self, expression: str, weights: Sequence[float], limit: int) -> list[Hit]:
        """Returns at most ``limit`` files by bm25, then path."""
        marks = ", ".join("?" * len(weights))
        found = self._connection.execute(
            f"SELECT bm25(source, {marks}), rowid FROM source WHERE source MATCH ?",
            (*weights, expression),
        )
        # The table stores no path to sort by; Python compares text as SQLite does, by code point.
        return nsmallest(limit, (Hit(score, self._paths[row]) for score, row in found))

    def weights(
        self, term: str, weights: Sequence[float], paths: Iterable[str]
    ) -> dict[str, float]:
        """Returns what one term adds to the score (-bm25) of each of these files that has it."""
        rows = {self._rows[path][0]: path for path in paths if path in self._rows}
        marks = ", ".join("?" * len(weights))
        # The plus keeps SQLite from searching once for every row.
        found = self._connection.execute(
            f"SELECT rowid, bm25(source, {marks}) FROM source WHERE source MATCH ? "
            f"AND +rowid IN ({', '.join('?' * len(rows))})",
            (*weights, match_expression([term]), *rows),
        )
        return {rows[row]: -score for row, score in found}

    def count_terms(self, files: Sequence[SourceFile]) -> "TermPlaces":
        """Returns where terms are in a few of the files that the index holds."""
        values = self._values(files, self._snapshot)
        return TermPlaces(self._columns, {file.path: columns for file, columns in values})

    def close(self) -> None:
        """Frees the memory of the index."""
        self._connection.close()

    def _row_file(self, path: str) -> SourceFile | None:
        row = self._rows.get(path)
        return row[1] if row else None

    def _same(self, one: SourceFile, other: SourceFile | None) -> bool:
        if other is None:
            return False
        return "content" not in self._columns or one.blob == other.blob

    def _cost(self, files: Iterable[SourceFile]) -> int:
        """Estimates the work of adding or deleting rows: both tokenize the whole row."""
        content = "content" in self._columns
        return sum(len(file.path) + (file.bytes if content else 0) for file in files)

    def _clear(self) -> None:
        self._connection.close()
        self._connection = _open_table(self._columns)
        self._rows.clear()
        self._paths.clear()

    def _change(
        self, old: Sequence[SourceFile], new: Sequence[SourceFile], snapshot: Snapshot
    ) -> None:
        names = ", ".join(self._columns)
        marks = ", ".join("?" * len(self._columns))
        with self._connection:
            self._connection.executemany(
                f"INSERT INTO source(source, rowid, {names}) VALUES ('delete', ?, {marks})",
                self._forget(old),
            )
            self._connection.executemany(
                f"INSERT INTO source(rowid, {names}) VALUES (?, {marks})",
                self._learn(new, snapshot),
            )
        self._snapshot = snapshot

    def _forget(self, files: Sequence[SourceFile]) -> Iterator[tuple[int | str, ...]]:
        # A contentless table must be told what it indexed: the text of the former commit.
        for file, values in self._values(files, self._snapshot) if files else ():
            row, _ = self._rows.pop(file.path)
            del self._paths[row]
            yield row, *values

    def _learn(
        self, files: Sequence[SourceFile], snapshot: Snapshot
    ) -> Iterator[tuple[int | str, ...]]:
        for file, values in self._values(files, snapshot):
            row = self._next_row
            self._next_row += 1
            self._rows[file.path] = (row, file)
            self._paths[row] = file.path
            yield row, *values

    def _values(
        self, files: Iterable[SourceFile], snapshot: Snapshot | None
    ) -> Iterator[tuple[SourceFile, tuple[str, ...]]]:
        """Yields each file with its columns, by blob: no part of the corpus is read twice."""
        if "content" not in self._columns:
            yield from ((file, (file.path,)) for file in files)
            return
        assert snapshot is not None
        by_blob: dict[str, list[SourceFile]] = {}
        for file in files:
            by_blob.setdefault(file.blob, []).append(file)
        for blob, text in snapshot.texts(by_blob):
            for file in by_blob[blob]:
                yield file, tuple(file.path if c == "path" else text for c in self._columns)


class TermPlaces:
    """An FTS5 table of a few files that tells where their tokens are."""

    def __init__(self, columns: Sequence[Column], files: Mapping[str, Sequence[str]]) -> None:
        self._connection = _open_table(columns)
        self._paths = dict(enumerate(files, start=1))
        marks = ", ".join("?" * len(columns))
        self._connection.executemany(
            f"INSERT INTO source(rowid, {', '.join(columns)}) VALUES (?, {marks})",
            ((row, *files[path]) for row, path in self._paths.items()),
        )
        self._connection.execute(
            "CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, source, 'instance')"
        )

    def count(self, term: str) -> Counter[tuple[str, str]]:
        """Returns how often a query term stands in each path and column.

        FTS5 takes `_` for a separator: a term with one is its parts in a row.
        """
        starts: set[tuple[int, str, int]] | None = None
        for place, part in enumerate(filter(None, term.split("_"))):
            query = "SELECT doc, col, offset - ? FROM places WHERE term = ?"
            found = set(self._connection.execute(query, (place, part)))
            starts = found if starts is None else starts & found
        return Counter((self._paths[row], column) for row, column, _ in starts or ())


def _open_table(columns: Sequence[Column]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(
            f"CREATE VIRTUAL TABLE source USING fts5({', '.join(columns)}, content='')"
        )
    except sqlite3.OperationalError as error:
        raise RoutebenchError(
            f"SQLite {sqlite3.sqlite_version} of this Python has no FTS5 ({error}); "
            "use a Python built with FTS5, for example python.org's or conda's"
        ) from error
    for option, value in TUNING.items():
        with suppress(sqlite3.OperationalError):
            connection.execute("INSERT INTO source(source, rank) VALUES (?, ?)", [option, value])
    return connection


class Fts5Ranker:
    """Ranks the files of one repository by BM25."""

    def __init__(self, parameters: Fts5Parameters) -> None:
        self._parameters = parameters
        self._index: Index | None = None

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns at most k paths by BM25, then path; score is -bm25, higher is better.

        An issue without terms gives an empty ranking.

        Raises:
            CaseError: SQLite refused a file, for example one over its limit of 10^9 bytes.
        """
        assert snapshot is not None
        started = time.perf_counter()
        index = self._moved_index(snapshot)
        built = time.perf_counter()
        terms = query_terms(issue.query, self._parameters.query_characters)
        expression = match_expression(terms)
        hits = index.search(expression, self._parameters.weights, k) if terms else []
        ended = time.perf_counter()
        return Answer(
            tuple(Ranked(hit.path, -hit.bm25) for hit in hits),
            Operations(build_ms=(built - started) * 1e3, query_ms=(ended - built) * 1e3),
        )

    def explain(self, issue: Issue, snapshot: Snapshot | None, answer: Answer) -> Reasons:
        """Returns the query terms in each file: what each adds to bm25, and how often it is there.

        Raises:
            CaseError: SQLite refused a file.
        """
        assert snapshot is not None
        index = self._moved_index(snapshot)
        places = index.count_terms(ranked_files(snapshot, answer.ranking))
        found: dict[str, list[Evidence]] = {item.path: [] for item in answer.ranking}
        for term in query_terms(issue.query, self._parameters.query_characters):
            weights = index.weights(term, self._parameters.weights, found)
            counts = places.count(term) if weights else Counter()
            for path, weight in weights.items():
                found[path].append(
                    Evidence(
                        kind="term",
                        text=term,
                        weight=weight,
                        in_path=counts[path, "path"],
                        in_content=counts[path, "content"],
                    )
                )
        return {path: strongest_first(evidence) for path, evidence in found.items()}

    def _moved_index(self, snapshot: Snapshot) -> Index:
        index, self._index = self._index or Index(self._parameters.columns), None
        try:
            index.move_to(snapshot)
        except (sqlite3.Error, OverflowError) as error:
            index.close()
            raise CaseError(f"indexing commit {snapshot.commit[:12]}: {error}") from error
        self._index = index
        return index


def create(parameters: Fts5Parameters, resources: Resources) -> Fts5Ranker:
    """Returns a ranker for one repository."""
    return Fts5Ranker(parameters)
