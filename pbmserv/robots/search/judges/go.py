"""Go: played on by chance on a board of its own, where nobody fills an eye, to the end, and counted."""

from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import go
from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL
from pbmserv.games.game import Game, Move, Seat
from pbmserv.robots.chance import Dice
from pbmserv.robots.search.bits import packed
from pbmserv.robots.search.judge import Judge, Looked

_EMPTY: Final = 2
_TRIES: Final = 8
"""Points that a seat looks at before it passes."""

_ENOUGH: Final = 2
"""A playout has at most so many plies for each point of the board: it need not be the rules' own end."""

Beside = tuple[tuple[int, ...], ...]


def _played_on(_: Game, position: Any, dice: Dice) -> Looked:
    """Who has more at the end of a game by chance, in which chains in atari are taken or run at once.

    Also which points each seat played first.
    """
    stones, beside, corners = list(position.stones), position.board.neighbours, _corners(position.board)
    seat: Seat = position.turn
    empty = [cell for cell, owner in enumerate(stones) if owner == _EMPTY]
    firsts, played, passes, ko = [0, 0], 0, 0, -1
    below = dice.below
    last = position.last[0] if position.last and not position.passes else -1
    for _ply in range(_ENOUGH * len(stones)):
        urgent = _urgent(stones, beside, last, seat) if last >= 0 else -1
        last = -1
        for count in range(_TRIES):
            if not empty:
                break
            is_urgent = count == 0 and urgent >= 0
            place = empty.index(urgent) if is_urgent else below(len(empty))
            cell = empty[place]
            if cell == ko or _is_eye(stones, beside[cell], corners[cell], seat):
                continue
            taken = _put(stones, beside, cell, seat)
            if taken is None:
                continue
            empty[place] = empty[-1]
            empty.pop()
            empty += taken
            ko = taken[0] if len(taken) == 1 else -1
            passes, last = 0, cell
            bit = 1 << cell
            if not played & bit:
                played |= bit
                firsts[seat] |= bit
            break
        else:
            passes += 1
            ko = -1
        if passes == 2 or not empty:
            break
        seat = 1 - seat
    rewards = (1.0, 0.0) if _lead(stones, beside) > go.KOMI else (0.0, 1.0)
    count = len(stones)
    return rewards, (packed(firsts[0], count), packed(firsts[1], count))


def _urgent(stones: list[int], beside: Beside, last: int, seat: Seat) -> int:
    """Where to take the chain of the last stone, or save one beside it, if it has only one liberty; else -1."""
    found = _only_liberty(stones, beside, last, 1 - seat)
    if found >= 0:
        return found
    for each in beside[last]:
        if stones[each] == seat:
            found = _only_liberty(stones, beside, each, seat)
            if found >= 0:
                return found
    return -1


def _only_liberty(stones: list[int], beside: Beside, cell: int, owner: Seat) -> int:
    """The liberty of the chain of the stone on a point if it has just one; else -1."""
    chain, seen, liberty = [cell], {cell}, -1
    for one in chain:
        for each in beside[one]:
            other = stones[each]
            if other == _EMPTY:
                if each != liberty:
                    if liberty >= 0:
                        return -1
                    liberty = each
            elif other == owner and each not in seen:
                seen.add(each)
                chain.append(each)
    return liberty


def _put(stones: list[int], beside: Beside, cell: int, seat: Seat) -> list[int] | None:
    """Puts a stone on an empty point, and takes those it captures; None, and nothing done, if it would be one."""
    stones[cell] = seat
    taken: list[int] = []
    is_free = False
    for each in beside[cell]:
        owner = stones[each]
        if owner == _EMPTY:
            is_free = True
        elif owner != seat and (chain := _caught(stones, beside, each, owner)):
            for prey in chain:
                stones[prey] = _EMPTY
            taken += chain
    if not is_free and not taken and _caught(stones, beside, cell, seat):
        stones[cell] = _EMPTY
        return None
    return taken


def _caught(stones: list[int], beside: Beside, cell: int, owner: Seat) -> list[int]:
    """The chain of the stone on a point if it has no liberty; else nothing."""
    chain = [cell]
    seen = {cell}
    for one in chain:
        for each in beside[one]:
            other = stones[each]
            if other == _EMPTY:
                return []
            if other == owner and each not in seen:
                seen.add(each)
                chain.append(each)
    return chain


def _is_eye(stones: list[int], beside: tuple[int, ...], corners: tuple[int, ...], seat: Seat) -> bool:
    """Whether a point is one that only its own side's stones are beside, and it is hardly false."""
    for each in beside:
        if stones[each] != seat:
            return False
    return sum([stones[each] == 1 - seat for each in corners]) < (2 if len(corners) == len(DIAGONAL) else 1)


def _lead(stones: list[int], beside: Beside) -> int:
    """By how many points Black is ahead on a board that is played out, without komi."""
    lead = stones.count(0) - stones.count(1)
    for cell, owner in enumerate(stones):
        if owner == _EMPTY:
            around = {stones[each] for each in beside[cell]}
            lead += (around == {0}) - (around == {1})
    return lead


def _likely(position: Any) -> tuple[list[Move], bool]:
    """All that fills no eye of one's own. A pass is thought of where it ends the game, or nothing else is left."""
    corners, beside, stones = _corners(position.board), position.board.neighbours, list(position.stones)
    found: list[Move] = []
    for move in go.moves(position):
        cell = move[0]
        if isinstance(cell, int) and not _is_eye(stones, beside[cell], corners[cell], position.turn):
            found.append(move)
    if position.passes or not found:
        found.append((go.PASSES,))
    return found, False


@lru_cache(maxsize=8)
def _corners(board: Board) -> Beside:
    """Of each point those diagonally beside it."""
    return tuple(tuple(rays[way][0] for way in DIAGONAL if rays[way]) for rays in board.rays)


judges: Final = MappingProxyType({"go": Judge(_played_on, curiosity=0.2, likely=_likely)})
