from pathlib import Path
from typing import Any

import pytest

from routebench.context import build
from routebench.context.build import pack_repository
from routebench.context.tokens import TokenCounter, load_counter
from routebench.tables import read_rows, write_rows

COMMIT, OTHER = "a" * 40, "b" * 40
TEXTS = {"one.py": "key\nb\n", "two.py": "x\ny\n", "empty.py": "", "big.py": "z " * 9000}
Row = dict[str, Any]


def write_corpus(folder: Path) -> None:
    blobs = {path: f"{number:040d}" for number, path in enumerate(TEXTS)}
    write_rows(
        folder / "blobs",
        "blobs",
        (
            {"blob": blobs[p], "bytes": len(t), "lines": len(t.splitlines()), "text": t}
            for p, t in TEXTS.items()
        ),
    )
    write_rows(
        folder / "snapshots" / f"{COMMIT}.parquet",
        "snapshots",
        (
            {
                "path": path,
                "blob": blobs[path],
                "mode": "100644",
                "bytes": len(text),
                "lines": len(text.splitlines()),
                "eligible": True,
                "reason": None,
            }
            for path, text in sorted(TEXTS.items())
        ),
    )


def pack_arms(
    folder: Path, rankings: dict[str, list[str]], **settings: Any
) -> dict[str, list[tuple[Any, ...]]]:
    write_corpus(folder)
    issues = [
        {"case_id": case_id, "repo": "o/n", "base_commit": commit, "query": "the key"}
        for case_id, commit in (("c1", COMMIT), ("gone", OTHER), ("unranked", COMMIT))
    ]
    write_rows(folder / "issues", "issues", issues)
    for arm, ranking in rankings.items():
        rows = [
            {"case_id": case_id, "rank": rank, "path": path, "score": 0.0}
            for case_id in ("c1", "gone")
            for rank, path in enumerate(ranking, start=1)
        ]
        write_rows(folder / "rankings" / arm, "rankings", rows)
    pack_repository(
        issues=folder / "issues",
        rankings={arm: folder / "rankings" / arm for arm in rankings},
        snapshots=folder / "snapshots",
        blobs=folder / "blobs",
        outputs={arm: folder / "contexts" / arm for arm in rankings},
        **settings,
    )
    return {
        arm: [tuple(row.values()) for row in read_rows(folder / "contexts" / arm, "contexts")]
        for arm in rankings
    }


def pack_rows(folder: Path, ranking: list[str], **settings: Any) -> list[tuple[Any, ...]]:
    return pack_arms(folder, {"arm": ranking}, **settings)["arm"]


def test_rows_are_in_packing_order_and_name_what_fitted(tmp_path: Path) -> None:
    one = load_counter().count("\n===== one.py =====\n00001: key\n00002: b\n")
    two = load_counter().count("\n===== two.py =====\n00001: x\n00002: y\n")
    rows = pack_rows(tmp_path, ["two.py", "one.py"], ks=(1, 2), budgets=(two, one + two))
    assert rows == [
        ("c1", 1, two, "two.py", 1, 2, two, True),
        ("c1", 1, one + two, "two.py", 1, 2, two, True),
        ("c1", 2, two, "two.py", 1, 2, two, True),
        ("c1", 2, two, "one.py", 1, 2, one, False),
        ("c1", 2, one + two, "two.py", 1, 2, two, True),
        ("c1", 2, one + two, "one.py", 1, 2, one, True),
    ]


def test_paths_outside_the_corpus_and_empty_files_are_passed_over(tmp_path: Path) -> None:
    rows = pack_rows(tmp_path, ["gone.py", "empty.py", "one.py"], ks=(2, 3), budgets=(100,))
    assert [row[1:5] for row in rows] == [(3, 100, "one.py", 1)]


def test_a_block_surely_over_every_budget_has_no_count(tmp_path: Path) -> None:
    [row] = pack_rows(tmp_path, ["big.py"], ks=(8,), budgets=(10,))
    assert row == ("c1", 8, 10, "big.py", 1, 1, None, False)


def test_arms_have_their_own_order(tmp_path: Path) -> None:
    rankings = {"a": ["one.py", "two.py"], "b": ["two.py"], "none": []}
    rows = pack_arms(tmp_path, rankings, ks=(2,), budgets=(100,))
    paths = {arm: [row[3] for row in of_arm] for arm, of_arm in rows.items()}
    assert paths == {"a": ["one.py", "two.py"], "b": ["two.py"], "none": []}


def test_each_block_is_counted_once_for_all_arms_ks_and_budgets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []

    class Spy(TokenCounter):
        def count(self, text: str) -> int:
            counted.append(text)
            return 1

    spy = Spy(load_counter().encoding, 128)
    monkeypatch.setattr(build, "load_counter", lambda: spy)
    rankings = {"a": ["one.py", "two.py"], "b": ["two.py", "one.py"]}
    rows = pack_arms(tmp_path, rankings, ks=(8, 16), budgets=(100, 200, 300))
    assert [len(of_arm) for of_arm in rows.values()] == [12, 12]
    assert len(counted) == 2


def test_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        pack_rows(folder, ["one.py"], ks=(8,), budgets=(100,))
    assert (first / "contexts/arm").read_bytes() == (second / "contexts/arm").read_bytes()
