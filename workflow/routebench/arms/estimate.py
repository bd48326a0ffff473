"""What a model-guided arm will ask of an issue, before anything is asked.

Exact in calls and options for ``flat``; for ``tree`` an expectation and an upper bound,
both from the menus of the repository alone.
"""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple

from routebench.arms.asking import AskingParameters
from routebench.arms.flat import (
    FlatParameters,
    affordable_menus,
    hash_order,
    path_menus,
    tournament_cost,
)
from routebench.arms.menus import ROOT, DirectoryTree, directory_menus
from routebench.arms.tree import TreeParameters

# Mean over the 82 published walks is 8.9, the most 20.
WALK_CALLS = 9


class TokenRates(NamedTuple):
    """Tokens of a provider, as a linear approximation.

    The defaults were fitted to the published provider: its 52 counts of input tokens that
    menus can be rebuilt for are met within 9 %, its 82 counts of output tokens of the flat
    arm within 1.2 %. A request's envelope and option names cost more than their texts.
    """

    input_per_call: float = 304
    input_per_option: float = 13.6
    input_per_character: float = 0.279
    output_per_call: float = 0
    output_per_option: float = 10.6


PUBLISHED_RATES = TokenRates()


class Estimate(NamedTuple):
    """What is asked of one issue.

    Attributes:
        calls: menus.
        options: options in them, "none" not counted.
        characters: characters of state, instruction and options.
    """

    calls: int = 0
    options: int = 0
    characters: int = 0

    def input_tokens(self, rates: TokenRates = PUBLISHED_RATES) -> int:
        """Returns the approximate number of tokens read, rounded up."""
        return ceil(
            rates.input_per_call * self.calls
            + rates.input_per_option * self.options
            + rates.input_per_character * self.characters
        )

    def output_tokens(self, rates: TokenRates = PUBLISHED_RATES) -> int:
        """Returns the approximate number of tokens written, rounded up."""
        return ceil(rates.output_per_call * self.calls + rates.output_per_option * self.options)


def total(estimates: Iterable[Estimate]) -> Estimate:
    """Returns the sum of the estimates of several issues."""
    rows = list(estimates)
    return Estimate(
        sum(e.calls for e in rows), sum(e.options for e in rows), sum(e.characters for e in rows)
    )


def estimate_flat(
    paths: Iterable[str],
    parameters: FlatParameters,
    *,
    case_id: str,
    query: str,
    limit: int | None = None,
) -> Estimate:
    """Returns what ``flat`` asks; calls and options are exact (METHODS R8).

    Paths of later rounds count with the mean length of the first round's. Where
    ``menu_options`` of the longest paths do not fit in a menu, calls are an upper bound.

    Args:
        paths: the eligible paths.
        parameters: of the arm.
        case_id: decides the order, and with it who plays under a limit.
        query: the issue.
        limit: most calls, if they are matched to another arm's; else ``parameters.calls``.

    Raises:
        CaseError: a round would not shrink the field.
    """
    menus = path_menus(hash_order(case_id, paths), parameters)
    played = affordable_menus(menus, parameters, parameters.calls if limit is None else limit)
    cost = tournament_cost(played, parameters)
    lengths = [len(parameters.option_prefix + path) for menu in played for path in menu]
    offered = ceil(cost.options * sum(lengths) / len(lengths)) if lengths else 0
    return Estimate(cost.calls, cost.options, offered + cost.calls * _envelope(parameters, query))


class Visit(NamedTuple):
    """A directory whose children have to be chosen, with its chance in a random descent."""

    chance: float
    parts: int
    options: int
    characters: int


def random_descent(tree: DirectoryTree, state: str, parameters: TreeParameters) -> list[Visit]:
    """Returns the directories with a menu, with the chance that a blind walk opens them.

    The blind walk follows one child of each directory, all equally likely. The size of
    its menus predicts that of the published walks' menus (tokens per call within -10 % and
    +60 %, median +12 %, on 27 cases of 5 repositories).
    """
    visits: list[Visit] = []
    waiting = [(ROOT, 1.0)]
    while waiting:
        directory, chance = waiting.pop()
        children = tree.children(directory)
        waiting += [(c.path, chance / len(children)) for c in children if c.is_directory]
        if len(children) > 1:
            menus = directory_menus(tree, directory, state, parameters.menus)
            characters = sum(len(option.text) for menu in menus for option in menu)
            visits.append(Visit(chance, len(menus), len(children), characters))
    return visits


def estimate_tree(tree: DirectoryTree, parameters: TreeParameters, query: str) -> Estimate:
    """Returns what ``tree`` may be expected to ask: about as the published walks did.

    The number of calls is the published mean, within the cap; the size of menus that of a
    random descent.
    """
    visits = random_descent(tree, parameters.state(query), parameters)
    calls = min(WALK_CALLS, parameters.calls, sum(visit.parts for visit in visits))
    parts = sum(visit.chance * visit.parts for visit in visits)
    share = calls / parts if parts else 0.0
    offered = ceil(share * sum(visit.chance * visit.characters for visit in visits))
    return Estimate(
        calls=calls,
        options=ceil(share * sum(visit.chance * visit.options for visit in visits)),
        characters=offered + calls * _envelope(parameters, query),
    )


def tree_bound(tree: DirectoryTree, parameters: TreeParameters, query: str) -> Estimate:
    """Returns what ``tree`` asks at most: its largest menus, up to the cap of calls."""
    menus = _all_menus(tree, parameters.state(query), parameters)
    calls = min(parameters.calls, len(menus))
    return Estimate(
        calls=calls,
        options=sum(sorted((options for options, _ in menus), reverse=True)[:calls]),
        characters=sum(sorted((size for _, size in menus), reverse=True)[:calls])
        + calls * _envelope(parameters, query),
    )


def _all_menus(
    tree: DirectoryTree, state: str, parameters: TreeParameters
) -> Sequence[tuple[int, int]]:
    return [
        (len(menu), sum(len(option.text) for option in menu))
        for directory, children in tree.listings.items()
        if len(children) > 1
        for menu in directory_menus(tree, directory, state, parameters.menus)
    ]


def _envelope(parameters: AskingParameters, query: str) -> int:
    return len(parameters.state(query)) + len(parameters.instruction)
