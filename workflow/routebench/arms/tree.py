"""Walk of the directory tree with a choice model (METHODS R6).

The walk knows names only: it never reads a file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from routebench.arms.asking import AskingParameters, Inquiry, configured_model, rank_scores
from routebench.arms.base import Answer, Resources, Snapshot, TraceStep, TreeEntry
from routebench.arms.evidence import Reasons, walk_evidence
from routebench.arms.frontier import FRONTIERS, Frontier, Node
from routebench.arms.menus import (
    ROOT,
    Child,
    DirectoryTree,
    MenuSettings,
    Option,
    build_tree,
    directory_menus,
    texts,
)
from routebench.choice.base import Choice, ChoiceModel
from routebench.records import Issue

INSTRUCTION = (
    "Choose the best route toward answer evidence. Directory options summarize descendants, "
    "so select a directory when a descendant could answer. Choose none only when the question "
    "is unrelated to every option."
)


class TreeParameters(AskingParameters):
    """Parameters of the kind ``tree``; the defaults are the published ones.

    Attributes:
        p_min: least probability of a child that is followed.
        p_ratio: least probability as a share of the directory's best.
        order: ``depth-first`` visits the best child and all below it before the next;
            ``best-first`` visits the highest product of probabilities along the path.
        files: the walk stops at this many files.
        calls: most menus asked for one issue. The walk stops where it needs more than are
            left, be it for the parts of one split menu; files chosen before are visited.
        seconds: the walk stops after this much time in the model, as recorded.
        descendants: most names that describe a directory.
        descendant_levels: levels below a directory that give names.
        option_characters: an option's text is cut here.
        menu_options: most options of one menu, the option "none" not counted.
        menu_characters: most characters of state and options of one menu.
    """

    instruction: str = INSTRUCTION
    state_prefix: str = "User question: "
    p_min: float = Field(default=0.01, ge=0, le=1)
    p_ratio: float = Field(default=0.01, ge=0, le=1)
    order: Literal["depth-first", "best-first"] = "depth-first"
    files: int = Field(default=16, ge=1)
    calls: int = Field(default=32, ge=0)
    seconds: float = Field(default=180, gt=0)
    descendants: int = Field(default=12, ge=0)
    descendant_levels: int = Field(default=3, ge=0)
    option_characters: int = Field(default=800, ge=1)
    menu_options: int = Field(default=254, ge=1)
    menu_characters: int = Field(default=48_000, ge=1)

    @property
    def menus(self) -> MenuSettings:
        """How menus are written and split."""
        return MenuSettings(
            descendants=self.descendants,
            descendant_levels=self.descendant_levels,
            option_characters=self.option_characters,
            menu_options=self.menu_options,
            menu_characters=self.menu_characters,
        )


PARAMETERS = TreeParameters


def kept_children(probabilities: Sequence[float], parameters: TreeParameters) -> list[int]:
    """Returns the positions of the children to follow, in ascending probability.

    Equal ones stay in menu order. The best is over real options only (METHODS R6).
    """
    threshold = max(parameters.p_min, parameters.p_ratio * max(probabilities))
    kept = (index for index, p in enumerate(probabilities) if p >= threshold)
    return sorted(kept, key=probabilities.__getitem__)


def unusable_files(entries: Iterable[TreeEntry]) -> dict[str, str]:
    """Returns why each file that a menu may show cannot be nominated, by path."""
    ineligible = {e.path: e.reason or "not in the corpus" for e in entries if not e.eligible}
    return ineligible | {e.path: "empty" for e in entries if e.eligible and e.bytes == 0}


@dataclass(slots=True)
class Walk:
    """One issue's walk; ``stopped`` names the cap that ended it early."""

    tree: DirectoryTree
    unusable: Mapping[str, str]
    parameters: TreeParameters
    inquiry: Inquiry
    frontier: Frontier
    found: list[str] = field(default_factory=list)
    stopped: str | None = None

    def run(self) -> None:
        """Visits children, the best first, until the tree or a cap ends the walk.

        Raises:
            FailedAnswer: the model gave no usable answer.
        """
        self.frontier.push(Node(Child(ROOT, True), None, 1.0))
        while self.frontier and not self._is_over():
            node = self.frontier.pop()
            if node.child.is_directory:
                self._enter(node)
            else:
                self._reach(node)
        self._end()

    def _is_over(self) -> bool:
        if self.stopped or len(self.found) >= self.parameters.files:
            return True
        if self.inquiry.seconds >= self.parameters.seconds:
            self.stopped = f"{self.parameters.seconds:g} s"
        return self.stopped is not None

    def _end(self) -> None:
        left = f"{len(self.found)} files" if self.frontier else "nothing left to visit"
        self.inquiry.note(TraceStep(kind="stop", reason=self.stopped or left))

    def _reach(self, node: Node) -> None:
        reason = self.unusable.get(node.child.path)
        if reason:
            self._note("skip", node, reason=reason)
            return
        self.found.append(node.child.path)
        self._note("file", node, rank=len(self.found))

    def _enter(self, node: Node) -> None:
        self._note("enter", node)
        children = self.tree.children(node.child.path)
        if len(children) == 1:
            self.frontier.push(Node(children[0], None, node.weight))
        elif children:
            self._choose(node)

    def _choose(self, node: Node) -> None:
        settings = self.parameters.menus
        menus = directory_menus(self.tree, node.child.path, self.inquiry.state, settings)
        left = self.parameters.calls - self.inquiry.calls
        if len(menus) > left:
            self.stopped = f"{len(menus)} calls needed, {left} left"
            return
        choices = self.inquiry.ask([texts(menu) for menu in menus])
        self._follow(node, [option for menu in menus for option in menu], choices)

    def _follow(self, node: Node, options: Sequence[Option], choices: Sequence[Choice]) -> None:
        chances = [p for choice in choices for p in choice.probabilities]
        pairs = zip(options, chances, strict=True)
        offered = [Node(option.child, p, node.weight * p) for option, p in pairs]
        kept = kept_children(chances, self.parameters)
        for index, child in enumerate(offered):
            self._note("option", child, kept=index in kept)
        for choice in choices:
            self.inquiry.note_none(choice, node.shown, node.depth + 1)
        for index in kept:
            self.frontier.push(offered[index])

    def _note(
        self,
        kind: str,
        node: Node,
        *,
        kept: bool | None = None,
        rank: int | None = None,
        reason: str | None = None,
    ) -> None:
        self.inquiry.note(
            TraceStep(
                kind=kind,
                path=node.shown,
                menu=node.menu,
                probability=node.probability,
                depth=node.depth,
                kept=kept,
                rank=rank,
                reason=reason,
            )
        )


class TreeRanker:
    """Walks the trees of one repository."""

    def __init__(self, parameters: TreeParameters, model: ChoiceModel) -> None:
        self._parameters = parameters
        self._model = model

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns at most k paths in the order of the visit; the score is 1/rank.

        Raises:
            FailedAnswer: the model gave no usable answer.
            BudgetExceeded: a limit of the study is reached.
            MissingAnswer: a replay has no such answer.
        """
        assert snapshot is not None
        inquiry = Inquiry(self._model, issue, self._parameters)
        walk = Walk(
            tree=build_tree(snapshot.entries),
            unusable=unusable_files(snapshot.entries),
            parameters=self._parameters,
            inquiry=inquiry,
            frontier=FRONTIERS[self._parameters.order](),
        )
        inquiry.built()
        walk.run()
        return inquiry.answer(rank_scores(walk.found, k), truncated=walk.stopped is not None)

    def explain(self, issue: Issue, snapshot: Snapshot | None, answer: Answer) -> Reasons:
        """Returns the way to each file: the menus' choices from the root."""
        return walk_evidence(answer)


def create(parameters: TreeParameters, resources: Resources) -> TreeRanker:
    """Returns a ranker for one repository.

    Raises:
        RoutebenchError: the choice model is not configured.
    """
    return TreeRanker(parameters, configured_model(resources, parameters.model))
