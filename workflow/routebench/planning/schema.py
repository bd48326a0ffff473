"""The JSON schema of the configuration, for editors and for the documentation.

``make references`` writes ``workflow/schemas/config.schema.yaml``; a test fails where it
differs from the model.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import yaml
from pydantic import BaseModel

from routebench.arms.registry import KINDS, kind_module
from routebench.choice.registry import MODEL_KINDS, model_module
from routebench.planning import sweeps
from routebench.planning.configuration import ArmSection, Configuration
from routebench.planning.descriptions import describe_fields
from routebench.planning.settings import SCHEMAS

FILE = SCHEMAS / "config.schema.yaml"


def configuration_schema() -> dict[str, Any]:
    """Returns the schema of a whole configuration, every arm and model kind in it."""
    schema = Configuration.model_json_schema()
    parts = schema.pop("$defs")
    repeats = ArmSection.model_json_schema()["properties"]["repeats"]
    common = {"repeats": repeats, sweeps.KEY: sweeps.SCHEMA}
    kinds = {
        "ArmSection": {
            f"arm-{kind}": _kind_schema(kind, kind_module(kind).PARAMETERS, common)
            for kind in KINDS
        },
        "ModelSection": {
            f"model-{kind}": _kind_schema(kind, model_module(kind).PARAMETERS)
            for kind in MODEL_KINDS
        },
    }
    for section, schemas in kinds.items():
        parts[section] = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in schemas]}
        for part in schemas.values():
            parts |= part.pop("$defs", {})
        parts |= schemas
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_close_names(schema),
        "$defs": parts,
    }


def _kind_schema(
    kind: str, model: type[BaseModel], common: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    schema = model.model_json_schema()
    own = schema.get("properties", {})
    for name, text in describe_fields(model).items():
        own[name].setdefault("description", text)
    kinds = {"kind": {"const": kind, "description": "What it is."}}
    schema["properties"] = {**kinds, **deepcopy(dict(common or {})), **own}
    schema["required"] = ["kind", *schema.get("required", [])]
    return schema


def _close_names(schema: dict[str, Any]) -> dict[str, Any]:
    """Refuses names of arms and models that do not have the form of a name."""
    for part in schema["properties"].values():
        if "patternProperties" in part:
            part["additionalProperties"] = False
    return schema


def schema_text() -> str:
    """Returns the schema as YAML."""
    return yaml.safe_dump(configuration_schema(), sort_keys=False, allow_unicode=True, width=96)
