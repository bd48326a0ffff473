"""Modules of files that are on no path, such as another folder's fixtures."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load_module(name: str, file: Path) -> ModuleType:
    """Returns the module of a file, loaded once under this name."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
