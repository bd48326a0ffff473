"""``ask`` answers as a study does; ``compare`` tells two real runs apart."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from routebench.command_line import ask
from routebench.command_line.main import main


@pytest.fixture
def answer(
    base: tuple[Any, Any],
    issues: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> Callable[..., bytes]:
    """Asks about an issue of the small study, in its project."""
    monkeypatch.setattr(ask, "ROOT", base[0].folder)
    by_id = {issue["id"]: issue for issue in issues}

    def call(case_id: str, *arguments: str) -> bytes:
        issue = by_id[case_id]
        (tmp_path / "issue").write_text(issue["text"])
        known = ["--repo", issue["path"], "--commit", issue["commit"], "--case-id", case_id]
        study = ["--study", str(base[0].path("study.yaml")), "--issue", str(tmp_path / "issue")]
        assert main(["ask", *known, *study, *arguments]) == 0
        return capsysbinary.readouterr().out

    return call


@pytest.mark.parametrize("arm", ["fts5", "path-fts5", "rg", "basename", "own", "asked", "rg+fts5"])
def test_an_answer_is_that_of_the_study(
    base: tuple[Any, Any], answer: Callable[..., bytes], arm: str
) -> None:
    found: dict[str, list[tuple[str, float]]] = {"a1": [], "a2": [], "b1": [], "b2": []}
    for path in sorted((base[0].results / "rankings" / arm).glob("*.parquet")):
        for row in pq.read_table(path).to_pylist():
            found[row["case_id"]].append((row["path"], row["score"]))
    assert any(found.values())
    for case_id, ranking in found.items():
        files = json.loads(answer(case_id, "--arm", arm, "-k", "2", "--json"))["files"]
        assert [(file["path"], file["score"]) for file in files] == ranking


def test_arms_fused_here_are_fused_as_in_the_study(answer: Callable[..., bytes]) -> None:
    ours = json.loads(answer("b1", "--arm", "rg", "--arm", "fts5", "--json"))
    named = json.loads(answer("b1", "--arm", "rg+fts5", "--json"))
    assert ours["files"] == named["files"]


def test_a_context_holds_the_lines_that_the_study_packs(
    base: tuple[Any, Any], answer: Callable[..., bytes]
) -> None:
    path = base[0].results / "contexts" / "fts5" / "acme__beta.parquet"
    rows = [
        row
        for row in pq.read_table(path).to_pylist()
        if (row["case_id"], row["k"], row["budget"]) == ("b1", 2, 100) and row["included"]
    ]
    assert rows
    asked = json.loads(answer("b1", "--arm", "fts5", "-k", "2", "--budget", "100", "--json"))
    columns = ("path", "start_line", "end_line", "tokens")
    assert [[block[c] for c in columns] for block in asked["context"]] == [
        [row[c] for c in columns] for row in rows
    ]
    assert answer("b1", "--arm", "fts5", "-k", "2", "--budget", "100", "--context").decode() == (
        "\n===== lib/packet.js =====\n00001: const zorkpacket = 1;\n"
        "\n===== test/server.test.js =====\n00001: test('serves', () => {});\n"
    )


def test_two_runs_of_a_study_are_compared(
    copy: Any, base: tuple[Any, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    folders = str(base[0].results), str(copy.results)
    assert main(["compare", *folders, "--fail-on", "change"]) == 0
    assert "The same in every ranking, score and cost: fts5," in capsys.readouterr().out
    # An arm that looks at names alone loses src/writer.py of case a2, which it did find.
    copy.arm("fts5", columns=["path"])
    assert copy.snakemake("--quiet", "all").status == 0
    assert main(["compare", *folders, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    arms = {arm["arm"]: arm for arm in found["arms"]}
    recall = arms["fts5"]["measures"][0]
    assert (recall["metric"], recall["k"]) == ("file_recall", 1)
    assert (recall["a"], recall["b"]) == ((1 + 1 + 0.5 + 1) / 4, (1 + 0 + 0.5 + 1) / 4)
    assert [case["case_id"] for case in recall["lost"]] == ["a2"]
    assert arms["rg"]["same"]
    changed = [(c["of"], c["key"]) for c in found["settings"]]
    assert changed == [("arm fts5", "parameters.columns")]
