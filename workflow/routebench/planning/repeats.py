"""Repeats: one arm of a study file that stands for several, each asking its model anew."""

from collections.abc import Mapping, Sequence
from typing import Any

from routebench.arms.registry import kind_module
from routebench.errors import RoutebenchError

KEY, NUMBER = "repeats", "repeat"
# Each is an arm with jobs of its own.
MOST_REPEATS = 1000


def expand_repeats(arms: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arms with each that has ``repeats: n`` replaced by n arms.

    ``tree`` becomes ``tree.0``, ``tree.1`` and so on, whose number is their ``repeat``. An
    arm that names a repeated arm means its repeat of the same number.

    Args:
        arms: entries with a known kind, by name.

    Raises:
        RoutebenchError: an arm cannot be repeated so often; one line says why.
    """
    families = {name: _names(name, entry) for name, entry in arms.items() if KEY in entry}
    expanded: dict[str, Any] = {}
    for name, entry in arms.items():
        if name not in families:
            expanded[name] = entry
        for number, repeat in enumerate(families.get(name, ())):
            if repeat in arms:
                raise RoutebenchError(
                    f"config: arms.{repeat} is a repeat of arms.{name}; rename it"
                )
            expanded[repeat] = _repeat(name, entry, number, families)
    return expanded


def family_of(arm: str, repeats: int | None) -> str:
    """Returns the name that a study file gives an arm: its own, or what its repeats share."""
    return arm.rpartition(".")[0] if repeats else arm


def _names(name: str, entry: Mapping[str, Any]) -> tuple[str, ...]:
    count = entry[KEY]
    if type(count) is not int or not 1 <= count <= MOST_REPEATS:
        expected = f"expected a number from 1 to {MOST_REPEATS:,}"
        raise RoutebenchError(f"config: arms.{name}.{KEY} is {count!r:.80}; {expected}")
    if NUMBER in entry:
        raise RoutebenchError(f"config: arms.{name}: expected one of {NUMBER} and {KEY}")
    return tuple(f"{name}.{number}" for number in range(count))


def _repeat(
    name: str, entry: Mapping[str, Any], number: int, families: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    parameters = kind_module(entry["kind"]).PARAMETERS
    own = {NUMBER: number} if NUMBER in parameters.model_fields else {}
    for key in parameters.arm_keys:
        own |= _same_repeat(f"arms.{name}.{key}", entry.get(key), number, families)
    if not own:
        raise RoutebenchError(
            f"config: arms.{name}.{KEY}: kind {entry['kind']} gives the same ranking every time"
        )
    return {**entry, **own}


def _same_repeat(
    key: str, named: Any, number: int, families: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Returns the parameter with repeated arms replaced; empty where it names none."""
    names = [named] if isinstance(named, str) else list(named or ())
    short = [name for name in names if name in families and number >= len(families[name])]
    if short:
        raise RoutebenchError(f"config: {key}: {short[0]} has no repeat {number}")
    if not any(name in families for name in names):
        return {}
    found = [families[name][number] if name in families else name for name in names]
    return {key.rpartition(".")[2]: found[0] if isinstance(named, str) else found}
