"""Repositories can be spread over nodes: no job of one reads another's data."""

import re
from typing import Any

BLOCK = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w+):$((?:\n    .*)*)", re.MULTILINE)
FILES = re.compile(r"^    (?:input|output|log): (.*)$", re.MULTILINE)
REPOSITORIES = {"acme__alpha", "acme__beta"}
# What is made once of all repositories.
GATHERED = {"report", "all", "cohort", "cases", "scores", "overlaps", "tables", "figure", "summary"}


def test_no_job_of_a_repository_reads_or_writes_another_s_files(base: Any) -> None:
    _, finished = base
    seen = set()
    for rule, body in BLOCK.findall(finished.output):
        files = ", ".join(FILES.findall(body))
        named = {repo for repo in REPOSITORIES if repo in files}
        if "    wildcards: " in body and "repo=" in body:
            assert len(named) == 1, rule
            seen.add(rule)
        elif named == REPOSITORIES:
            assert rule in GATHERED
    assert seen == {"mirror", "snapshot", "files", "audit", "rank", "ask", "context"}
