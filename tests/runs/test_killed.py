"""A run that is killed again and again ends with the bytes of one that is not."""

import re
from pathlib import PurePath
from typing import Any

import pyarrow.parquet as pq

from routebench.files import private_name

# What is there when a kill falls, below the results, and how long after it appears: first
# steps, half of the corpus, rankings at work, contexts, scores, in the midst of the tables.
KILLS = (
    ("settings/access.json", 1.2),
    ("commits", 0.0),
    ("snapshots/*", 0.1),
    ("rankings/*/*.parquet", 0.0),
    ("operations/rg/*.parquet", 0.2),
    ("contexts/*/*.parquet", 0.3),
    ("scores.parquet", 0.0),
    ("tables/*.csv", 0.0),
)


def test_killed_anywhere_and_run_again_gives_the_same_bytes(
    base: tuple[Any, Any], small: Any
) -> None:
    killed = [small.run_until(pattern, delay=delay) for pattern, delay in KILLS]
    assert sum(killed) >= 5
    finished = small.make_study()
    assert finished.status == 0, finished.output
    expected, found = base[0].bytes(), small.bytes()
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []
    assert len([name for name in expected if name.endswith(".parquet")]) > 40
    assert small.planned() == []


def test_half_written_files_are_swept_and_never_read(copy: Any) -> None:
    scores = copy.results / "scores.parquet"
    half = private_name(scores)
    half.write_bytes(scores.read_bytes()[:100])
    folder = private_name(copy.results / "cohort")
    folder.mkdir()
    finished = copy.make_study()
    assert finished.status == 0, finished.output
    assert "Nothing to be done" in finished.output
    assert not half.exists()
    assert not folder.exists()


def test_all_that_runs_have_in_common_is_compared(base: tuple[Any, Any]) -> None:
    """Only times differ: what is left out of the comparison holds times or follows them."""
    workspace = base[0]
    compared = {name.split("/")[0] for name in workspace.bytes()}
    assert compared >= {"cases.parquet", "rankings", "contexts", "scores.parquet", "tables"}
    operations = workspace.results / "operations" / "rg" / "acme__alpha.parquet"
    columns = set(pq.read_schema(operations).names)
    assert {"build_ms", "query_ms", "wall_ms"} <= columns


def test_every_result_is_asked_for(base: tuple[Any, Any]) -> None:
    """Snakemake makes a job again for what is asked for alone; a kill may take any output."""
    _, finished = base
    listed = {
        kind: {
            file.removesuffix(" (before update)")
            for files in re.findall(rf"^    {kind}: (.*)$", finished.output, re.MULTILINE)
            for file in files.split(", ")
        }
        for kind in ("input", "output")
    }
    assert len(listed["output"]) > 80
    folders = {str(parent) for file in listed["input"] for parent in PurePath(file).parents}
    assert listed["output"] - listed["input"] - folders == set()
