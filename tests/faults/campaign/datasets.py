"""Files of issues: wrong types, nulls, duplicates, huge and hostile texts, damage.

The second row of three is the faulty one wherever a single row can be.
"""

import csv
import gzip
import io
import json
import os
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from campaign.faults import CORRECT, RECORDED, REFUSED, Fault
from campaign.sandbox import Sandbox

Rows = list[dict[str, Any]]
COLUMNS = ("id", "repo", "path", "commit", "text", "gold")
HUGE = 5_000_000
HOSTILE = {
    "terminal": "\x1b]0;owned\x07\x1b[31mred",
    "html": "</script><img src=x onerror=alert(1)>",
    "sql": "'; DROP TABLE cases; --",
    "formula": '=cmd|"/c calc"!A1',
    "latex": "\\input{/etc/passwd} % & $ # _",
    "bidi": "abc\u202egnp.exe",
    "nul": "nul\0byte",
    "lines": "one\r\ntwo\nthree\u2028four",
    "quotes": '"\'`; ""',
    "markdown": "| a | b |\n|---|---|",
    "brace": "{wildcard} {{}} %s ${HOME} $(id)",
}


def read_rows(sandbox: Sandbox) -> Rows:
    """Returns the sound rows."""
    lines = sandbox.path("data/issues.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def use(sandbox: Sandbox, name: str) -> Path:
    """Makes the study read another file of issues; returns the file."""
    study = sandbox.path("study.yaml")
    study.write_text(study.read_text().replace("data/issues.jsonl", f"data/{name}"))
    return sandbox.path(f"data/{name}")


def write_jsonl(path: Path, rows: Rows) -> None:
    """Writes JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_csv(path: Path, rows: Rows) -> None:
    """Writes CSV as spreadsheets do."""
    with path.open("w", newline="", encoding="utf-8", errors="surrogatepass") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_parquet(path: Path, rows: Rows) -> None:
    """Writes Parquet."""
    pq.write_table(pa.Table.from_pylist(rows), path)


WRITERS: dict[str, Callable[[Path, Rows], None]] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
}


def change_row(sandbox: Sandbox, form: str, **change: Any) -> None:
    """Changes values of the second row."""
    rows = read_rows(sandbox)
    rows[1].update(change)
    WRITERS[form](use(sandbox, f"faulty.{form}"), rows)


def change_column(sandbox: Sandbox, column: str, turn: Callable[[pa.Array], pa.Array]) -> None:
    """Gives a column of the Parquet file another type."""
    table = pa.Table.from_pylist(read_rows(sandbox))
    place = table.column_names.index(column)
    turned = turn(table.column(column).combine_chunks())
    pq.write_table(table.set_column(place, column, turned), use(sandbox, "faulty.parquet"))


def write_bytes(sandbox: Sandbox, form: str, turn: Callable[[bytes], bytes]) -> None:
    """Changes the bytes of a file of issues."""
    path = use(sandbox, f"faulty.{form}")
    WRITERS[form](path, read_rows(sandbox))
    path.write_bytes(turn(path.read_bytes()))


def json_types() -> Iterator[Fault]:
    """One row of JSON lines with a value of another type."""
    values = {"number": 7, "truth": True, "fraction": 1.5, "object": {"a": 1}, "list": [7]}
    for column in COLUMNS:
        for name, value in values.items():
            make = partial(change_row, form="jsonl", **{column: value})
            says = "gold" if column == "gold" else f"{column} is not text"
            sample = (column, name) in (("text", "number"), ("gold", "object"))
            yield Fault("JSON lines", f"{column} is a {name}", RECORDED, make, says, sample)


def nulls() -> Iterator[Fault]:
    """One row without a value, in each form."""
    for form in WRITERS:
        for column in ("id", "commit", "text", "gold"):
            says = "no gold" if column == "gold" else f"{column} is empty"
            for name, value in (("null", None), ("empty", ""), ("blank", " \t ")):
                make = partial(change_row, form=form, **{column: value})
                sample = (form, column, name) == ("csv", "commit", "null")
                yield Fault(shown(form), f"{column} is {name}", RECORDED, make, says, sample)


def shown(form: str) -> str:
    """Returns the name of a form in the summary."""
    return {"jsonl": "JSON lines", "csv": "CSV", "parquet": "Parquet"}[form]


def texts() -> Iterator[Fault]:
    """One row with hostile or huge text, in each form."""
    for form in WRITERS:
        for name, text in HOSTILE.items():
            if form == "csv" and name == "lines":
                text = text.replace("\r\n", "\n")
            make = partial(change_row, form=form, text=text)
            yield Fault(shown(form), f"text: {name}", CORRECT, make, sample=name == "html")
            make = partial(change_row, form=form, gold=f"src/{text}.py")
            expect, says = RECORDED, "a2"
            yield Fault(shown(form), f"gold: {name}", expect, make, says)
        huge = "frobnicate " * (HUGE // 11)
        make = partial(change_row, form=form, text=huge)
        yield Fault(shown(form), "text of 5 MB", CORRECT, make)
        for column in ("repo", "commit", "gold"):
            make = partial(change_row, form=form, **{column: "x" * HUGE})
            yield Fault(shown(form), f"{column} of 5 MB", RECORDED, make, "a2")
        make = partial(change_row, form=form, path="x" * HUGE)
        yield Fault(shown(form), "path of 5 MB", REFUSED, make, "two different paths")


def ids() -> Iterator[Fault]:
    """Hostile ids: they stand in tables, pages and messages."""
    for name, text in HOSTILE.items():
        make = partial(change_row, form="jsonl", id=text)
        yield Fault("ids", name, CORRECT, make, sample=name == "terminal")
        both = {"id": text, "commit": "HEAD"}
        make = partial(change_row, form="jsonl", **both)
        yield Fault("ids", f"{name}, of a row left out", RECORDED, make, "commit 'HEAD'")
    yield Fault(
        "ids", "5 MB", RECORDED, partial(change_row, form="jsonl", id="i" * HUGE), "longer than"
    )
    for form in WRITERS:
        twice = partial(change_row, form=form, id="a1")
        yield Fault("ids", f"twice, {shown(form)}", REFUSED, twice, "stands twice", form == "csv")
    spaces = partial(change_row, form="jsonl", id=" a1 ")
    yield Fault("ids", "twice but for spaces", REFUSED, spaces, "stands twice")


def parquet_types() -> Iterator[Fault]:
    """A column of another type in every row."""
    numbers = pa.array([1, 2, 3])
    other: dict[str, tuple[pa.Array, tuple[str, ...]]] = {
        "numbers": (numbers, COLUMNS),
        "fractions": (pa.array([0.5, float("nan"), float("inf")]), COLUMNS),
        "times": (pa.array([datetime.now(UTC)] * 3), ("text", "id")),
        "decimals": (pa.array([Decimal("1.1")] * 3), ("text",)),
        "structures": (pa.array([{"a": 1}] * 3), ("text", "gold")),
        "truths": (pa.array([True] * 3), ("id",)),
        "lists": (pa.array([["a"]] * 3), ("id", "text")),
        "nothing": (pa.nulls(3), ("text", "commit", "gold")),
    }
    for name, (values, columns) in other.items():
        for column in columns:
            make = partial(change_column, column=column, turn=lambda _, v=values: v)
            sample = (column, name) == ("id", "numbers")
            yield Fault("Parquet", f"{column} holds {name}", REFUSED, make, "of the first", sample)
    binary = partial(change_column, column="text", turn=lambda a: a.cast(pa.binary()))
    yield Fault("Parquet", "text is binary", REFUSED, binary, "text is not text")
    for name, turn in {
        "large_string": lambda a: a.cast(pa.large_string()),
        "dictionary": lambda a: a.dictionary_encode(),
        "string_view": lambda a: a.cast(pa.string_view()),
    }.items():
        for column in ("id", "text", "gold"):
            make = partial(change_column, column=column, turn=turn)
            yield Fault("Parquet", f"{column} is {name}", CORRECT, make)
    huge = partial(change_column, column="id", turn=lambda a: pa.array([2**63] * 3, pa.uint64()))
    yield Fault("Parquet", "id holds unsigned numbers", REFUSED, huge, "id is not text")


def cut(content: bytes, share: float) -> bytes:
    """Returns the first part of bytes."""
    return content[: int(len(content) * share)]


def flip(content: bytes, seed: int, count: int = 40) -> bytes:
    """Returns bytes of which some are changed, never the magic numbers."""
    dice = random.Random(seed)
    turned = bytearray(content)
    for _ in range(count):
        turned[dice.randrange(4, len(turned) - 8)] ^= dice.randrange(1, 256)
    return bytes(turned)


def damaged() -> Iterator[Fault]:
    """Files that are not what their suffix says, or not whole."""
    for form in WRITERS:
        whole: dict[str, Callable[[bytes], bytes]] = {
            "empty": lambda _: b"",
            "random bytes": lambda _: random.Random(1).randbytes(5000),
            "zeros": lambda _: bytes(5000),
            "gzip": gzip.compress,
            "a page of HTML": lambda _: b"<!doctype html><title>404</title>\n",
        }
        for name, turn in whole.items():
            make = partial(write_bytes, form=form, turn=turn)
            yield Fault(shown(form), name, REFUSED, make, "faulty", sample=form == "parquet")
    for share in (0.02, 0.3, 0.6, 0.9, 0.99):
        make = partial(write_bytes, form="parquet", turn=partial(cut, share=share))
        yield Fault("Parquet", f"cut at {share:.0%}", REFUSED, make, "faulty.parquet")
    for seed in range(8):
        make = partial(write_bytes, form="parquet", turn=partial(flip, seed=seed))
        yield Fault("Parquet", f"40 bytes changed, seed {seed}", REFUSED, make)
    for form in ("jsonl", "csv"):
        utf16 = partial(write_bytes, form=form, turn=lambda b: b.decode().encode("utf-16"))
        yield Fault(shown(form), "UTF-16", REFUSED, utf16, "faulty")
        latin = partial(write_bytes, form=form, turn=lambda b: b.replace(b"parser", b"pars\xe9r"))
        yield Fault(shown(form), "Latin-1", REFUSED, latin, "faulty")
        bom = partial(write_bytes, form=form, turn=lambda b: b"\xef\xbb\xbf" + b)
        yield Fault(shown(form), "a byte order mark", CORRECT, bom)
        crlf = partial(write_bytes, form=form, turn=crlf_ends)
        yield Fault(shown(form), "CRLF", CORRECT, crlf)


def crlf_ends(content: bytes) -> bytes:
    """Returns text with CRLF line ends."""
    return content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def json_forms() -> Iterator[Fault]:
    """JSON that parsers forgive."""
    replaced: dict[str, tuple[bytes, bytes, str]] = {
        "a key twice": (b'"id": "a2"', b'"id": "a2", "id": "a3"', "twice"),
        "a number of 5,000 digits": (b'"src/writer.py"', b"9" * 5000, "line 2 is not JSON"),
        "an open object": (b"holds nothing", b'holds nothing"\n', "line 2 is not JSON"),
        "100,000 brackets": (b'"src/writer.py"', b"[" * 100_000, "line 2 is not JSON"),
        "an unknown key": (b'"id": "a2"', b'"id": "a2", "colour": 1', "unknown column"),
        "a key of 1 MB": (b'"id": "a2"', b'"id": "a2", "' + b"k" * 10**6 + b'": 1', "unknown"),
        "a hostile key": (b'"id": "a2"', b'"id": "a2", "\\u001b[31m": 1', "unknown column"),
    }
    for name, (old, new, says) in replaced.items():
        make = partial(write_bytes, form="jsonl", turn=partial(swap, old=old, new=new))
        yield Fault("JSON lines", name, REFUSED, make, says, name == "a key twice")
    for name, number in (("NaN", float("nan")), ("an infinite number", float("inf"))):
        make = partial(change_row, form="jsonl", gold=number)
        yield Fault("JSON lines", name, RECORDED, make, "neither text nor a list")
    half = partial(change_row, form="jsonl", text="half \ud800")
    yield Fault("JSON lines", "half a surrogate pair", RECORDED, half, "half a character")
    lines = partial(write_bytes, form="jsonl", turn=lambda b: b"\n\n" + b.replace(b"\n", b"\n \n"))
    yield Fault("JSON lines", "empty lines", CORRECT, lines)
    array = partial(write_bytes, form="jsonl", turn=lambda b: b"[" + b.replace(b"\n", b",") + b"]")
    yield Fault("JSON lines", "one JSON list", REFUSED, array, "line 1 is not JSON")


def swap(content: bytes, old: bytes, new: bytes) -> bytes:
    """Replaces bytes that must be there."""
    assert old in content
    return content.replace(old, new)


def csv_forms() -> Iterator[Fault]:
    """CSV that parsers forgive."""
    forms: dict[str, tuple[Callable[[bytes], bytes], str, str]] = {
        "no header": (lambda b: b.split(b"\n", 1)[1], REFUSED, "column"),
        "header only": (lambda b: b.split(b"\n", 1)[0], REFUSED, "no"),
        "semicolons": (lambda b: b.replace(b",", b";"), REFUSED, "unknown column"),
        "a column twice": (lambda b: b.replace(b"path", b"gold", 1), REFUSED, "stands twice"),
        "one cell too many": (lambda b: b.rstrip() + b",extra\r\n", REFUSED, "unknown column"),
        "one cell too few": (drop_last_cell, RECORDED, "no gold"),
        "an open quote": (lambda b: b.replace(b"Writing", b'"Writing', 1), REFUSED, "cannot be"),
        "a NUL": (lambda b: b.replace(b"Writing", b"Wri\0ting"), CORRECT, ""),
        "capitals in the header": (lambda b: b.replace(b"id,", b"ID,", 1), REFUSED, "unknown"),
        "spaces in the header": (lambda b: b.replace(b"id,", b" id,", 1), REFUSED, "unknown"),
        "CR line ends": (lambda b: crlf_ends(b).replace(b"\n", b""), CORRECT, ""),
    }
    for name, (turn, expect, says) in forms.items():
        make = partial(write_bytes, form="csv", turn=turn)
        yield Fault("CSV", name, expect, make, says, name == "semicolons")


def drop_last_cell(content: bytes) -> bytes:
    """Takes the gold of the second row away."""
    rows = list(csv.reader(io.StringIO(content.decode())))
    rows[2].pop()
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def places() -> Iterator[Fault]:
    """A path of a dataset that is no file."""

    def put(sandbox: Sandbox, form: str, what: Callable[[Path], Any]) -> None:
        what(use(sandbox, f"faulty.{form}"))

    odd: dict[str, Callable[[Path], Any]] = {
        "a folder": lambda path: path.mkdir(),
        "a pipe": os.mkfifo,
        "a link to nothing": lambda path: path.symlink_to("nothing"),
        "a link in a circle": lambda path: path.symlink_to(path.name),
        "a device": lambda path: path.symlink_to("/dev/zero"),
        "missing": lambda path: None,
    }
    for name, what in odd.items():
        for form in ("jsonl", "parquet"):
            make = partial(put, form=form, what=what)
            says = "dataset.path"
            yield Fault("dataset file", f"{name}, {shown(form)}", REFUSED, make, says)
    for suffix in ("txt", "xlsx", "json"):
        make = partial(rename, name=f"issues.{suffix}")
        yield Fault("dataset file", f"named .{suffix}", REFUSED, make, "expected a .parquet")


def rename(sandbox: Sandbox, name: str) -> None:
    """Gives the file of issues another name."""
    rows = sandbox.path("data/issues.jsonl").read_bytes()
    use(sandbox, name).write_bytes(rows)


def all_faults() -> list[Fault]:
    """Returns every input of this table."""
    groups = (
        *(json_types, nulls, texts, ids, parquet_types, damaged, json_forms, csv_forms, places),
    )
    return [fault for group in groups for fault in group()]
