"""Tables of the rerank study, worked out by hand.

Three cases with 1, 2 and 1 gold files (g.py and h.py), lists of at most 10 files:

========= =============== =============== ==============
case      bm25-harness    rerank-harness  bm25-harness@b=0.1
========= =============== =============== ==============
c1        x.py g.py       g.py x.py       g.py
c2        g.py x.py h.py  h.py            (empty)
c3        test_x.py       test_x.py       test_x.py
========= =============== =============== ==============
"""

from pathlib import Path
from typing import Any

import pytest

from routebench.reporting.published import Published, PublishedValue
from routebench.reporting.queries import read_query
from routebench.reporting.tables import evaluate
from routebench.reporting.views import ArmEntry, ResultFiles, StudySettings, open_results, values
from routebench.tables import table_schema, write_rows

QUERIES = Path(__file__).parents[2] / "workflow" / "queries"
BASE, RERANK, SWEPT = "bm25-harness", "rerank-harness", "bm25-harness@b=0.1"
GOLD = {"c1": ["g.py"], "c2": ["g.py", "h.py"], "c3": ["g.py"]}
LISTS = {
    BASE: {"c1": ["x.py", "g.py"], "c2": ["g.py", "x.py", "h.py"], "c3": ["test_x.py"]},
    RERANK: {"c1": ["g.py", "x.py"], "c2": ["h.py"], "c3": ["test_x.py"]},
    SWEPT: {"c1": ["g.py"], "c2": [], "c3": ["test_x.py"]},
}
KS = (1, 10, 20)
PRINTED = Published(
    values=(
        PublishedValue(BASE, "file_recall", 1, None, 0.25),
        PublishedValue(BASE, "first_rank_median", None, None, 4.0),
        PublishedValue(RERANK, "improved", None, None, 15.0),
        PublishedValue(RERANK, "calls", None, None, 60.0),
        PublishedValue(SWEPT, "gold_in_shortlist", None, None, 0.545),
        PublishedValue(RERANK, "first_rank", None, "c1", 1.0),
    ),
    cases=3,
    ids=frozenset({"c1"}),
)


def fill(table: str, **row: Any) -> dict[str, Any]:
    """Gives columns that do not matter here an empty value."""
    blank: dict[str, Any] = {"string": "", "large_string": "", "bool": False}
    return {
        f.name: row.get(f.name, None if f.nullable else blank.get(str(f.type), 0))
        for f in table_schema(table)
    }


def score_row(arm: str, case_id: str, k: int) -> dict[str, Any]:
    gold, listed = GOLD[case_id], LISTS[arm][case_id][:k]
    found = len(set(gold).intersection(listed))
    facts = {
        "case_id": case_id,
        "repo": "o/n",
        "arm": arm,
        "k": k,
        "file_recall": found / len(gold),
    }
    return fill("scores", **facts, gold_found=found, gold_files=len(gold), returned=len(listed))


@pytest.fixture
def files(tmp_path: Path) -> ResultFiles:
    def write(name: str, table: str, rows: list[dict[str, Any]]) -> Path:
        write_rows(tmp_path / name, table, rows)
        return tmp_path / name

    def of_arm(arm: str) -> list[dict[str, Any]]:
        return [
            {"case_id": case_id, "rank": rank, "path": path, "score": 1.0}
            for case_id, listed in LISTS[arm].items()
            for rank, path in enumerate(listed, start=1)
        ]

    gold = [fill("gold", case_id=c, path=path) for c, paths in GOLD.items() for path in paths]
    spent = {arm: {"calls": 3, "fallbacks": 1} if arm == RERANK else {} for arm in LISTS}
    return ResultFiles(
        cases=write(
            "cases",
            "cases",
            [fill("cases", case_id=c, repo="o/n", gold_files=len(g)) for c, g in GOLD.items()],
        ),
        gold=write("gold", "gold", gold),
        exclusions=write("exclusions", "exclusions", []),
        scores=write(
            "scores", "scores", [score_row(a, c, k) for a in LISTS for c in GOLD for k in KS]
        ),
        statistics=write(
            "statistics", "statistics", [fill("statistics", arm=RERANK, comparator=BASE)]
        ),
        rankings={arm: [write(f"r-{arm}", "rankings", of_arm(arm))] for arm in LISTS},
        operations={
            arm: [
                write(
                    f"o-{arm}",
                    "operations",
                    [fill("operations", case_id=c, **spent[arm]) for c in GOLD],
                )
            ]
            for arm in LISTS
        },
    )


@pytest.fixture
def rows(files: ResultFiles) -> Any:
    kinds = {BASE: "bm25", RERANK: "rerank", SWEPT: "bm25"}
    study = StudySettings(
        ks=KS,
        arms=tuple(ArmEntry(arm, kind) for arm, kind in kinds.items()),
        comparator=BASE,
        published=PRINTED,
    )

    def rows(name: str) -> list[dict[str, Any]]:
        with open_results(files, study) as connection:
            query = read_query(QUERIES / f"{name}.sql").filled(values(connection, study))
            table = evaluate(query, connection)
        return [dict(zip(table.names, row, strict=True)) for row in table.rows]

    return rows


def test_recall_beside_the_published_value(rows: Any) -> None:
    found = {(row["arm"], row["k"]): row for row in rows("rerank-recall")}
    assert set(found) == {(arm, k) for arm in (BASE, RERANK) for k in KS}
    assert found[BASE, 1]["file_recall"] == pytest.approx((0 + 0.5 + 0) / 3)
    assert found[BASE, 1]["difference"] == pytest.approx(0.5 / 3 - 0.25)
    assert found[BASE, 1]["same_cohort"] == "not known"
    assert found[BASE, 10]["file_recall"] == pytest.approx((1 + 1 + 0) / 3)
    assert found[BASE, 10]["published"] is None
    assert found[RERANK, 1]["file_recall"] == pytest.approx((1 + 0.5 + 0) / 3)


def test_a_case_without_gold_in_its_list_has_the_rank_after_the_longest(rows: Any) -> None:
    """Ranks 2, 1 and none of bm25, which is 21; 1, 1 and none reranked."""
    base, reranked = rows("rerank-ranks")
    assert (base["median_rank"], base["mean_rank"]) == (2, pytest.approx((2 + 1 + 21) / 3))
    assert (base["at_1"], base["missed"], base["not_listed"]) == (1, 1, 1)
    assert (base["published_median"], base["published_mean"]) == (4.0, None)
    assert (reranked["median_rank"], reranked["at_1"], reranked["missed"]) == (1, 2, 1)


def test_better_and_worse(rows: Any) -> None:
    (row,) = rows("rerank-changes")
    assert (row["improved"], row["unchanged"], row["worsened"]) == (1, 2, 0)
    assert (row["sign_p"], row["published_improved"], row["published_worsened"]) == (1.0, 15, None)


def test_ranks_of_instances(rows: Any) -> None:
    found = {
        (r["case_id"], r["arm"]): (r["first_rank"], r["gold_found"])
        for r in rows("rerank-instances")
    }
    assert found == {
        ("c1", BASE): (2, 1),
        ("c1", RERANK): (1, 1),
        ("c2", BASE): (1, 2),
        ("c2", RERANK): (1, 1),
        ("c3", BASE): (None, 0),
        ("c3", RERANK): (None, 0),
    }
    assert [r["published"] for r in rows("rerank-instances") if r["published"]] == [1.0]


def test_share_of_tests(rows: Any) -> None:
    base, reranked = rows("rerank-tests")
    assert (base["files"], base["tests"], base["share"]) == (6, 1, pytest.approx(1 / 6))
    assert (reranked["files"], reranked["share"]) == (4, 0.25)


def test_ablations_are_micro_over_gold_files(rows: Any) -> None:
    (row,) = rows("rerank-ablations")
    assert (row["base"], row["parameter"], row["value"]) == (BASE, "b", "0.1")
    assert (row["gold_in_list"], row["published_gold"]) == (1 / 4, 0.545)
    assert (row["recall_20"], row["listed"], row["cases"]) == (pytest.approx(1 / 3), 2 / 3, 3)


def test_cost_is_a_total_of_reranked_arms(rows: Any) -> None:
    (row,) = rows("rerank-cost")
    assert (row["arm"], row["calls"], row["published_calls"]) == (RERANK, 9, 60)
    assert (row["fallbacks"], row["failures"]) == (3, 0)


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        *(("tests/a.py", True), ("a/test/b.c", True), ("src/testing/x.py", True)),
        *(("a/test_b.py", True), ("b_test.go", True), ("b.test.js", True), ("b.spec.ts", True)),
        *(("a/conftest.py", True), ("contest.py", False), ("latest/a.py", False)),
        *(("django/test_utils/a.py", False), ("attest.py", False), ("docs/a.txt", False)),
    ],
)
def test_what_a_test_file_is(
    rows: Any, monkeypatch: pytest.MonkeyPatch, files: ResultFiles, path: str, is_test: bool
) -> None:
    ranking = [{"case_id": "c1", "rank": 1, "path": path, "score": 1.0}]
    write_rows(files.rankings[BASE][0], "rankings", ranking)
    assert rows("rerank-tests")[0]["tests"] == int(is_test)
