"""Menus as METHODS R6 words them."""

from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routebench.arms.menus import (
    Child,
    DirectoryTree,
    MenuSettings,
    build_tree,
    descendant_names,
    directory_menus,
    option_text,
    split_menu,
    texts,
)

FILE, PROGRAM, LINK, SUBMODULE = "100644", "100755", "120000", "160000"


def entry(path, mode=FILE):
    return SimpleNamespace(path=path, mode=mode, eligible=True, bytes=1, reason=None)


def tree_of(*paths):
    return build_tree(entry(path) for path in paths)


def menu_of(tree, directory="", **settings):
    [menu] = directory_menus(tree, directory, "", MenuSettings(**settings))
    return texts(menu)


def test_option_texts_are_literally_those_of_the_study():
    tree = tree_of("src/main.rs", "src/cli-args/parse_args.rs", "src/lib.test.rs", "README.md")
    assert menu_of(tree) == (
        "src: - [src/](src/); subtopics: cli args, lib.test, main, parse_args",
        "README.md: - [README.md](README.md)",
    )
    assert menu_of(tree, "src") == (
        "src/cli-args: - [cli-args/](cli-args/); subtopics: parse_args",
        "src/lib.test.rs: - [lib.test.rs](lib.test.rs)",
        "src/main.rs: - [main.rs](main.rs)",
    )


def test_directories_come_before_files_each_by_code_point():
    tree = tree_of("a.c", "Z.c", "b/x", "B/x", "é/x", "a-b/x", "a/x")
    assert [child.name for child in tree.children("")] == [
        *("B", "a", "a-b", "b", "é"),
        *("Z.c", "a.c"),
    ]


@pytest.mark.parametrize(
    "path",
    [
        "build/x.py",
        "a/node_modules/b/x.py",
        ".git/x",
        "target/x",
        ".hidden",
        "index.md",
        "a/log.md",
    ],
)
def test_ignored_directories_and_reserved_or_dot_named_files_are_not_shown(path):
    tree = tree_of("a/shown.py", path)
    shown = {child.path for children in tree.listings.values() for child in children}
    assert shown == {"a", "a/shown.py"}


def test_links_and_submodules_are_not_shown_but_programs_and_hidden_directories_are():
    entries = [entry("link", LINK), entry("module", SUBMODULE), entry("run", PROGRAM)]
    tree = build_tree([*entries, entry(".github/workflows/ci.yml")])
    assert tree.children("") == (Child(".github", True), Child("run", False))


def test_a_file_may_bear_the_name_of_an_ignored_directory():
    assert tree_of("build").children("") == (Child("build", False),)


def test_a_directory_without_shown_files_is_shown():
    """NodeBB's ``logs`` holds ``.gitkeep`` only; published menus have one option for it."""
    tree = tree_of("logs/.gitkeep", "app.js")
    assert tree.children("") == (Child("logs", True), Child("app.js", False))
    assert tree.children("logs") == ()
    assert menu_of(tree)[0] == "logs: - [logs/](logs/); subtopics: "


def test_descendants_are_breadth_first_directories_before_files_over_three_levels():
    tree = tree_of("r/b.py", "r/d2/y.py", "r/d1/x.py", "r/d1/e/z.py", "r/d1/e/f/too-deep.py")
    assert list(descendant_names(tree, "r", 3)) == [
        *("d1", "d2", "b"),
        *("e", "x", "y"),
        *("f", "z"),
    ]
    assert list(descendant_names(tree, "r", 1)) == ["d1", "d2", "b"]


def test_names_lose_their_final_suffix_only_and_repeat():
    tree = tree_of("d/a-b.tar.gz", "d/v1.2/a-b.tar", "d/v1.2/x.py/deep", "d/Makefile")
    assert list(descendant_names(tree, "d", 2)) == ["v1", "Makefile", "a b.tar", "x", "a b"]


def test_at_most_twelve_descendants_are_named():
    tree = tree_of(*(f"d/f{i:02}.py" for i in range(13)))
    names = ", ".join(f"f{i:02}" for i in range(12))
    assert menu_of(tree) == (f"d: - [d/](d/); subtopics: {names}",)


def test_option_text_is_cut_at_800_characters():
    name = "n" * 300
    tree = tree_of(name)
    whole = f"{name}: - [{name}]({name})"
    assert len(whole) == 3 * 300 + 8
    assert menu_of(tree) == (whole[:800],)


def test_the_255th_option_opens_another_menu():
    tree = tree_of(*(f"f{i:03}" for i in range(255)))
    menus = directory_menus(tree, "", "", MenuSettings())
    assert [len(menu) for menu in menus] == [254, 1]
    assert menus[1][0].child.path == "f254"


def test_state_and_options_may_fill_48000_characters_but_not_one_more():
    tree = tree_of(*(f"f{i:03}" for i in range(60)))
    size = sum(map(len, menu_of(tree)))
    state = "s" * (48_000 - size)
    assert len(directory_menus(tree, "", state, MenuSettings())) == 1
    menus = directory_menus(tree, "", f"{state}s", MenuSettings())
    assert [len(menu) for menu in menus] == [59, 1]


def test_an_option_over_the_limit_gets_a_menu_of_its_own():
    assert split_menu([3, 9, 1, 1], lambda n: n, options=5, characters=4) == [(3,), (9,), (1, 1)]
    assert split_menu([], len, options=5, characters=4) == []


@given(st.lists(st.integers(0, 12)), st.integers(1, 5), st.integers(-2, 20))
def test_menus_keep_the_order_and_are_split_only_where_needed(sizes, options, characters):
    menus = split_menu(sizes, lambda n: n, options=options, characters=characters)
    assert [size for menu in menus for size in menu] == sizes
    assert all(len(menu) <= options for menu in menus)
    assert all(len(menu) == 1 or sum(menu) <= characters for menu in menus)
    for menu, following in pairwise(menus):
        assert len(menu) == options or sum(menu) + following[0] > characters


def test_an_unknown_directory_has_no_children():
    assert DirectoryTree().children("nowhere") == ()


def test_option_text_does_not_depend_on_menu_limits():
    tree = tree_of("d/x.py")
    tight = MenuSettings(menu_options=1, menu_characters=1)
    child = Child("d", True)
    assert option_text(tree, child, tight) == option_text(tree, child, MenuSettings())


def test_a_tree_of_any_depth_is_built():
    """Python's recursion limit ended the job of the repository at a depth of 1,000."""
    tree = tree_of("/".join([*["d"] * 3000, "x.py"]))
    assert len(tree.listings) == 3001
    assert [child.path for child in tree.children("d/d")] == ["d/d/d"]
