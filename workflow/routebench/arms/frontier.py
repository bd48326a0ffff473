"""What a walk of a directory tree still has to visit, and in which order (METHODS R6)."""

import heapq
from itertools import count
from typing import NamedTuple, Protocol

from routebench.arms.menus import Child


class Node(NamedTuple):
    """A child to visit.

    ``probability`` is the model's, None where it was not asked; ``weight`` the product
    of the probabilities along the path.
    """

    child: Child
    probability: float | None
    weight: float

    @property
    def shown(self) -> str:
        """The path; ``.`` for the root."""
        return self.child.path or "."

    @property
    def menu(self) -> str | None:
        """The directory that offers the child; None for the root."""
        return (self.child.path.rpartition("/")[0] or ".") if self.child.path else None

    @property
    def depth(self) -> int:
        """Directories above it, the root included."""
        return self.child.path.count("/") + 1 if self.child.path else 0


class Frontier(Protocol):
    """Children still to visit."""

    def push(self, node: Node) -> None:
        """Adds a child."""

    def pop(self) -> Node:
        """Removes and returns the child to visit next."""

    def __len__(self) -> int: ...


class Stack:
    """The child pushed last comes first: the walk goes depth first."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []

    def push(self, node: Node) -> None:
        """Adds a child."""
        self._nodes.append(node)

    def pop(self) -> Node:
        """Removes and returns the child pushed last."""
        return self._nodes.pop()

    def __len__(self) -> int:
        return len(self._nodes)


class Queue:
    """The child of the greatest weight comes first; of equal ones, that pushed last."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Node]] = []
        self._order = count(0, -1)

    def push(self, node: Node) -> None:
        """Adds a child."""
        heapq.heappush(self._heap, (-node.weight, next(self._order), node))

    def pop(self) -> Node:
        """Removes and returns the child of the greatest weight."""
        return heapq.heappop(self._heap)[2]

    def __len__(self) -> int:
        return len(self._heap)


FRONTIERS: dict[str, type[Stack] | type[Queue]] = {"depth-first": Stack, "best-first": Queue}
