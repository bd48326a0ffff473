"""The files of this folder that the page is made of, beside its data."""

from pathlib import Path

ASSETS = Path(__file__).parent / "assets"
TEMPLATE = "page.html.j2"
STYLE = "style.css"
# One module: each part uses only what stands before it when the page is drawn.
SCRIPTS = (
    *("dom", "store", "scores", "tables", "marks"),
    *("differences", "ledger", "start", "arms", "repositories", "cases"),
    *("lists", "contexts", "walks", "case", "sheets", "app"),
)


def asset_files() -> tuple[Path, ...]:
    """Returns every file that the page is made of, the parts of its script in their order."""
    return (ASSETS / TEMPLATE, ASSETS / STYLE, *script_files())


def script_files() -> tuple[Path, ...]:
    """Returns the parts of the script, in their order."""
    return tuple(ASSETS / "scripts" / f"{name}.js" for name in SCRIPTS)
