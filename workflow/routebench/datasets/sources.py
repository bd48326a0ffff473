"""Tables that issues come in: Parquet, CSV and JSON lines."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from routebench.errors import RoutebenchError

READ_COLUMNS = ("original_inst_id", "source", "difficulty")
CELL_CHARACTERS = 2**31 - 1


def read_records(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields a name and the values of each row of a Parquet file.

    The name is the id, in the first of the columns, or the row's number where it has none.

    Args:
        path: Parquet file.
        columns: columns that must be there, the id first; a few more are read where there.

    Raises:
        RoutebenchError: not a Parquet file, or a column is missing.
    """
    file = _open_parquet(path)
    names = file.schema_arrow.names
    if missing := [name for name in columns if name not in names]:
        raise RoutebenchError(f"{path}: no column {', '.join(missing)}; it has {', '.join(names)}")
    wanted = [*columns, *(name for name in READ_COLUMNS if name in names)]
    yield from _named(_parquet_rows(path, file, wanted), columns[0])


def read_any(path: Path) -> list[dict[str, Any]]:
    """Reads all rows of a Parquet, CSV (header line) or JSON lines file, by its suffix.

    Raises:
        RoutebenchError: another suffix, or the file cannot be read as what it says.
    """
    readers = {".parquet": _all_parquet, ".csv": _csv_rows, ".jsonl": _json_lines}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise RoutebenchError(f"{path}: expected a .parquet, .csv or .jsonl file")
    try:
        return reader(path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RoutebenchError(f"{path}: cannot be read ({error})") from error


def _open_parquet(path: Path) -> pq.ParquetFile:
    try:
        file = pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise RoutebenchError(f"{path}: not a Parquet file ({error})") from error
    _check_columns(path, file.schema_arrow.names)
    return file


def _check_columns(path: Path, names: Sequence[str]) -> None:
    if twice := [name for name in names if names.count(name) > 1]:
        raise RoutebenchError(f"{path}: column {twice[0]!r} stands twice")


def _parquet_rows(
    path: Path, file: pq.ParquetFile, columns: list[str] | None
) -> list[dict[str, Any]]:
    try:
        rows: list[dict[str, Any]] = file.read(columns=columns).to_pylist()
    except (OSError, pa.ArrowException, ValueError) as error:
        raise RoutebenchError(f"{path}: damaged Parquet file ({error})") from error
    return rows


def _named(rows: list[dict[str, Any]], column: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, row in enumerate(rows, start=1):
        value = row[column]
        yield value if isinstance(value, str) and value.strip() else f"row {number}", row


def _all_parquet(path: Path) -> list[dict[str, Any]]:
    return _parquet_rows(path, _open_parquet(path), None)


def _csv_rows(path: Path) -> list[dict[str, Any]]:
    csv.field_size_limit(CELL_CHARACTERS)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        _check_columns(path, reader.fieldnames or ())
        return [dict(row) for row in reader]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice[:60]!r} stands twice")
    return values


def _json_lines(path: Path) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_unique)
        except (ValueError, RecursionError) as error:
            raise RoutebenchError(f"{path}: line {number} is not JSON ({error})") from error
        if not isinstance(row, dict):
            raise RoutebenchError(f"{path}: line {number} is not a JSON object")
        rows.append(row)
    return rows
