from pathlib import Path

from routebench.reporting.summary import study_text
from routebench.reporting.views import ResultFiles, StudySettings

PLACES = {"Tables": Path("results/demo/tables"), "Data": Path("results/demo")}


def test_summary(files: ResultFiles, study: StudySettings, queries: Path) -> None:
    text = study_text(
        name="demo", query=queries / "arms.sql", files=files, study=study, places=PLACES
    )
    lines = text.splitlines()
    assert lines[0] == "demo: 5 cases of 2 repositories, k = 8, context budget 16,000 tokens"
    assert [line.split() for line in lines[5:8]] == [
        ["rg", "0", "0.550", "2", "0.500", "0.275", "1", "8,000"],
        ["fts5", "0", "0.400", "1", "0.400", "0.200", "0", "8,000"],
        ["tree+fts5", "1", "0.700", "3", "0.600", "0.350", "1", "8,000"],
    ]
    assert lines[9:] == [
        "Failed: tree+fts5 1 (counted as empty rankings). Excluded: 2 (audit), 1 (dataset).",
        "Reasons are in the report.",
        "Dropped paths (not in the corpus): rg 5, fts5 5, tree+fts5 5.",
        "Tables: results/demo/tables",
        "Data:   results/demo",
    ]
    assert max(map(len, lines)) <= 100


def test_summary_without_contexts(
    unpacked: ResultFiles, unpacked_study: StudySettings, queries: Path
) -> None:
    text = study_text(
        name="demo", query=queries / "arms.sql", files=unpacked, study=unpacked_study, places={}
    )
    assert "context budget none" in text
    assert "Line" not in text
