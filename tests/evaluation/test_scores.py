import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from routebench.errors import RoutebenchError
from routebench.evaluation.scores import score_study
from routebench.tables import read_rows, read_table, table_schema, write_table

Row = dict[str, Any]
Write = Callable[..., Path]
CASES = [{"case_id": "c2", "repo": "o/n"}, {"case_id": "c1", "repo": "o/m"}]
GOLD = [
    {"case_id": "c1", "path": "a", "start_line": 1, "end_line": 4},
    {"case_id": "c1", "path": "a", "start_line": 3, "end_line": 8},
    {"case_id": "c1", "path": "b", "start_line": 1, "end_line": 2},
    {"case_id": "c2", "path": "c", "start_line": 1, "end_line": 1},
]


def ranking(case_id: str, *paths: str) -> list[Row]:
    return [
        {"case_id": case_id, "rank": rank, "path": path} for rank, path in enumerate(paths, start=1)
    ]


def context(k: int, budget: int, path: str, lines: tuple[int, int], **facts: Any) -> Row:
    place = {"path": path, "start_line": lines[0], "end_line": lines[1]}
    return {"case_id": "c1", "k": k, "budget": budget, **place, **facts}


def score(write: Write, output: Path, **more: Any) -> list[Row]:
    settings: Row = {"ks": (1, 2), "budgets": (50,), "contexts": {}, **more}
    score_study(
        cases=write("cases", "cases", CASES),
        gold=write("gold", "gold", GOLD),
        output=output,
        **settings,
    )
    return read_rows(output, "scores")


def test_rows_follow_arms_cases_and_ks(write: Write, tmp_path: Path) -> None:
    rankings = {
        "z": [write("z1", "rankings", ranking("c1", "a", "b"))],
        "a": [write("a1", "rankings", ranking("c2", "x", "c")), write("a2", "rankings", [])],
    }
    rows = score(write, tmp_path / "scores", rankings=rankings)
    found = [(row["arm"], row["case_id"], row["k"], row["file_recall"]) for row in rows]
    assert found == [
        ("z", "c2", 1, 0.0),
        ("z", "c2", 2, 0.0),
        ("z", "c1", 1, 0.5),
        ("z", "c1", 2, 1.0),
        ("a", "c2", 1, 0.0),
        ("a", "c2", 2, 1.0),
        ("a", "c1", 1, 0.0),
        ("a", "c1", 2, 0.0),
    ]
    assert all(row["budget"] is row["line_recall"] is row["context_tokens"] is None for row in rows)
    assert [row["repo"] for row in rows[:4]] == ["o/n", "o/n", "o/m", "o/m"]


def test_line_scores_count_included_blocks_of_gold_files(write: Write, tmp_path: Path) -> None:
    blocks = [
        context(1, 50, "a", (1, 5), tokens=10, included=True),
        context(2, 50, "a", (1, 5), tokens=10, included=True),
        context(2, 50, "a", (6, 9), tokens=45, included=False),
        context(2, 50, "x", (1, 9), tokens=7, included=True),
        context(2, 50, "b", (2, 2), tokens=1, included=True),
        context(2, 99, "a", (1, 9), tokens=90, included=True),
    ]
    rows = score(
        write,
        tmp_path / "scores",
        rankings={"arm": [write("r", "rankings", ranking("c1", "a", "x"))]},
        contexts={"arm": [write("contexts", "contexts", blocks)]},
    )
    found = {
        (row["case_id"], row["k"]): (row["line_recall"], row["context_tokens"], row["budget"])
        for row in rows
    }
    # Gold of c1: a 1-8 and b 1-2, ten lines.
    assert found["c1", 1] == (0.5, 10, 50)  # a 1-5
    assert found["c1", 2] == (0.6, 18, 50)  # a 1-5, b 2
    assert found["c2", 1] == found["c2", 2] == (0.0, 0, 50)


def test_contexts_without_a_budget_are_refused(write: Write, tmp_path: Path) -> None:
    """They would read as contexts that delivered nothing."""
    blocks = [context(1, 50, "a", (1, 5), tokens=10, included=True)]
    with pytest.raises(RoutebenchError, match="nothing packed for k 2, budget 50"):
        score(
            write,
            tmp_path / "scores",
            rankings={"arm": []},
            contexts={"arm": [write("contexts", "contexts", blocks)]},
        )


def test_a_case_without_gold_is_refused(write: Write, tmp_path: Path) -> None:
    with pytest.raises(RoutebenchError, match="no gold for case c2"):
        score_study(
            cases=write("cases", "cases", CASES),
            gold=write("gold", "gold", GOLD[:3]),
            rankings={},
            contexts={},
            ks=(8,),
            budgets=(),
            output=tmp_path / "scores",
        )


def test_a_ranking_with_a_gap_is_refused(write: Write, tmp_path: Path) -> None:
    rows = ranking("c1", "a", "b")[1:]
    with pytest.raises(RoutebenchError, match="case c1 has rank 2 in place 1"):
        score(write, tmp_path / "scores", rankings={"arm": [write("r", "rankings", rows)]})


def test_a_thousand_cases_of_nine_arms_take_seconds(write: Write, tmp_path: Path) -> None:
    """A tenth of a large study: 144,000 ranked files, 576,000 blocks, 18,000 scores."""
    cases, files, ks = 1_000, 16, (8, 16)
    ids = [f"case-{number:05d}" for number in range(cases)]
    gold = [
        {"case_id": case_id, "path": f"src/{n}.py", "start_line": 1, "end_line": 500}
        for case_id in ids
        for n in (3, 20)
    ]
    case_ids = np.repeat(ids, files)
    paths = np.tile([f"src/{n}.py" for n in range(files)], cases)
    ranked = {
        "case_id": case_ids,
        "rank": np.tile(np.arange(1, files + 1), cases),
        "path": paths,
        "score": np.zeros(len(paths)),
    }
    blocks = [pack_blocks(case_ids, paths, k, start) for k in ks for start in (1, 600)]
    write_columns(tmp_path / "r", "rankings", ranked)
    write_table(tmp_path / "c", "contexts", pa.concat_tables(blocks))
    arms = [f"arm{n}" for n in range(9)]
    listed = write("cases", "cases", [{"case_id": c, "repo": "o/n"} for c in ids])
    spans = write("gold", "gold", gold)
    start = time.perf_counter()
    score_study(
        cases=listed,
        gold=spans,
        rankings={arm: [tmp_path / "r"] for arm in arms},
        contexts={arm: [tmp_path / "c"] for arm in arms},
        ks=ks,
        budgets=(16_000,),
        output=tmp_path / "scores",
    )
    assert time.perf_counter() - start < 6
    assert read_table(tmp_path / "scores", "scores").num_rows == cases * len(arms) * len(ks)


def pack_blocks(case_ids: Any, paths: Any, k: int, start: int) -> pa.Table:
    size = len(paths)
    columns = {
        "case_id": case_ids,
        "k": np.full(size, k),
        "budget": np.full(size, 16_000),
        "path": paths,
        "start_line": np.full(size, start),
        "end_line": np.full(size, start + 400),
        "tokens": np.full(size, 900),
        "included": np.arange(size) % 2 == 0,
    }
    return as_table("contexts", columns)


def as_table(table: str, columns: Row) -> pa.Table:
    schema = table_schema(table)
    arrays = [pa.array(columns[field.name].tolist(), field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def write_columns(path: Path, table: str, columns: Row) -> None:
    write_table(path, table, as_table(table, columns))
