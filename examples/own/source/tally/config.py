"""Settings of the user, from a file in the home folder."""

from pathlib import Path

DEFAULTS = {"file": str(Path.home() / "tally.json")}


def load_settings() -> dict[str, str]:
    """Returns the settings: lines of the form name = value."""
    path = Path.home() / "tally.conf"
    lines = path.read_text().splitlines() if path.exists() else []
    pairs = (line.split("=", 1) for line in lines if "=" in line)
    return DEFAULTS | {name.strip(): value.strip() for name, value in pairs}
