"""Makes the demo study's issues from their readable source and the pinned releases.

Run as ``python -m routebench.datasets.demo`` after an edit of ``issues.yaml``.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from routebench.datasets.demo_check import check_gold
from routebench.datasets.demo_issues import DEMO, DemoIssue, find_repository, load_issues
from routebench.datasets.release_pins import DEMO_RELEASES, ReleaseRepository, load_releases
from routebench.errors import RoutebenchError
from routebench.files import replacing

PARQUET = DEMO / "issues.parquet"
SOURCE = "routebench-demo"
COLUMNS = (
    *("instance_id", "original_inst_id", "repo", "language", "base_commit", "gold_context"),
    *("patch", "test_patch", "problem_statement", "hints_text", "created_at", "f2p", "p2p"),
    "source",
)


def demo_table(issues: Sequence[DemoIssue], repositories: Sequence[ReleaseRepository]) -> pa.Table:
    """Returns the issues in the ContextBench columns (METHODS D1), one row each, in order.

    Gold carries no text, so that no upstream source is stored; patches and tests are null.

    Raises:
        RoutebenchError: an issue names a repository or version that is not pinned.
    """
    pinned = {repository.repository: repository for repository in repositories}
    rows = [_row(issue, find_repository(pinned, issue)) for issue in issues]
    return pa.Table.from_pylist(rows, schema=pa.schema([(name, pa.string()) for name in COLUMNS]))


def write_demo(table: pa.Table, path: Path = PARQUET) -> None:
    """Writes the issues as Parquet, atomically; the bytes depend on the table alone."""
    with replacing(path) as private:
        pq.write_table(table, private, compression="zstd")


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes ``issues.parquet``; with ``--check`` compares the gold with the releases first."""
    parser = argparse.ArgumentParser(prog="routebench.datasets.demo", description=__doc__)
    parser.add_argument(
        "--check",
        type=Path,
        metavar="FOLDER",
        help="verify every gold range with the wheels of FOLDER (missing ones are fetched)",
    )
    options = parser.parse_args(arguments)
    try:
        _make(options.check)
    except RoutebenchError as error:
        sys.exit(str(error))


def _make(wheels: Path | None) -> None:
    issues, repositories = load_issues(), load_releases(DEMO_RELEASES)
    if wheels:
        check_gold(issues, repositories, wheels=wheels)
    write_demo(demo_table(issues, repositories))
    print(f"{len(issues)} issues written to {PARQUET}")


def _row(issue: DemoIssue, repository: ReleaseRepository) -> dict[str, str]:
    gold = [
        {"file": span.path, "start_line": span.start_line, "end_line": span.end_line}
        for span in issue.gold
    ]
    return {
        "instance_id": issue.id,
        "original_inst_id": issue.id,
        "repo": issue.repository,
        "language": repository.language,
        "base_commit": repository.release(issue.base).commit,
        "gold_context": json.dumps(gold),
        "problem_statement": issue.issue,
        "source": SOURCE,
    }


if __name__ == "__main__":
    main()
