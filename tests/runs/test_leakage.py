"""No ranking job has anything to read that holds gold, patches or annotations.

The jobs are those that ran: Snakemake's record of each output names its rule and inputs.
"""

import base64
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from routebench.planning.ranking import rank_arm
from routebench.planning.settings import read_settings

RANKING = ("rank", "ask")
# Folders and files of results that a ranking job may read; all others hold gold or follow it.
ALLOWED = ("issues", "snapshots", "blobs", "files", "rankings", "operations", "settings")
ISSUE_COLUMNS = ["case_id", "repo", "base_commit", "query"]
MARKERS = {
    "gold": "MARKGOLDTEXT",
    "patch": "MARKPATCH",
    "test_patch": "MARKTESTPATCH",
    "hints": "MARKHINTS",
    "tests": "MARKFAILTOPASS",
}


class Job(NamedTuple):
    rule: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def wildcards(self) -> tuple[str, str]:
        """Arm and repository of a ranking job."""
        path = Path(next(name for name in self.outputs if "/rankings/" in name))
        return path.parent.name, path.stem


def jobs_that_ran(workspace: Any) -> list[Job]:
    found: dict[tuple[str, str], tuple[tuple[str, ...], list[str]]] = {}
    for path in workspace.path(".snakemake/metadata").rglob("*"):
        if path.is_file():
            record = json.loads(path.read_text())
            output = base64_name(path, workspace)
            key = (record["rule"], str(record["log"]))
            found.setdefault(key, (tuple(record["input"]), []))[1].append(output)
    return [Job(rule, inputs, tuple(outs)) for (rule, _), (inputs, outs) in found.items()]


def base64_name(path: Path, workspace: Any) -> str:
    folder = workspace.path(".snakemake/metadata")
    encoded = "".join(part.removeprefix("@") for part in path.relative_to(folder).parts)
    return base64.b64decode(encoded.encode()).decode()


def texts(path: Path) -> Iterator[bytes]:
    """Yields all bytes below a path; Parquet is decoded, for it is compressed."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            yield file.read_bytes()
            if file.suffix == ".parquet":
                yield repr(pq.read_table(file).to_pydict()).encode()


def markers_in(paths: list[Path]) -> set[str]:
    content = [text for path in paths for text in texts(path)]
    return {name for name, mark in MARKERS.items() if any(mark.encode() in c for c in content)}


def contextbench_row(case_id: str, repo: str, commit: str, text: str, path: str) -> dict[str, str]:
    """A row as ContextBench has it: everything but the issue carries a marker."""
    span = {"file": path, "start_line": 1, "end_line": 1, "content": MARKERS["gold"]}
    return {
        "instance_id": case_id,
        "original_inst_id": case_id,
        "repo": repo,
        "language": "python",
        "base_commit": commit,
        "gold_context": json.dumps([span]),
        "patch": f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+{MARKERS['patch']}\n",
        "test_patch": f"+{MARKERS['test_patch']}\n",
        "problem_statement": text,
        "hints_text": MARKERS["hints"],
        "created_at": "2020-01-01",
        "f2p": json.dumps([MARKERS["tests"]]),
        "p2p": "[]",
        "source": "Verified",
    }


@pytest.fixture(scope="module")
def marked(
    tmp_path_factory: pytest.TempPathFactory, small_study: Any, issues: Any, repositories: Any
) -> Any:
    """The small study as a ContextBench dataset with markers, run once."""
    workspace = small_study(tmp_path_factory.mktemp("marked") / "project")
    rows = [
        contextbench_row(
            *(issue[name] for name in ("id", "repo", "commit", "text")),
            issue["gold"][0].split(":")[0],
        )
        for issue in issues
    ]
    pq.write_table(pa.Table.from_pylist(rows), workspace.path("issues.parquet"))
    workspace.configure(
        dataset={"kind": "contextbench", "path": "issues.parquet"},
        repositories={"url": repositories.url, "releases": None},
    )
    finished = workspace.snakemake()
    assert finished.status == 0, finished.output
    return workspace, jobs_that_ran(workspace)


def test_the_record_is_of_every_job(marked: Any) -> None:
    workspace, jobs = marked
    ranked = {job.wildcards for job in jobs if job.rule in RANKING}
    assert ranked == {(p.parent.name, p.stem) for p in workspace.results.glob("rankings/*/*")}
    assert {job.rule for job in jobs} >= {"rank", "ask", "cohort", "audit", "cases", "scores"}


def test_ranking_jobs_declare_no_input_with_gold(marked: Any) -> None:
    workspace, jobs = marked
    folder = workspace.results.relative_to(workspace.folder)
    for job in jobs:
        if job.rule in RANKING:
            # Pinned files lie outside the results; an archived ranking is one, a dataset is not.
            stages = {Path(name).relative_to(folder).parts[0] for name in job.inputs}
            assert stages <= set(ALLOWED), job


def test_no_byte_of_gold_is_in_what_ranking_jobs_read(marked: Any) -> None:
    workspace, jobs = marked
    for job in jobs:
        if job.rule in RANKING:
            assert markers_in([workspace.path(name) for name in job.inputs]) == set(), job


def test_the_search_for_markers_finds_them_where_they_may_be(marked: Any) -> None:
    """Else the test above would pass on anything."""
    workspace, jobs = marked
    read = {rule: [j for j in jobs if j.rule == rule] for rule in ("cohort", "audit", "scores")}
    paths = {
        rule: [workspace.path(name) for job in found for name in job.inputs]
        for rule, found in read.items()
    }
    assert markers_in(paths["cohort"]) == set(MARKERS)
    assert "gold" in markers_in(paths["audit"])
    gold = [path for path in paths["scores"] if path.name == "gold.parquet"]
    assert [row["path"] for row in pq.read_table(gold[0]).to_pylist()] == [
        "src/parser.py",
        "src/writer.py",
        "lib/packet.js",
        "lib/client.js",
    ]


def test_issues_have_the_columns_an_arm_may_see_and_no_other(marked: Any) -> None:
    files = sorted((marked[0].results / "issues").glob("*.parquet"))
    assert len(files) == 2
    for file in files:
        assert pq.read_schema(file).names == ISSUE_COLUMNS


def test_settings_of_arms_hold_no_case(marked: Any) -> None:
    for file in (marked[0].results / "settings").rglob("*.json"):
        text = file.read_text()
        assert not any(f'"{case_id}"' in text for case_id in ("a1", "a2", "b1", "b2"))


def test_rankings_are_the_same_where_nothing_but_the_inputs_is(
    marked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each ranking job again, in a folder with nothing in it but its declared inputs."""
    workspace, jobs = marked
    for number, job in enumerate(job for job in jobs if job.rule in RANKING):
        sandbox = tmp_path / str(number)
        for name in (*job.inputs, "program.py"):
            copy_into(workspace.path(name), sandbox / name)
        monkeypatch.chdir(sandbox)
        arm, repo = job.wildcards
        rank_again(workspace.results.relative_to(workspace.folder), arm, repo)
        ours, theirs = (
            (folder / f"rankings/{arm}/{repo}.parquet").read_bytes()
            for folder in (Path("again"), workspace.results)
        )
        assert ours == theirs, (arm, repo)


def copy_into(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy2(source, target)


def rank_again(folder: Path, arm: str, repo: str) -> None:
    def there(name: str) -> list[str]:
        return [name] if Path(name).exists() else []

    settings = read_settings(folder / "settings" / "arms" / f"{arm}.json")
    sources = settings["parameters"].get("sources", [])
    inputs = SimpleNamespace(
        issues=f"{folder}/issues/{repo}.parquet",
        snapshots=there(f"{folder}/snapshots/{repo}"),
        blobs=there(f"{folder}/blobs/{repo}.parquet"),
        files=there(f"{folder}/files/{repo}"),
        sources=[f"{folder}/rankings/{source}/{repo}.parquet" for source in sources],
        costs=[f"{folder}/operations/{source}/{repo}.parquet" for source in sources],
        pins=[],
    )
    outputs = SimpleNamespace(
        **{
            table: f"again/{table}/{arm}/{repo}.parquet"
            for table in ("rankings", "operations", "traces", "answers")
        }
    )
    access = read_settings(folder / "settings" / "access.json")
    rank_arm(arm, settings=settings, access=access, inputs=inputs, outputs=outputs)
