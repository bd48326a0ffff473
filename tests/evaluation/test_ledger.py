import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from routebench.errors import RoutebenchError
from routebench.evaluation.ledger import cases_from_ledger
from routebench.tables import read_rows

CASE_ID = "SWE-Bench-Pro__go__maintenance__bugfix__05aad678"
TABLES = ("cases", "gold", "spans", "exclusions")
SPANS = [
    {"path": "a/x.go", "start_line": 1, "end_line": 2},
    {"path": "b/y.go", "start_line": 3, "end_line": 4},
]
Row = dict[str, Any]


def write_archive(folder: Path, *, case_id: str = CASE_ID, aligned: tuple[bool, bool]) -> None:
    digest = hashlib.sha256(b"look at A/X.go").hexdigest()
    case = {"id": case_id, "repo": "o/n", "base_commit": "a" * 40, "gold": SPANS}
    excluded = [{"id": "out", "repo": "o/n", "reasons": ["one", "two"]}]
    ledger = {"cases": [{**case, "query_sha256": digest}], "excluded": excluded}
    results = [
        {"id": case_id, **span, "aligned": flag} for span, flag in zip(SPANS, aligned, strict=True)
    ]
    mismatches = [{"id": case_id, **SPANS[1], "kind": "text_elsewhere_in_file"}]
    contents = {
        "ledger": ledger,
        "gold_audit": {"results": results},
        "annotation_audit": {"mismatches": mismatches},
    }
    for name, content in contents.items():
        (folder / name).write_text(json.dumps(content))


def read_archive(folder: Path, queries: dict[str, str] | None = None) -> dict[str, list[Row]]:
    cases_from_ledger(
        **{name: folder / name for name in ("ledger", "gold_audit", "annotation_audit", *TABLES)},
        queries=queries,
    )
    return {name: read_rows(folder / name, name) for name in TABLES}


def test_what_the_archive_knows(tmp_path: Path) -> None:
    write_archive(tmp_path, aligned=(True, False))
    found = read_archive(tmp_path)
    [case] = found["cases"]
    assert (case["language"], case["source"], case["query"]) == ("go", "Pro", "")
    assert (case["gold_files"], case["gold_spans"], case["aligned"]) == (2, 2, False)
    assert case["several_directories"] is True
    assert [row["end_line"] for row in found["gold"]] == [2, 4]
    assert [row["alignment"] for row in found["spans"]] == ["aligned", "text_elsewhere_in_file"]
    assert tuple(found["exclusions"][0].values()) == ("out", "o/n", "audit", "one; two")


def test_what_needs_text_or_source_is_open(tmp_path: Path) -> None:
    write_archive(tmp_path, aligned=(True, False))
    [case] = read_archive(tmp_path)["cases"]
    open_columns = ("names_gold_path", "names_gold_file", "clipped_spans")
    assert [case[name] for name in open_columns] == [None, None, None]


def test_a_text_with_the_ledgers_digest_gives_the_flags(tmp_path: Path) -> None:
    write_archive(tmp_path, aligned=(True, False))
    [case] = read_archive(tmp_path, {CASE_ID: "look at A/X.go"})["cases"]
    assert (case["names_gold_path"], case["names_gold_file"]) == (True, False)  # x.go: 4 characters


def test_another_text_is_refused(tmp_path: Path) -> None:
    write_archive(tmp_path, aligned=(True, False))
    with pytest.raises(RoutebenchError, match=f"case {CASE_ID}: issue text differs"):
        read_archive(tmp_path, {CASE_ID: "other"})


def test_audits_that_disagree_are_refused(tmp_path: Path) -> None:
    write_archive(tmp_path, aligned=(True, True))
    with pytest.raises(RoutebenchError, match=r"audits disagree on b/y\.go"):
        read_archive(tmp_path)


@pytest.mark.parametrize("case_id", ["c1", "Other__go__maintenance__bugfix__05aad678"])
def test_an_id_of_another_form_is_refused(tmp_path: Path, case_id: str) -> None:
    write_archive(tmp_path, case_id=case_id, aligned=(True, False))
    with pytest.raises(RoutebenchError, match="expected source__language__kind__type__hash"):
        read_archive(tmp_path)
