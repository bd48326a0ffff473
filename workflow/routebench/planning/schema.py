"""The JSON schema of the configuration, for editors and for the documentation.

``python -m routebench.planning.schema`` writes ``workflow/schemas/config.schema.yaml``;
a test fails where it differs from the model.
"""

from collections.abc import Mapping
from typing import Any

import yaml
from pydantic import BaseModel

from routebench.arms.registry import KINDS, kind_module
from routebench.choice.registry import MODEL_KINDS, model_module
from routebench.files import write_text
from routebench.planning.configuration import Configuration
from routebench.planning.settings import SCHEMAS

FILE = SCHEMAS / "config.schema.yaml"


def configuration_schema() -> dict[str, Any]:
    """Returns the schema of a whole configuration, every arm and model kind in it."""
    schema = Configuration.model_json_schema()
    parts = schema.pop("$defs")
    arms = {f"arm-{kind}": _kind_schema(kind, kind_module(kind).PARAMETERS) for kind in KINDS}
    models = {
        f"model-{kind}": _kind_schema(kind, model_module(kind).PARAMETERS) for kind in MODEL_KINDS
    }
    parts["ArmSection"] = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in arms]}
    parts["ModelSection"] = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in models]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "$defs": {**parts, **arms, **models},
    }


def _kind_schema(kind: str, model: type[BaseModel]) -> Mapping[str, Any]:
    schema = model.model_json_schema()
    schema["properties"] = {"kind": {"const": kind}, **schema.get("properties", {})}
    schema["required"] = ["kind", *schema.get("required", [])]
    return schema


def schema_text() -> str:
    """Returns the schema as YAML."""
    return yaml.safe_dump(configuration_schema(), sort_keys=False, allow_unicode=True, width=96)


if __name__ == "__main__":
    write_text(FILE, schema_text())
