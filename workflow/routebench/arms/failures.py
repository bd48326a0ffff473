"""How a failed case is told: one line without machine paths or secrets."""

import os
import re
from collections.abc import Mapping

from routebench.errors import RoutebenchError

LONGEST_LINE = 300
SHORTEST_SECRET = 8
SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)
USER_IN_URL = re.compile(r"(?<=://)[^/\s@]+@")
# The folders of an absolute path, not of a URL or a relative path.
FOLDERS = re.compile(r"(?<![\w.:/~-])/(?:[^\s/:'\"<>|,;()]+/)+")


def describe_failure(error: BaseException, environment: Mapping[str, str] | None = None) -> str:
    """Returns one line for the results: what failed, at most 300 characters.

    Folders of absolute paths are left out, as are values of environment variables
    whose names sound secret and user names in URLs, so that results may be published
    and do not differ between machines.

    Args:
        error: what was raised; its class is named unless it is the package's own.
        environment: variables to look for secrets in; the process's by default.
    """
    text = " ".join(str(error).split()) or "no message"
    for secret in _secrets(os.environ if environment is None else environment):
        text = text.replace(secret, "***")
    text = FOLDERS.sub("", USER_IN_URL.sub("", text))
    if not isinstance(error, RoutebenchError):
        text = f"{type(error).__name__}: {text}"
    return text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + "…"


def _secrets(environment: Mapping[str, str]) -> list[str]:
    found = {
        value
        for name, value in environment.items()
        if SECRET_NAME.search(name) and len(value) >= SHORTEST_SECRET
    }
    return sorted(found, key=len, reverse=True)
