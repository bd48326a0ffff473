"""Keys of paid models: read from the environment, kept out of every text."""

import os

from pydantic import SecretStr

from routebench.errors import RoutebenchError

HIDDEN = "[key]"
TEXT_LIMIT = 300


def environment_key(variable: str) -> SecretStr | None:
    """Returns the key in an environment variable; None where no variable is named.

    Raises:
        RoutebenchError: the variable is unset, or holds what cannot stand in a header.
    """
    if not variable:
        return None
    value = os.environ.get(variable, "").strip()
    if not value:
        raise RoutebenchError(f"environment variable {variable}: expected the key of the model")
    # An HTTP library quotes a header that it refuses, so a bad key must not get that far.
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise RoutebenchError(f"environment variable {variable}: the key has odd characters")
    return SecretStr(value)


def public_text(text: str, key: SecretStr | None) -> str:
    """Returns a text from outside as one line of at most 300 characters, without the key."""
    if key is not None:
        text = text.replace(key.get_secret_value(), HIDDEN)
    return " ".join(text.split())[:TEXT_LIMIT]
