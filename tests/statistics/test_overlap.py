from pathlib import Path

import pytest

from routebench.statistics.overlap import Overlap, count_overlap, measure_overlaps
from routebench.tables import read_rows, write_rows

GOLD = {"c1": frozenset("abc"), "c2": frozenset("a"), "c3": frozenset("bd")}
TREE = {"c1": ["a", "b", "x"], "c2": ["a"], "c3": ["d", "b"]}
LEXICAL = {"c1": ["b", "c"], "c3": ["x", "d"]}


@pytest.mark.parametrize(
    ("others", "k", "expected"),
    [
        # Tree finds a b | a | d b, five of six; without the b of c1 and the d of c3, three.
        ([LEXICAL], 2, Overlap(3, 6, 5, 5 / 6, 3, 3)),
        # At 1 tree finds a | a | d and the other b | - | x: nothing in common.
        ([LEXICAL], 1, Overlap(3, 6, 3, 0.5, 3, 3)),
        ([LEXICAL, {"c2": ["a"]}], 2, Overlap(3, 6, 5, 5 / 6, 2, 2)),
        ([], 2, Overlap(3, 6, 5, 5 / 6, 5, 3)),
        ([TREE], 2, Overlap(3, 6, 5, 5 / 6, 0, 0)),
    ],
)
def test_counts_worked_by_hand(
    others: list[dict[str, list[str]]], k: int, expected: Overlap
) -> None:
    assert count_overlap(GOLD, TREE, others, k=k) == expected


def test_no_cases_have_no_recall() -> None:
    assert count_overlap({}, {}, [], k=8) == Overlap(0, 0, 0, 0.0, 0, 0)


def test_table_follows_comparisons_and_ks(tmp_path: Path) -> None:
    spans = [
        {
            "case_id": case_id,
            "path": path,
            "start_line": 1,
            "end_line": 1,
            "annotated_end_line": 1,
            "aligned": None,
        }
        for case_id, paths in GOLD.items()
        for path in sorted(paths)
    ]
    write_rows(tmp_path / "gold", "gold", spans)
    for name, rankings in (("tree", TREE), ("lexical", LEXICAL)):
        rows = [
            {"case_id": case_id, "rank": rank, "path": path, "score": 0.0}
            for case_id, paths in rankings.items()
            for rank, path in enumerate(paths, start=1)
        ]
        write_rows(tmp_path / name, "rankings", rows)
    measure_overlaps(
        gold=tmp_path / "gold",
        rankings={name: [tmp_path / name] for name in ("tree", "lexical")},
        comparisons=[("tree", ["lexical"]), ("lexical", ["tree"])],
        ks=(2, 1),
        output=tmp_path / "overlaps",
    )
    found = [
        (row["arm"], row["comparators"], row["k"], row["unique_gold"], row["unique_cases"])
        for row in read_rows(tmp_path / "overlaps", "overlaps")
    ]
    assert found == [
        ("tree", ["lexical"], 2, 3, 3),
        ("tree", ["lexical"], 1, 3, 3),
        ("lexical", ["tree"], 2, 1, 1),
        ("lexical", ["tree"], 1, 1, 1),
    ]
