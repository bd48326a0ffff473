"""Times of day and what lies between them."""


def parse_time(text: str) -> float:
    """Returns the minutes since midnight of a time such as 09:30:15."""
    hours, minutes, seconds = text.split(":")
    return 60 * int(hours) + int(minutes) + int(seconds) / 60


def elapsed(begin: str, end: str) -> float:
    """Returns the minutes from one time to another."""
    return parse_time(end) - parse_time(begin)
