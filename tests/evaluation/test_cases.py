import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from routebench.errors import RoutebenchError
from routebench.evaluation.cases import (
    all_aligned,
    find_exclusion,
    gather_cases,
    join_exclusions,
    read_aligned,
)
from routebench.records import WHOLE_FILE, Case, Exclusion, GoldSpan
from routebench.tables import read_rows

COMMIT = "a" * 40
Row = dict[str, Any]


def make_case(case_id: str, *spans: GoldSpan, query: str = "see SRC/A.PY") -> Row:
    gold = [
        {"path": s.path, "start_line": s.start_line, "end_line": s.end_line, "text": s.text}
        for s in spans
    ]
    return {
        "case_id": case_id,
        "repo": "o/n",
        "base_commit": COMMIT,
        "query": query,
        "gold": json.dumps(gold),
    }


def make_span(case_id: str, span: GoldSpan, **facts: Any) -> Row:
    place = {"path": span.path, "start_line": span.start_line, "end_line": span.end_line}
    return {"case_id": case_id, **place, **facts}


A = GoldSpan("src/a.py", 2, 9)
B = GoldSpan("lib/b.py", 1, WHOLE_FILE)
C = GoldSpan("src/a.py", 1, 5)


@pytest.fixture
def gathered(write: Callable[..., Path], tmp_path: Path) -> Callable[..., dict[str, list[Row]]]:
    def gather(
        cases: list[Row], spans: list[Row], before: list[Row] | None = None, **more: Path
    ) -> dict[str, list[Row]]:
        outputs = ("cases", "gold", "exclusions")
        gather_cases(
            cohort=[write("cohort", "cohort", cases)],
            spans=[write("spans", "spans", spans)],
            exclusions_in=write("left_out", "exclusions", before or []),
            **{name: tmp_path / name for name in outputs},
            **more,
        )
        return {name: read_rows(tmp_path / name, name) for name in outputs}

    return gather


def test_ends_are_clipped_and_counted(gathered: Callable[..., dict[str, list[Row]]]) -> None:
    spans = [
        make_span("c1", A, file_lines=7, aligned=True),  # 9 is past 7: clipped
        make_span("c1", B, file_lines=4, aligned=True),  # the whole file: not clipped
        make_span("c1", C, file_lines=7, aligned=False),
    ]
    found = gathered([make_case("c1", A, B, C)], spans)
    assert [tuple(row.values())[1:] for row in found["gold"]] == [
        ("src/a.py", 2, 7, True, 9),
        ("lib/b.py", 1, 4, True, WHOLE_FILE),
        ("src/a.py", 1, 5, False, 5),
    ]
    [case] = found["cases"]
    assert (case["gold_files"], case["gold_spans"], case["clipped_spans"]) == (2, 3, 1)
    assert (case["aligned"], case["several_directories"]) == (False, True)
    assert (case["names_gold_path"], case["names_gold_file"]) == (True, False)


def test_a_failing_span_takes_the_case_out_with_all_reasons(
    gathered: Callable[..., dict[str, list[Row]]],
) -> None:
    spans = [
        make_span("c1", A, problem="Gold file outside: z"),
        make_span("c1", C, problem="Gold file outside: z"),
        make_span("c1", B, problem="Gold file outside: b"),
        make_span("c2", A, file_lines=9),
    ]
    found = gathered([make_case("c1", A, C, B), make_case("c2", A)], spans)
    assert [row["case_id"] for row in found["cases"]] == ["c2"]
    assert [tuple(row.values()) for row in found["exclusions"]] == [
        ("c1", "o/n", "audit", "Gold file outside: b; Gold file outside: z")
    ]


def test_earlier_exclusions_come_first_and_keep_their_stage(
    gathered: Callable[..., dict[str, list[Row]]],
) -> None:
    before = [
        {"case_id": "c0", "repo": "o/n", "stage": "dataset", "reason": "no text"},
        {"case_id": "c1", "repo": "o/n", "stage": "cohort", "reason": "pilot"},
    ]
    spans = [make_span("c1", A, file_lines=9), make_span("c2", A, problem="Gold file outside: a")]
    found = gathered([make_case("c1", A), make_case("c2", A)], spans, before)
    assert found["cases"] == []
    assert [tuple(row.values()) for row in found["exclusions"]] == [
        ("c0", "o/n", "dataset", "no text"),
        ("c1", "o/n", "cohort", "pilot"),
        ("c2", "o/n", "audit", "Gold file outside: a"),
    ]


def test_alignment_may_come_from_an_archived_audit(
    gathered: Callable[..., dict[str, list[Row]]], tmp_path: Path
) -> None:
    place = {"path": A.path, "start_line": A.start_line, "end_line": A.end_line}
    results = [{"id": "c1", **place, "aligned": True}]
    audit = tmp_path / "audit.json"
    audit.write_text(json.dumps({"results": results}))
    spans = [make_span("c1", A, file_lines=9), make_span("c2", A, file_lines=9)]
    cases = [make_case("c1", A), make_case("c2", A)]
    found = gathered(cases, spans, published_audit=audit)
    assert [case["aligned"] for case in found["cases"]] == [True, None]


def test_a_case_of_a_repository_without_audit_is_out() -> None:
    case = Case("c1", "o/n", "go", "Pro", COMMIT, "text", (A,))
    assert find_exclusion(case, []) == Exclusion(
        "c1", "o/n", "repository", "No audit of repository o/n in this study"
    )


def test_a_case_without_source_left_at_the_repository() -> None:
    case = Case("c1", "o/n", "go", "Pro", COMMIT, "text", (A,))
    problem = f"No source at base commit {COMMIT}: gone"
    found = find_exclusion(case, [{"problem": problem}, {"problem": problem}])
    assert found == Exclusion("c1", "o/n", "repository", problem)


@pytest.mark.parametrize(
    ("spans", "aligned"),
    [
        ([True, True], True),
        ([True, False], False),
        ([True, None], None),
        ([None, False], False),  # one is enough to say no
    ],
)
def test_alignment_of_a_case(spans: list[bool | None], aligned: bool | None) -> None:
    assert all_aligned(spans) is aligned


def test_reasons_of_one_case_are_joined() -> None:
    twice = [Exclusion("c", "o/n", "dataset", "a"), Exclusion("c", "o/n", "audit", "b")]
    assert join_exclusions(twice) == [Exclusion("c", "o/n", "dataset", "a; b")]


def test_a_span_listed_twice_is_aligned_if_both_are(tmp_path: Path) -> None:
    row = {"id": "c", "path": "a", "start_line": 1, "end_line": 2}
    audit = tmp_path / "audit.json"
    for flags, expected in (((True, False), False), ((False, True), False), ((True, True), True)):
        audit.write_text(json.dumps({"results": [{**row, "aligned": flag} for flag in flags]}))
        assert read_aligned(audit) == {("c", "a", 1, 2): expected}


@pytest.mark.parametrize("text", ["{", "[]", '{"results": [{"id": 1}]}'])
def test_a_foreign_audit_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "audit.json").write_text(text)
    with pytest.raises(RoutebenchError, match="not an audit of gold spans"):
        read_aligned(tmp_path / "audit.json")
