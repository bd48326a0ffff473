"""The conda environment of the rules, from the same lock as the virtual environment.

``python -m routebench.planning.environment`` writes ``envs/environment.yaml``; a test
fails where it differs from ``envs/requirements.txt``.
"""

import re
from pathlib import Path

import yaml

from routebench.files import write_text

ENVS = Path(__file__).parents[3] / "envs"
PINNED = re.compile(r"^(?P<pin>[A-Za-z0-9._-]+==[^ \\]+)(?P<marker> *;[^\\]+)?", re.MULTILINE)


def environment_text(lock: str) -> str:
    """Returns a conda environment with every version of a lock file.

    Args:
        lock: text of a hash-locked requirements file.
    """
    pins = [f"{m['pin']}{(m['marker'] or '').rstrip()}" for m in PINNED.finditer(lock)]
    content = {
        "channels": ["conda-forge", "nodefaults"],
        "dependencies": ["python >=3.11", "git >=2.30", "pip", {"pip": pins}],
    }
    return "# Written by `make lock` from requirements.txt.\n" + yaml.safe_dump(
        content, sort_keys=False, width=200
    )


if __name__ == "__main__":
    lock_text = (ENVS / "requirements.txt").read_text(encoding="utf-8")
    write_text(ENVS / "environment.yaml", environment_text(lock_text))
