"""Which arms a question goes to: by the names of a study, or by kind."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from routebench.arms.registry import KINDS, kind_module
from routebench.errors import RoutebenchError
from routebench.planning.configuration import (
    NAME_LENGTH,
    Configuration,
    check_arms,
    overlay,
    parse_configuration,
    read_defaults,
)
from routebench.planning.run import find_study
from routebench.planning.study_files import read_yaml

DEFAULTS = Path("config.yaml")
ARCHIVE = "archive"
FUSION = "fused"


class Chosen(NamedTuple):
    """A study that has all the arms of a question.

    Attributes:
        config: its configuration; arms asked for by kind or to be fused are among its own.
        arm: the arm whose ranking is the answer.
        arms: all that are asked, those that others are made from first.
    """

    config: Configuration
    arm: str
    arms: tuple[str, ...]


def choose_arms(names: Sequence[str], study: str | None) -> Chosen:
    """Returns the arms of a question, of a study file or else of ``config.yaml``.

    Several become the sources of an arm of kind ``rrf``, as a study would fuse them.

    Raises:
        RoutebenchError: no such arm or kind, or one that cannot answer a new question.
    """
    values = overlay(read_defaults(DEFAULTS), read_yaml(find_study(study)) if study else {})
    config = parse_configuration(values)
    wanted = list(dict.fromkeys(names))
    added = {name: _of_kind(name, config) for name in wanted if name not in config.arms}
    arm = wanted[0]
    if len(wanted) > 1:
        arm = "+".join(wanted)
        arm = arm if len(arm) <= NAME_LENGTH else FUSION
        added[arm] = {"kind": "rrf", "sources": wanted}
    if added:
        config = parse_configuration({**values, "arms": {**values["arms"], **added}})
    order = tuple(_sources_first(arm, config))
    _check_kinds(config, order)
    check_arms(config, order)
    return Chosen(config, arm, order)


def _of_kind(name: str, config: Configuration) -> Mapping[str, Any]:
    if name not in KINDS:
        kinds = [kind for kind in KINDS if kind != ARCHIVE and not _lacking(kind, config)]
        known = list(dict.fromkeys([*config.arms, *kinds]))
        raise RoutebenchError(f"arm {name!r}: {unknown_arm(name, known)}")
    if name == ARCHIVE:
        raise RoutebenchError(_archived(name))
    if unknown := _lacking(name, config):
        raise RoutebenchError(
            f"arm {name!r}: a kind that has no default {' and '.join(unknown)}; name an arm of "
            "that kind, from a study given by --study"
        )
    return {"kind": name} | {key: next(iter(config.models)) for key in _required(name)}


def _required(kind: str) -> list[str]:
    fields = kind_module(kind).PARAMETERS.model_fields
    return [key for key, field in fields.items() if field.is_required()]


def _lacking(kind: str, config: Configuration) -> list[str]:
    return [key for key in _required(kind) if key != "model" or not config.models]


def unknown_arm(name: str, known: Sequence[str]) -> str:
    """Returns what to say of a name that is none of the known ones."""
    close = get_close_matches(name, known, n=1)
    guess = f"did you mean {close[0]}? " if close else ""
    return f"no such arm; {guess}known are {', '.join(known)}"


def _sources_first(arm: str, config: Configuration) -> list[str]:
    parameters = config.arms[arm].parameters
    before = [
        name
        for source in (*parameters.source_arms, *parameters.call_arms)
        for name in _sources_first(source, config)
    ]
    return list(dict.fromkeys([*before, arm]))


def _check_kinds(config: Configuration, arms: Iterable[str]) -> None:
    for arm in arms:
        if config.arms[arm].kind == ARCHIVE:
            raise RoutebenchError(_archived(arm))


def _archived(arm: str) -> str:
    return f"arm {arm!r}: of kind {ARCHIVE}, which has answers to published cases only"
