"""Best-first search with knowledge: goes on where a game's own judgement promises most (PUCT), and proves endings.

After C. Rosin, "Multi-armed bandits with episode context" (2011), for two seats that take turns, one of whom wins
(a draw is 0.5). No game is played out: the judgement of a position is the worth of its best move. Wins and losses
that are certain are backed up as such (M. Winands and others, "Monte-Carlo Tree Search Solver", 2008).
"""

import math
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pbmserv.robots.thought import Candidate, Dice, Thought

CURIOSITY: Final = 0.4
"""How much the search tries moves that look worse."""

SHARPNESS: Final = 1.5
"""How much more likely a move with better odds is thought to be: its odds to this power."""

WON: Final = 1.0
LOST: Final = 0.0


class Knowledge(Protocol):
    """What a game has to tell. Its positions and moves are its own."""

    def look(self, position: Any) -> list[tuple[float, Any]]:
        """All legal moves, each with its worth to the side to move, 0 to 1; WON and LOST exactly end the game."""

    def after(self, position: Any, move: Any) -> Any:
        """The position after a legal move; the other side is to move."""


@dataclass(slots=True)
class TreeNode:
    """A position of the tree, its moves, best looking first, and what came of them."""

    position: Any
    moves: list[Any]
    priors: list[float]
    worths: list[float]
    """What each move is worth to the side to move: first as the game judges it, then the mean of what followed."""
    visits: list[int]
    children: list["TreeNode | None"]
    tried: int = 0
    """How many of the moves were visited: always the first ones."""
    total: int = 1
    """Visits of this node."""
    proven: float | None = None
    """WON or LOST for the side to move, once that is certain."""


def search(knowledge: Knowledge, position: Any, iterations: int, seed: int = 0) -> TreeNode:
    """The tree after these iterations, or as soon as its root is proven. Somebody has to be to move.

    The seed decides between moves that look exactly alike, as those that are reflections of one another.
    """
    looked = knowledge.look(position)
    Dice(seed).shuffle(looked)
    root = _node(position, looked)
    for _ in range(iterations):
        if root.proven is not None:
            break
        _iterate(knowledge, root)
    return root


def thought(root: TreeNode, seat: int) -> Thought:
    """What a search came to, for the seat that is to move at its root."""
    order = sorted(
        range(len(root.moves)), key=lambda at: (_rank(root, at), root.visits[at], root.worths[at]), reverse=True
    )
    best = root.worths[order[0]]
    values = tuple(best if each == seat else 1 - best for each in (0, 1))
    return Thought(
        tuple(Candidate(root.moves[at], root.visits[at], root.worths[at]) for at in order),
        values,
        root.total,
        root.proven is not None,
    )


def _rank(node: TreeNode, at: int) -> int:
    """2 for a move that certainly wins, 0 for one that certainly loses, else 1."""
    return 2 if node.worths[at] == WON else 0 if node.worths[at] == LOST else 1


def _node(position: Any, looked: list[tuple[float, Any]]) -> TreeNode:
    looked.sort(key=_worth, reverse=True)
    worths = [worth for worth, _ in looked]
    odds = [_ODDS[int(worth * _STEPS)] for worth in worths]
    whole = sum(odds)
    count = len(looked)
    node = TreeNode(
        position,
        [move for _, move in looked],
        [each / whole for each in odds],
        worths,
        [0] * count,
        [None] * count,
    )
    if worths[0] == WON or worths[0] == LOST:
        node.proven = worths[0]
    return node


def _worth(looked: tuple[float, Any]) -> float:
    return looked[0]


def _iterate(knowledge: Knowledge, root: TreeNode) -> None:
    """Adds one position to the tree, or proves one that is there."""
    path: list[tuple[TreeNode, int]] = []
    node = root
    while node.proven is None:
        at = _chosen(node)
        path.append((node, at))
        child = node.children[at]
        if child is None:
            position = knowledge.after(node.position, node.moves[at])
            child = node.children[at] = _node(position, knowledge.look(position))
            worth = child.worths[0]
            node = child
            break
        node = child
    else:
        worth = node.proven
    for parent, at in reversed(path):
        worth = _note(parent, at, 1 - worth, node.proven)
        node = parent


def _chosen(node: TreeNode) -> int:
    """The move that promises most; one that is certainly lost only where all are."""
    urge = CURIOSITY * math.sqrt(node.total)
    best, most = 0, -1.0
    visits, priors, worths = node.visits, node.priors, node.worths
    # Of the moves that were not tried the first one promises most.
    for at in range(min(node.tried + 1, len(visits))):
        worth = worths[at]
        promise = worth + urge * priors[at] / (1 + visits[at]) if worth else -0.5
        if promise > most:
            best, most = at, promise
    return best


def _note(parent: TreeNode, at: int, worth: float, proven: float | None) -> float:
    """A visit to the move at `at`, which was worth so much; `proven` is what is certain of the position after it.

    Returns what the visit was worth to the side to move at the parent, which need not play that move.
    """
    visits, worths = parent.visits, parent.worths
    parent.tried = max(parent.tried, at + 1)
    parent.total += 1
    visits[at] += 1
    if proven == LOST:
        worths[at] = parent.proven = WON
        return WON
    if proven == WON:
        worths[at] = LOST
        worth = max(worths)
        if worth == LOST:
            parent.proven = LOST
        return worth
    worths[at] = worth if visits[at] == 1 else worths[at] + (worth - worths[at]) / visits[at]
    return worth


_STEPS: Final = 1000
_ODDS: Final = tuple(((step + 0.5) / (_STEPS - step + 0.5)) ** SHARPNESS for step in range(_STEPS + 1))
"""The odds of a worth in steps of a thousandth, raised to SHARPNESS: the same on every machine, unlike `exp`."""
