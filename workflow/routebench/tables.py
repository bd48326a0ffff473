"""Result files: Parquet with an explicit schema, read from ``workflow/schemas``.

Each table is described once, as a JSON schema of its rows with an ``arrow`` type per
column. Rows are written in the order given; bytes depend on the rows alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from routebench.errors import RoutebenchError
from routebench.files import damaged, replacing

SCHEMAS = Path(__file__).parents[1] / "schemas"
ARROW_TYPES: Mapping[str, pa.DataType] = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "list<string>": pa.list_(pa.string()),
    "list<float64>": pa.list_(pa.float64()),
}


@cache
def table_schema(name: str) -> pa.Schema:
    """Returns the Arrow schema of the result table ``name``.

    Field order is the order of the file; each field carries its description.

    Raises:
        RoutebenchError: no such table.
    """
    path = SCHEMAS / f"{name}.schema.yaml"
    if not path.is_file():
        raise RoutebenchError(f"result table {name!r}: no schema in {SCHEMAS.name}/")
    described = yaml.safe_load(path.read_text(encoding="utf-8"))
    required = set(described["required"])
    return pa.schema(
        [
            pa.field(
                column,
                ARROW_TYPES[facts["arrow"]],
                nullable=column not in required,
                metadata={"description": facts["description"]},
            )
            for column, facts in described["properties"].items()
        ]
    )


def write_rows(path: Path, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes rows as the result table ``table``, atomically.

    Raises:
        RoutebenchError: a row does not fit the schema.
    """
    schema = table_schema(table)
    columns: dict[str, list[Any]] = {name: [] for name in schema.names}
    for row in rows:
        if row.keys() != columns.keys():
            odd = sorted(row.keys() ^ columns.keys())
            raise RoutebenchError(f"{path.name}: columns {odd} differ from the schema of {table}")
        for name, value in row.items():
            columns[name].append(value)
    arrays = [pa.array(columns[field.name], field.type) for field in schema]
    write_table(path, table, pa.Table.from_arrays(arrays, schema=schema))


def write_table(path: Path, table: str, content: pa.Table) -> None:
    """Writes an Arrow table as the result table ``table``, atomically."""
    schema = table_schema(table)
    for field in schema:
        if not field.nullable and content.column(field.name).null_count:
            raise RoutebenchError(f"{path.name}: empty value in column {field.name} of {table}")
    with replacing(path) as private:
        # A checksum per page tells a damaged file from a sound one at every reading.
        pq.write_table(content.cast(schema), private, compression="zstd", write_page_checksum=True)


def read_table(path: Path, table: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Reads a result table and checks that it has the columns of its schema.

    Raises:
        RoutebenchError: the file is not a whole Parquet file of that schema.
    """
    try:
        file = pq.ParquetFile(path, page_checksum_verification=True)
        content = file.read(columns=list(columns) if columns else None)
    except (OSError, pa.ArrowException, ValueError) as error:
        raise damaged(path, error) from error
    expected = list(columns) if columns else table_schema(table).names
    if content.column_names != expected:
        raise damaged(path, f"columns {content.column_names} are not those of {table}")
    return content


def read_rows(path: Path, table: str, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Reads a result table as one dict per row."""
    rows: list[dict[str, Any]] = read_table(path, table, columns).to_pylist()
    return rows
