"""Every file of a study is one that docs/results.md tells of."""

import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from routebench.tables import SCHEMAS, table_schema

PLACEHOLDER = re.compile(r"<\w+>")


def patterns() -> dict[str, str]:
    """Returns the name of each result table by the regular expression of its files."""
    found = {}
    for path in SCHEMAS.glob("*.schema.yaml"):
        schema = yaml.safe_load(path.read_text(encoding="utf-8"))
        for file in schema.get("files", ()):
            parts = map(re.escape, PLACEHOLDER.split(file))
            found["[^/]+".join(parts)] = path.name.removesuffix(".schema.yaml")
    return found


def test_every_parquet_file_is_of_one_table_and_has_its_columns(base: tuple[Any, Any]) -> None:
    results: Path = base[0].results
    known, met = patterns(), set()
    for path in sorted(results.rglob("*.parquet")):
        name = path.relative_to(results).as_posix()
        tables = [table for pattern, table in known.items() if re.fullmatch(pattern, name)]
        assert len(tables) == 1, name
        assert pq.read_schema(path).equals(table_schema(tables[0])), name
        met.add(tables[0])
    assert met == set(known.values())


def test_everything_in_the_folder_is_named_on_the_page(base: tuple[Any, Any]) -> None:
    page = (SCHEMAS.parents[1] / "docs" / "results.md").read_text(encoding="utf-8")
    told = {path.split("/")[0] for path in re.findall("(?<!`)`([^`\n]+)`", page)}
    assert {path.name for path in base[0].results.iterdir()} - told == set()
