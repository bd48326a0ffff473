"""Text of others inside a page: JSON that ends no script, and hashes for the page's policy."""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

# Inside a script tag only these can end it, open a comment or, in JavaScript, a line. The
# escapes are JSON's own, so that the text stays the same value.
ESCAPES: Mapping[str, str] = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def json_text(value: Any) -> str:
    """Returns JSON that is safe inside a script tag, data or code.

    Raises:
        ValueError: a number is not finite.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign, escape in ESCAPES.items():
        text = text.replace(sign, escape)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def source_hash(text: str) -> str:
    """Returns a Content-Security-Policy source that allows exactly this inline text."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def policy(*, script: str, style: str, loads_cases: bool) -> str:
    """Returns the page's policy: its own script and style, and nothing else.

    Args:
        script: the inline script.
        style: the inline style sheet.
        loads_cases: whether the script may load further scripts. A page from disk has no
            origin that a policy could name.
    """
    trusted = [source_hash(script), *(["'strict-dynamic'"] if loads_cases else [])]
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(trusted)}",
            f"style-src {source_hash(style)}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
