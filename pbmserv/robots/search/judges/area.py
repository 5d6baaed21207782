"""Games of area: go, amazons, hex, tumbleweed, dots and boxes. Who reaches, sees or closes what.

Go is played on by chance on a board of its own, where nobody fills an eye, to the end, and counted. Amazons: who
is first where, counted in amazons' moves (J. Lieberum, "An evaluation function for the game of Amazons", 2005:
his territory, without what it is mixed with). Hex: the empty cells are filled by chance, which is as good as
playing on, since a full board has one winner. Dots and boxes are played on without looking ahead, but with an
eye for what a line gives away.
"""

from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import defaults, dots, go, tumbleweed
from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL
from pbmserv.games.game import Game, Move, Seat
from pbmserv.games.stones import EMPTY
from pbmserv.robots.search.judges import Judge, Lines, Looked, bits_of, joined_with, likelihood, lines_of, packed
from pbmserv.robots.thought import Dice

_TRIES: Final = 8
"""Points that a seat looks at before it passes."""

_ENOUGH: Final = 2
"""The most plies of a playout, for each point of the board: it need not be the rules' own end."""

Beside = tuple[tuple[int, ...], ...]


def _played_on(_: Game, position: Any, dice: Dice) -> Looked:
    """Who has more at the end of a game by chance, in which chains in atari are taken or run at once.

    Also which points each seat played first.
    """
    stones, beside, corners = list(position.stones), position.board.neighbours, _diagonals(position.board)
    seat: Seat = position.turn
    empty = [cell for cell, owner in enumerate(stones) if owner == EMPTY]
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
            if other == EMPTY:
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
        if owner == EMPTY:
            is_free = True
        elif owner != seat and (chain := _caught(stones, beside, each, owner)):
            for prey in chain:
                stones[prey] = EMPTY
            taken += chain
    if not is_free and not taken and _caught(stones, beside, cell, seat):
        stones[cell] = EMPTY
        return None
    return taken


def _caught(stones: list[int], beside: Beside, cell: int, owner: Seat) -> list[int]:
    """The chain of the stone on a point if it has no liberty; else nothing."""
    chain = [cell]
    seen = {cell}
    for one in chain:
        for each in beside[one]:
            other = stones[each]
            if other == EMPTY:
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
        if owner == EMPTY:
            around = {stones[each] for each in beside[cell]}
            lead += (around == {0}) - (around == {1})
    return lead


def _no_eyes(position: Any) -> tuple[list[Move], bool]:
    """All that fills no eye of one's own. A pass is thought of where it ends the game, or nothing else is left."""
    corners, beside, stones = _diagonals(position.board), position.board.neighbours, list(position.stones)
    found: list[Move] = []
    for move in go.moves(position):
        cell = move[0]
        if isinstance(cell, int) and not _is_eye(stones, beside[cell], corners[cell], position.turn):
            found.append(move)
    if position.passes or not found:
        found.append((go.PASSES,))
    return found, False


@lru_cache(maxsize=8)
def _diagonals(board: Board) -> Beside:
    """Of each point those diagonally beside it."""
    return tuple(tuple(rays[way][0] for way in DIAGONAL if rays[way]) for rays in board.rays)


_CELLS: Final = 5
"""The lead in cells with which three games of four are won."""
_TEMPO: Final = 0.2
"""What being to move is worth, of a cell that both reach equally soon."""
_FREEDOM: Final = 0.15


def _reached_first(game: Game, position: Any, _: Dice) -> Looked:
    """Cells that one side reaches in fewer moves; of those that both reach as soon, a part goes to the mover."""
    lines, empty = lines_of(position.board), bits_of(position.cells, defaults.EMPTY)
    white, black = (bits_of(position.cells, side.mark) for side in game.info.sides)
    ahead = 0.0
    seen = [white, black]
    news = [white, black]
    taken = 0
    is_first = True
    while news[0] or news[1]:
        news = [_reached(lines, news[seat], empty) & ~seen[seat] for seat in (0, 1)]
        seen = [seen[0] | news[0], seen[1] | news[1]]
        first, second = news[0] & ~seen[1] & ~taken, news[1] & ~seen[0] & ~taken
        both = news[0] & news[1] & ~taken
        ahead += first.bit_count() - second.bit_count()
        ahead += both.bit_count() * (_TEMPO if position.turn == 0 else -_TEMPO)
        taken |= first | second | both
        if is_first:
            ahead += _FREEDOM * (news[0].bit_count() - news[1].bit_count())
            is_first = False
    return likelihood(ahead / _CELLS), ()


def _reached(lines: Lines, sources: int, empty: int) -> int:
    """The empty cells one queen's move from any of these."""
    found = 0
    for cells, step in lines.ways:
        run = sources
        while run := ((run & cells) << step if step > 0 else (run & cells) >> -step) & empty:
            found |= run
    return found


def _filled(_: Game, position: Any, dice: Dice) -> Looked:
    """Who wins when each empty cell is anybody's; and whose they were."""
    count = len(position.stones)
    vertical, horizontal = bits_of(position.stones, 0), bits_of(position.stones, 1)
    chance = dice.bits(count) & ~horizontal
    first = vertical | chance
    top, bottom = _edges(position.board)
    is_joined = joined_with(top, first, lines_of(position.board).beside) & bottom
    rewards = (1.0, 0.0) if is_joined else (0.0, 1.0)
    return rewards, (packed(first, count), packed(((1 << count) - 1) & ~first, count))


@lru_cache(maxsize=8)
def _edges(board: Board) -> tuple[int, int]:
    """The edges that Vertical joins."""
    rows = board.layout.rows
    return sum(1 << cell for cell in rows[0].cells), sum(1 << cell for cell in rows[-1].cells)


_POINTS: Final = 5
"""The lead in cells with which three games of four are won."""
_LOOSE: Final = (0.5, 0.9)
"""What a stack is worth less that can be taken: by the other side, when it is to move later, and now."""
_CAPTURE: Final = 3.0
_CONTESTED: Final = 0.6
_SAFE: Final = 1.5
_TRIED: Final = 30
_APART: Final = 7

Seen = tuple[list[int], list[int]]
"""For each seat, how many of its stacks see each cell."""


def _seen(position: Any) -> Seen:
    owners, rays = position.owners, position.board.rays
    found = [0] * len(owners), [0] * len(owners)
    for cell, owner in enumerate(owners):
        if owner < EMPTY:
            seen = found[owner]
            for ray in rays[cell]:
                for each in ray:
                    seen[each] += 1
                    if owners[each] != EMPTY:
                        break
    return found


def _cells(_: Game, position: Any, __: Dice) -> Looked:
    """What the count at the end would be, less for stacks that can be taken."""
    white, red = _seen(position)
    ahead = 0.0
    for owner, height, by_white, by_red in zip(position.owners, position.heights, white, red, strict=True):
        if owner == EMPTY:
            ahead += (by_white > by_red) - (by_white < by_red)
        elif owner == 0:
            ahead += 1 - (_LOOSE[position.turn == 1] if by_red > height else 0)
        elif owner == 1:
            ahead -= 1 - (_LOOSE[position.turn == 0] if by_white > height else 0)
    return likelihood(ahead / _POINTS), ()


def _best_cells(position: Any) -> tuple[list[Move], bool] | None:
    """At first a few pairs of cells opposite each other; later what takes, or is seen by many; a pass if ahead."""
    count, turn = len(position.owners), position.turn
    if not position.begun:
        return [(cell, count - 1 - cell) for cell in range(0, count // 2, _APART)], False
    seen = _seen(position)
    own, other = seen[turn], seen[1 - turn]
    ranked = []
    for cell, (owner, height) in enumerate(zip(position.owners, position.heights, strict=True)):
        if own[cell] > height:
            worth = own[cell] - height + _CONTESTED * other[cell] + (_SAFE if own[cell] >= other[cell] else 0)
            worth += _CAPTURE * (owner in (1 - turn, tumbleweed.NEUTRAL))
            worth += _CAPTURE * (owner == turn and other[cell] > height)
            ranked.append((worth, cell))
    found: list[Move] = [(cell,) for _, cell in sorted(ranked)[-_TRIED:]]
    points = tumbleweed.scores(position)
    if points[turn] > points[1 - turn] and (position.passes or len(found) < _TRIED):
        found.append((tumbleweed.PASSES,))
    if position.begun == 1:
        found.insert(0, (tumbleweed.SWAP,))
    return (found, False) if found else None


_BOXES: Final = 1.5
"""The lead in boxes with which three games of four are won."""

_CLOSING, _GIVING = 3, 2
"""Lines around a box when one more closes it, and when one more gives it away."""


def _boxes(_: Game, position: Any, dice: Dice) -> Looked:
    """Boxes when both take what they can, give nothing away while they can, and then as little as they see."""
    board, cells, turn = position.board, bytearray(position.cells), position.turn
    own = [position.cells.count(0), position.cells.count(1)]
    around, beside = dots.boxes_of(board), board.neighbours
    drawn = _counts(board, position.cells)
    free = [line for line in dots.lines_of(board) if cells[line] == dots.EMPTY]
    dice.shuffle(free)
    while free:
        line = _taking(free, beside, drawn)
        if line is None:
            line = _safe(free, beside, drawn)
        if line is None:
            line = min(free[:5], key=lambda each: _given(each, board, cells))
        free.remove(line)
        cells[line] = dots.DRAWN
        closed = 0
        for box in beside[line]:
            drawn[box] += 1
            closed += drawn[box] > _CLOSING
        own[turn] += closed
        if not closed:
            turn = 1 - turn
    ahead = (own[0] - own[1]) / _BOXES
    return likelihood(ahead + (own[0] * 2 > len(around)) - (own[1] * 2 > len(around))), ()


def _lines(position: Any) -> tuple[list[Move], bool] | None:
    """Lines that close a box, or else the safe ones; where there are none, one of each chain."""
    board, cells, beside = position.board, bytearray(position.cells), position.board.neighbours
    drawn = _counts(board, position.cells)
    free = [line for line in dots.lines_of(board) if cells[line] == dots.EMPTY]
    closing = [line for line in free if any(drawn[box] == _CLOSING for box in beside[line])]
    if closing:
        near = {box for line in closing for box in beside[line]}
        keeping = [line for line in free if line not in closing and near.intersection(beside[line])]
        return [(line,) for line in (*keeping, *closing)], True
    safe = [line for line in free if all(drawn[box] < _GIVING for box in beside[line])]
    if safe:
        return [(line,) for line in safe], True
    given = sorted(free, key=lambda line: -_given(line, board, cells))
    return [(line,) for line in given], False


@lru_cache(maxsize=8)
def _no_lines(board: Board) -> tuple[int, ...]:
    return (0,) * len(board.names)


def _counts(board: Board, cells: bytes) -> list[int]:
    """How many lines are around each box."""
    drawn = list(_no_lines(board))
    for line in dots.lines_of(board):
        if cells[line] == dots.DRAWN:
            for box in board.neighbours[line]:
                drawn[box] += 1
    return drawn


def _taking(free: list[int], beside: tuple[tuple[int, ...], ...], drawn: list[int]) -> int | None:
    """A line that closes a box."""
    for line in free:
        for box in beside[line]:
            if drawn[box] == _CLOSING:
                return line
    return None


def _safe(free: list[int], beside: tuple[tuple[int, ...], ...], drawn: list[int]) -> int | None:
    """A line that gives nothing away."""
    for line in free:
        for box in beside[line]:
            if drawn[box] >= _GIVING:
                break
        else:
            return line
    return None


def _given(line: int, board: Board, cells: bytearray) -> int:
    """How many boxes the next player can close one by one after this line."""
    gone = {line}
    found: set[int] = set()
    queue = list(board.neighbours[line])
    while queue:
        box = queue.pop()
        rest = [each for each in board.neighbours[box] if cells[each] == dots.EMPTY and each not in gone]
        if box in found or len(rest) > 1:
            continue
        found.add(box)
        for each in rest:
            gone.add(each)
            queue += board.neighbours[each]
    return len(found)


judges: Final = MappingProxyType(
    {
        "go": Judge(_played_on, curiosity=0.2, likely=_no_eyes),
        "amazons": Judge(_reached_first, curiosity=0.25),
        "hex": Judge(_filled, curiosity=0.2),
        "tumbleweed": Judge(_cells, curiosity=0.25, likely=_best_cells),
        "dots-and-boxes": Judge(_boxes, curiosity=0.4, likely=_lines),
    }
)
