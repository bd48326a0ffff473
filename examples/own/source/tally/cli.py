"""The command line: start, stop, report."""

import argparse
from datetime import datetime

from tally.config import load_settings
from tally.report import report_lines
from tally.storage import load_sessions, save_sessions


def main() -> None:
    """Runs one command."""
    parser = argparse.ArgumentParser(prog="tally")
    parser.add_argument("command", choices=["start", "stop", "report"])
    parser.add_argument("project", nargs="?", default="")
    given = parser.parse_args()
    file = load_settings()["file"]
    sessions = load_sessions(file)
    now = datetime.now().strftime("%H:%M:%S")
    if given.command == "start":
        sessions.append({"project": given.project, "begin": now, "end": ""})
    elif given.command == "stop":
        sessions[-1]["end"] = now
    else:
        print("\n".join(report_lines(sessions)))
    save_sessions(file, sessions)
