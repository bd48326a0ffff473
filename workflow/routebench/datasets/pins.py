"""Pinned files: which bytes a study rests on, as data (METHODS D1-D3)."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from routebench.errors import RoutebenchError

PINS = Path(__file__).parents[2] / "pins" / "files.yaml"


@dataclass(frozen=True, slots=True)
class Pin:
    """One pinned file.

    Attributes:
        name: how configs refer to it.
        file: file name it is stored under.
        url: address with a full revision.
        sha256: digest of the bytes, 64 hex digits.
        bytes: size, where known.
        rows: rows of a table, where it is one and they are known.
        licence: licence of the source as its page states it.
    """

    name: str
    file: str
    url: str
    sha256: str
    bytes: int | None
    rows: int | None
    licence: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise RoutebenchError(f"pin {self.name}: sha256 must be 64 hex digits")
        if not re.search(r"/[0-9a-f]{40}/", self.url):
            raise RoutebenchError(f"pin {self.name}: url must name a full revision")
        if Path(self.file).name != self.file:
            raise RoutebenchError(f"pin {self.name}: file must be a bare file name")


@cache
def load_pins(path: Path = PINS) -> dict[str, Pin]:
    """Returns all pins by name.

    Raises:
        RoutebenchError: a record lacks a field or has a bad value.
    """
    records = yaml.safe_load(path.read_text(encoding="utf-8"))["files"]
    try:
        pins = [Pin(**record) for record in records]
    except TypeError as error:
        raise RoutebenchError(f"{path.name}: {error}") from error
    return {pin.name: pin for pin in pins}


def find_pin(name: str) -> Pin:
    """Returns the pin called ``name``.

    Raises:
        RoutebenchError: no such pin; the known ones are named.
    """
    pins = load_pins()
    if name not in pins:
        raise RoutebenchError(f"pin {name!r}: expected one of {', '.join(sorted(pins))}")
    return pins[name]
