"""The JSON schema says the same as the typed model and as config.yaml."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from routebench.arms.registry import KINDS
from routebench.choice.registry import MODEL_KINDS
from routebench.errors import RoutebenchError
from routebench.planning.configuration import Configuration, overlay, parse_configuration
from routebench.planning.schema import FILE, configuration_schema, schema_text

ROOT = Path(__file__).parents[2]
STUDIES = sorted((ROOT / "workflow" / "studies").glob("*.yaml"))
KEY = re.compile(r"^(?P<indent> *)(?P<key>[A-Za-z_]+):", re.MULTILINE)


def defaults() -> dict[str, Any]:
    values: dict[str, Any] = yaml.safe_load((ROOT / "config.yaml").read_text())
    return values


def validator() -> Draft202012Validator:
    schema = yaml.safe_load(FILE.read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_the_file_is_what_the_model_gives() -> None:
    assert FILE.read_text() == schema_text(), "run make references"


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_every_study_is_valid_in_both(file: Path) -> None:
    values = overlay(defaults(), yaml.safe_load(file.read_text()))
    assert [error.message for error in validator().iter_errors(values)] == []
    assert parse_configuration(values).study


@pytest.mark.parametrize(
    "study",
    [
        {"studdy": "x"},
        {"context": {"budget": [1]}},
        {"context": {"budgets": [0]}},
        {"k": []},
        {"k": ["eight"]},
        {"statistics": {"resamples": 39}},
        {"reporting": {"cost": "hours"}},
        {"dataset": {"kind": "other", "path": "x"}},
        {"arms": {}},
        {"arms": {"x": {"kind": "grep"}}, "comparisons": []},
        {"arms": {"x": {"kind": "basename", "weight": 1}}, "comparisons": []},
        {"arms": {"x": {"kind": "fts5", "columns": ["name"]}}, "comparisons": []},
        {"arms": {"a/b": {"kind": "fts5"}}, "comparisons": []},
        {"models": {"m": {"kind": "typesafe", "price": {"eur": 1}}}},
        {"limits": {"study": {"usd": -1}}},
        {"comparisons": [{"arm": "fts5"}]},
        {"study": "../x"},
        {"results": ""},
        {"repositories": {"url": "https://example.org"}},
    ],
    ids=str,
)
def test_what_is_wrong_is_wrong_in_both(study: dict[str, Any]) -> None:
    values = overlay(defaults(), study)
    assert not validator().is_valid(values)
    with pytest.raises(RoutebenchError):
        parse_configuration(values)


def test_every_kind_is_in_it() -> None:
    parts = configuration_schema()["$defs"]
    assert {f"arm-{kind}" for kind in KINDS} <= parts.keys()
    assert {f"model-{kind}" for kind in MODEL_KINDS} <= parts.keys()


def test_every_property_is_described_and_every_object_closed() -> None:
    schema = configuration_schema()
    parts = {"": schema, **schema["$defs"]}
    silent, open_parts = [], []
    for name, part in parts.items():
        for key, value in part.get("properties", {}).items():
            target = parts.get(value.get("$ref", "").rpartition("/")[2], {})
            if not (value.get("description") or target.get("description")):
                silent.append(f"{name}.{key}")
        if "properties" in part and part.get("additionalProperties") is not False:
            open_parts.append(name)
    assert silent == []
    assert open_parts == []


def test_no_reference_leads_nowhere() -> None:
    schema = configuration_schema()
    names = {ref.removeprefix("#/$defs/") for ref in references(schema)}
    assert names <= schema["$defs"].keys()


def references(node: Any) -> Iterator[str]:
    for value in node.values() if isinstance(node, dict) else node:
        if isinstance(value, str) and value.startswith("#/"):
            yield value
        elif isinstance(value, dict | list):
            yield from references(value)


def test_config_yaml_has_every_key_of_the_model() -> None:
    values = defaults()
    assert list(values) == list(dict.fromkeys(values))
    assert set(values) == set(Configuration.model_fields)
    for name, field in Configuration.model_fields.items():
        model = field.annotation
        if hasattr(model, "model_fields"):
            keys = set(model.model_fields)
            optional = {key for key, f in model.model_fields.items() if not f.is_required()}
            assert values[name].keys() <= keys
            missing = keys - values[name].keys()
            # What only some kinds of dataset take need not stand in every file.
            assert missing <= (optional if name == "dataset" else set()), (name, missing)


def test_every_key_of_config_yaml_has_a_comment_above() -> None:
    """One comment may stand above two keys that belong together, never above three."""
    lines = (ROOT / "config.yaml").read_text().splitlines()
    section, bare = "", []
    for number, line in enumerate(lines):
        key = KEY.match(line)
        if key is None:
            continue
        section = section if key["indent"] else key["key"]
        above = lines[number - 1 : number] + lines[number - 2 : number - 1] * is_key(
            lines[number - 1], key["indent"]
        )
        inside_arm = section in ("arms", "models") and key["indent"]
        if not inside_arm and not any(a.lstrip().startswith("#") for a in above):
            bare.append(f"{section}: {line.strip()}")
    assert bare == []


def is_key(line: str, indent: str) -> bool:
    key = KEY.match(line)
    return key is not None and key["indent"] == indent
