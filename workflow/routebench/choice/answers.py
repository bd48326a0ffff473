"""The answers that results rest on: a table beside each ranking, one file to hand on.

python -m routebench.choice.answers export results/paper/answers answers.parquet
python -m routebench.choice.answers import answers.parquet answers
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from routebench.choice.base import ChoiceError, check_probabilities
from routebench.choice.journal import (
    NAMES,
    Entry,
    Payer,
    Recorded,
    entry_line,
    model_folder,
)
from routebench.choice.recorded import UsedAnswer
from routebench.errors import RoutebenchError
from routebench.files import sha256_file, write_text
from routebench.tables import read_rows, write_rows

TABLE = "answers"
# The column of the request key has a longer name than the field: the table has many keys.
KEY_COLUMN = "request_key"


def write_answers(path: Path, used: Iterable[UsedAnswer]) -> None:
    """Writes used answers as the table ``answers``, by arm, model, case and request key.

    The bytes depend on the answers alone: a replay writes the same file again.
    """
    rows = [_row(answer) for answer in used]
    write_rows(path, TABLE, sorted(rows, key=_order))


def export_answers(sources: Sequence[Path], target: Path) -> int:
    """Joins tables of answers, or all those in folders, into one file.

    Returns:
        The number of answers; one found twice counts once.

    Raises:
        RoutebenchError: there is no table, or one cannot be read.
    """
    files = sorted({file for source in sources for file in _tables(source)})
    if not files:
        raise RoutebenchError(f"{', '.join(map(str, sources))}: no tables of answers")
    rows = {_order(row): row for file in files for row in read_rows(file, TABLE)}
    write_rows(target, TABLE, [rows[place] for place in sorted(rows)])
    return len(rows)


def import_answers(source: Path, answers: Path) -> int:
    """Puts the answers of an exported file where `replay` and paid models look them up.

    They are no spending of any study. Importing the same file again changes nothing.

    Returns:
        The number of answers.

    Raises:
        RoutebenchError: the file is no table of answers, or one of them is unusable.
    """
    lines: defaultdict[Path, dict[str, None]] = defaultdict(dict)
    for row in read_rows(source, TABLE):
        line = entry_line(_entry(row, source))
        lines[model_folder(answers, row["model"])][line] = None
    name = f"answers-import-{sha256_file(source)[:16]}.jsonl"
    for folder, content in lines.items():
        write_text(folder / name, "".join(content))
    return sum(map(len, lines.values()))


def _tables(source: Path) -> Iterable[Path]:
    return [source] if source.is_file() else source.rglob("*.parquet")


def _row(answer: UsedAnswer) -> dict[str, Any]:
    facts = {name: getattr(answer.recorded, name) for name in NAMES}
    facts[KEY_COLUMN] = facts.pop("key")
    return {"case_id": answer.case_id, "arm": answer.arm, "model": answer.model} | facts


def _order(row: Mapping[str, Any]) -> tuple[str, ...]:
    return row["arm"], row["model"], row["case_id"], row[KEY_COLUMN]


def _entry(row: Mapping[str, Any], source: Path) -> Entry:
    values = {name: row[KEY_COLUMN if name == "key" else name] for name in NAMES}
    try:
        check_probabilities(values["probabilities"])
    except ChoiceError as error:
        raise RoutebenchError(f"{source}: request {row[KEY_COLUMN]}: {error}") from error
    # Without a study nobody paid for it here; the arm keeps its own answers on replay.
    return Entry(Recorded(**values), Payer("", row["arm"]), "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m routebench.choice.answers")
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="join tables of answers into one file")
    export.add_argument("sources", nargs="+", type=Path, help="tables, or folders of them")
    export.add_argument("target", type=Path, help="the file to write")
    import_ = commands.add_parser("import", help="make an exported file's answers available")
    import_.add_argument("source", type=Path, help="an exported file")
    import_.add_argument("answers", type=Path, help="folder of recorded answers")
    given = parser.parse_args(arguments)
    try:
        if given.command == "export":
            print(f"{export_answers(given.sources, given.target)} answers -> {given.target}")
        else:
            print(f"{import_answers(given.source, given.answers)} answers -> {given.answers}")
    except RoutebenchError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
