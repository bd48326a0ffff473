from typing import Any

from routebench.reporting.site.paths import PathTable
from routebench.reporting.site.walks import SHOWN_OPTIONS, Trace, condense_walk, leads_to


def trace(kind: str, path: str = "", **values: Any) -> Trace:
    empty = dict.fromkeys(("menu", "probability", "kept", "rank", "reason"))
    return Trace(**{"kind": kind, "path": path, "depth": 0, **empty, **values})


def option(path: str, probability: float | None, *, menu: str = "src", kept: bool | None) -> Trace:
    return trace("option", path, menu=menu, probability=probability, kept=kept)


def test_a_walk_in_steps() -> None:
    rows = [
        trace("enter", "."),
        trace("enter", "src", depth=1),
        option("src/a", 0.71239, kept=True),
        option("src/b", 0.0004, kept=False),
        trace("none", menu="src", probability=0.25),
        trace("file", "src/a/x.py", rank=1, probability=0.5),
        trace("skip", "src/a/y.png", reason="binary"),
        trace("stop", reason="16 files"),
    ]
    paths = PathTable()
    assert condense_walk(rows, {"src/b/gold.py"}, paths) == [
        ["enter", 0, 0, None],
        ["enter", 1, 1, None],
        ["menu", "src", 2, 1, 0.25, [[2, 0.712, True, False], [3, 0.0004, False, True]]],
        ["file", 4, 1, 0.5],
        ["skip", 5, "binary"],
        ["stop", "16 files"],
    ]
    assert paths.paths == [".", "src", "src/a", "src/b", "src/a/x.py", "src/a/y.png"]


def test_parts_of_a_split_menu_are_menus() -> None:
    rows = [
        option("src/a", 0.5, kept=True),
        trace("none", menu="src", probability=0.1),
        option("src/b", 0.5, kept=True),
        trace("none", menu="src", probability=0.2),
        option("lib/c", 0.5, menu="lib", kept=True),
        option("etc/d", 0.5, menu="etc", kept=True),
    ]
    steps = condense_walk(rows, (), PathTable())
    assert [(label, offered, none) for _, label, offered, _, none, _ in steps] == [
        ("src", 1, 0.1),
        ("src", 1, 0.2),
        ("lib", 1, None),
        ("etc", 1, None),
    ]


def test_of_a_long_menu_the_likeliest_and_those_to_gold_are_shown() -> None:
    rows = [option(f"src/{n}", 1 / (n + 1), kept=n < 3) for n in range(100)]
    paths = PathTable()
    [[_, _, offered, kept, _, shown]] = condense_walk(rows, {"src/77/x.py"}, paths)
    assert (offered, kept) == (100, 3)
    assert [paths.paths[path] for path, *_ in shown] == [
        *(f"src/{n}" for n in range(SHOWN_OPTIONS)),
        "src/77",
    ]


def test_questions_without_a_choice_count_as_kept() -> None:
    """A reranker keeps every file it was asked about."""
    rows = [option("a.py", None, menu="1", kept=None)]
    assert condense_walk(rows, (), PathTable()) == [
        ["menu", "1", 1, 1, None, [[0, None, True, False]]]
    ]


def test_what_leads_to_gold() -> None:
    gold = {"src/core/a.py"}
    leading = (".", "src", "src/core", "src/core/a.py")
    assert all(leads_to(path, gold) for path in leading)
    assert not any(leads_to(path, gold) for path in ("sr", "src/cor", "src/core/a.pyc", "lib"))
