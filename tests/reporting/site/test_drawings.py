from pathlib import Path

import pytest

from routebench.errors import RoutebenchError
from routebench.reporting.site.drawings import read_drawing

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '


def drawn(tmp_path: Path, body: str, attributes: str = 'viewBox="0 0 9 9"') -> str:
    path = tmp_path / "cost.svg"
    path.write_text(f"{HEAD}{attributes}><title>Cost</title>{body}</svg>")
    return read_drawing(path).markup


def test_styles_become_attributes_and_colours_follow_the_page(tmp_path: Path) -> None:
    markup = drawn(tmp_path, '<path d="M 0 0" style="fill: #ffffff; stroke: #0072B2; color: red"/>')
    assert '<path d="M 0 0" fill="var(--paper)" stroke="#0072B2" />' in markup


def test_what_the_drawing_leaves_black_is_the_ink_of_the_page(tmp_path: Path) -> None:
    """Text had no colour of its own and was black on black in the dark."""
    assert 'fill="currentColor"' in drawn(tmp_path, "").partition(">")[0]


def test_the_page_sets_the_size(tmp_path: Path) -> None:
    markup = drawn(tmp_path, "", 'width="244pt" height="1pt" viewBox="0 0 9 9"')
    head = markup[: markup.index(">")]
    assert "width" not in head
    assert 'viewBox="0 0 9 9"' in head
    assert 'role="img" aria-label="Cost"' in head


def test_ids_are_the_figures_own(tmp_path: Path) -> None:
    body = (
        '<defs><clipPath id="c"><rect/></clipPath></defs><use xlink:href="#g" clip-path="url(#c)"/>'
    )
    markup = drawn(tmp_path, body)
    assert '<clipPath id="cost-c">' in markup
    assert '<use href="#cost-g" clip-path="url(#cost-c)" />' in markup


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        '<path d="M0" onload="alert(1)"/>',
        "<foreignObject><p>x</p></foreignObject>",
        '<use xlink:href="https://example.org/x.svg#a"/>',
        "<style>* {fill: url(https://example.org)}</style>",
        "<metadata><a/></metadata><!-- alert -->",
        '<path style="background: url(https://example.org)"/>',
    ],
)
def test_only_shapes_pass(tmp_path: Path, hostile: str) -> None:
    markup = drawn(tmp_path, hostile)
    assert not any(
        word in markup
        for word in ("alert", "onload", "example", "style", "script", "foreign", "metadata")
    )


def test_title_is_text(tmp_path: Path) -> None:
    path = tmp_path / "f.svg"
    path.write_text(f"{HEAD}><title>&lt;script&gt;</title></svg>")
    assert "<title>&lt;script&gt;</title>" in read_drawing(path).markup


def test_what_is_no_figure_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.svg"
    path.write_text("<html/>")
    with pytest.raises(RoutebenchError, match="not a figure"):
        read_drawing(path)
    path.write_text("<svg")
    with pytest.raises(RoutebenchError, match="not a readable figure"):
        read_drawing(path)
