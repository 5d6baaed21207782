"""Xiangqi, the chess of China: a palace for each general, and a river between them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

from pbmserv.games import defaults
from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL, ORTHOGONAL, E, N, S, W, river
from pbmserv.games.defaults import EMPTY, Position
from pbmserv.games.game import Event, Illegal, Move, Outcome, Piece, Scene, Seat, Unfinished, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.kinds import XIANGQI

COLUMNS, ROWS = 9, 10
HALF: Final = ROWS // 2
KINDS: Final = {letter: word for word, letter in XIANGQI.items()}
"""The words of the pieces by letter."""

MARKS: Final = ("".join(KINDS), "".join(KINDS).lower())
"""The letters of the pieces, by seat."""

Pairs = tuple[tuple[tuple[int, int], ...], ...]
"""Of each point, pairs of a point that must be empty and of the one behind it."""


@dataclass(frozen=True, slots=True)
class Ways:
    """Where pieces may go on a board, by seat where that matters, and by point."""

    lines: tuple[tuple[tuple[int, ...], ...], ...]
    generals: tuple[tuple[int, ...], ...]
    advisors: tuple[tuple[int, ...], ...]
    elephants: tuple[Pairs, Pairs]
    horses: Pairs
    riders: Pairs
    """From where a horse attacks a point: its leg, and it."""
    soldiers: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    zones: tuple[frozenset[int], ...]
    """What a piece must have come to, or gone from, to open the general on this point to an attack."""


def is_attacked(board: Board, cells: str, seat: Seat) -> bool:
    """Whether the general of a seat can be captured, or faces the other one."""
    ways, theirs = ways_of(board), tuple(MARKS[1 - seat])
    general, horse, chariot, cannon, soldier = theirs[0], *theirs[3:]
    home = cells.find(MARKS[seat][0])
    for line in ways.lines[home]:
        screens = 0
        for cell in line:
            mark = cells[cell]
            if mark == EMPTY:
                continue
            if mark == cannon if screens else mark in (chariot, general):
                return True
            screens += 1
            if screens > 1:
                break
    if any(
        cells[source] == soldier and home in ways.soldiers[1 - seat][source] for source in board.neighbours[home]
    ):
        return True
    return any(cells[source] == horse and cells[leg] == EMPTY for leg, source in ways.riders[home])


@lru_cache(maxsize=2)
def ways_of(board: Board) -> Ways:
    """Where pieces may go on a board."""
    every = range(len(board.names))
    horses, elephants = [], []
    for rays in board.rays:
        elephants.append([(rays[way][0], rays[way][1]) for way in DIAGONAL if len(rays[way]) > 1])
        ahead = [(rays[way][0], way) for way in ORTHOGONAL if rays[way]]
        aside = [(leg, board.rays[leg][(way + turn) % 8][:1]) for leg, way in ahead for turn in (-1, 1)]
        horses.append([(leg, ray[0]) for leg, ray in aside if ray])
    halves = [{cell for cell in every if (cell % ROWS < HALF) == (seat == 0)} for seat in (0, 1)]
    palaces = {cell for cell in every if 3 <= cell // ROWS <= 5 and cell % ROWS not in range(3, 7)}
    riders: list[list[tuple[int, int]]] = [[] for _ in every]
    for source, found in enumerate(horses):
        for leg, target in found:
            riders[target].append((leg, source))
    return Ways(
        tuple(tuple(rays[way] for way in ORTHOGONAL if rays[way]) for rays in board.rays),
        _near(board, ORTHOGONAL, palaces),
        _near(board, DIAGONAL, palaces),
        (_on(elephants, halves[0]), _on(elephants, halves[1])),
        tuple(map(tuple, horses)),
        tuple(map(tuple, riders)),
        (_ahead(board, 0, halves[0]), _ahead(board, 1, halves[1])),
        tuple(
            frozenset(
                [cell for way in ORTHOGONAL for cell in rays[way]]
                + [rays[way][0] for way in DIAGONAL if rays[way]]
            )
            for rays in board.rays
        ),
    )


def _near(board: Board, directions: tuple[int, ...], places: set[int]) -> tuple[tuple[int, ...], ...]:
    """Of each point those a step away in these directions that are among the places."""
    return tuple(
        tuple(rays[way][0] for way in directions if rays[way] and rays[way][0] in places) for rays in board.rays
    )


def _on(pairs: list[list[tuple[int, int]]], places: set[int]) -> Pairs:
    return tuple(tuple(pair for pair in found if pair[1] in places) for found in pairs)


def _ahead(board: Board, seat: Seat, own_half: set[int]) -> tuple[tuple[int, ...], ...]:
    """Where a soldier goes: ahead, and beyond the river aside."""
    forward = S if seat else N
    return tuple(
        tuple(rays[way][0] for way in ((forward,) if cell in own_half else (forward, W, E)) if rays[way])
        for cell, rays in enumerate(board.rays)
    )


def targets(ways: Ways, cells: str, seat: Seat, source: int, guards: bool = False) -> Iterator[int]:
    """Where the piece on a point may go, whatever becomes of its general; also the own pieces that it `guards`."""
    own, kind = "" if guards else MARKS[seat], cells[source].upper()
    if kind in "RC":
        yield from _along(ways.lines[source], cells, own, kind == "C")
    elif kind in "HE":
        pairs = ways.horses if kind == "H" else ways.elephants[seat]
        yield from (target for over, target in pairs[source] if cells[over] == EMPTY and cells[target] not in own)
    else:
        steps = ways.generals if kind == "G" else ways.advisors if kind == "A" else ways.soldiers[seat]
        yield from (target for target in steps[source] if cells[target] not in own)


def _along(lines: tuple[tuple[int, ...], ...], cells: str, own: str, has_to_jump: bool) -> Iterator[int]:
    """Where a chariot goes, or a cannon, which jumps over one piece to capture another."""
    for line in lines:
        is_over = not has_to_jump
        for cell in line:
            mark = cells[cell]
            if mark == EMPTY:
                if is_over == (not has_to_jump):
                    yield cell
            elif is_over:
                if mark not in own:
                    yield cell
                break
            else:
                is_over = True


def moved(cells: str, source: int, target: int) -> str:
    """The board after a piece has gone from one point to another."""
    after = list(cells)
    after[target], after[source] = after[source], EMPTY
    return "".join(after)


_SET_UP: Final = ("R..S.", "H.C..", "E..S.", "A....", "G..S.", "A....", "E..S.", "H.C..", "R..S.")
"""Of each column Red's half, from the bottom."""

QUIET_PLIES: Final = 120
"""Plies without a capture that make a draw."""

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_PIECE, GENERAL, ADVISOR, ELEPHANT, HORSE, CHARIOT, CANNON, SOLDIER = 1, 2, 3, 4, 5, 6, 7, 8, 9
SAFETY, ENDING = 10, 11

_RULES = {"G": GENERAL, "A": ADVISOR, "E": ELEPHANT, "H": HORSE, "R": CHARIOT, "C": CANNON, "S": SOLDIER}
_ATTACKERS: Final = (re.compile("[RHCS]"), re.compile("[rhcs]"))
"""The pieces of each seat that can cross the river: without any it cannot win."""
_OTHER_LETTERS: Final = str.maketrans("KBNP.", "GEHS=")
"""What books in English call the pieces as well, and the other sign for a move across."""

info = Info(
    name="xiangqi",
    title="Xiangqi",
    rules="xiangqi/2",
    sides=(Side("Red", "G"), Side("Black", "g")),
    group="chess",
    credit=Credit("traditional", 0),
    example="b3-e3",
    dialect="(?:[kgaebhnrcps][-+1-9]|[-+][kgaebhnrcps])[-+=.][1-9]",
)

_CELLS = {EMPTY: ()} | {
    mark: (Piece(seat, mark, f"xiangqi/{KINDS[mark.upper()]}"),)
    for seat, marks in enumerate(MARKS)
    for mark in marks
}


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Sixteen pieces on each side. Raises BadOption for any option."""
    chosen(info, options)
    return Position(river(), "".join([own + own[::-1].lower() for own in _SET_UP]))


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, by the piece moved."""
    if is_played(position):
        yield from _legal(position, begun)


def _legal(position: Position, begun: Move = ()) -> Iterator[Move]:
    """The moves that leave the own general unattacked, whether the game goes on or not."""
    own, ways, cells = MARKS[position.turn], ways_of(position.board), position.cells
    home = cells.find(own[0])
    zone = ways.zones[home]
    is_checked = is_attacked(position.board, cells, position.turn)
    for source in begun[:1] or range(len(cells)):
        if not isinstance(source, int) or cells[source] not in own:
            continue
        is_bound = is_checked or source in zone or source == home
        for target in targets(ways, cells, position.turn, source):
            if begun[1:] not in ((), (target,)):
                continue
            if not (is_bound or target in zone) or _is_safe(position, source, target):
                yield (source, target)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means, by points or as books write it: `C2=5`."""
    if re.fullmatch(info.dialect, text.strip(), re.ASCII | re.IGNORECASE):
        return _read_book(position, text.strip().upper().translate(_OTHER_LETTERS))
    return _read_points(position, text)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a piece moved, one was captured."""
    seat, cells, (source, target) = position.turn, position.cells, (int(step) for step in move)
    events = [Event("moved", seat, (source, target), KINDS[cells[source].upper()])]
    taken = cells[target]
    if taken != EMPTY:
        events.append(Event("captured", 1 - seat, (target,), KINDS[taken.upper()]))
    gone, seen = ((), (*position.seen, cells)) if taken == EMPTY else ((target,), ())
    return Position(position.board, moved(cells, source, target), 1 - seat, move, gone, seen), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended: a side that cannot move has lost; None while somebody is to move."""
    cells, seat = position.cells, position.turn
    if not any(may_win(position, each) for each in (0, 1)):
        return Outcome(two_ranks(None), "bare")
    if next(_legal(position), None) is None:
        is_mate = is_attacked(position.board, cells, seat)
        return Outcome(two_ranks(1 - seat), "mate" if is_mate else "stalemate")
    if defaults.times_before(position.seen, position.cells) >= defaults.TIMES - 1:
        guilty = defaults.checked_for_ever(position.seen, cells, seat, partial(is_attacked, position.board))
        return defaults.ended_by_repetition(guilty)
    return Outcome(two_ranks(None), "exhausted") if len(position.seen) >= QUIET_PLIES else None


def may_win(position: Position, seat: Seat) -> bool:
    """Whether a seat has a piece that can cross the river."""
    return _ATTACKERS[seat].search(position.cells) is not None


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    home = position.cells.find(MARKS[position.turn][0])
    attacked = (home,) if is_attacked(position.board, position.cells, position.turn) else ()
    return replace(
        defaults.scene_of(position, tuple([_CELLS[mark] for mark in position.cells])), attacked=attacked
    )


def is_played(position: Position) -> bool:
    """Whether no rule has ended the game, if the side on turn can move."""
    return (
        len(position.seen) < QUIET_PLIES
        and not defaults.times_before(position.seen, position.cells) >= defaults.TIMES - 1
        and any(may_win(position, seat) for seat in (0, 1))
    )


def _is_safe(position: Position, source: int, target: int) -> bool:
    """Whether the own general is not attacked after a move."""
    return not is_attacked(position.board, moved(position.cells, source, target), position.turn)


def _read_book(position: Position, text: str) -> Move:
    """The move that a book writes so: a piece, its file, and where it goes. Raises Illegal, Unfinished."""
    letter, which, sign, number = tuple(text if text[0] not in "+-" else text[1] + text[0] + text[2:])
    if to_move(position) is None:
        raise Illegal(ENDING)
    mark = letter if position.turn == 0 else letter.lower()
    found = [move for move in moves(position) if position.cells[int(move[0])] == mark]
    fits = [move for move in found if _is_called(position, move, which, sign, int(number))]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise Unfinished(fits=tuple(fits))
    raise Illegal(_RULES[letter], tuple(found[:10]))


def _is_called(position: Position, move: Move, which: str, sign: str, number: int) -> bool:
    """Whether a book may write a move with this file (or which of two), sign and number."""
    (column, row), (to_column, to_row) = (divmod(int(step), ROWS) for step in move)
    seat, mark = position.turn, position.cells[int(move[0])]
    files = [COLUMNS - each if seat == 0 else each + 1 for each in (column, to_column)]
    ahead = to_row - row if seat == 0 else row - to_row
    file = position.cells[column * ROWS : (column + 1) * ROWS]
    if which.isdigit():
        is_it = int(which) == files[0]
    else:
        is_front = file.rindex(mark) == row if seat == 0 else file.index(mark) == row
        is_it = file.count(mark) == 2 and is_front == (which == "+")
    is_straight = column == to_column
    goes = "=" if ahead == 0 else "+" if ahead > 0 else "-"
    return is_it and goes == sign and number == (abs(ahead) if is_straight else files[1])


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    source, target = int(steps[0]), int(steps[-1])
    if position.cells[source] not in MARKS[position.turn]:
        return OWN_PIECE
    ways = ways_of(position.board)
    if len(steps) == 2 and target in targets(ways, position.cells, position.turn, source):
        return SAFETY
    return _RULES[position.cells[source].upper()]


to_move, write = defaults.mover(moves), defaults.with_captures
_read_points = defaults.reader(info, moves, _why, ENDING)
