from pathlib import Path

import pytest

from routebench.errors import RoutebenchError
from routebench.reporting.queries import Column, Query, read_query

HEADER = """\
-- title: Times
-- caption: Over {cases} cases,
-- caption: all of them.
-- column wall_ms: Wall; ,.1f; ms
-- interval lower upper: 95 % interval; +z.3f
-- column *: ; .3f
SELECT 1 -- not a header
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "times.sql"
    path.write_text(text)
    return path


def test_header(tmp_path: Path) -> None:
    assert read_query(written(tmp_path, HEADER)) == Query(
        name="times",
        title="Times",
        caption="Over {cases} cases, all of them.",
        columns=(
            Column("wall_ms", "Wall", ",.1f", "ms"),
            Column("lower", "95 % interval", "+z.3f", "", upper="upper"),
            Column("*", "", ".3f"),
        ),
        sql="SELECT 1 -- not a header",
    )


def test_heading_has_the_unit() -> None:
    assert Column("wall_ms", "Wall", unit="ms").heading == "Wall (ms)"
    assert Column("arm", "Arm").heading == "Arm"


def test_words_are_filled_in(tmp_path: Path) -> None:
    query = read_query(written(tmp_path, HEADER)).filled({"cases": "82"})
    assert query.caption == "Over 82 cases, all of them."


def test_a_word_without_a_value_is_an_error(tmp_path: Path) -> None:
    query = read_query(written(tmp_path, HEADER))
    with pytest.raises(RoutebenchError, match=r"times\.sql: no value for 'cases'.*known: k"):
        query.filled({"k": "8"})


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("-- colour: red", r"times\.sql:1: '-- colour: red' is not a declaration"),
        ("-- title: A\n-- column a: A; bold", "column a: 'A; bold'"),
        ("-- title: A\n-- column a: A; d; ms; x", "expected 'column NAME"),
        ("-- title: A\n-- interval a: A; d", "interval a"),
        ("-- title: A\n-- column: A", "column : 'A'"),
        ("-- title x: A\n-- column a: A", "title x"),
        ("-- column a: A", "expected one title"),
        ("-- title: A", "at least one column"),
        ("-- title: A\n-- column a: A\n-- interval b a: B; d", "declared twice"),
    ],
)
def test_a_header_that_is_wrong(tmp_path: Path, header: str, message: str) -> None:
    with pytest.raises(RoutebenchError, match=message):
        read_query(written(tmp_path, header + "\nSELECT 1\n"))


def test_the_header_of_every_query_is_right(queries: Path) -> None:
    paths = sorted(queries.glob("*.sql"))
    assert len(paths) >= 10
    for path in paths:
        assert read_query(path).caption, path.name
