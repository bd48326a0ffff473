"""Compact values: every path of a case once, numbers no longer than they are shown."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class PathTable:
    """Numbers the paths of a case from 0, in the order they are first named."""

    places: dict[str, int] = field(default_factory=dict)

    def place(self, path: str) -> int:
        """Returns the number of a path."""
        return self.places.setdefault(path, len(self.places))

    @property
    def paths(self) -> list[str]:
        """The paths in the order of their numbers."""
        return list(self.places)


def short(value: float | None, digits: int = 4) -> float | None:
    """Returns a number with so many significant digits, whole ones as integers."""
    if value is None:
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded
