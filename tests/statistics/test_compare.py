from pathlib import Path
from typing import Any

import pytest

from routebench.errors import RoutebenchError
from routebench.statistics.compare import compare_arms
from routebench.tables import read_rows, table_schema, write_rows

Row = dict[str, Any]
REPOSITORIES = {"c1": "o/a", "c2": "o/b", "c3": "o/b"}


def blank(table: str) -> Row:
    kinds: Row = {"string": "", "large_string": "", "bool": False}
    return {f.name: None if f.nullable else kinds.get(str(f.type), 0) for f in table_schema(table)}


def score(arm: str, case_id: str, files: float, lines: float | None, **key: Any) -> Row:
    facts = {"repo": REPOSITORIES[case_id], "file_recall": files, "line_recall": lines}
    return {**blank("scores"), "arm": arm, "case_id": case_id, "k": 8, **facts, **key}


def compare(
    folder: Path,
    scores: list[Row],
    *pairs: tuple[str, str],
    families: dict[str, list[str]] | None = None,
    **flags: Any,
) -> list[Row]:
    cases = [
        {**blank("cases"), "case_id": case_id, "repo": repo, **flags.get(case_id, {})}
        for case_id, repo in REPOSITORIES.items()
    ]
    write_rows(folder / "cases", "cases", cases)
    write_rows(folder / "scores", "scores", scores)
    compare_arms(
        scores=folder / "scores",
        cases=folder / "cases",
        comparisons=pairs,
        families=families,
        seed=0,
        resamples=1_000,
        output=folder / "statistics",
    )
    return read_rows(folder / "statistics", "statistics")


FILE_SCORES = [
    score(arm, case_id, files, None)
    for arm, values in {"x": (1.0, 0.5, 0.0), "y": (0.0, 0.5, 0.5)}.items()
    for case_id, files in zip(REPOSITORIES, values, strict=True)
]


def test_a_comparison_worked_by_hand(tmp_path: Path) -> None:
    all_cases, together = compare(tmp_path, FILE_SCORES, ("x", "y"))
    # Differences 1, 0 and -1/2: o/a sums to 1 (one case), o/b to -1/2 (two cases).
    assert together["subset"] == "one_directory"
    assert (all_cases["comparison"], all_cases["metric"], all_cases["k"]) == (
        "x-y",
        "file_recall",
        8,
    )
    assert (all_cases["n_cases"], all_cases["n_clusters"]) == (3, 2)
    assert (all_cases["wins"], all_cases["ties"], all_cases["losses"]) == (1, 1, 1)
    assert all_cases["delta"] == pytest.approx(0.5 / 3)
    assert (all_cases["lower"], all_cases["upper"]) == (-0.25, 1.0)  # o/b twice, o/a twice
    assert all_cases["p"] == 1.0  # |1 - 1/2| is the smallest of |±1 ± 1/2|


def test_repeats_are_averaged_case_by_case(tmp_path: Path) -> None:
    """The repeats' means are (1/2, 1/2, 1/4): minus y, (1/2, 0, -1/4)."""
    rows = compare(tmp_path, FILE_SCORES, ("z", "y"), families={"z": ["x", "y"], "y": ["y"]})
    assert rows[0]["comparison"] == "z-y"
    assert rows[0]["delta"] == pytest.approx(0.25 / 3)
    assert (rows[0]["wins"], rows[0]["ties"], rows[0]["losses"]) == (1, 1, 1)


def test_a_repeat_that_lacks_cases_is_refused(tmp_path: Path) -> None:
    scores = [*FILE_SCORES, score("short", "c1", 1.0, None)]
    with pytest.raises(RoutebenchError, match="arm z lacks scores of some cases"):
        compare(tmp_path, scores, ("z", "y"), families={"z": ["x", "short"]})


def test_subsets_without_cases_have_no_row(tmp_path: Path) -> None:
    flags = {"c1": {"aligned": True, "several_directories": True}, "c2": {"aligned": True}}
    rows = compare(tmp_path, FILE_SCORES, ("x", "y"), **flags)
    found = {row["subset"]: (row["n_cases"], row["n_clusters"], row["delta"]) for row in rows}
    assert found == {
        "all": (3, 2, pytest.approx(0.5 / 3)),
        "aligned": (2, 2, 0.5),
        "several_directories": (1, 1, 1.0),
        "one_directory": (2, 1, -0.25),
    }


def test_line_recall_is_compared_at_every_shared_budget(tmp_path: Path) -> None:
    scores = [
        score(arm, case_id, 1.0, lines, budget=budget, k=k)
        for arm in ("x", "y")
        for case_id in REPOSITORIES
        for k in (8, 16)
        for budget, lines in ((32_000, 0.5), (8_000, 0.25))
    ]
    rows = compare(tmp_path, scores, ("x", "y"), ("y", "x"))
    found = [
        (row["comparison"], row["metric"], row["budget"], row["k"])
        for row in rows
        if row["subset"] == "all"
    ]
    assert found[:6] == [
        ("x-y", "file_recall", None, 8),
        ("x-y", "file_recall", None, 16),
        ("x-y", "line_recall", 8_000, 8),
        ("x-y", "line_recall", 8_000, 16),
        ("x-y", "line_recall", 32_000, 8),
        ("x-y", "line_recall", 32_000, 16),
    ]
    assert [name for name, *_ in found[6:]] == ["y-x"] * 6


def test_arms_without_contexts_are_compared_by_files(tmp_path: Path) -> None:
    lined = [score("z", case_id, 1.0, 0.5, budget=8_000) for case_id in REPOSITORIES]
    rows = compare(tmp_path, [*FILE_SCORES, *lined], ("x", "z"))
    assert {row["metric"] for row in rows} == {"file_recall"}


@pytest.mark.parametrize("pair", [("x", "none"), ("short", "x")])
def test_an_arm_that_lacks_cases_is_refused(tmp_path: Path, pair: tuple[str, str]) -> None:
    """A mean over the rows that happen to be there is not the mean over the cohort."""
    scores = [*FILE_SCORES, score("short", "c1", 1.0, None)]
    with pytest.raises(RoutebenchError, match="lacks scores of some cases"):
        compare(tmp_path, scores, pair)


def test_a_study_without_cases_has_no_statistics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.REPOSITORIES", {})
    assert compare(tmp_path, [], ("x", "y")) == []


def test_cases_are_resampled_only_where_asked(tmp_path: Path) -> None:
    """Of differences 1, 0 and -1/2 the mean of any three drawn lies in [-1/2, 1]."""
    (row, *_) = compare(tmp_path, FILE_SCORES, ("x", "y"))
    assert (row["instance_lower"], row["instance_upper"]) == (None, None)
    compare_arms(
        scores=tmp_path / "scores",
        cases=tmp_path / "cases",
        comparisons=[("x", "y")],
        seed=0,
        resamples=1_000,
        output=tmp_path / "statistics",
        instances=True,
    )
    (row, *_) = read_rows(tmp_path / "statistics", "statistics")
    assert (row["instance_lower"], row["instance_upper"]) == (-0.5, 1.0)
    assert (row["lower"], row["upper"]) == (-0.25, 1.0)
    assert row["sign_p"] == 1.0  # one won, one lost
