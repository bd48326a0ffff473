"""Tables as CSV, Markdown, LaTeX and aligned text."""

import csv
import io
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tabulate import tabulate

Value = str | int | float | bool | None
Alignment = Literal["left", "right"]

NOTHING = "–"
NO_ROWS = "none"
LONG_CELL = 40
WIDE_TABLE = 7
MARKDOWN_ESCAPES: Mapping[str, str] = {
    **{sign: f"\\{sign}" for sign in "\\`*_[]|~$"},
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
}
LATEX_ESCAPES: Mapping[str, str] = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    # A row that begins with one of these would give it to the line break before.
    "[": "{[}",
    "*": "{*}",
    NOTHING: r"\textendash{}",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows; numbers are set as such, text is escaped."""

    text: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class Display:
    """A table ready to be set: headings, one alignment per column, rows of cells."""

    name: str
    title: str
    caption: str
    headings: tuple[str, ...]
    alignments: tuple[Alignment, ...]
    rows: tuple[tuple[Cell, ...], ...]
    provenance: str = ""


def csv_text(names: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Returns CSV with LF line ends, numbers at full precision, empty cells for null."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_csv_value(value) for value in row] for row in rows)
    return buffer.getvalue()


def _csv_value(value: Value) -> Value:
    return str(value).lower() if isinstance(value, bool) else value


def markdown_text(display: Display) -> str:
    """Returns a heading, the table in GitHub's Markdown, and the caption."""
    table = tabulate(
        _filled([[_markdown_cell(cell) for cell in row] for row in display.rows], display),
        headers=[_markdown(heading) for heading in display.headings],
        tablefmt="github",
        disable_numparse=True,
        colalign=display.alignments,
    )
    source = f"\n<!-- {_comment(display.provenance)} -->\n" if display.provenance else ""
    caption = f"\n{_markdown(display.caption)}\n" if display.caption else ""
    return f"### {_markdown(display.title)}\n\n{table}\n{caption}{source}"


def plain_text(display: Display, *, label_width: int, cell_width: int) -> str:
    """Returns the table as aligned text for a terminal.

    Args:
        display: what to set.
        label_width: headings are wrapped at words to this many characters.
        cell_width: longer cells are cut, with an ellipsis.
    """
    rows = [[cut(one_line(cell.text), cell_width) for cell in row] for row in display.rows]
    return tabulate(
        _filled(rows, display),
        headers=[
            textwrap.fill(heading, label_width, break_long_words=False, break_on_hyphens=False)
            for heading in display.headings
        ],
        tablefmt="simple",
        disable_numparse=True,
        colalign=display.alignments,
    )


def latex_text(display: Display) -> str:
    """Returns a booktabs table in a floating environment, labelled ``tab:<name>``.

    A table of many columns, or with long text, takes the width of the page in a smaller
    type. Columns with long text become paragraphs.
    """
    is_wide = len(display.headings) > WIDE_TABLE or _long_columns(display)
    environment = "table*" if is_wide else "table"
    lines = [
        *([f"% {one_line(display.provenance)}"] if display.provenance else []),
        f"\\begin{{{environment}}}",
        "\\centering",
        *(["\\footnotesize", "\\setlength{\\tabcolsep}{4pt}"] if is_wide else []),
        f"\\caption{{{escape_latex(f'{display.title}. {display.caption}'.strip())}}}",
        f"\\label{{tab:{display.name}}}",
        *_tabular(display),
        f"\\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def _tabular(display: Display) -> list[str]:
    long = _long_columns(display)
    rows = [
        [_latex_cell(cell, breakable=place in long) for place, cell in enumerate(row)]
        for row in display.rows
    ]
    none = f"\\multicolumn{{{len(display.headings)}}}{{c}}{{{NO_ROWS}}}"
    return [
        f"\\begin{{tabular}}{{{_latex_columns(display, long)}}}",
        "\\toprule",
        " & ".join(escape_latex(heading) for heading in display.headings) + " \\\\",
        "\\midrule",
        *(" & ".join(row) + " \\\\" for row in rows or [[none]]),
        "\\bottomrule",
        "\\end{tabular}",
    ]


def _long_columns(display: Display) -> set[int]:
    return {place for row in display.rows for place, cell in enumerate(row) if _is_long(cell)}


def _is_long(cell: Cell) -> bool:
    return not cell.number and len(cell.text) > LONG_CELL


def _latex_columns(display: Display, long: set[int]) -> str:
    share = f"p{{{0.66 / max(1, len(long)):.2f}\\linewidth}}"
    return "".join(
        share if place in long else alignment[0]
        for place, alignment in enumerate(display.alignments)
    )


def _latex_cell(cell: Cell, *, breakable: bool) -> str:
    if cell.number:
        return cell.text.replace("-", "$-$").replace("[", "{[}").replace(NOTHING, "--")
    text = escape_latex(cell.text)
    return re.sub(r"(\\_|/)", r"\1\\allowbreak{}", text) if breakable else text


def escape_latex(text: str) -> str:
    """Returns text that LaTeX sets as it is, on one line."""
    escaped = "".join(LATEX_ESCAPES.get(sign, sign) for sign in one_line(text))
    return re.sub(r"-(?=-)", "-{}", escaped)


def _markdown_cell(cell: Cell) -> str:
    return cell.text if cell.number else _markdown(cell.text)


def _markdown(text: str) -> str:
    return "".join(MARKDOWN_ESCAPES.get(sign, sign) for sign in one_line(text))


def _comment(text: str) -> str:
    return one_line(text).replace("--", "- -")


def one_line(text: str) -> str:
    """Returns the text with every run of white space as one space, controls left out."""
    return " ".join("".join(s if s.isprintable() or s.isspace() else "" for s in text).split())


def cut(text: str, width: int) -> str:
    """Returns at most ``width`` characters, with an ellipsis in the middle of longer text."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def _filled(rows: list[list[str]], display: Display) -> list[list[str]]:
    return rows or [[NO_ROWS, *[""] * (len(display.headings) - 1)]]
