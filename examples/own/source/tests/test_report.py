"""The report."""

from tally.report import report_lines


def test_sessions_of_a_project_are_added_up() -> None:
    day = [{"project": "office", "begin": "09:00:00", "end": "10:30:00"}] * 2
    assert report_lines(day) == [f"{'office':20} 3:00"]
