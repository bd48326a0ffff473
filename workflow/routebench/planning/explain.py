"""Validation errors as one line: the key, its value, what is allowed."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError


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
    key = ".".join(path)
    if first["type"] == "extra_forbidden":
        known = [*always, *_known_keys(model, first["loc"][:-1])]
        return f"config: {key} is not a key; expected one of {', '.join(known)}"
    if first["type"] == "missing":
        return f"config: {key} is missing"
    reason = first["msg"].removeprefix("Value error, ")
    if first["type"] == "value_error":
        return f"config: {key}: {reason}" if key else f"config: {reason}"
    reason = reason[:1].lower() + reason[1:]
    return f"config: {key} is {first['input']!r:.80}; {reason}"


def _known_keys(model: type[BaseModel], path: Iterable[Any]) -> list[str]:
    current: Any = model
    for part in path:
        field = getattr(current, "model_fields", {}).get(part)
        current = _inner_model(field.annotation) if field else current
    return list(getattr(current, "model_fields", {}))


def _inner_model(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        if (found := _inner_model(argument)) is not None:
            return found
    return None
