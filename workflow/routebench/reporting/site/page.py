"""The page itself: template, style sheet and script of this folder, filled with data."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from routebench.reporting.site.drawings import Drawing
from routebench.reporting.site.embedding import json_text, policy
from routebench.reporting.site.parts import ASSETS, STYLE, TEMPLATE, script_files


def render_page(
    *,
    catalogue: Mapping[str, Any],
    cases: Sequence[str],
    drawings: Sequence[Drawing],
    loads_cases: bool,
) -> str:
    """Returns the page.

    Args:
        catalogue: what every page shares, as JSON values.
        cases: the details of each case as JSON text; none if they stand in side files.
        drawings: the figures.
        loads_cases: whether the details of cases stand in side files.
    """
    script, style = _script(), (ASSETS / STYLE).read_text(encoding="utf-8")
    return (
        _environment()
        .get_template(TEMPLATE)
        .render(
            title=f"{catalogue['study']['name']} · routebench",
            policy=policy(script=script, style=style, loads_cases=loads_cases),
            style=Markup(style),
            script=Markup(script),
            catalogue=Markup(json_text(catalogue)),
            cases=[Markup(case) for case in cases],
            drawings=[(drawing.name, Markup(drawing.markup)) for drawing in drawings],
        )
    )


@cache
def _script() -> str:
    return "\n".join(part.read_text(encoding="utf-8") for part in script_files())


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(ASSETS),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
