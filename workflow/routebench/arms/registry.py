"""The kinds of arm, by name. A new kind is a module and a line here."""

from importlib import import_module
from typing import Any

from routebench.arms.base import Parameters, Ranker, Resources
from routebench.errors import RoutebenchError

KINDS = {
    "archive": "routebench.arms.archive",
    "basename": "routebench.arms.basename",
    "bm25": "routebench.arms.bm25",
    "command": "routebench.arms.command",
    "flat": "routebench.arms.flat",
    "fts5": "routebench.arms.fts5",
    "rerank": "routebench.arms.rerank",
    "ripgrep": "routebench.arms.ripgrep",
    "ripgrep-feedback": "routebench.arms.ripgrep_feedback",
    "rrf": "routebench.arms.rrf",
    "tree": "routebench.arms.tree",
}


def kind_module(kind: str) -> Any:
    """Returns the module of a kind; only that one is imported.

    Each module has ``PARAMETERS``, a class of ``Parameters``, and
    ``create(parameters, resources)``, which returns a ``Ranker``.

    Raises:
        RoutebenchError: no such kind; the known ones are named.
    """
    if kind not in KINDS:
        raise RoutebenchError(f"arm kind {kind!r}: expected one of {', '.join(KINDS)}")
    return import_module(KINDS[kind])


def parse_parameters(kind: str, values: dict[str, Any]) -> Parameters:
    """Checks the parameters of an arm against the class of its kind.

    Raises:
        RoutebenchError: no such kind.
        pydantic.ValidationError: a parameter is unknown or has a bad value.
    """
    parameters: Parameters = kind_module(kind).PARAMETERS(**values)
    return parameters


def create_ranker(kind: str, parameters: Parameters, resources: Resources) -> Ranker:
    """Returns a ranker of the kind, ready for one repository."""
    ranker: Ranker = kind_module(kind).create(parameters, resources)
    return ranker
