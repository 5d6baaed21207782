"""Mancala, morris, breakthrough, draughts, lasca, fanorona, tafl: what each side has, and how freely it stands."""

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import fanorona, lasca, morris, tafl
from pbmserv.games.board import Board
from pbmserv.games.boards import ORTHOGONAL
from pbmserv.games.defaults import EMPTY
from pbmserv.games.game import Game, Move
from pbmserv.games.tafl import Tafl
from pbmserv.robots.search.judges import Judge, Looked, beside, bits_of, likelihood, lines_of
from pbmserv.robots.thought import Dice

_SEEDS: Final = 4
"""The lead in seeds with which three games of four are won."""
_MAN, _FREEDOM = 0.8, 0.06
_PAWN, _LOOSE, _AT_THE_DOOR = 0.35, 0.4, 3.0
_ADVANCE: Final = 0.04


def _seeds(_: Game, position: Any, __: Dice) -> Looked:
    """Seeds captured; those that lie at home are worth a little."""
    south, north = position.stores
    half = len(position.pits) // 2
    home = sum(position.pits[:half]) - sum(position.pits[half:])
    return likelihood((south - north + home / 10) / _SEEDS), ()


def _merels(game: Game, position: Any, _: Dice) -> Looked:
    """Men on the board and in hand, and empty points beside them."""
    marks, hands, cells = [side.mark for side in game.info.sides], position.hands, position.cells
    ahead = _MAN * (cells.count(marks[0]) + hands[0] - cells.count(marks[1]) - hands[1])
    neighbours = position.board.neighbours
    for cell, mark in enumerate(cells):
        if mark == morris.EMPTY:
            around = [cells[each] for each in neighbours[cell]]
            ahead += _FREEDOM * (around.count(marks[0]) - around.count(marks[1]))
    return likelihood(ahead), ()


def _pawns(_: Game, position: Any, __: Dice) -> Looked:
    """Men, how far they are, and whether the other side can take them for nothing."""
    size, turn = len(position.board.layout.rows), position.turn
    rows = _rows(position.board)
    men = bits_of(position.cells, "o"), bits_of(position.cells, "x")
    ahead = 0.0
    up, down = _aside(position.board)
    reached = beside(men[0], up), beside(men[1], down)
    for seat, sign in ((0, 1), (1, -1)):
        own = men[seat]
        ordered = rows if seat == 0 else rows[::-1]
        far = own & ordered[size - 2]
        if far and (seat == turn or far & ~reached[1 - seat]):
            ahead += sign * _AT_THE_DOOR * (3 if seat == turn else 1)
        loose = own & reached[1 - seat] & ~reached[seat]
        ahead += sign * _PAWN * own.bit_count()
        if loose and seat != turn:
            ahead -= sign * _LOOSE
        ahead += sign * _ADVANCE * sum([step * (own & row).bit_count() for step, row in enumerate(ordered)])
    return likelihood(ahead), ()


@lru_cache(maxsize=8)
def _rows(board: Board) -> tuple[int, ...]:
    """The cells of each row, from the lowest on."""
    return tuple(sum(1 << cell for cell in row.cells) for row in reversed(board.layout.rows))


@lru_cache(maxsize=8)
def _aside(board: Board) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """The steps diagonally up, and down."""
    size = len(board.layout.rows)
    ways = lines_of(board).ways
    up, down = {size + 1, 1 - size}, {size - 1, -size - 1}
    return tuple(way for way in ways if way[1] in up), tuple(way for way in ways if way[1] in down)


_KING: Final = 1.6
_FLYING_KING: Final = 3.0
_STEP: Final = 0.03
"""What a man gains by a step forward."""
_GUARD: Final = 0.35
"""What each further piece of its own on top of a column adds to it."""
_SHARE: Final = 9.0


def _once_quiet(count: Callable[[Any, Any], tuple[float, float]], game: Game, position: Any, dice: Dice) -> Looked:
    """What both sides have after captures by chance: who must capture hasn't got the say."""
    while True:
        moves = list(game.moves(position))
        if not moves:
            outcome = game.outcome(position)
            assert outcome is not None
            return outcome.shares, ()
        if "x" not in game.write(position, moves[0]):
            break
        position, _ = game.play(position, moves[dice.below(len(moves))])
    first, second = count(game, position)
    return likelihood(_SHARE * (first - second) / (first + second)), ()


def _draughtsmen(worth_of_king: float, game: Any, position: Any) -> tuple[float, float]:
    cells, size = position.cells, game.size
    worth = [0.0, 0.0]
    for seat in (0, 1):
        man, up = game.men[seat], game.goes_up(seat)
        worth[seat] += cells.count(man) + worth_of_king * cells.count(game.kings[seat])
        place = cells.find(man)
        while place >= 0:
            row = place % size
            worth[seat] += _STEP * (row if up else size - 1 - row)
            place = cells.find(man, place + 1)
    return worth[0], worth[1]


def _columns(_: Any, position: Any) -> tuple[float, float]:
    worth = [0.01, 0.01]
    for cell, column in enumerate(position.cells):
        if column == EMPTY:
            continue
        seat = lasca.SOLDIERS.find(column[-1].lower())
        row = cell % lasca.SIZE
        is_officer = column[-1] in lasca.OFFICERS
        ahead = 0.0 if is_officer else _STEP * (row if seat == 0 else lasca.SIZE - 1 - row)
        own = lasca.SOLDIERS[seat] + lasca.OFFICERS[seat]
        guards = len(column) - len(column.rstrip(own)) - 1
        worth[seat] += (_KING if is_officer else 1.0) + ahead + _GUARD * guards
    return worth[0], worth[1]


_FLYING: Final = ("international-draughts", "brazilian-draughts", "russian-draughts")


_SHARE_OF_MEN: Final = 8.0
"""With all men of one side against none it is ahead by so much."""
_AT_ONCE: Final = 0.6
"""What a man is worth that the mover can capture, and may do without."""
_MOST_TRIED: Final = 60


def _men_and_captures(_: Game, position: Any, __: Dice) -> Looked:
    """The mover has the men that the longest capture takes as good as captured."""
    own, theirs = (float(position.cells.count(side.mark)) for side in fanorona.info.sides)
    if position.turn:
        own, theirs = theirs, own
    theirs -= _AT_ONCE * max(_taken(position), default=0)
    first, second = likelihood(_SHARE_OF_MEN * (own - theirs) / (own + theirs))
    return ((second, first) if position.turn else (first, second)), ()


def _taken(position: Any) -> list[int]:
    """How many men each of the captures takes that are looked at."""
    return [len(fanorona.play(position, move)[0].taken) for move in islice(fanorona.moves(position), _MOST_TRIED)]


def _capturing_most(position: Any) -> tuple[list[Move], bool]:
    """All moves, those that capture most last."""
    found = list(fanorona.moves(position))
    ranked = sorted(
        (len(fanorona.play(position, move)[0].taken), number * 7919 % 101, number)
        for number, move in enumerate(found)
    )
    return [found[number] for _, _, number in ranked], True


_WAY_OUT: Final = 0.35
"""A cell from which the king can escape by his next move."""
_KINGS_FREEDOM: Final = 0.03
_BESET: Final = 0.3
_ALL_MEN: Final = 5.0
"""What all men of a side are worth."""
_ESCAPES: Final = 20.0


def _siege(game: Any, position: Any, _: Dice) -> Looked:
    """The king escapes if he may move and sees a goal, or sees two of them in any case."""
    cells, board = position.cells, position.board
    home, goals = cells.find(tafl.KING), game.goals(board)
    at_once = _king_reaches(board, cells, home)
    seen = len(goals.intersection(at_once))
    if seen and (position.turn == tafl.DEFENDERS or seen > 1):
        ahead = _ESCAPES
    else:
        beset = len([cell for cell in board.neighbours[home] if cells[cell] == tafl.ATTACKER])
        soon = [cell for cell in at_once if goals.intersection(_king_reaches(board, cells, cell))]
        start = "".join(game.rows)
        men = cells.count(tafl.DEFENDER) / start.count(tafl.DEFENDER) - cells.count(tafl.ATTACKER) / start.count(
            tafl.ATTACKER
        )
        ahead = (
            _ALL_MEN * men
            + _WAY_OUT * min(len(soon), 6)
            + 2 * seen
            + _KINGS_FREEDOM * len(at_once)
            - _BESET * beset
        )
    defenders, attackers = likelihood(ahead)
    return (attackers, defenders), ()


def _king_reaches(board: Any, cells: str, source: int) -> list[int]:
    """Where the king could go from a cell."""
    found = []
    for way in ORTHOGONAL:
        for cell in board.rays[source][way]:
            if cells[cell] != EMPTY and cells[cell] != tafl.KING:
                break
            found.append(cell)
    return found


def _sieging(game: Tafl, position: Any) -> tuple[list[Move], bool]:
    """A move that wins alone, or all moves, those that capture and those near the king last."""
    turn, board, theirs = position.turn, position.board, tafl.MEN[1 - position.turn]
    home, goals = position.cells.find(tafl.KING), game.goals(board)
    near = {*board.neighbours[home], *(cell for ray in board.rays[home] for cell in ray)}
    ranked: list[tuple[int, int, Move]] = []
    for move in game.moves(position):
        target = int(move[1])
        if turn == tafl.DEFENDERS and move[0] == home:
            if target in goals:
                return [move], True
            rank = 1 + 2 * bool(goals.intersection(_king_reaches(board, position.cells, target)))
        else:
            rank = int(target in near)
        if any(position.cells[cell] in theirs for cell in board.neighbours[target]):
            after, events = game.play(position, move)
            if tafl.KING not in after.cells:
                return [move], True
            rank += 3 * (len(events) - 1)
        ranked.append((rank, (target * 7919 + len(ranked)) % len(position.cells), move))
    ranked.sort(key=lambda each: each[:2])
    return [move for _, _, move in ranked], True


judges: Final = MappingProxyType(
    {
        "kalah": Judge(_seeds, curiosity=0.3),
        "oware": Judge(_seeds, curiosity=0.3),
        "morris": Judge(_merels, curiosity=0.3),
        "six-mens-morris": Judge(_merels, curiosity=0.3),
        "twelve-mens-morris": Judge(_merels, curiosity=0.3),
        "breakthrough": Judge(_pawns, curiosity=0.3),
        "checkers": Judge(partial(_once_quiet, partial(_draughtsmen, _KING)), curiosity=0.3),
        "lasca": Judge(partial(_once_quiet, _columns), curiosity=0.3),
        **{
            name: Judge(partial(_once_quiet, partial(_draughtsmen, _FLYING_KING)), curiosity=0.3)
            for name in _FLYING
        },
        "fanorona": Judge(_men_and_captures, 0.3, _capturing_most),
        **{game.info.name: Judge(_siege, 0.3, partial(_sieging, game)) for game in tafl.games},
    }
)
