"""Sessions in a file, one JSON object for each."""

import json
from pathlib import Path


def load_sessions(file: str) -> list[dict[str, str]]:
    """Returns the sessions, the oldest first."""
    path = Path(file)
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def save_sessions(file: str, sessions: list[dict[str, str]]) -> None:
    """Writes all sessions."""
    lines = (json.dumps(session, ensure_ascii=False) for session in sessions)
    Path(file).write_text("\n".join(lines))
