"""Small result tables, written row by row."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from routebench.tables import table_schema, write_rows

Writer = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """Returns a function that writes a table whose rows give only the columns that matter."""

    def write(name: str, table: str, rows: Iterable[dict[str, Any]]) -> Path:
        schema = table_schema(table)
        blank = {
            field.name: None if field.nullable else ("" if "string" in str(field.type) else 0)
            for field in schema
        }
        write_rows(tmp_path / name, table, [{**blank, **row} for row in rows])
        return tmp_path / name

    return write
