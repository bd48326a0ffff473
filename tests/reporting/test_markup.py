import pytest

from routebench.reporting.markup import (
    Cell,
    Display,
    csv_text,
    cut,
    escape_latex,
    latex_text,
    markdown_text,
    plain_text,
)


def shown(*rows: tuple[Cell, Cell]) -> Display:
    return Display(
        name="t",
        title="Title",
        caption="Caption",
        headings=("Repository", "95 % interval"),
        alignments=("left", "right"),
        rows=rows,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & 50 % {x} $1 #2", r"a\_b \& 50 \% \{x\} \$1 \#2"),
        ("\\cmd ~ ^", r"\textbackslash{}cmd \textasciitilde{} \textasciicircum{}"),
        ("a < b > c | d", r"a \textless{} b \textgreater{} c \textbar{} d"),
        ("two\nlines\tand\x07 bell", "two lines and bell"),
        ("--no-config", r"-{}-no-config"),
        ("---", "-{}-{}-"),
        ("[0] *", "{[}0] {*}"),
        ("–", r"\textendash{}"),
        ('say "x"', "say ''x''"),
    ],
)
def test_latex_escapes(text: str, expected: str) -> None:
    assert escape_latex(text) == expected


def test_latex_numbers() -> None:
    text = latex_text(shown((Cell("x"), Cell("[-0.100, +0.200]", number=True))))
    assert "x & {[}$-$0.100, +0.200] \\\\" in text


def test_latex_breaks_long_text() -> None:
    text = latex_text(shown((Cell("a_very/" * 7), Cell("1", number=True))))
    assert r"a\_\allowbreak{}very/\allowbreak{}" in text
    assert r"\begin{tabular}{p{0.66\linewidth}r}" in text
    assert text.startswith("\\begin{table*}")


def test_latex_whole() -> None:
    assert latex_text(shown((Cell("a/b"), Cell("–", number=True)))) == (
        "\\begin{table}\n\\centering\n\\caption{Title. Caption}\n\\label{tab:t}\n"
        "\\begin{tabular}{lr}\n\\toprule\nRepository & 95 \\% interval \\\\\n\\midrule\n"
        "a/b & -- \\\\\n\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )


def test_markdown_escapes() -> None:
    text = markdown_text(shown((Cell("a|b\n__init__ <x> `c`"), Cell("[+0.1, +0.2]", number=True))))
    row = text.splitlines()[4]
    assert row == r"| a\|b \_\_init\_\_ &lt;x&gt; \`c\` |    [+0.1, +0.2] |"


def test_markdown_comment_cannot_end_early() -> None:
    display = Display("t", "T", "", ("A",), ("left",), (), provenance="a --> b")
    assert markdown_text(display).endswith("<!-- a - -> b -->\n")


def test_csv_is_exact() -> None:
    rows = [("a,b", 0.1 + 0.2, None, True, 3)]
    assert csv_text(["a", "b", "c", "d", "e"], rows) == (
        'a,b,c,d,e\n"a,b",0.30000000000000004,,true,3\n'
    )


def test_plain_text_wraps_headings_and_cuts_cells() -> None:
    text = plain_text(shown((Cell("a" * 30), Cell("1", number=True))), label_width=6, cell_width=9)
    assert text.splitlines()[-1].split() == ["aaaa…aaaa", "1"]
    headings = [line.split() for line in text.splitlines()[:2]]
    assert headings == [["Repository", "95", "%"], ["interval"]]


def test_cut() -> None:
    assert cut("abcdefgh", 8) == "abcdefgh"
    assert cut("abcdefghi", 8) == "abcd…ghi"
