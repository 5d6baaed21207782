"""Wall race, with the rules of a game by Mirko Marchesi (1997), without its trade name.

A wall is named by the lower left one of the four cells that it touches: `E5H` lies above E5 and F5, `E5V` to the
right of E5 and E6. What walls block is kept as bits, one for each cell from which a step up, or to the right, is
blocked; the edge of the board blocks likewise.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from pbmserv.games import boards, defaults
from pbmserv.games.game import Event, Move, Outcome, Piece, Reason, Scene, Seat, Stroke
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import joined, read_move

SIZE: Final = 9
ACROSS, UPRIGHT = "horizontal", "vertical"
OUTSIDE: Final = -1
"""Where the pawn of a player is who has left."""

CELLS: Final = range(SIZE * SIZE)
_TOP: Final = sum(1 << cell for cell in CELLS if cell % SIZE == SIZE - 1)
_BOTTOM: Final = _TOP >> SIZE - 1
_LEFT: Final = (1 << SIZE) - 1
_RIGHT: Final = _LEFT << SIZE * (SIZE - 1)
_GOALS: Final = (_TOP, _RIGHT, _BOTTOM, _LEFT)
"""By the edge where a pawn starts, clockwise from the lower one."""


@dataclass(frozen=True, slots=True)
class Wall:
    """A wall on the board: whose it is, the cell that names it, and its direction."""

    seat: Seat
    cell: int
    way: str


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: the cell of each seat's pawn, -1 when it has left; walls, the oldest first.

    `across` and `upright` have a bit for the cell of each wall, `hands` the walls left. `quiet` counts the plies
    since the last wall; `gone` are those who left, the first one first; `last` is where a pawn went from and to.
    """

    pawns: tuple[int, ...]
    hands: tuple[int, ...]
    walls: tuple[Wall, ...] = ()
    across: int = 0
    upright: int = 0
    turn: Seat | None = 0
    quiet: int = 0
    gone: tuple[Seat, ...] = ()
    last: tuple[int, ...] = ()

    @property
    def north(self) -> int:
        """The cells from which a step up is blocked."""
        return _TOP | self.across | self.across << SIZE

    @property
    def east(self) -> int:
        """The cells from which a step to the right is blocked."""
        return _RIGHT | self.upright | self.upright << 1


def goal_of(position: Position, seat: Seat) -> int:
    """The cells, as bits, that a seat's pawn has to reach."""
    return _GOALS[edge_of(len(position.pawns), seat)]


def edge_of(seats: int, seat: Seat) -> int:
    """From which edge a seat comes, clockwise from the lower one: two sit face to face."""
    return 2 * seat if seats == 2 else seat


def steps_of(position: Position, seat: Seat) -> list[int]:
    """Where a seat's pawn can go, in the board's order: beside it, or over another pawn, or past it."""
    cell, found = position.pawns[seat], set[int]()
    ways = _ways(position)
    for way, (step, blocked) in enumerate(ways):
        beside = cell + step
        if blocked >> cell & 1:
            continue
        if beside not in position.pawns:
            found.add(beside)
        elif not blocked >> beside & 1 and beside + step not in position.pawns:
            found.add(beside + step)
        else:
            aside = (ways[(way + turn) % 4] for turn in (1, 3))
            found.update(beside + step for step, wall in aside if not wall >> beside & 1)
    return sorted(found.difference(position.pawns))


def _ways(position: Position) -> tuple[tuple[int, int], ...]:
    """For each direction, clockwise from up, the step and the cells from which it is blocked."""
    north, east = position.north, position.east
    return (1, north), (SIZE, east), (-1, north << 1 | _BOTTOM), (-SIZE, east << SIZE | _LEFT)


def layers_to(goal: int, north: int, east: int, pawn: int) -> list[int]:
    """The cells, as bits, that are one step from a goal, two steps, ... until the pawn's is among them.

    Each layer has those before it, too, and pawns are in nobody's way. Without a way the last one lacks the pawn.
    """
    layers, seen, aim = [goal], goal, 1 << pawn
    open_up, open_right = ~north, ~east
    while not seen & aim:
        more = (
            seen
            | (seen & open_up) << 1
            | seen >> 1 & open_up
            | (seen & open_right) << SIZE
            | seen >> SIZE & open_right
        )
        if more == seen:
            break
        seen = more
        layers.append(seen)
    return layers


class Blocks:
    """Where walls can stand: a shortest way of each pawn is found once, and only walls across it are tried."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self._ways: dict[str, int] | None = None

    def can_stand(self, cell: int, way: str) -> bool:
        """Whether a wall can stand there: it is free, and no pawn's way to its goal is cut off."""
        return is_free(self._position, cell, way) and not self.cuts_off(cell, way)

    def cuts_off(self, cell: int, way: str) -> bool:
        """Whether a wall in a free place would leave some pawn without a way."""
        if self._ways is None:
            self._ways = self.across_ways(range(len(self._position.pawns)))
        if not self._ways[way] >> cell & 1:
            return False
        position = self._position
        north = position.north | (way == ACROSS) * ((1 << cell) | 1 << cell + SIZE)
        east = position.east | (way == UPRIGHT) * ((1 << cell) | 1 << cell + 1)
        return any(
            not layers_to(goal_of(position, seat), north, east, pawn)[-1] >> pawn & 1
            for seat, pawn in enumerate(position.pawns)
            if pawn != OUTSIDE
        )

    def across_ways(self, seats: Iterable[Seat]) -> dict[str, int]:
        """The walls, as bits of the cells that name them, across a shortest way of the pawn of one of these."""
        position, found = self._position, {ACROSS: 0, UPRIGHT: 0}
        ways = _ways(position)
        for seat in seats:
            pawn = position.pawns[seat]
            if pawn == OUTSIDE:
                continue
            layers = layers_to(goal_of(position, seat), position.north, position.east, pawn)
            for closer in reversed(layers[:-1]):
                step = next(step for step, wall in ways if not wall >> pawn & 1 and closer >> pawn + step & 1)
                low = min(pawn, pawn + step)
                if abs(step) == 1:
                    found[ACROSS] |= 1 << low | (1 << low >> SIZE)
                else:
                    found[UPRIGHT] |= 1 << low | (1 << low >> 1)
                pawn += step
        return found


def is_free(position: Position, cell: int, way: str) -> bool:
    """Whether a wall in this place would be on the board, and lie over or across no other one."""
    if cell % SIZE == SIZE - 1 or cell >= SIZE * (SIZE - 1):
        return False
    bit = 1 << cell
    if way == ACROSS:
        return not (position.across & (bit | bit << SIZE | bit >> SIZE) or position.upright & bit)
    return not (position.upright & (bit | bit << 1 | bit >> 1) or position.across & bit)


# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, STEPPING, JUMPING, WALLING, NEVER_CUT_OFF, ENDING = 1, 4, 5, 6, 7, 8

WALLS: Final = {2: 10, 3: 7, 4: 5}
"""How many walls each player has, by the number of players."""
QUIET_TURNS: Final = 60
"""Turns of each player without a wall that make a draw."""

BOARD: Final = boards.squares(SIZE, SIZE, width=3, is_spread=True)
_STARTS: Final = ("E1", "A5", "E9", "I5")
_SHORT: Final = re.compile(r"([a-i][1-9])-?([hv])", re.ASCII | re.IGNORECASE)

info = Info(
    name="wall-race",
    title="Wall Race",
    rules="wall-race/1",
    sides=(Side("Red", "R"), Side("Blue", "B"), Side("Green", "G"), Side("Yellow", "Y")),
    credit=Credit("Mirko Marchesi", 1997),
    example="e2",
    words=(ACROSS, UPRIGHT),
    dialect="[a-i][1-9]-?[hv]",
    most_seats=4,
    group="race",
)


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Each pawn in the middle of its edge, and no walls yet. Raises BadOption for any option."""
    chosen(info, options)
    pawns = tuple(BOARD.numbers[_STARTS[edge_of(seats, seat)]] for seat in range(seats))
    return Position(pawns, (WALLS[seats],) * seats)


def moves(position: Position, begun: Move = ()) -> Iterator[Move]:
    """The legal moves that begin so, cell by cell: a pawn's target, then walls."""
    if position.turn is None or len(begun) > 2:
        return
    targets = set(steps_of(position, position.turn))
    cells: Iterable[int] = (int(begun[0]),) if begun and isinstance(begun[0], int) else () if begun else CELLS
    blocks = Blocks(position)
    for cell in cells:
        if cell in targets and len(begun) < 2:
            yield (cell,)
        for way in (ACROSS, UPRIGHT):
            if begun[1:] in ((), (way,)) and position.hands[position.turn] and blocks.can_stand(cell, way):
                yield (cell, way)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a pawn moved or a wall set, perhaps others passed."""
    seat = position.turn
    assert seat is not None
    cell = int(move[0])
    if len(move) == 1:
        pawns = tuple(cell if each == seat else pawn for each, pawn in enumerate(position.pawns))
        last = (position.pawns[seat], cell)
        after = replace(position, pawns=pawns, quiet=position.quiet + 1, last=last)
        events = [Event("moved", seat, last)]
        is_over = goal_of(position, seat) >> cell & 1 == 1 or after.quiet >= QUIET_TURNS * len(pawns)
    else:
        wall = Wall(seat, cell, str(move[1]))
        hands = tuple(count - (each == seat) for each, count in enumerate(position.hands))
        after = replace(
            position,
            hands=hands,
            walls=(*position.walls, wall),
            across=position.across | (wall.way == ACROSS) << cell,
            upright=position.upright | (wall.way == UPRIGHT) << cell,
            quiet=0,
            last=(),
        )
        events = [Event("walled", seat, _touched(cell), _named(wall))]
        is_over = False
    turn, passed = (None, []) if is_over else _next(after, seat)
    return replace(after, turn=turn), (*events, *(Event("passed", each) for each in passed))


def leave(position: Position, seat: Seat) -> tuple[Position, tuple[Event, ...]]:
    """The position after a player has gone, with the pawn and the walls in hand; walls on the board stay."""
    pawns = tuple(OUTSIDE if each == seat else pawn for each, pawn in enumerate(position.pawns))
    hands = tuple(0 if each == seat else count for each, count in enumerate(position.hands))
    after = replace(position, pawns=pawns, hands=hands, gone=(*position.gone, seat), last=())
    events = [Event("left", seat)]
    turn = position.turn
    if len(after.gone) == len(pawns) - 1:
        turn = None
    elif turn == seat:
        turn, passed = _next(after, seat)
        events += [Event("passed", each) for each in passed]
    return replace(after, turn=turn), tuple(events)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. All who have not left and not won share a rank."""
    if position.turn is not None:
        return None
    seats = range(len(position.pawns))
    staying = [seat for seat in seats if seat not in position.gone]
    first = [seat for seat in staying if goal_of(position, seat) >> position.pawns[seat] & 1]
    is_quiet = position.quiet >= QUIET_TURNS * len(seats)
    reason: Reason = "goal" if first else "exhausted" if is_quiet else "blocked"
    if len(staying) == 1:
        reason, first = "alone", staying
    order = {seat: len(seats) + 1 - place for place, seat in enumerate(position.gone)}
    places = [order.get(seat, 0 if seat in first else 1) for seat in seats]
    return Outcome(tuple(1 + sum(other < place for other in places) for place in places), reason)


def write(position: Position, move: Move) -> str:
    """The notation of a legal move: `E2` for a pawn, `E5H` or `E5V` for a wall."""
    return joined(BOARD, move[:1]) + "".join(str(way)[0].upper() for way in move[1:])


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means; the direction of a wall may be a letter or a word."""
    if short := _SHORT.fullmatch(text.strip(" ")):
        text = f"{short[1]}-{ACROSS if short[2] in 'hH' else UPRIGHT}"
    return read_move(text, BOARD, partial(moves, position), partial(_why, position), info.words, off=THE_BOARD)


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    cells: list[tuple[Piece, ...]] = [()] * len(BOARD.names)
    for seat, pawn in enumerate(position.pawns):
        if pawn != OUTSIDE:
            cells[pawn] = (Piece(seat, info.sides[seat].mark),)
    return Scene(
        BOARD,
        tuple(cells),
        marked=position.last[1:],
        vacated=position.last[:1],
        hands=tuple(
            ((Piece(seat, "|", "wall"), count),) if count else () for seat, count in enumerate(position.hands)
        ),
        strokes=tuple(_stroke(wall) for wall in position.walls),
    )


def _next(position: Position, seat: Seat) -> tuple[Seat | None, list[Seat]]:
    """Who is next after a seat, and who has to pass; None where nobody can do anything."""
    passed: list[Seat] = []
    count = len(position.pawns)
    for each in ((seat + step) % count for step in range(1, count + 1)):
        if each in position.gone:
            continue
        if next(moves(replace(position, turn=each)), None) is not None:
            return each, passed
        passed.append(each)
    return None, passed


def _touched(cell: int) -> tuple[int, ...]:
    """The four cells that a wall of this name touches."""
    return cell, cell + 1, cell + SIZE, cell + SIZE + 1


def _named(wall: Wall) -> str:
    return f"{BOARD.names[wall.cell]}{wall.way[0].upper()}"


def _stroke(wall: Wall) -> Stroke:
    """A wall as it is drawn: along the upper edges of two cells, or the right ones."""
    first, above, right, last = _touched(wall.cell)
    (x, y), (line, at), width = BOARD.layout.places[wall.cell], BOARD.sheet.slots[wall.cell], BOARD.sheet.width
    if wall.way == ACROSS:
        return Stroke(
            wall.seat,
            _named(wall),
            ((x - 1, y - 1), (x + 3, y - 1)),
            ((line - 1, at, "-" * (2 * width + 1)),),
            ((first, above), (right, last)),
        )
    return Stroke(
        wall.seat,
        _named(wall),
        ((x + 1, y - 3), (x + 1, y + 1)),
        tuple((line - back, at + width, "|") for back in range(3)),
        ((first, right), (above, last)),
    )


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if position.turn is None:
        return ENDING
    cell, *way = steps
    if not isinstance(cell, int):
        return WALLING
    if way:
        stands = position.hands[position.turn] and len(way) == 1 and isinstance(way[0], str)
        return NEVER_CUT_OFF if stands and is_free(position, cell, str(way[0])) else WALLING
    x, y = (
        abs(each - own)
        for each, own in zip(divmod(cell, SIZE), divmod(position.pawns[position.turn], SIZE), strict=True)
    )
    return JUMPING if x + y == 2 else STEPPING


to_move = defaults.turn_of
