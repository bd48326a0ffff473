import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from routebench.errors import RoutebenchError
from routebench.reporting.queries import Query, read_query
from routebench.reporting.tables import Table, display, evaluate, write_table_files, write_tables
from routebench.reporting.views import ResultFiles, StudySettings, open_results, values
from routebench.tables import write_rows

Rewrite = Callable[[Path, str, Callable[..., list[dict[str, Any]]]], None]
TIMED = {"operations.csv", "operations.md", "operations.tex"}


def table(query: Path, files: ResultFiles, study: StudySettings) -> Table:
    with open_results(files, study) as connection:
        return evaluate(read_query(query).filled(values(connection, study)), connection)


def rows(query: Path, files: ResultFiles, study: StudySettings) -> list[dict[str, Any]]:
    result = table(query, files, study)
    return [dict(zip(result.names, row, strict=True)) for row in result.rows]


def all_queries(folder: Path) -> list[Path]:
    return sorted(p for p in folder.glob("*.sql") if not p.name.startswith("figure-"))


def read_csv(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_arms(files: ResultFiles, study: StudySettings, queries: Path) -> None:
    found = rows(queries / "arms.sql", files, study)
    assert [(row["arm"], row["k"]) for row in found] == [
        ("rg", 8),
        ("rg", 16),
        ("fts5", 8),
        ("fts5", 16),
        ("tree+fts5", 8),
        ("tree+fts5", 16),
    ]
    assert found[0] == {
        "arm": "rg",
        "k": 8,
        "cases": 5,
        "failures": 0,
        "file_recall": pytest.approx((1 + 0.5 + 0.25 + 0 + 1) / 5),
        "complete_files": 2,
        "file_precision": pytest.approx((0.25 + 0.25 + 0.25 + 0 + 0.5) / 5),
        "any_hit": pytest.approx(4 / 5),
        "micro_recall": pytest.approx(5 / 10),
        "line_recall": pytest.approx(0.55 / 2),
        "complete_lines": 1,
        "context_tokens": 8000.0,
    }


def test_a_failed_case_stays_in_the_denominator(
    files: ResultFiles, study: StudySettings, queries: Path
) -> None:
    fused = rows(queries / "arms.sql", files, study)[4]
    assert (fused["cases"], fused["failures"]) == (5, 1)
    assert fused["file_recall"] == pytest.approx((1 + 1 + 0.5 + 1) / 5)


def test_a_missing_score_is_an_error(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path, rewrite: Rewrite
) -> None:
    rewrite(files.scores, "scores", lambda rows: rows[1:])
    expected = "scores: arm rg has 0 rows for case c1 .k 8, budget 8000., expected 1; delete"
    with pytest.raises(RoutebenchError, match=expected):
        write_tables(queries=[queries / "arms.sql"], files=files, study=study, folder=tmp_path)


def test_a_score_that_is_there_twice_is_an_error(
    files: ResultFiles, study: StudySettings, queries: Path, rewrite: Rewrite
) -> None:
    rewrite(files.scores, "scores", lambda rows: [*rows, rows[0]])
    with pytest.raises(RoutebenchError, match="arm rg has 2 rows for case c1"):
        table(queries / "arms.sql", files, study)


def test_a_missing_operation_is_an_error(
    files: ResultFiles, study: StudySettings, queries: Path, rewrite: Rewrite
) -> None:
    rewrite(files.operations["fts5"][0], "operations", lambda rows: rows[:-1])
    with pytest.raises(RoutebenchError, match="operations: arm fts5 has 0 rows for case c5"):
        table(queries / "usage.sql", files, study)


def test_an_arm_of_another_study_is_an_error(
    files: ResultFiles, study: StudySettings, queries: Path
) -> None:
    smaller = replace(study, arms=study.arms[:2])
    with pytest.raises(RoutebenchError, match=r"operations: arm tree\+fts5, case c1 is not in"):
        table(queries / "arms.sql", files, smaller)


def test_an_unreadable_file_is_named(
    files: ResultFiles, study: StudySettings, queries: Path
) -> None:
    files.scores.write_bytes(b"PAR1")
    with pytest.raises(RoutebenchError, match=r"scores\.parquet: damaged"):
        table(queries / "arms.sql", files, study)


def test_differences(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    write_table_files(
        query=queries / "differences.sql", files=files, study=study, output=tmp_path / "d"
    )
    header, *found = read_csv(tmp_path / "d.csv")
    assert header[6:] == ["delta", "lower", "upper", "wins", "ties", "losses", "p"]
    assert [row[2] for row in found] == ["file recall", "line recall"]
    assert found[0][6:] == ["0.1131", "-0.0004", "0.168", "3", "1", "1", ""]
    markdown = (tmp_path / "d.md").read_text(encoding="utf-8")
    # A bound that rounds to zero has no minus sign.
    assert "| +0.113 | [+0.000, +0.168] |" in " ".join(markdown.split())
    assert "–" in markdown
    assert "0.0078" in markdown


def test_subgroups(files: ResultFiles, study: StudySettings, queries: Path) -> None:
    assert [r["subset"] for r in rows(queries / "subgroups.sql", files, study)] == ["aligned"]


def test_repositories(files: ResultFiles, study: StudySettings, queries: Path) -> None:
    result = table(queries / "repositories.sql", files, study)
    assert result.names == ("repo", "cases", "excluded", "rg", "fts5", "tree+fts5")
    assert result.rows == (
        (
            "acme/ro_cket",
            3,
            0,
            pytest.approx(1.75 / 3),
            pytest.approx(1 / 3),
            pytest.approx(2.5 / 3),
        ),
        ("gone/away", 0, 2, None, None, None),
        ("zed/lib", 2, 0, 0.5, 0.5, 0.5),
        ("all", 5, 2, pytest.approx(0.55), pytest.approx(0.4), pytest.approx(0.7)),
    )
    assert [cell.text for cell in display(result).rows[1]] == ["gone/away", "0", "2", "–", "–", "–"]


def test_alignment(files: ResultFiles, study: StudySettings, queries: Path) -> None:
    assert table(queries / "alignment.sql", files, study).rows == (
        ("acme/ro_cket", 3, 1, 1, 1, 6, 2, 1, 1, 2, 1),
        ("zed/lib", 2, 2, 0, 0, 3, 3, 0, 0, 0, 0),
        ("all", 5, 3, 1, 1, 9, 5, 1, 1, 2, 1),
    )


def test_alignment_without_an_audit_of_spans(
    files: ResultFiles, study: StudySettings, queries: Path
) -> None:
    result = table(queries / "alignment.sql", replace(files, spans=()), study)
    assert "Spans" not in display(result).headings
    assert result.rows[-1][:5] == ("all", 5, 3, 1, 1)


def test_operations_give_the_lower_p95(
    files: ResultFiles, study: StudySettings, queries: Path
) -> None:
    """Of 1, 2, 3, 4, 5 ms element floor(4 * 0.95) = 3 is 4 ms; quantile_disc gives 5."""
    found = rows(queries / "operations.sql", files, study)[0]
    assert (found["wall_mean"], found["wall_median"], found["wall_p95"]) == (3.0, 3.0, 4.0)
    assert (found["build_mean"], found["query_p95"]) == (10.0, 2.0)


def test_usage(files: ResultFiles, study: StudySettings, queries: Path) -> None:
    found = rows(queries / "usage.sql", files, study)[2]
    assert found == {
        "arm": "tree+fts5",
        "cases": 5,
        "failures": 1,
        "truncated": 1,
        "fallbacks": 0,
        "retries": 2,
        "dropped_paths": 5,
        "tool_errors": 0,
        "calls": 3.0,
        "input_tokens": 300.0,
        "output_tokens": 0.0,
        "cost": pytest.approx(0.001),
    }


def test_overlaps(files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path) -> None:
    """Fewer comparators come first; a study without the file has an empty table."""
    counts = {"n_cases": 5, "gold_files": 10, "gold_found": 5, "micro_recall": 0.5}
    unique = {"unique_gold": 3, "unique_cases": 2}
    overlaps = [
        {"arm": "rg", "comparators": others, "k": 8, **counts, **unique}
        for others in (["fts5", "tree+fts5"], ["fts5"])
    ]
    write_rows(tmp_path / "o.parquet", "overlaps", overlaps)
    query = queries / "overlaps.sql"
    assert table(query, replace(files, overlaps=tmp_path / "o.parquet"), study).rows == (
        ("rg", "fts5", 8, 10, 5, 0.5, 3, 2),
        ("rg", "fts5, tree+fts5", 8, 10, 5, 0.5, 3, 2),
    )
    assert table(query, files, study).rows == ()


def test_budgets(files: ResultFiles, study: StudySettings, queries: Path) -> None:
    found = rows(queries / "budgets.sql", files, study)
    assert [(r["arm"], r["k"], r["budget"], r["context_tokens"]) for r in found[:2]] == [
        ("rg", 8, 8000, 4000.0),
        ("rg", 8, 16000, 8000.0),
    ]


def test_exclusions_are_escaped(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    query = queries / "exclusions.sql"
    write_table_files(query=query, files=files, study=study, output=tmp_path / "exclusions")
    assert read_csv(tmp_path / "exclusions.csv")[2] == [
        "gone/away",
        "audit",
        "gold below a_b | 50 % & more",
        "2",
        "g1, g2",
    ]
    assert r"gold below a\_b \| 50 % &amp; more" in (tmp_path / "exclusions.md").read_text()
    latex = (tmp_path / "exclusions.tex").read_text()
    assert r"gone/away & audit & gold below a\_b \textbar{} 50 \% \& more & 2 & g1, g2 \\" in latex


def test_no_exclusions(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path, rewrite: Rewrite
) -> None:
    rewrite(files.exclusions, "exclusions", lambda rows: [])
    query = queries / "exclusions.sql"
    write_table_files(query=query, files=files, study=study, output=tmp_path / "e")
    assert read_csv(tmp_path / "e.csv") == [["repo", "stage", "reason", "cases", "case_ids"]]
    assert "| none" in (tmp_path / "e.md").read_text()
    assert "\\multicolumn{5}{c}{none} \\\\" in (tmp_path / "e.tex").read_text()


def test_a_study_without_contexts_has_no_line_columns(
    unpacked: ResultFiles, unpacked_study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    write_tables(
        queries=all_queries(queries), files=unpacked, study=unpacked_study, folder=tmp_path
    )
    markdown = (tmp_path / "arms.md").read_text()
    assert "Line recall" not in markdown
    assert "Context budget: none." in markdown
    assert read_csv(tmp_path / "arms.csv")[1][4:] == ["0.55", "2", "0.25", "0.8", "0.5", "", "", ""]


def test_every_table_is_the_same_in_two_runs(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    for run in ("one", "two"):
        write_tables(queries=all_queries(queries), files=files, study=study, folder=tmp_path / run)
    first = sorted((tmp_path / "one").iterdir())
    assert len(first) == 3 * len(all_queries(queries))
    for path in first:
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_times_change_only_the_tables_of_times(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path, rewrite: Rewrite
) -> None:
    write_tables(queries=all_queries(queries), files=files, study=study, folder=tmp_path / "one")
    for paths in files.operations.values():
        rewrite(paths[0], "operations", lambda rows: [{**r, "wall_ms": 99.0} for r in rows])
    write_tables(queries=all_queries(queries), files=files, study=study, folder=tmp_path / "two")
    one, two = tmp_path / "one", tmp_path / "two"
    changed = {p.name for p in one.iterdir() if p.read_bytes() != (two / p.name).read_bytes()}
    assert changed == TIMED


def test_latex_is_balanced(
    files: ResultFiles, study: StudySettings, queries: Path, tmp_path: Path
) -> None:
    write_tables(queries=all_queries(queries), files=files, study=study, folder=tmp_path)
    for path in sorted(tmp_path.glob("*.tex")):
        text = path.read_text().replace(r"\{", "").replace(r"\}", "")
        assert text.count("{") == text.count("}"), path.name
        lines = text.splitlines()
        columns = next(line for line in lines if "\\toprule" not in line and " & " in line)
        body = [line for line in lines if line.endswith("\\\\") and "multicolumn" not in line]
        assert {line.replace("\\&", "").count("&") for line in body} == {columns.count("&")}
        assert "% study by hand" in lines[0]


def test_a_result_that_differs_from_its_header_is_an_error(
    files: ResultFiles, study: StudySettings, tmp_path: Path
) -> None:
    path = tmp_path / "odd.sql"
    path.write_text("-- title: Odd\n-- column arm: Arm\nSELECT arm, kind FROM arms\n")
    with pytest.raises(RoutebenchError, match=r"odd\.sql: header and result differ in \['kind'\]"):
        table(path, files, study)


def test_a_failing_query_is_named(files: ResultFiles, study: StudySettings, tmp_path: Path) -> None:
    path = tmp_path / "odd.sql"
    path.write_text("-- title: Odd\n-- column arm: Arm\nSELECT nothing FROM nowhere\n")
    with pytest.raises(RoutebenchError, match=r"odd\.sql: .*nowhere"):
        table(path, files, study)


def test_queries_cannot_read_files(files: ResultFiles, study: StudySettings) -> None:
    query = Query("q", "t", "", (), "SELECT * FROM read_text('/etc/hostname')")
    with (
        open_results(files, study) as connection,
        pytest.raises(RoutebenchError, match="disabled"),
    ):
        evaluate(query, connection)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ks": ()}, "at least one value of k"),
        ({"comparator": "tree"}, "comparator 'tree': not an arm"),
        ({"arms": "twice"}, "an arm is named twice"),
    ],
)
def test_settings_are_checked(study: StudySettings, change: dict[str, Any], message: str) -> None:
    if change.get("arms"):
        change = {"arms": study.arms * 2}
    with pytest.raises(RoutebenchError, match=message):
        replace(study, **change)
