"""Reads the results of one study as a comparison needs them; damage is named by its file."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from routebench.errors import RoutebenchError
from routebench.evaluation.readers import GoldLines, read_gold, read_rankings
from routebench.tables import read_table, table_schema

FILE_METRICS = ("file_recall", "complete_files")
LINE_METRICS = ("line_recall", "complete_lines")
SCORE_COLUMNS = ("arm", "case_id", "k", "budget", *FILE_METRICS, *LINE_METRICS)
REMEDY = "run make study of it again, or name the folder of a finished study"
# Settings of these stages concern nothing that is compared.
OTHER_STAGES = ("access", "overlaps", "report", "reporting", "statistics", "verification")


class Setting(NamedTuple):
    """A measure at one k and, for measures of lines, one budget."""

    metric: str
    k: int
    budget: int | None


class Spent(NamedTuple):
    """What one case cost an arm; ``error`` is why it failed."""

    calls: int
    tokens: int
    cost_usd: float
    query_ms: float
    error: str | None


class CaseFacts(NamedTuple):
    """What was asked: repository, commit and text of the issue."""

    repo: str
    base_commit: str
    query: str


Scores = Mapping[Setting, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Results:
    """The results of one study.

    Attributes:
        folder: where they are.
        cases: by id.
        gold: gold lines by case and path.
        scores: by arm in the study's order, then setting, then case.
        operations: by arm and case.
        rankings: by arm and case, best first.
        versions: of programs and libraries; empty where they are not recorded.
        settings: content of the settings files by stage, arms as ``arms/<name>``.
    """

    folder: Path
    cases: Mapping[str, CaseFacts]
    gold: Mapping[str, GoldLines]
    scores: Mapping[str, Scores]
    operations: Mapping[str, Mapping[str, Spent]]
    rankings: Mapping[str, Mapping[str, list[str]]]
    versions: Mapping[str, str]
    settings: Mapping[str, Any]


def read_results(folder: Path) -> Results:
    """Reads a folder such as ``results/demo``.

    Raises:
        RoutebenchError: a file is missing, damaged or lacks cases; one line names it.
    """
    _check_folder(folder)
    try:
        cases = _read_cases(folder / "cases.parquet")
        scores = _read_scores(folder / "scores.parquet", cases)
        read_columns(folder / "gold.parquet", "gold")
        gold = read_gold(folder / "gold.parquet")
        return Results(
            folder=folder,
            cases=cases,
            gold=gold,
            scores=scores,
            operations={arm: _read_operations(folder, arm, cases) for arm in scores},
            rankings={arm: _read_rankings(folder, arm) for arm in scores},
            versions=_read_json(folder / "versions.json"),
            settings=_read_settings(folder / "settings"),
        )
    except RecursionError as error:
        raise RoutebenchError(f"{folder}: a file is nested without end; {REMEDY}") from error


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        what = "a file" if folder.exists() else "no such folder"
        raise RoutebenchError(f"{folder}: {what}; expected results such as results/demo")
    if not (folder / "cases.parquet").exists():
        inner = sorted(path.parent.name for path in folder.glob("*/cases.parquet"))
        hint = f"name a study in it, such as {folder / inner[0]}" if inner else REMEDY
        raise RoutebenchError(f"{folder}: holds no results of a study (cases.parquet); {hint}")


def read_columns(
    path: Path, table: str, columns: Iterable[str] | None = None
) -> list[tuple[Any, ...]]:
    """Returns rows of a result table, checked against the types and nulls of its schema.

    Raises:
        RoutebenchError: the file is missing, damaged or of another schema.
    """
    if not path.is_file():
        raise RoutebenchError(f"{path}: missing, the study is not finished; {REMEDY}")
    names = list(columns or table_schema(table).names)
    try:
        content = read_table(path, table, names)
        content.validate(full=True)
        found = {name: content.column(name) for name in names}
    except (RoutebenchError, pa.ArrowException, KeyError, MemoryError) as error:
        raise RoutebenchError(f"{path}: damaged or no {table} table; {REMEDY}") from error
    for name, column in found.items():
        field = table_schema(table).field(name)
        if column.type != field.type or (column.null_count and not field.nullable):
            raise RoutebenchError(f"{path}: column {name} is not what table {table} has; {REMEDY}")
    return list(zip(*(column.to_pylist() for column in found.values()), strict=True))


def _read_cases(path: Path) -> dict[str, CaseFacts]:
    rows = read_columns(path, "cases", ("case_id", *CaseFacts._fields))
    cases = {case_id: CaseFacts(*facts) for case_id, *facts in rows}
    if len(cases) < len(rows):
        raise RoutebenchError(f"{path}: a case is there twice; {REMEDY}")
    return cases


def _read_scores(path: Path, cases: Mapping[str, CaseFacts]) -> dict[str, Scores]:
    arms: dict[str, dict[Setting, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    rows = read_columns(path, "scores", SCORE_COLUMNS)
    _check_once(path, [row[:4] for row in rows])
    for arm, case_id, k, budget, *values in rows:
        for metric, value in zip((*FILE_METRICS, *LINE_METRICS), values, strict=True):
            if value is not None:
                # NaN is neither better nor worse than anything.
                if not 0 <= value <= 1:
                    raise RoutebenchError(
                        f"{path}: {metric} of case {case_id} is {value}; {REMEDY}"
                    )
                setting = Setting(metric, k, budget if metric in LINE_METRICS else None)
                arms[arm][setting][case_id] = float(value)
    for arm, settings in arms.items():
        for setting, scores in settings.items():
            if scores.keys() != cases.keys():
                odd = min(scores.keys() ^ cases.keys())
                raise RoutebenchError(
                    f"{path}: arm {arm} and the study differ in case {odd} ({setting.metric}, "
                    f"k {setting.k}); {REMEDY}"
                )
    _check_same_rows(path, rows)
    return {arm: dict(settings) for arm, settings in arms.items()}


def _check_once(path: Path, keys: Sequence[tuple[Any, ...]]) -> None:
    if len(set(keys)) < len(keys):
        raise RoutebenchError(f"{path}: a row is there twice; {REMEDY}")


def _check_same_rows(path: Path, rows: Iterable[tuple[Any, ...]]) -> None:
    asked: dict[str, set[tuple[int, int | None]]] = defaultdict(set)
    for arm, _, k, budget, *_ in rows:
        asked[arm].add((k, budget))
    everything = {setting for settings in asked.values() for setting in settings}
    for arm, settings in asked.items():
        # Arms without contexts have no budget, and the rest have all.
        bare = all(budget is None for _, budget in settings)
        expected = {(k, None if bare else b) for k, b in everything if bare or b is not None}
        if missing := expected - settings:
            k, budget = min(missing, key=lambda setting: (setting[0], setting[1] or 0))
            what = f"k {k}" if budget is None else f"k {k}, {budget:,} tokens"
            raise RoutebenchError(f"{path}: nothing of arm {arm} at {what}; {REMEDY}")


def _read_operations(folder: Path, arm: str, cases: Mapping[str, CaseFacts]) -> dict[str, Spent]:
    columns = ("case_id", "calls", "input_tokens", "output_tokens", "cost_usd", "query_ms", "error")
    place = folder / "operations" / arm
    rows = [
        row
        for path in _arm_files(folder, "operations", arm)
        for row in read_columns(path, "operations", columns)
    ]
    _check_once(place, [row[:1] for row in rows])
    for case_id, *counts, _ in rows:
        if not all(0 <= count < math.inf for count in counts):
            raise RoutebenchError(
                f"{place}: case {case_id} has a cost that is no number from 0; {REMEDY}"
            )
    spent = {
        case_id: Spent(calls, read + written, cost, query_ms, error)
        for case_id, calls, read, written, cost, query_ms, error in rows
    }
    if missing := sorted(cases.keys() - spent.keys()):
        raise RoutebenchError(f"{place}: nothing of case {missing[0]}; {REMEDY}")
    return spent


def _read_rankings(folder: Path, arm: str) -> dict[str, list[str]]:
    paths = _arm_files(folder, "rankings", arm)
    # A case without a ranking has no row there: only the files tell that none is missing.
    asked = {path.name for path in _arm_files(folder, "operations", arm)}
    if missing := sorted(asked - {path.name for path in paths}):
        missed = folder / "rankings" / arm / missing[0]
        raise RoutebenchError(f"{missed}: missing, the study is not finished; {REMEDY}")
    for path in paths:
        read_columns(path, "rankings")
    return read_rankings(paths)


def _arm_files(folder: Path, stage: str, arm: str) -> list[Path]:
    paths = sorted((folder / stage / arm).glob("[!.]*.parquet"))
    if not paths:
        raise RoutebenchError(f"{folder / stage / arm}: no results of the arm; {REMEDY}")
    return paths


def _read_settings(folder: Path) -> dict[str, Any]:
    paths = [*folder.glob("[!.]*.json"), *(folder / "arms").glob("[!.]*.json")]
    named = {path.relative_to(folder).with_suffix("").as_posix(): path for path in paths}
    return {
        name: _read_json(path) for name, path in sorted(named.items()) if name not in OTHER_STAGES
    }


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_number)
    except (OSError, ValueError) as error:
        raise RoutebenchError(f"{path}: damaged (no JSON); {REMEDY}") from error
    if not isinstance(content, dict):
        raise RoutebenchError(f"{path}: damaged (no JSON object); {REMEDY}")
    return content
