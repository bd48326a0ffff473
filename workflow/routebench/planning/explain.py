"""Validation errors as one line: the key, its value, what is allowed."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from routebench.planning.descriptions import describe_fields

# What pydantic calls by the names of Python's types and operators, in those of YAML.
EXPECTED = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "keys and values",
    "finite_number": "a finite number",
    "float_parsing": "a number",
    "float_type": "a number",
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "invalid_key": "a key that is text",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "list_type": "a list",
    "literal_error": "{expected}",
    "model_type": "keys and values",
    "string_pattern_mismatch": "text of the form {pattern}",
    "string_too_long": "text of at most {max_length} characters",
    "string_too_short": "text of at least {min_length} characters",
    "string_type": "text",
    "too_long": "at most {max_length} items",
    "too_short": "at least {min_length} items",
    "tuple_type": "a list",
}
KEY_PART = "[key]"
LONGEST_VALUE = 80


class Place(NamedTuple):
    """Where a path leads in a model: the class there, and what is said of the field."""

    model: Any
    description: str = ""


def explain(
    error: ValidationError,
    model: type[BaseModel],
    *,
    prefix: tuple[str, ...] = (),
    always: tuple[str, ...] = (),
) -> str:
    """Returns one line about the first error of a validation.

    Args:
        error: what pydantic raised.
        model: the model that was checked, to name the keys it knows.
        prefix: path of the model's values in the configuration.
        always: keys that are known beside the model's fields.
    """
    first = error.errors(include_url=False)[0]
    path = [*prefix, *(str(part) for part in first["loc"])]
    if path and path[-1] == KEY_PART:
        key, what = ".".join(path[:-2]), "has the name"
    else:
        key, what = ".".join(path), "is"
    return " ".join(f"config: {_problem(first, model, key=key, what=what, always=always)}".split())


def _problem(
    first: Mapping[str, Any],
    model: type[BaseModel],
    *,
    key: str,
    what: str,
    always: tuple[str, ...],
) -> str:
    if first["type"] == "extra_forbidden":
        known = [*always, *_find(model, first["loc"][:-1]).model.model_fields]
        near = did_you_mean(first["loc"][-1], known)
        return f"{_cut(key)} is not a key{near}; expected one of {', '.join(known)}"
    if first["type"] == "missing":
        described = _find(model, first["loc"]).description
        return f"{key} is missing" + (f"; expected: {described}" if described else "")
    if first["type"] == "value_error":
        reason = first["msg"].removeprefix("Value error, ")
        return f"{key}: {reason}" if key else reason
    return f"{key} {what} {shorten(first['input'])}; expected {_expected(first)}"


def shorten(value: Any) -> str:
    """Returns a value as it would be written in Python, at most some 80 characters of it."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Returns a question for the known name that is close to a wrong one, or nothing."""
    near = get_close_matches(str(name)[:LONGEST_VALUE], list(known), n=1, cutoff=0.7)
    return f" (did you mean {near[0]}?)" if near else ""


def _cut(key: str) -> str:
    return key if len(key) <= LONGEST_VALUE else f"{key[:LONGEST_VALUE]}…"


def _expected(first: Mapping[str, Any]) -> str:
    if first["type"] in EXPECTED:
        return EXPECTED[first["type"]].format(**first.get("ctx", {}))
    return f"otherwise ({first['msg']})"


def _find(model: Any, path: Iterable[Any]) -> Place:
    place = Place(model)
    for part in path:
        fields = getattr(place.model, "model_fields", {})
        if part in fields:
            described = describe_fields(place.model).get(part, "")
            place = Place(_inner_model(fields[part].annotation) or place.model, described)
    return place


def _inner_model(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        if (found := _inner_model(argument)) is not None:
            return found
    return None
