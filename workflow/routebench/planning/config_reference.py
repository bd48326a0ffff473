"""``docs/config.md``: every key of the configuration, from its JSON schema."""

import json
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from typing import Any

import yaml

from routebench.arms.registry import KINDS, kind_module
from routebench.choice.registry import MODEL_KINDS, model_module
from routebench.planning.configuration import REPLACED
from routebench.planning.fingerprints import ROOT
from routebench.planning.markdown import code, prose, table
from routebench.planning.schema import configuration_schema

REFERENCE = "#/$defs/"
DEFAULTS = ROOT.parents[1] / "config.yaml"
COLUMNS = ("key", "value", "default", "meaning")
# Results count in 32 bits; said once, on top.
LARGEST = 2**31 - 1
LONGEST_DEFAULT = 40
# Of every kind; said once, above the kinds.
COMMON = ("kind", "repeats", "sweep")
KINDS_OF = {"arms": "#kinds-of-arm", "models": "#kinds-of-model"}
ENTRY = {
    "quotas": "<language>",
    "per_repository": "<owner/name>",
    "arms": "<name>",
    "models": "<name>",
}
HEAD = """# Configuration

<!-- Written by `make references`. Do not edit. -->

A study file is laid over [config.yaml](../config.yaml), which explains every key at more
length. Of `dataset`, `arms`, `models` and `comparisons` the study file replaces the whole; of
every other section it replaces the keys that it names. A key that is not listed here, or a value
that is not allowed, stops the run before the first job.

*Default* is what holds where a study file does not name the key. Whole numbers that are counted
in results are at most 2,147,483,647. The same as a JSON schema, for editors:
[config.schema.yaml](../workflow/schemas/config.schema.yaml).
"""
ARMS = """## Kinds of arm

An entry of `arms` is a name, a `kind`, and the parameters of that kind. A name has letters,
digits and `+ . _ @ = -`. Every kind also takes

"""
MODELS = """## Kinds of model

An entry of `models` is a name, a `kind`, and the parameters of that kind.
[Choice models](choice-models.md) tells how they are used.
"""

Schema = Mapping[str, Any]


def config_text() -> str:
    """Returns the page."""
    schema = configuration_schema()
    given = yaml.safe_load(DEFAULTS.read_text(encoding="utf-8"))
    some_arm = schema["$defs"][f"arm-{next(iter(KINDS))}"]["properties"]
    shared = {"properties": {key: some_arm[key] for key in COMMON if key != "kind"}}
    return "\n".join(
        [
            HEAD,
            _top_text(schema, given),
            *_section_texts(schema, given),
            ARMS + table(COLUMNS, _rows(shared, schema, {})),
            *(_kind_text(kind, schema, "arm", kind_module(kind)) for kind in KINDS),
            MODELS,
            *(_kind_text(kind, schema, "model", model_module(kind)) for kind in MODEL_KINDS),
        ]
    )


def _top_text(schema: Schema, given: Mapping[str, Any]) -> str:
    rows = []
    for key, part in schema["properties"].items():
        section = _target(part, schema)
        if "properties" in section:
            rows.append([f"[{code(key)}](#{key})", "a section", "", prose(section["description"])])
        else:
            default = code(_literal(given[key])) if key not in REPLACED else "those of config.yaml"
            name = f"[{code(key)}]({KINDS_OF[key]})" if key in KINDS_OF else code(key)
            rows.append([name, _type_text(part), default, prose(part["description"])])
    return "## Top level\n\n" + table(COLUMNS, rows)


def _section_texts(schema: Schema, given: Mapping[str, Any]) -> Iterator[str]:
    for key, part in schema["properties"].items():
        section = _target(part, schema)
        values = {} if key in REPLACED else given[key]
        if "properties" in section:
            rows = _rows(section, schema, values)
        elif "$ref" in part.get("items", {}):
            section = _target(part["items"], schema)
            rows = _rows(section, schema, {})
        else:
            continue
        words = prose(section["description"])
        yield f"## {key}\n\n{words}\n\n" + table(COLUMNS, rows)


def _rows(section: Schema, whole: Schema, given: Any, before: str = "") -> Iterator[list[str]]:
    """Yields a row for each key of a section, those of sections inside it after their own.

    Args:
        section: its schema.
        whole: the schema that it is a part of.
        given: its values in config.yaml, where a study file need not repeat them.
        before: the path that leads to its keys.
    """
    required = section.get("required", ())
    for key, part in section["properties"].items():
        value = given.get(key, part.get("default", ...))
        default = "" if value is ... else code(_literal(value))
        meaning = prose(part.get("description", ""))
        if key in required and value is ...:
            default = "*required*"
        elif len(default) > LONGEST_DEFAULT:
            default, meaning = "*long*", f"{meaning} Default: {default}"
        yield [code(f"{before}{key}"), _type_text(part), default, meaning]
        for inner, path in _inside(part, whole, f"{before}{key}"):
            yield from _rows(inner, whole, {}, f"{path}.")


def _inside(part: Schema, whole: Schema, name: str) -> Iterator[tuple[Schema, str]]:
    """Yields the sections that a value holds, with the path that leads into them."""
    for choice in part.get("anyOf", [part]):
        entry = choice.get("additionalProperties")
        if "$ref" in choice:
            yield _target(choice, whole), name
        elif isinstance(entry, Mapping) and "$ref" in entry:
            yield _target(entry, whole), f"{name}.{ENTRY.get(name.split('.')[-1], '<name>')}"
        elif "$ref" in choice.get("items", {}):
            yield _target(choice["items"], whole), f"{name}[]"


def _kind_text(kind: str, whole: Schema, prefix: str, module: Any) -> str:
    part = whole["$defs"][f"{prefix}-{kind}"]
    own = {key: value for key, value in part["properties"].items() if key not in COMMON}
    words = prose(cleandoc(module.__doc__).split("\n\n")[0])
    rows = _rows({**part, "properties": own}, whole, {})
    return f"### {kind}\n\n{words}\n\n{table(COLUMNS, rows)}{_variants(module)}"


def _variants(module: Any) -> str:
    """Says which defaults a variant of a kind sets, where the kind has variants."""
    lines = [
        f"- `variant: {name}`: " + ", ".join(f"`{k}: {_literal(v)}`" for k, v in preset.items())
        for name, preset in getattr(module, "VARIANTS", {}).items()
    ]
    return "\nDefaults by variant:\n\n" + "\n".join(lines) + "\n" if lines else ""


def _target(part: Schema, whole: Schema) -> Schema:
    target: Schema = (
        whole["$defs"][part["$ref"].removeprefix(REFERENCE)] if "$ref" in part else part
    )
    return target


def _literal(value: Any) -> str:
    """Returns a value as it is written in YAML on one line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if " " in value else value
    return (
        yaml.safe_dump(value, default_flow_style=True, width=10_000).removesuffix("...\n").strip()
    )


def _type_text(part: Schema) -> str:
    if "anyOf" in part:
        return " or ".join(map(_type_text, part["anyOf"]))
    if "$ref" in part:
        return "keys and values"
    if "const" in part or "enum" in part:
        return ", ".join(code(str(value)) for value in part.get("enum", [part.get("const")]))
    kind = part.get("type")
    if kind == "array":
        inner = _type_text(part["items"])
        return f"list of {inner}, at least one" if part.get("minItems") else f"list of {inner}"
    if kind == "object":
        return "keys and values"
    names = {"integer": "whole number", "number": "number", "boolean": "`true`, `false`"}
    if kind == "null":
        return "`null`"
    if kind == "string":
        return f"text, {code(part['pattern'])}" if "pattern" in part else "text"
    return names.get(str(kind), "any value") + _range(part)


def _range(part: Schema) -> str:
    low, above, high = (part.get(name) for name in ("minimum", "exclusiveMinimum", "maximum"))
    if above is not None:
        return f" above {above}"
    if low is not None and high not in (None, LARGEST):
        return f" from {low:g} to {high:g}"
    return "" if low is None else f" from {low:g}"
