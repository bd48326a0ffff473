"""Figures inside the page: what the drawing library writes, reduced to shapes.

The page's policy allows no style attribute, so properties become attributes; colours of
paper and ink follow the page, light or dark.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from routebench.errors import RoutebenchError

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}href"
SHAPES = {"svg", "g", "path", "use", "defs", "clipPath", "rect", "title"}
PROPERTIES = {
    *("fill", "fill-opacity", "opacity", "stroke", "stroke-dasharray", "stroke-dashoffset"),
    *("stroke-linecap", "stroke-linejoin", "stroke-opacity", "stroke-width"),
}
ATTRIBUTES = {"d", "height", "transform", "viewBox", "width", "x", "y"}
THEME: Mapping[str, str] = {
    "#ffffff": "var(--paper)",
    "#000000": "currentColor",
    "#202020": "currentColor",
    "#595959": "var(--quiet)",
    "#808080": "var(--quiet)",
    "#d0d0d0": "var(--line)",
}
# What the drawing library sets in a style sheet of its own, and black, which it leaves out.
DEFAULTS: Mapping[str, str] = {
    "fill": "currentColor",
    "stroke-linejoin": "round",
    "stroke-linecap": "butt",
}
REFERENCE = re.compile(r"url\(#([\w-]+)\)")


class Drawing(NamedTuple):
    """A figure: its name, its title and safe markup for the page."""

    name: str
    title: str
    markup: str


def read_drawing(path: Path) -> Drawing:
    """Reads a figure's SVG.

    Raises:
        RoutebenchError: it is not SVG.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise RoutebenchError(f"{path}: not a readable figure ({error})") from error
    if root.tag != f"{SVG}svg":
        raise RoutebenchError(f"{path}: not a figure; delete it and rerun")
    title = root.findtext(f"{SVG}title") or path.stem
    cleaned = _cleaned(root, prefix=f"{path.stem}-")
    for name in ("width", "height"):
        cleaned.attrib.pop(name, None)
    cleaned.attrib |= {**DEFAULTS, "role": "img", "aria-label": title}
    return Drawing(path.stem, title, ElementTree.tostring(cleaned, encoding="unicode"))


def _cleaned(element: ElementTree.Element, prefix: str) -> ElementTree.Element:
    """Returns a copy with known shapes and attributes only, ids made the figure's own."""
    copy = ElementTree.Element(element.tag.removeprefix(SVG), _attributes(element, prefix))
    copy.text = element.text if copy.tag == "title" else None
    for child in element:
        if isinstance(child.tag, str) and child.tag.removeprefix(SVG) in SHAPES:
            copy.append(_cleaned(child, prefix))
    return copy


def _attributes(element: ElementTree.Element, prefix: str) -> dict[str, str]:
    given = {**element.attrib, **_declarations(element.get("style", ""))}
    found = {name: value for name, value in given.items() if name in ATTRIBUTES}
    found |= {name: _themed(value) for name, value in given.items() if name in PROPERTIES}
    if "id" in given:
        found["id"] = prefix + given["id"]
    if given.get(XLINK, "").startswith("#"):
        found["href"] = f"#{prefix}{given[XLINK][1:]}"
    if clip := REFERENCE.fullmatch(given.get("clip-path", "")):
        found["clip-path"] = f"url(#{prefix}{clip[1]})"
    return found


def _declarations(style: str) -> dict[str, str]:
    parts = (declaration.partition(":") for declaration in style.split(";"))
    return {name.strip(): value.strip() for name, colon, value in parts if colon}


def _themed(value: str) -> str:
    return THEME.get(value.lower(), value)
