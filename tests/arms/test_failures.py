import subprocess

import pytest

from routebench.arms.failures import describe_failure
from routebench.errors import CaseError


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("no such thing", "no such thing"),
        ("two\n  lines\tand tabs", "two lines and tabs"),
        ("", "no message"),
        ("File '/home/me/own/arm.py', line 3", "File 'arm.py', line 3"),
        ("reading /tmp/x/y/: gone", "reading : gone"),
        ("src/a/b.py is odd", "src/a/b.py is odd"),
        ("GET https://user:pass@host.org/a/b failed", "GET https://host.org/a/b failed"),
        ("key sk-12345678 refused", "key *** refused"),
        ("1/2 of the files", "1/2 of the files"),
    ],
)
def test_one_line_without_folders_or_secrets(message, told):
    environment = {"MODEL_API_KEY": "sk-12345678", "AUTH_LEVEL": "1", "PWD": "two"}
    assert describe_failure(CaseError(message), environment) == told


def test_the_class_of_a_foreign_error_is_named():
    assert describe_failure(OSError(28, "No space left"), {}) == "OSError: [Errno 28] No space left"
    error = subprocess.TimeoutExpired(["/opt/tools/rg", "x"], 3)
    assert describe_failure(error, {}).startswith("TimeoutExpired: Command '['rg', 'x']' timed out")


def test_a_long_message_is_cut():
    told = describe_failure(CaseError("x" * 1000), {})
    assert (len(told), told[-1]) == (300, "…")
