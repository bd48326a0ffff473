"""Settings files: everything but data that a stage's result depends on.

One file per stage and per arm, an input of its rules, rewritten only when its content
differs (DESIGN "Incremental").
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from routebench.files import damaged, read_json, write_if_changed
from routebench.planning.fingerprints import ROOT, fingerprint_modules

SCHEMAS = ROOT.parent / "schemas"


def settings_text(
    values: Mapping[str, Any],
    *,
    modules: Iterable[str] = (),
    tables: Iterable[str] = (),
    files: Iterable[Path] = (),
    tools: Mapping[str, str] | None = None,
) -> str:
    """Returns the text of a settings file.

    Args:
        values: parameters of the stage, as JSON values.
        modules: modules that the stage's script imports.
        tables: result tables it reads or writes; their schemas count.
        files: other files its result depends on, by content.
        tools: versions of programs and libraries it runs.
    """
    schemas = [SCHEMAS / f"{table}.schema.yaml" for table in sorted(set(tables))]
    content = {
        "values": values,
        "code": fingerprint_modules(modules),
        "schemas": digest_files(schemas),
        "files": {path.name: digest_files([path]) for path in files},
        "tools": dict(tools or {}),
    }
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def write_settings(path: Path, text: str) -> None:
    """Writes a settings file if its content differs from what is there."""
    write_if_changed(path, text)


def read_settings(path: str | Path) -> Any:
    """Returns the values of a settings file.

    Raises:
        RoutebenchError: the file is damaged.
    """
    content = read_json(Path(path))
    if not isinstance(content, dict) or "values" not in content:
        raise damaged(Path(path), "no values")
    return content["values"]


def digest_files(paths: Iterable[Path]) -> str:
    """Returns one SHA-256 over the bytes of files; a missing file counts as such."""
    digest = hashlib.sha256()
    for path in paths:
        content = path.read_bytes() if path.is_file() else b"missing"
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()
