"""Durations as people read them."""


def hours_and_minutes(duration: float) -> str:
    """Returns a duration in minutes as 1:05, rounded to whole ones."""
    hours = int(duration // 60)
    minutes = round(duration % 60)
    return f"{hours}:{minutes:02d}"
