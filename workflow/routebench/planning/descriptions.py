"""Descriptions of parameters: of their field, or else of their class's docstring."""

import inspect
import re

from pydantic import BaseModel

ATTRIBUTES = re.compile(r"^Attributes:\n(?P<entries>(?:    .*\n|\n)*)", re.MULTILINE)
ENTRY = re.compile(r"^    (?P<name>\w+): (?P<text>.*(?:\n        .*)*)", re.MULTILINE)


def describe_fields(model: type[BaseModel]) -> dict[str, str]:
    """Returns the description of each field that has one, those of base classes too."""
    described: dict[str, str] = {}
    for part in reversed(model.__mro__):
        if issubclass(part, BaseModel) and part is not BaseModel and part.__doc__:
            described |= _attributes(inspect.cleandoc(part.__doc__))
    written = {name: field.description for name, field in model.model_fields.items()}
    return described | {name: text for name, text in written.items() if text}


def _attributes(docstring: str) -> dict[str, str]:
    section = ATTRIBUTES.search(docstring + "\n")
    if section is None:
        return {}
    texts = {entry["name"]: entry["text"] for entry in ENTRY.finditer(section["entries"])}
    return {name: _sentence(" ".join(text.split())) for name, text in texts.items()}


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
