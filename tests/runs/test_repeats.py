"""A study with a repeated arm, from its configuration to its table and figure."""

import csv
from typing import Any


def test_an_arm_becomes_several_and_is_compared_as_one(copy: Any) -> None:
    copy.configure(
        arms={
            "fts5": {"kind": "fts5", "path_weight": 2.0, "content_weight": 1.0},
            "asked": {"kind": "flat", "model": "static", "repeats": 2},
            "fused": {"kind": "rrf", "sources": ["asked", "fts5"], "repeats": 2},
        },
        models={"static": {"kind": "static", "noise": 0.1}},
        comparisons=[{"arm": "asked", "against": "fts5"}, {"arm": "fused", "against": "asked"}],
        reporting={"tables": ["repeats"], "figures": ["repeats"]},
    )
    finished = copy.snakemake()
    assert finished.status == 0, finished.output
    asked = [job for job in finished.jobs if job.startswith(("ask/", "rank/"))]
    repos = ("acme__alpha", "acme__beta")
    assert asked == [
        *(f"ask/asked.{number}/{repo}" for number in (0, 1) for repo in repos),
        *(f"rank/fused.{number}/{repo}" for number in (0, 1) for repo in repos),
    ]
    with (copy.results / "tables" / "repeats.csv").open() as file:
        rows = [(row["arm"], row["repeats"], row["comparator"]) for row in csv.DictReader(file)]
    # Two values of k each.
    assert rows == [
        *[("fts5", "1", "")] * 2,
        *[("asked", "2", "fts5")] * 2,
        *[("fused", "2", "asked")] * 2,
    ]
    assert (copy.results / "figures" / "repeats.svg").is_file()
