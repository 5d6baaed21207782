"""Chess and its kin: what the pieces are worth where they stand, once nobody can win any by captures."""

from collections.abc import Callable, Iterable
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from pbmserv.games import chess as family
from pbmserv.games.chess import Chess, legal_moves
from pbmserv.games.chess_moves import AROUND, BOARD, CAMPS, EMPTY, HOPS, KINDS, LETTERS, SIZE, Situation, pairs
from pbmserv.games.game import Game, Move, Seat
from pbmserv.robots.search.judges import Judge, Looked, likelihood
from pbmserv.robots.thought import Dice

_WORTH: Final = MappingProxyType(
    {"pawn": 1.0, "knight": 3.1, "bishop": 3.3, "rook": 5.0, "queen": 9.5, "king": 100.0}
)
_IN_HAND: Final = (1.3, 3.4, 3.3, 4.2, 7.5)
"""What the pieces are worth that may be dropped."""

_PAWNS: Final = 1.7
"""The lead in pawns with which three games of four are won."""

_CHECKS: Final = (0.0, 1.0, 3.5, 0.0)
"""What checks are worth where the third one wins."""

_DEPTH: Final = 5
"""Plies of captures that are looked at."""

_KING: Final = 50.0
_FREEDOM: Final = 0.03
_NEAR_KING: Final = 0.12
_SHIELD: Final = 0.15
_TEMPO: Final = 0.2

Capture = tuple[float, int, int]


def _middle(cell: int) -> float:
    """How near a cell is to the middle of the board: 0 in a corner, 3 there."""
    column, row = divmod(cell, SIZE)
    return min(column, SIZE - 1 - column) / 2 + min(row, SIZE - 1 - row) / 2


def _standing(kind: str, cell: int, seat: Seat) -> float:
    """What a piece is worth on a cell."""
    column, row = divmod(cell, SIZE)
    far = row if seat == 0 else SIZE - 1 - row
    if kind == "pawn":
        return _WORTH[kind] + (0.0, 0.0, 0.02, 0.06, 0.15, 0.5, 1.2, 0.0)[far] + 0.06 * far * (column in (3, 4))
    if kind == "king":
        return _WORTH[kind] + (0.35 if far == 0 and column in (1, 2, 6) else -0.12 * min(far, 4))
    return _WORTH[kind] + (0.0 if kind == "queen" else 0.12 if kind in ("knight", "bishop") else 0.03) * _middle(
        cell
    )


_TABLE: Final = tuple(
    {EMPTY: 0.0}
    | {
        ord(mark): (1, -1)[seat] * _standing(kind, cell, seat)
        for seat in (0, 1)
        for kind, mark in zip(KINDS, LETTERS[seat], strict=True)
    }
    for cell in range(SIZE * SIZE)
)
"""For each cell what each piece there is worth to White."""

_PLAIN: Final = {ord(mark): _WORTH[kind] for marks in LETTERS for kind, mark in zip(KINDS, marks, strict=True)}


def _static(cells: bytes | bytearray) -> float:
    """By how much White is ahead."""
    return sum([table[mark] for table, mark in zip(_TABLE, cells, strict=True)])


def _shield(cells: bytes, seat: Seat) -> float:
    """What the pawns before a king and the empty cells beside it come to."""
    camp = CAMPS[seat]
    around = [cells[each] for each in AROUND[cells.index(camp.king)]]
    return _SHIELD * min(around.count(camp.pawn), 3) - _NEAR_KING * len(CAMPS[1 - seat].marks.intersection(around))


def _captures(cells: bytearray, seat: Seat) -> list[Capture]:
    """What can be captured, the most valuable by the least last."""
    return sorted(
        (_PLAIN[cells[target]] - _PLAIN[cells[source]] / 16, source, target)
        for source, target in pairs(cells, seat)
        if cells[target] != EMPTY
    )


def _settled(cells: bytearray, seat: Seat, now: float, least: float, most: float, depth: int) -> float:
    """By how much the seat on turn is ahead if both capture only what they want to.

    `now` is what it is ahead already; worth less than `least`, or more than `most`, it need not be exact.
    """
    if now >= most or depth == 0:
        return now
    least = max(least, now)
    sign = (1, -1)[seat]
    for _, source, target in reversed(_captures(cells, seat)):
        mark, prey = cells[source], cells[target]
        if prey == CAMPS[1 - seat].king:
            return _KING
        gain = sign * (_TABLE[target][mark] - _TABLE[source][mark] - _TABLE[target][prey])
        if now + gain + 0.3 < least:
            continue
        cells[source], cells[target] = EMPTY, mark
        value = -_settled(cells, 1 - seat, -now - gain, -most, -least, depth - 1)
        cells[source], cells[target] = mark, prey
        least = max(least, value)
        if least >= most:
            break
    return least


def _look(game: Game, position: Any, dice: Dice) -> Looked:
    """Pieces, after captures, freedom, shelter of the kings, pieces in hand, checks given."""
    at: Situation = position.at
    seat, sign = at.turn, (1, -1)[at.turn]
    cells = bytearray(at.cells)
    ahead = _static(at.cells) + _shield(at.cells, 0) - _shield(at.cells, 1)
    for each, hand in enumerate(at.hands):
        ahead += (1, -1)[each] * sum([count * worth for count, worth in zip(hand, _IN_HAND, strict=True)])
    if at.checks:
        ahead += _CHECKS[at.checks[0]] - _CHECKS[at.checks[1]]
    settled = _settled(cells, seat, sign * ahead, -_KING, _KING, _DEPTH)
    freedom = sum([1 for _ in pairs(cells, seat)]) - sum([1 for _ in pairs(cells, 1 - seat)])
    own, other = likelihood((settled + _TEMPO + _FREEDOM * freedom) / _PAWNS)
    return ((own, other) if seat == 0 else (other, own)), ()


def _look_at_atoms(game: Game, position: Any, dice: Dice) -> Looked:
    """Pieces, after the best capture of the seat on turn, which wins if it can blow up the other king."""
    at: Situation = position.at
    seat, sign = at.turn, (1, -1)[at.turn]
    king, other = CAMPS[seat].king, CAMPS[1 - seat].king
    now = best = sign * _static(at.cells)
    for source, target in pairs(at.cells, seat):
        prey = at.cells[target]
        if prey == EMPTY or at.cells[source] == king:
            continue
        blown = {*AROUND[target], target, source}
        if any(at.cells[each] == king for each in blown):
            continue
        if any(at.cells[each] == other for each in blown):
            best = _KING
            break
        lost = [
            _TABLE[each][at.cells[each]]
            for each in blown
            if at.cells[each] not in b"Pp" or each in (source, target)
        ]
        best = max(best, now - sign * sum(lost))
    threats = sum([at.cells[each] in CAMPS[seat].marks for each in AROUND[at.cells.index(other)]])
    own, others = likelihood((best + _TEMPO + 0.2 * threats) / _PAWNS)
    return ((own, others) if seat == 0 else (others, own)), ()


_LIGHT: Final = MappingProxyType({"P": 1.0, "N": 1.3, "B": 1.3, "R": 1.6, "Q": 1.8, "K": 1.4})


def _look_at_fewer(game: Game, position: Any, dice: Dice) -> Looked:
    """Who has less left, after captures by chance, since all must be made."""
    while True:
        moves = list(game.moves(position))
        if not moves:
            outcome = game.outcome(position)
            assert outcome is not None
            return outcome.shares, ()
        at: Situation = position.at
        if all(at.cells[int(move[1])] == EMPTY for move in moves):
            break
        position, _ = game.play(position, moves[dice.below(len(moves))])
    white, black = (
        sum([at.cells.count(mark) * worth for mark, worth in zip(marks, _LIGHT.values(), strict=True)])
        for marks in (b"PNBRQK", b"pnbrqk")
    )
    freedom = len(moves) - sum([1 for _ in pairs(at.cells, 1 - at.turn)])
    ahead = 5 * (black - white) / (black + white) + (0.02, -0.02)[at.turn] * freedom
    return likelihood(ahead), ()


def _likely(game: Chess, position: Any) -> tuple[list[Move], bool]:
    """All moves: captures of much by little, promotions, checks and drops near the king last."""
    at: Situation = position.at
    cells, seat = at.cells, at.turn
    sign = (1, -1)[seat]
    checking = _checking(cells, seat)
    near = AROUND[cells.index(CAMPS[1 - seat].king)]

    def promise(move: Move) -> float:
        source, target = move[0], int(move[1])
        if isinstance(source, str):
            mark = ord(LETTERS[seat][KINDS.index(source)])
            return 1.0 * (target in near) + 2.5 * (target in checking.get(mark, ()))
        mark, prey = cells[source], cells[target]
        if prey in CAMPS[seat].marks:
            return 1.0
        found = sign * (_TABLE[target][mark] - _TABLE[source][mark])
        if prey != EMPTY:
            found += 1 + _PLAIN[prey] - _PLAIN[mark] / 10
        if move[2:]:
            found += 5.0 * (move[2] == "queen")
        return found + 2.0 * (target in checking.get(mark, ()))

    return sorted(legal_moves(game, at), key=promise), True


def _checking(cells: bytes, seat: Seat) -> dict[int, Iterable[int]]:
    """For each piece of a seat but pawns and the king the cells from where it attacks the other king."""
    king = cells.index(CAMPS[1 - seat].king)
    _, knight, bishop, rook, queen, _ = LETTERS[seat].encode()
    seen: tuple[list[int], list[int]] = ([], [])
    for way, ray in enumerate(BOARD.rays[king]):
        for cell in ray:
            seen[way & 1].append(cell)
            if cells[cell] != EMPTY:
                break
    return {knight: HOPS[king], rook: seen[0], bishop: seen[1], queen: seen[0] + seen[1]}


def _judge(game: Chess, look: Callable[[Game, Any, Dice], Looked]) -> Judge:
    return Judge(look, curiosity=0.25, likely=partial(_likely, game))


judges: Final = MappingProxyType(
    {
        "chess": _judge(family.chess, _look),
        "crazyhouse": _judge(family.crazyhouse, _look),
        "atomic": _judge(family.atomic, _look_at_atoms),
        "antichess": Judge(_look_at_fewer, curiosity=0.3),
    }
)
