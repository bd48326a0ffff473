"""Small result tables, written row by row."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from routebench.tables import table_schema, write_rows

BLANK: dict[str, Any] = {"string": "", "large_string": "", "bool": False}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Returns a function that writes a table whose rows give only the columns that matter."""

    def write(name: str, table: str, rows: Iterable[dict[str, Any]]) -> Path:
        schema = table_schema(table)
        blank = {
            field.name: None if field.nullable else BLANK.get(str(field.type), 0)
            for field in schema
        }
        write_rows(tmp_path / name, table, [{**blank, **row} for row in rows])
        return tmp_path / name

    return write
