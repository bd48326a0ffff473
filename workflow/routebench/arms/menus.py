"""Menus of a directory tree, from names alone (METHODS R6).

Nothing here reads a file: a tree is built from the paths of a commit.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple, TypeVar

from routebench.arms.base import TreeEntry
from routebench.corpus.eligibility import IGNORED_PARTS, RESERVED_NAMES

ROOT = ""
REGULAR_FILE = "100"

Item = TypeVar("Item")


class Child(NamedTuple):
    """A directory or file, as its directory's menu offers it."""

    path: str
    is_directory: bool

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


class Option(NamedTuple):
    """A child with the text that the model is shown."""

    child: Child
    text: str


@dataclass(frozen=True, slots=True)
class MenuSettings:
    """How menus are written and split; the defaults are the published ones.

    Attributes:
        descendants: most names after ``subtopics``.
        descendant_levels: levels below a directory that give names.
        option_characters: an option's text is cut here.
        menu_options: most options of one menu.
        menu_characters: most characters of state and options of one menu.
    """

    descendants: int = 12
    descendant_levels: int = 3
    option_characters: int = 800
    menu_options: int = 254
    menu_characters: int = 48_000


@dataclass(frozen=True, slots=True)
class DirectoryTree:
    """The children that menus show of every directory: directories, then files, by name."""

    listings: Mapping[str, tuple[Child, ...]] = field(default_factory=dict)

    def children(self, directory: str) -> tuple[Child, ...]:
        """Returns what is shown of a directory; ``ROOT`` is the empty path."""
        return self.listings.get(directory, ())


def build_tree(entries: Iterable[TreeEntry]) -> DirectoryTree:
    """Returns the tree of what menus show of a commit (METHODS R6).

    Directories of C1's list, symlinks, submodules, reserved and dot-named files are not
    shown. A directory is shown even when nothing in it is: so the published walks had it.
    """
    listings: dict[str, set[Child]] = {ROOT: set()}
    for entry in entries:
        directory, _, name = entry.path.rpartition("/")
        if IGNORED_PARTS.isdisjoint(directory.split("/")):
            _add_directory(listings, directory)
            if _is_shown(entry.mode, name):
                listings[directory].add(Child(entry.path, False))
    return DirectoryTree({path: _in_menu_order(found) for path, found in listings.items()})


def _add_directory(listings: dict[str, set[Child]], directory: str) -> None:
    new = []
    while directory not in listings:
        new.append(directory)
        directory = directory.rpartition("/")[0]
    for path in reversed(new):
        listings[path.rpartition("/")[0]].add(Child(path, True))
        listings[path] = set()


def _is_shown(mode: str, name: str) -> bool:
    return mode.startswith(REGULAR_FILE) and not name.startswith(".") and name not in RESERVED_NAMES


def _in_menu_order(children: Iterable[Child]) -> tuple[Child, ...]:
    return tuple(sorted(children, key=lambda child: (not child.is_directory, child.path)))


def descendant_names(tree: DirectoryTree, directory: str, levels: int) -> Iterator[str]:
    """Yields shown names below a directory, breadth first over at most ``levels`` levels.

    A name is the last part of the path without its final suffix, ``-`` shown as a space;
    equal names repeat.
    """
    level = [directory]
    for _ in range(levels):
        below = [child for path in level for child in tree.children(path)]
        yield from (PurePosixPath(child.name).stem.replace("-", " ") for child in below)
        level = [child.path for child in below if child.is_directory]


def option_text(tree: DirectoryTree, child: Child, settings: MenuSettings) -> str:
    """Returns what the model is shown of a child, cut at ``option_characters``."""
    name = f"{child.name}/" if child.is_directory else child.name
    text = f"{child.path}: - [{name}]({name})"
    if child.is_directory:
        names = descendant_names(tree, child.path, settings.descendant_levels)
        text += "; subtopics: " + ", ".join(islice(names, settings.descendants))
    return text[: settings.option_characters]


def split_menu(
    items: Iterable[Item], size: Callable[[Item], int], *, options: int, characters: int
) -> list[tuple[Item, ...]]:
    """Splits items into menus, in order, each as long as the limits allow.

    Args:
        items: what to offer.
        size: characters of an item.
        options: most items of a menu.
        characters: most characters of a menu; an item over it gets a menu of its own.
    """
    menus: list[list[Item]] = []
    used = 0
    for item in items:
        length = size(item)
        if not menus or len(menus[-1]) == options or used + length > characters:
            menus.append([])
            used = 0
        menus[-1].append(item)
        used += length
    return [tuple(menu) for menu in menus]


def directory_menus(
    tree: DirectoryTree, directory: str, state: str, settings: MenuSettings
) -> list[tuple[Option, ...]]:
    """Returns the menu of a directory in as many parts as the limits ask for (METHODS R6)."""
    children = tree.children(directory)
    return split_menu(
        (Option(child, option_text(tree, child, settings)) for child in children),
        lambda option: len(option.text),
        options=settings.menu_options,
        characters=settings.menu_characters - len(state),
    )


def texts(menu: Sequence[Option]) -> tuple[str, ...]:
    """Returns the texts of a menu's options."""
    return tuple(option.text for option in menu)
