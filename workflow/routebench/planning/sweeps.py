"""Sweeps: one arm of a study file that brings variants of itself, a parameter apart.

``bm25: {kind: bm25, sweep: {prose_share: [0.2, 0.0]}}`` stands for ``bm25`` and
``bm25@prose_share=0.2``, ``bm25@prose_share=0.0``. Several parameters are swept one at a
time, never together: each variant differs from the arm in one thing.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from routebench.errors import RoutebenchError

KEY = "sweep"
SCHEMA = {
    "type": "object",
    "description": "Values by parameter; each value adds an arm name@parameter=value.",
    "additionalProperties": {"type": "array", "minItems": 1},
}
VALUE = re.compile(r"[A-Za-z0-9+._-]+")


def expand_sweeps(arms: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arms, each that has a ``sweep`` followed by its variants.

    Args:
        arms: entries by name, unchecked.

    Raises:
        RoutebenchError: a sweep is not a mapping of lists of plain values; one line.
    """
    expanded: dict[str, Any] = {}
    for name, entry in arms.items():
        if not isinstance(entry, Mapping) or KEY not in entry:
            expanded[name] = entry
            continue
        plain = {key: value for key, value in entry.items() if key != KEY}
        expanded[name] = plain
        for parameter, value in _swept(name, entry[KEY]):
            expanded[_variant(name, parameter, value)] = {**plain, parameter: value}
    return expanded


def _swept(name: str, sweep: Any) -> Iterator[tuple[str, Any]]:
    lists = sweep if isinstance(sweep, Mapping) else {}
    if not lists or not all(isinstance(values, list) and values for values in lists.values()):
        raise RoutebenchError(
            f"config: arms.{name}.{KEY} is {sweep!r:.80}; expected lists of values by parameter"
        )
    for parameter, values in lists.items():
        for value in values:
            yield parameter, value


def _variant(name: str, parameter: str, value: Any) -> str:
    text = "null" if value is None else str(value)
    if not VALUE.fullmatch(text):
        raise RoutebenchError(
            f"config: arms.{name}.{KEY}.{parameter} has {value!r:.80}; expected plain values"
        )
    return f"{name}@{parameter}={text}"
