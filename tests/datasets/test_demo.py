"""The demo study's issues: the Parquet is what the source makes, and the gold is not given away."""

import json
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pyarrow.parquet as pq
import pytest
import yaml

from routebench.datasets.demo import COLUMNS, PARQUET, demo_table, write_demo
from routebench.datasets.demo_check import changed_lines, check_gold, check_span
from routebench.datasets.demo_issues import DemoIssue, load_issues
from routebench.datasets.release_pins import (
    DEMO_RELEASES,
    Release,
    ReleaseRepository,
    load_releases,
)
from routebench.errors import RoutebenchError
from routebench.files import sha256_file
from routebench.records import GoldSpan

RECORD = {
    "id": "tiny-crash",
    "repository": "some/tiny",
    "base": "1.0",
    "fixed": "1.1",
    "issue": "It crashes",
    "gold": {"tiny/a.py": [[1, 2]]},
    "why": "It no longer does.",
}


@pytest.fixture(scope="module")
def issues() -> tuple[DemoIssue, ...]:
    return load_issues()


def files(issue: DemoIssue) -> set[str]:
    return {span.path for span in issue.gold}


def test_committed_parquet_is_what_the_source_makes(issues: tuple[DemoIssue, ...]) -> None:
    """If this fails: ``PYTHONPATH=workflow python -m routebench.datasets.demo``."""
    table = pq.read_table(PARQUET)
    assert table.column_names == list(COLUMNS)
    assert table.equals(demo_table(issues, load_releases(DEMO_RELEASES)))
    assert PARQUET.stat().st_size < 100_000


def test_bytes_depend_on_the_table_alone(issues: tuple[DemoIssue, ...], tmp_path: Path) -> None:
    table = demo_table(issues, load_releases(DEMO_RELEASES))
    for name in ("one", "two"):
        write_demo(table, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_counts(issues: tuple[DemoIssue, ...]) -> None:
    assert len(issues) == 24
    assert Counter(issue.repository for issue in issues) == {
        "networkx/networkx": 5,
        "pallets/click": 2,
        "pallets/werkzeug": 3,
        "sphinx-doc/sphinx": 5,
        "sympy/sympy": 6,
        "Textualize/rich": 3,
    }
    assert len({(issue.repository, issue.base) for issue in issues}) == 8
    assert sum(len(files(issue)) > 1 for issue in issues) == 9
    folders = [{PurePosixPath(path).parent for path in files(issue)} for issue in issues]
    assert sum(len(parents) > 1 for parents in folders) == 4


def test_ids_are_sorted_and_name_the_project(issues: tuple[DemoIssue, ...]) -> None:
    ids = [issue.id for issue in issues]
    assert ids == sorted(set(ids))
    assert all(i.id.startswith(i.repository.split("/")[1] + "-") for i in issues)


def test_fix_comes_after_the_defect(issues: tuple[DemoIssue, ...]) -> None:
    history = {
        repository.repository: [release.version for release in repository.releases]
        for repository in load_releases(DEMO_RELEASES)
    }
    for issue in issues:
        versions = history[issue.repository]
        assert versions.index(issue.base) < versions.index(issue.fixed), issue.id


def test_texts_do_not_name_a_gold_file(issues: tuple[DemoIssue, ...]) -> None:
    for issue in issues:
        text = issue.issue.lower()
        for path in files(issue):
            assert path.lower() not in text, issue.id
            assert PurePosixPath(path).name.lower() not in text, issue.id


def test_texts_read_like_reports(issues: tuple[DemoIssue, ...]) -> None:
    for issue in issues:
        title, blank, *body = issue.issue.splitlines()
        assert len(title) < 90, issue.id
        assert blank == "", issue.id
        assert 3 <= len(body) <= 26, issue.id


def test_some_texts_are_longer_than_what_the_first_characters_show(
    issues: tuple[DemoIssue, ...],
) -> None:
    """Else the arms fts5 and fts5-full would ask the same."""
    assert sum(len(issue.issue) > 700 for issue in issues) == 7


def test_row_carries_no_source(issues: tuple[DemoIssue, ...]) -> None:
    row = demo_table(issues, load_releases(DEMO_RELEASES)).to_pylist()[0]
    assert row["instance_id"] == "click-bare-subcommand-decorator"
    assert row["base_commit"] == "4e629697d321af198116188e23a6253fc7135943"
    assert json.loads(row["gold_context"]) == [
        {"file": "click/core.py", "start_line": 1841, "end_line": 1851}
    ]
    assert row["patch"] is None
    assert row["source"] == "routebench-demo"


def test_unpinned_version_is_refused(issues: tuple[DemoIssue, ...]) -> None:
    with pytest.raises(RoutebenchError, match="click-bare-subcommand-decorator: pallets/click"):
        demo_table(issues, [])


@pytest.mark.parametrize(
    "records",
    [
        [RECORD, RECORD],
        [{**RECORD, "gold": {}}],
        [{**RECORD, "gold": {"/tiny/a.py": [[1, 2]]}}],
        [{**RECORD, "gold": {"tiny/a.py": [[2, 1]]}}],
        [{**RECORD, "gold": {"tiny/a.py": [[1]]}}],
        [{**RECORD, "issue": " "}],
        [{**RECORD, "path": "tiny/a.py"}],
        [{"id": "tiny-crash"}],
    ],
)
def test_bad_record_is_refused(records: list[object], tmp_path: Path) -> None:
    path = tmp_path / "issues.yaml"
    path.write_text(yaml.safe_dump({"issues": records}))
    with pytest.raises(RoutebenchError, match=r"issues\.yaml") as error:
        load_issues(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        ("abcd", set()),
        ("aXcd", {2}),
        ("ad", {2, 3}),
        ("abXcd", {2, 3}),
        ("Xabcd", {0, 1}),
        ("abcdX", {4, 5}),
    ],
)
def test_changed_lines(after: str, changed: set[int]) -> None:
    assert changed_lines("abcd", after) == changed


def test_gold_must_exist_and_have_changed() -> None:
    base, fixed = {"a.py": ["a", "b", "c"]}, {"a.py": ["a", "X", "c"]}
    check_span("tiny-crash", GoldSpan("a.py", 1, 2), base=base, fixed=fixed)
    with pytest.raises(RoutebenchError, match=r"tiny-crash: a\.py 3-3 did not change"):
        check_span("tiny-crash", GoldSpan("a.py", 3, 3), base=base, fixed=fixed)
    with pytest.raises(RoutebenchError, match="not in the base version"):
        check_span("tiny-crash", GoldSpan("a.py", 2, 4), base=base, fixed=fixed)
    with pytest.raises(RoutebenchError, match="not in the base version"):
        check_span("tiny-crash", GoldSpan("b.py", 1, 1), base=base, fixed=fixed)


def test_gold_is_checked_against_the_wheels(tmp_path: Path) -> None:
    """The first version has ``b`` in line 2, the second ``X``; line 3 is the same in both."""
    releases = [
        make_release(tmp_path, version, text)
        for version, text in {"1.0": "a\nb\nc\n", "1.1": "a\nX\nc\n"}.items()
    ]
    pins = ReleaseRepository("some/tiny", "python", "MIT", tuple(releases))
    good = DemoIssue(**{**RECORD, "gold": (GoldSpan("tiny/a.py", 2, 2),)})
    check_gold([good], [pins], wheels=tmp_path)
    with pytest.raises(RoutebenchError, match=r"tiny/a\.py 3-3 did not change"):
        check_gold([replace(good, gold=(GoldSpan("tiny/a.py", 3, 3),))], [pins], wheels=tmp_path)


def make_release(folder: Path, version: str, text: str) -> Release:
    wheel = folder / f"tiny-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny/a.py", text)
    size, digest = wheel.stat().st_size, sha256_file(wheel)
    return Release("tiny", version, wheel.name, size, digest, "0" * 40)
