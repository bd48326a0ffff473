"""The report: hours of each project."""

from collections import defaultdict

from tally.clock import elapsed
from tally.formats import hours_and_minutes


def report_lines(sessions: list[dict[str, str]]) -> list[str]:
    """Returns a line for each project, the longest first."""
    total: defaultdict[str, float] = defaultdict(float)
    for session in sessions:
        if session["end"]:
            total[session["project"]] += elapsed(session["begin"], session["end"])
    longest_first = sorted(total.items(), key=lambda item: -item[1])
    return [f"{project:20} {hours_and_minutes(time)}" for project, time in longest_first]
