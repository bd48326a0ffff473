"""A comparison of two runs as text, Markdown or JSON."""

import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from routebench.command_line.differences import (
    MEANS,
    ArmChange,
    Difference,
    MeasureChange,
    SettingChange,
    describe_setting,
)
from routebench.command_line.terminal import visible

NAMED = 5
INDENT = "  "
LONGEST_VALUE = 40
MEASURE_HEADINGS = ("Arm, measure", "A", "B", "B - A", "95 % interval", "Won", "Lost")


class CostColumn(NamedTuple):
    """How a sum of costs is shown; left out where it is 0 for all arms, unless ``always``."""

    name: str
    label: str
    form: str
    always: bool = False


COSTS = (
    CostColumn("calls", "Calls", ",", always=True),
    CostColumn("tokens", "Tokens", ","),
    CostColumn("cost_usd", "USD", ".4f"),
    CostColumn("query_ms", "Query ms", ",.1f", always=True),
)


class Page:
    """Collects the parts of a report in the form that is asked for."""

    def __init__(self, *, markdown: bool, width: int) -> None:
        self._markdown, self._width = markdown, width
        self._parts: list[str] = []

    def heading(self, text: str) -> None:
        """Adds a heading."""
        self._parts.append(f"### {text}" if self._markdown else f"{text}\n{'=' * len(text)}")

    def line(self, text: str) -> None:
        """Adds a paragraph of one sentence or more."""
        self._parts.append(_cell(text) if self._markdown else self._filled(text, ""))

    def items(self, lines: Sequence[str]) -> None:
        """Adds a list."""
        if lines:
            shown = (f"- {_cell(x)}" if self._markdown else self._filled(x, "  ") for x in lines)
            self._parts.append("\n".join(shown))

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]], texts: int) -> None:
        """Adds a table whose first ``texts`` columns are text, the others numbers."""
        show = _cell if self._markdown else visible
        self._parts.append(
            tabulate(
                [[show(cell) for cell in row] for row in rows],
                headings,
                tablefmt="github" if self._markdown else "simple",
                disable_numparse=True,
                preserve_whitespace=True,
                colalign=["left"] * texts + ["right"] * (len(headings) - texts),
            )
        )

    def text(self) -> str:
        """Returns all of it."""
        return "\n\n".join(self._parts)

    def _filled(self, text: str, indent: str) -> str:
        return textwrap.fill(
            visible(text),
            self._width,
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def _cell(text: str) -> str:
    shown = visible(text)
    for mark in "\\`*_[]<>|":
        shown = shown.replace(mark, f"\\{mark}")
    return shown


def difference_text(
    difference: Difference,
    a: Path,
    b: Path,
    *,
    everything: bool = False,
    markdown: bool = False,
    width: int = 80,
) -> str:
    """Returns a comparison for people.

    Args:
        difference: of B to A.
        a: folder of A.
        b: folder of B.
        everything: every k and budget, and every case by name.
        markdown: as GitHub reads it, in place of plain text.
        width: columns of the terminal.
    """
    page = Page(markdown=markdown, width=width)
    _head(page, difference, a, b)
    page.heading("What differs in versions and settings")
    page.items(_setting_lines(difference.settings) or ["nothing"])
    _cohort(page, difference, everything)
    changed = [arm for arm in difference.arms if not arm.is_same]
    _measures(page, difference, difference.arms if everything else changed, everything)
    for arm in changed:
        _cases(page, arm, everything)
    _costs(page, difference)
    return page.text()


def _head(page: Page, difference: Difference, a: Path, b: Path) -> None:
    page.items([f"A: {a}", f"B: {b}"])
    ks = ", ".join(map(str, difference.ks))
    budgets = ", ".join(f"{budget:,}" for budget in difference.budgets) or "none"
    page.line(
        f"{_count(len(difference.shared), 'shared case')} of "
        f"{_count(difference.repositories, 'repository', 'repositories')}; "
        f"k {ks}; budgets {budgets}"
    )


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _setting_lines(changes: Sequence[SettingChange]) -> list[str]:
    lines = [f"{c.of}: {c.key} {_value(c.a)} -> {_value(c.b)}" for c in changes if not c.digest]
    for key in dict.fromkeys(change.key for change in changes if change.digest):
        of = [change.of for change in changes if change.digest and change.key == key]
        lines.append(f"{key} of {', '.join(of)}")
    return lines


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def _cohort(page: Page, difference: Difference, everything: bool) -> None:
    lines = [
        f"{title}: {_names(names, everything)}"
        for title, names in (
            ("cases in A only", difference.only_a),
            ("cases in B only", difference.only_b),
            ("arms in A only", difference.arms_only_a),
            ("arms in B only", difference.arms_only_b),
        )
        if names
    ]
    otherwise = [f"{case_id} ({what})" for case_id, what in difference.asked_otherwise.items()]
    if otherwise:
        lines.append(f"cases with another question or answer: {_names(otherwise, everything)}")
    lines += difference.left_out
    if lines:
        page.heading("What is not compared, or not alike")
        page.items(lines)


def _names(names: Sequence[str], everything: bool) -> str:
    shown = list(names) if everything else list(names[:NAMED])
    more = [f"{len(names) - len(shown)} more (--all)"] if len(names) > len(shown) else []
    return f"{len(names)}: {', '.join([*shown, *more])}"


def _measures(
    page: Page, difference: Difference, arms: Sequence[ArmChange], everything: bool
) -> None:
    page.heading("Scores")
    same = [arm.arm for arm in difference.arms if arm.is_same]
    if arms:
        rows = [row for arm in arms for row in _measure_rows(arm, difference, everything)]
        page.table(MEASURE_HEADINGS, rows, 1)
    if same:
        page.line(f"The same in every ranking, score and cost: {', '.join(same)}.")


def _measure_rows(
    arm: ArmChange, difference: Difference, everything: bool
) -> Iterator[tuple[str, ...]]:
    main = next(iter(difference.budgets), None)
    yield (arm.arm, *[""] * (len(MEASURE_HEADINGS) - 1))
    for measure in arm.measures:
        budget = measure.setting.budget
        if everything or budget in (None, main):
            yield _measure_cells(measure, several=everything)
    old, new = arm.failures
    moved = _moved(arm.mended, arm.newly_failed)
    yield (f"{INDENT}failed cases", str(old), str(new), f"{new - old:+d}", "", *moved)


def _measure_cells(measure: MeasureChange, *, several: bool) -> tuple[str, ...]:
    metric, k, budget = measure.setting
    words = f"{INDENT}{metric.replace('_', ' ')} @{k}"
    if several and budget is not None:
        words += f", {budget:,}"
    form, signed = (".3f", "+.3f") if metric in MEANS else (".0f", "+.0f")
    is_bound = measure.lower is not None and (measure.won or measure.lost)
    interval = f"[{measure.lower:{signed}}, {measure.upper:{signed}}]" if is_bound else ""
    cells = (format(measure.a, form), format(measure.b, form), format(measure.delta, signed))
    return (words, *cells, interval, *_moved(measure.won, measure.lost))


def _moved(won: Sequence[Any], lost: Sequence[Any]) -> tuple[str, str]:
    return str(len(won)), str(len(lost))


def _cases(page: Page, arm: ArmChange, everything: bool) -> None:
    lines = []
    for measure in arm.measures:
        main = measure.setting == _main_setting(arm, measure.setting.metric)
        if measure.setting.metric in MEANS and (everything or main):
            lines += list(_case_lines(measure, everything))
    for word, names in (("failed in B alone", arm.newly_failed), ("mended", arm.mended)):
        if names:
            lines.append(f"{word}: {_names(names, everything)}")
    alike = len(arm.reranked_alike)
    lines.append(
        f"rankings changed: {_count(len(arm.reranked), 'case')}, of which {alike} "
        "without a change of score"
    )
    page.heading(f"Cases of {arm.arm}")
    page.items(lines)


def _main_setting(arm: ArmChange, metric: str) -> Any:
    return next(m.setting for m in arm.measures if m.setting.metric == metric)


def _case_lines(measure: MeasureChange, everything: bool) -> Iterator[str]:
    for word, changes in (("won", measure.won), ("lost", measure.lost)):
        if changes:
            names = [f"{c.case_id} ({c.a:.2f} to {c.b:.2f})" for c in changes]
            yield f"{word}, {describe_setting(measure.setting)}: {_names(names, everything)}"


def _costs(page: Page, difference: Difference) -> None:
    page.heading("Cost of the shared cases")
    both = [cost for arm in difference.arms for cost in arm.costs]
    shown = [c for c in COSTS if c.always or any(getattr(cost, c.name) for cost in both)]
    headings = ["Arm", *(text for c in shown for text in (f"{c.label} A", "B"))]
    rows = [
        (arm.arm, *(format(getattr(x, c.name), c.form) for c in shown for x in arm.costs))
        for arm in difference.arms
    ]
    page.table(headings, rows, 1)
    page.line("Times are medians and depend on the machine; they are never a reason to fail.")


def difference_json(difference: Difference, a: Path, b: Path, verdict: Sequence[str]) -> str:
    """Returns a comparison as one JSON object (docs/compare.md).

    Args:
        difference: of B to A.
        a: folder of A.
        b: folder of B.
        verdict: what made the command fail.
    """
    content: dict[str, Any] = {
        "a": str(a),
        "b": str(b),
        "same": difference.is_same,
        "failed_for": list(verdict),
    }
    content |= asdict(difference)
    for arm, change in zip(content["arms"], difference.arms, strict=True):
        arm["same"] = change.is_same
        for measure, source in zip(arm["measures"], change.measures, strict=True):
            measure |= {**measure.pop("setting")._asdict(), "delta": source.delta}
            for side in ("won", "lost"):
                measure[side] = [case._asdict() for case in getattr(source, side)]
        arm["costs"] = dict(zip("ab", arm["costs"], strict=True))
        arm["failures"] = dict(zip("ab", arm["failures"], strict=True))
    return json.dumps(content, indent=1)
