"""UCT search, for any game and number of seats: visits promising moves more often.

After L. Kocsis and C. Szepesvari, "Bandit based Monte-Carlo Planning" (2006): each seat goes for its own reward.
What is proven is backed up (M. Winands, Y. Bjoernsson, J. Saito, "Monte-Carlo Tree Search Solver", 2008), what a
playout tells of a cell counts for all moves there (S. Gelly, D. Silver, "Monte-Carlo tree search and rapid action
value estimation", 2011), and where there are many moves a few are looked at first, and more as it goes on. What a
new position is worth is a judge's word (`judges`). There is no logarithm, which differs between machines.
"""

from dataclasses import dataclass, field
from itertools import islice
from math import sqrt
from typing import Any, Final

from pbmserv.games.game import Game, Move, Seat
from pbmserv.robots.search.judges import Judge, Rewards, judge_of, unpacked
from pbmserv.robots.thought import Candidate, Dice, Thought


@dataclass(slots=True)
class Node:
    """A position of the tree."""

    position: Any
    turn: Seat | None
    mover: Seat | None
    """Who made the move that led here; None at the root."""
    untried: list[Move] | None = None
    """The likeliest last; None until somebody asks."""
    is_whole: bool = True
    """Whether all legal moves are tried or untried."""
    children: dict[Move, "Node"] = field(default_factory=dict)
    visits: int = 0
    reward: float = 0.0
    """The sum of what the mover got."""
    proven: Rewards | None = None
    """What each seat gets if all play well from here, once that is known."""
    span: int = 0
    """One more than the highest cell that a move begins with."""
    trials: int = 0
    """For each cell, packed, how often it was the own one of the seat on turn in a playout from here."""
    wins: int = 0
    """And how often that was won."""

    def value(self, seat: Seat) -> float:
        """What the mover, who is `seat`, may expect: 0 to 1."""
        return self.proven[seat] if self.proven is not None else self.reward / self.visits

    def likeliest(self) -> Move:
        """Takes the move that should be tried next from the untried ones."""
        untried = self.untried
        assert untried
        if not self.trials or not isinstance(untried[-1][0], int):
            return untried.pop()
        trials, wins = self.cells()
        best, most = 0, -1.0
        for place, move in enumerate(untried):
            step = move[0]
            known = (wins[step] + 1) / (trials[step] + 2) if isinstance(step, int) else 0.5
            if known > most:
                best, most = place, known
        untried[best], untried[-1] = untried[-1], untried[best]
        return untried.pop()

    def cells(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """For each cell the trials and the wins."""
        return unpacked(self.trials, self.span), unpacked(self.wins, self.span)

    def widen_span(self) -> None:
        """Has room for the cells of the untried moves."""
        cells = [move[0] + 1 for move in self.untried or () if isinstance(move[0], int)]
        self.span = max([self.span, *cells])

    def is_lost_so_far(self) -> bool:
        """Whether all moves that were tried are proven to lose."""
        turn = self.turn or 0
        return all(child.proven is not None and child.proven[turn] == 0 for child in self.children.values())

    def prove(self) -> None:
        """Draws from what is proven of the children: one that wins is enough, else all must be known."""
        assert self.turn is not None
        known = [child.proven for child in self.children.values() if child.proven is not None]
        best = max(known, key=lambda rewards: rewards[self.turn or 0])
        if best[self.turn] == 1:
            self.proven = best
        elif not self.untried and self.is_whole and len(known) == len(self.children):
            same = {rewards for rewards in known if rewards[self.turn] == best[self.turn]}
            # Between more than two, who has several best moves decides how the others fare: nothing is known then.
            if len(same) == 1:
                self.proven = best


_WIDTH: Final = 3.0
_WIDTH_IF_ORDERED: Final = 1.2
"""How many moves of a position are looked at: one, and this many times the square root of its visits."""

_PATIENCE: Final = 0.998
"""What is left after a ply of how far a reward is from the mean: sooner is better."""

_TRUST: Final = 300.0
"""Visits of a child after which half of its worth is its own."""

_MOST_ADDED: Final = 2000
"""Moves that are looked at besides, where all that seemed likely lose."""

_LN_2: Final = 0.6931471805599453


def think(game: Game, position: Any, seed: int, iterations: int) -> Thought:
    """The moves, those proven best first, then by how often they were tried; an iteration adds a position."""
    dice, judge = Dice(seed), judge_of(game)
    root = Node(position, game.to_move(position), None)
    if root.turn is None:
        raise ValueError("nobody is to move")
    _open(game, judge, dice, root)
    totals: dict[int, Rewards] = {}
    done = 0
    for done in range(1, max(iterations, 1) + 1):  # noqa: B007 - used below
        path, rewards, owners = _descend(game, judge, dice, root)
        first = totals.get(id(path[1]))
        totals[id(path[1])] = rewards if first is None else tuple(map(float.__add__, first, rewards))
        _back_up(path, rewards, owners)
        if root.proven is not None:
            break
    return _thought(root, totals, done)


def _thought(root: Node, totals: dict[int, Rewards], iterations: int) -> Thought:
    turn = root.turn
    assert turn is not None

    def order(found: tuple[Move, Node]) -> tuple[float, float, float]:
        child = found[1]
        known = 0.0 if child.proven is None else 2 * child.proven[turn] - 1
        if root.proven is not None:
            # What wins is best when it was found soon, what loses when it took long.
            exact = -1.0 if child.proven is None else child.proven[turn]
            return (exact, -child.visits if exact == 1 else child.visits, 0.0)
        return (min(known, 0.0), child.visits, child.value(turn))

    best = sorted(root.children.items(), key=order, reverse=True)
    first = best[0][1]
    values = root.proven or tuple(each / first.visits for each in totals[id(first)])
    return Thought(
        tuple(Candidate(move, child.visits, child.value(turn)) for move, child in best),
        values,
        iterations,
        root.proven is not None,
    )


def _open(game: Game, judge: Judge, dice: Dice, node: Node) -> None:
    """Lists the moves of a node, the likeliest last."""
    likely = judge.likely(node.position) if judge.likely is not None else None
    if likely is None:
        node.untried = list(game.moves(node.position))
        dice.shuffle(node.untried)
    else:
        node.untried, node.is_whole = likely
    node.widen_span()


def _descend(game: Game, judge: Judge, dice: Dice, root: Node) -> tuple[list[Node], Rewards, tuple[int, ...]]:
    """The way down to a position that was not looked at before or is proven, and what it is worth.

    Also, where playouts tell it, for each seat the packed cells that were its own.
    """
    path, node = [root], root
    while node.proven is None:
        if node.untried is None:
            _open(game, judge, dice, node)
        if not node.untried and not node.is_whole and node.is_lost_so_far():
            node.untried = [
                move for move in islice(game.moves(node.position), _MOST_ADDED) if move not in node.children
            ]
            node.is_whole = len(node.untried) + len(node.children) < _MOST_ADDED
            node.widen_span()
        wide = _WIDTH_IF_ORDERED if judge.likely is not None or node.trials else _WIDTH
        if node.untried and (len(node.children) < 1 + wide * sqrt(node.visits) or node.is_lost_so_far()):
            move = node.likeliest()
            position, _ = game.play(node.position, move)
            child = Node(position, game.to_move(position), node.turn)
            node.children[move] = child
            path.append(child)
            if child.turn is None:
                outcome = game.outcome(position)
                assert outcome is not None
                child.proven = outcome.shares
                return path, child.proven, ()
            rewards, owners = judge.look(game, position, dice)
            return path, rewards, owners
        node = _best(node, judge.curiosity)
        path.append(node)
    return path, node.proven, ()


def _best(node: Node, curiosity: float) -> Node:
    """The child to look at next: what is proven has nothing to add, and what is lost is looked at last."""
    turn, known = node.turn, node.visits.bit_length() * _LN_2
    assert turn is not None
    cells = node.cells() if node.trials else None
    best, most = None, -2.0
    for move, child in node.children.items():
        if child.proven is not None:
            worth = child.proven[turn] or -1.0
        else:
            visits = child.visits
            worth = child.reward / visits
            if cells is not None and isinstance(step := move[0], int):
                trials, wins = cells[0][step], cells[1][step]
                share = sqrt(_TRUST / (3 * visits + _TRUST)) if trials else 0.0
                worth = (1 - share) * worth + share * wins / (trials or 1)
            worth += curiosity * sqrt(known / visits)
        if worth > most:
            best, most = child, worth
    assert best is not None
    return best


def _back_up(path: list[Node], rewards: Rewards, owners: tuple[int, ...]) -> None:
    """Tells all on the way what came of it."""
    mean = sum(rewards) / len(rewards)
    is_news = path[-1].proven is not None
    for count in range(len(path) - 1, -1, -1):
        node = path[count]
        node.visits += 1
        if node.mover is not None:
            node.reward += rewards[node.mover]
        if owners and node.turn is not None:
            node.trials += owners[node.turn]
            if rewards[node.turn] > mean:
                node.wins += owners[node.turn]
        if is_news and node.proven is None:
            node.prove()
            is_news = node.proven is not None
        if not is_news:
            rewards = tuple([mean + (each - mean) * _PATIENCE for each in rewards])
