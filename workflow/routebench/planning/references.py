"""``make references``: what is written from the code, so that it cannot fall behind.

The JSON schema of the configuration, and the pages ``docs/config.md`` and
``docs/results.md``. A test fails where a file differs.
"""

from collections.abc import Mapping
from pathlib import Path

from routebench.files import write_text
from routebench.planning import schema
from routebench.planning.config_reference import config_text
from routebench.planning.fingerprints import ROOT
from routebench.planning.results_reference import results_text

DOCUMENTATION = ROOT.parents[1] / "docs"


def reference_texts() -> Mapping[Path, str]:
    """Returns the text of each generated file."""
    return {
        schema.FILE: schema.schema_text(),
        DOCUMENTATION / "config.md": config_text(),
        DOCUMENTATION / "results.md": results_text(),
    }


if __name__ == "__main__":
    for file, text in reference_texts().items():
        write_text(file, text)
