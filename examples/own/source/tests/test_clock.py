"""Times of day."""

from tally.clock import elapsed, parse_time


def test_a_time_is_minutes_since_midnight() -> None:
    assert parse_time("09:30:00") == 570


def test_elapsed_on_one_day() -> None:
    assert elapsed("09:30:00", "10:15:30") == 45.5
