"""Draughts: English draughts, called checkers; with flying kings international, Brazilian and Russian.

All pieces that a flying king captures in a move stay where they are until it is over: none is jumped twice, and
they are in the way.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL, NE, NW, SE, SW
from pbmserv.games.defaults import EMPTY, drawn_by, places, scene_of
from pbmserv.games.game import Event, Illegal, Move, Outcome, Piece, Reason, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import joined, read_move, split, starting

UP: Final = (NW, NE)
DOWN: Final = (SW, SE)

Ways = tuple[tuple[tuple[int, ...], ...], ...]
"""Of each cell, for each direction in which a piece may go, the next cell and the one after that."""


@lru_cache(maxsize=32)
def ways_of(board: Board, directions: tuple[int, ...] = DIAGONAL) -> Ways:
    """The ways of a piece that goes in these directions."""
    return tuple(tuple(rays[way][:2] for way in directions if rays[way]) for rays in board.rays)


def jumps(
    cells: Sequence[str], ways: Ways, theirs: tuple[str, ...], path: tuple[int, ...], over: tuple[int, ...] = ()
) -> Iterator[Move]:
    """The whole captures that begin with this path, which has gone over these cells.

    A cell has the marks of what stands there, from bottom to top, or a dot. Nothing is jumped twice, and the piece
    that jumps is out of its own way.
    """
    is_done = True
    for ray in ways[path[-1]]:
        if len(ray) < 2 or cells[ray[0]][-1] not in theirs or ray[0] in over:
            continue
        if cells[ray[1]] == EMPTY or ray[1] == path[0]:
            is_done = False
            yield from jumps(cells, ways, theirs, (*path, ray[1]), (*over, ray[0]))
    if is_done and over:
        yield path


def jumped(board: Board, move: Move) -> tuple[int, ...]:
    """The cells that a move jumps over; empty for any other one."""
    ways = ways_of(board)
    return tuple(
        ray[0]
        for source, target in pairwise(move)
        for ray in ways[int(source)]
        if len(ray) == 2 and ray[1] == target
    )


# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_PIECE, MEN_MOVE, KINGS_MOVE, CAPTURING, MUST_CAPTURE, ENDING = 1, 2, 3, 4, 5, 6, 8


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell the mark of its piece, or a dot.

    `seen` are the boards before this one since the last ply that captured or moved a man. `last` is the last ply,
    and `taken` what it captured. `clocks` count plies of endings with few pieces, where the game has such.
    """

    board: Board
    cells: str
    turn: Seat = 0
    seen: tuple[str, ...] = ()
    last: Move = ()
    taken: tuple[int, ...] = ()
    clocks: tuple[int, ...] = ()


@dataclass(frozen=True)
class Draughts:
    """A game of draughts whose kings go one step."""

    info: Info
    size: int
    rows_of_men: int
    quiet_plies: int
    """Plies without a capture or a man's move that make a draw."""
    is_first_below: bool
    """Whether those who move first are at the bottom, and go up."""

    @cached_property
    def men(self) -> tuple[str, ...]:
        """The mark of each seat's men."""
        return tuple(side.mark for side in self.info.sides)

    @cached_property
    def kings(self) -> tuple[str, ...]:
        """The mark of each seat's kings."""
        return tuple(mark.upper() for mark in self.men)

    @cached_property
    def pieces(self) -> Mapping[str, tuple[Piece, ...]]:
        """What stands on a cell with a mark."""
        kinds = (("", self.men), ("king", self.kings))
        return {EMPTY: ()} | {
            mark: (Piece(seat, mark, kind),) for kind, marks in kinds for seat, mark in enumerate(marks)
        }

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """Men on the dark squares of some rows at the top and at the bottom. Raises BadOption for any option."""
        chosen(self.info, options)
        below, above = self.men if self.is_first_below else reversed(self.men)
        rows = below * self.rows_of_men + EMPTY * (self.size - 2 * self.rows_of_men) + above * self.rows_of_men
        cells = [
            mark if (column + row) % 2 == 0 else EMPTY
            for column in range(self.size)
            for row, mark in enumerate(rows)
        ]
        return Position(boards.squares(self.size, self.size, is_chequered=True), "".join(cells))

    def to_move(self, position: Position) -> Seat | None:
        """The seat on turn; None when the game is over."""
        return None if next(iter(self.moves(position)), None) is None else position.turn

    def moves(self, position: Position, begun: Move = ()) -> Iterable[Move]:
        """The legal moves that begin so, by the piece moved: captures if there are any."""
        return () if self.drawn_by(position) else starting(self.legal(position), begun)

    def legal(self, position: Position) -> Iterable[Move]:
        """The legal moves, if no rule has made it a draw."""
        return self.captures(position) or self.steps(position)

    def captures(self, position: Position) -> list[Move]:
        """The captures that are legal."""
        return list(self.jumps(position))

    def jumps(self, position: Position) -> Iterator[Move]:
        """The captures that go on as long as they can."""
        theirs = (self.men[1 - position.turn], self.kings[1 - position.turn])
        for mark in (self.men[position.turn], self.kings[position.turn]):
            ways = self._ways(position, mark)
            for source in places(position.cells, mark):
                yield from jumps(position.cells, ways, theirs, (source,))

    def steps(self, position: Position) -> Iterator[Move]:
        """The moves that capture nothing."""
        for mark in (self.men[position.turn], self.kings[position.turn]):
            ways = self._ways(position, mark)
            for source in places(position.cells, mark):
                yield from ((source, ray[0]) for ray in ways[source] if position.cells[ray[0]] == EMPTY)

    def taken(self, position: Position, move: Move) -> tuple[int, ...]:
        """The cells of the pieces that a move captures, if it does."""
        return jumped(position.board, move)

    def read(self, position: Position, text: str) -> Move:
        """The legal move that `text` means, by the names of squares or by their numbers."""
        text = self.named(text)
        return read_move(text, position.board, partial(self.moves, position), partial(self.why, position))

    def write(self, position: Position, move: Move) -> str:
        """The notation of a legal move: `F6-E5`, or `C3xE5xG7` for one that captures."""
        return joined(position.board, move, "x" if self.taken(position, move) else "-")

    def play(self, position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
        """The position after a legal move, and what happened: a piece moved, some captured, a man promoted."""
        seat, board, steps = position.turn, position.board, tuple(int(step) for step in move)
        cells, taken, mark = list(position.cells), self.taken(position, move), position.cells[steps[0]]
        events = [Event("moved", seat, steps, self._name(mark))]
        events += [Event("captured", 1 - seat, (cell,), self._name(cells[cell])) for cell in taken]
        for cell in (steps[0], *taken):
            cells[cell] = EMPTY
        is_man = mark == self.men[seat]
        if is_man and self.is_crowned(seat, steps):
            mark = self.kings[seat]
            events.append(Event("promoted", seat, steps[-1:], self._name(mark)))
        cells[steps[-1]] = mark
        seen = () if taken or is_man else (*position.seen, position.cells)
        after = Position(board, "".join(cells), 1 - seat, seen, move, taken, self.clocked(position, cells))
        return after, tuple(events)

    def outcome(self, position: Position) -> Outcome | None:
        """How it ended: a side that cannot move has lost; None while somebody is to move."""
        if next(iter(self.legal(position)), None) is not None:
            drawn = self.drawn_by(position)
            return Outcome(two_ranks(None), drawn) if drawn else None
        own = (self.men[position.turn], self.kings[position.turn])
        is_bare = not any(mark in position.cells for mark in own)
        return Outcome(two_ranks(1 - position.turn), "bare" if is_bare else "blocked")

    def scene(self, position: Position) -> Scene:
        """What to draw and say of the position."""
        return scene_of(position, tuple([self.pieces[mark] for mark in position.cells]))

    def is_far(self, seat: Seat, cell: int) -> bool:
        """Whether a cell is in the row where men of a seat become kings."""
        return cell % self.size == (self.size - 1 if self.goes_up(seat) else 0)

    def goes_up(self, seat: Seat) -> bool:
        """Whether men of a seat go up the board."""
        return (seat == 0) == self.is_first_below

    def is_crowned(self, seat: Seat, steps: tuple[int, ...]) -> bool:
        """Whether a man that takes these steps becomes a king."""
        return self.is_far(seat, steps[-1])

    def clocked(self, position: Position, cells: Sequence[str]) -> tuple[int, ...]:
        """The clocks once a ply has led from a position to these cells."""
        return ()

    def drawn_by(self, position: Position) -> Reason | None:
        """Why it is a draw: too long nothing has happened, or the position is here for the third time."""
        return drawn_by(position, self.quiet_plies)

    def why(self, position: Position, steps: Move) -> int:
        """The rule that forbids a move."""
        if self.to_move(position) is None:
            return ENDING
        source, cells = int(steps[0]), position.cells
        if cells[source] not in (self.men[position.turn], self.kings[position.turn]):
            return OWN_PIECE
        if self.taken(position, steps):
            return CAPTURING
        if next(self.jumps(position), None):
            return MUST_CAPTURE
        return MEN_MOVE if cells[source] in self.men else KINGS_MOVE

    def named(self, text: str) -> str:
        """A text with the names of squares in place of their numbers, if it has these."""
        if not re.fullmatch(self.info.dialect, text.strip(), re.ASCII | re.IGNORECASE):
            return text
        return "-".join([self._square(int(number)) for number in re.findall("[0-9]+", text)])

    def _square(self, number: int) -> str:
        """The name of a dark square: they are numbered from the top, each row from left to right."""
        row, place = divmod(number - 1, self.size // 2)
        if row >= self.size:
            raise Illegal(THE_BOARD)
        up = self.size - 1 - row
        return f"{chr(ord('A') + 2 * place + up % 2)}{up + 1}"

    def _name(self, mark: str) -> str:
        return self.pieces[mark][0].kind

    def _ways(self, position: Position, mark: str) -> Ways:
        if mark not in self.men:
            return ways_of(position.board, DIAGONAL)
        return ways_of(position.board, UP if self.goes_up(self.men.index(mark)) else DOWN)


Count = tuple[tuple[int, int], tuple[int, int]]
"""For each seat its men and its kings."""

Clock = Callable[[str, Count], tuple[object, int] | None]
"""Which ending of few pieces it is, if it is one, and after how many plies of it the game is drawn."""


@dataclass(frozen=True, slots=True)
class Hunt:
    """How one piece captures: what is in its way, and where it becomes a king at once."""

    board: Board
    cells: str
    theirs: tuple[str, ...]
    source: int
    crowned: frozenset[int]

    def whole(
        self, path: tuple[int, ...], is_king: bool, over: tuple[int, ...] = (), shut: int = -1
    ) -> Iterator[Move]:
        """The captures that go on from this path, as long as they can; not in the direction that is shut.

        A king that captures straight on stops right behind the piece that it took before: its other stops on the
        way would be the same move.
        """
        is_done = True
        for way in DIAGONAL:
            if way == shut:
                continue
            prey, stops = self._next(path[-1], way, is_king)
            if not stops or prey in over:
                continue
            is_done = False
            further: list[Move] = []
            here: list[Move] = []
            for count, cell in enumerate(stops):
                turns = is_king or cell in self.crowned
                on = self.whole((*path, cell), turns, (*over, prey), way if count else -1)
                for found in on:
                    (further if len(found) > len(path) + 1 else here).append(found)
            yield from further or here
        if is_done and over:
            yield path

    def _next(self, cell: int, way: int, is_king: bool) -> tuple[int, Sequence[int]]:
        """The first piece in a direction, and where one that jumps over it can stop; nowhere if it cannot."""
        ray = self.board.rays[cell][way]
        for place, prey in enumerate(ray if is_king else ray[:1]):
            if self._is_free(prey):
                continue
            if self.cells[prey] not in self.theirs:
                break
            stops = []
            for stop in ray[place + 1 :] if is_king else ray[1:2]:
                if not self._is_free(stop):
                    break
                stops.append(stop)
            return prey, stops
        return -1, ()

    def _is_free(self, cell: int) -> bool:
        return self.cells[cell] == EMPTY or cell == self.source


@dataclass(frozen=True)
class FlyingDraughts(Draughts):
    """Draughts in which men capture backwards, too, and kings go as far as they like."""

    must_take_most: bool
    """Whether of several captures one of the most pieces must be chosen."""
    goes_on_as_king: bool
    """Whether a man that comes to the far row in a capture goes on as a king."""
    endings: tuple[Clock, ...]

    def captures(self, position: Position) -> list[Move]:
        """The captures that are legal: all, or those of the most pieces."""
        found = list(self.jumps(position))
        most = max(map(len, found), default=0) if self.must_take_most else 0
        return [move for move in found if len(move) >= most]

    def jumps(self, position: Position) -> Iterator[Move]:
        """The captures that go on as long as they can."""
        turn, cells = position.turn, position.cells
        theirs = (self.men[1 - turn], self.kings[1 - turn])
        crowned = _row(position.board, self.size - 1 if self.goes_up(turn) else 0)
        for mark in (self.men[turn], self.kings[turn]):
            for source in places(cells, mark):
                hunt = Hunt(
                    position.board, cells, theirs, source, crowned if self.goes_on_as_king else frozenset()
                )
                yield from hunt.whole((source,), mark == self.kings[turn])

    def steps(self, position: Position) -> Iterator[Move]:
        """The moves that capture nothing: a man's, and then a king's."""
        cells, rays, king = position.cells, position.board.rays, self.kings[position.turn]
        yield from super().steps(_without(position, king))
        for source in places(cells, king):
            for way in DIAGONAL:
                for target in rays[source][way]:
                    if cells[target] != EMPTY:
                        break
                    yield (source, target)

    def taken(self, position: Position, move: Move) -> tuple[int, ...]:
        """The cells of the pieces that a move captures, if it does: those of the other side between its steps."""
        between, theirs = _between(position.board), (self.men[1 - position.turn], self.kings[1 - position.turn])
        return tuple(
            cell
            for pair in pairwise(move)
            for cell in between.get((int(pair[0]), int(pair[1])), ())
            if position.cells[cell] in theirs
        )

    def read(self, position: Position, text: str) -> Move:
        """The legal move that `text` means, whatever stops it names where a king goes straight on."""
        board = position.board
        steps = [int(step) for step in split(self.named(text), board)]
        for place in range(1, len(steps) - 1):
            steps[place] = self._stop(position, *steps[place - 1 : place + 2])
        return read_move(
            joined(board, tuple(steps)), board, partial(self.moves, position), partial(self.why, position)
        )

    def is_crowned(self, seat: Seat, steps: tuple[int, ...]) -> bool:
        """Whether a man that takes these steps becomes a king: if it ends in the far row, or also on the way."""
        ends = steps[1:] if self.goes_on_as_king else steps[-1:]
        return any(self.is_far(seat, cell) for cell in ends)

    def clocked(self, position: Position, cells: Sequence[str]) -> tuple[int, ...]:
        """The clocks once a ply has led from a position to these cells: each goes on while its ending lasts."""
        before, after = self._endings(position.cells), self._endings("".join(cells))
        counted = position.clocks or (0,) * len(self.endings)
        return tuple(
            count + 1 if now and old and now[0] == old[0] else 0
            for count, old, now in zip(counted, before, after, strict=True)
        )

    def drawn_by(self, position: Position) -> Reason | None:
        """Why it is a draw, if it is one: also when an ending of few pieces has lasted too long."""
        if any(position.clocks):
            for count, ending in zip(position.clocks, self._endings(position.cells), strict=True):
                if ending and count >= ending[1]:
                    return "exhausted"
        return super().drawn_by(position)

    def why(self, position: Position, steps: Move) -> int:
        """The rule that forbids a move."""
        rule = super().why(position, steps)
        return MUST_CAPTURE if rule == CAPTURING and steps in self.jumps(position) else rule

    def _endings(self, cells: str) -> list[tuple[object, int] | None]:
        count = tuple((cells.count(self.men[seat]), cells.count(self.kings[seat])) for seat in (0, 1))
        return [ending(cells, (count[0], count[1])) for ending in self.endings]

    def _stop(self, position: Position, source: int, stop: int, target: int) -> int:
        """Where a piece stops that goes straight on: right behind the first piece on its way."""
        rays = position.board.rays
        for way in DIAGONAL:
            ray = rays[source][way]
            if stop in ray and target in rays[stop][way]:
                met = [place for place, cell in enumerate(ray) if position.cells[cell] != EMPTY]
                if met and met[0] < ray.index(stop):
                    return ray[met[0] + 1]
        return stop


def _without(position: Position, mark: str) -> Position:
    """The position in which pieces of a mark are in the way, and cannot move."""
    return Position(position.board, position.cells.replace(mark, "#"), position.turn)


@lru_cache(maxsize=8)
def _row(board: Board, row: int) -> frozenset[int]:
    """The cells of a row, counted from the bottom."""
    return frozenset(board.layout.rows[-1 - row].cells)


@lru_cache(maxsize=8)
def _between(board: Board) -> Mapping[tuple[int, int], tuple[int, ...]]:
    """For two cells on a diagonal those between them."""
    return MappingProxyType(
        {
            (cell, target): rays[way][:place]
            for cell, rays in enumerate(board.rays)
            for way in DIAGONAL
            for place, target in enumerate(rays[way])
        }
    )


def _few(_: str, count: Count) -> tuple[object, int] | None:
    """International: a king against three pieces with a king among them, or against fewer."""
    for (men, kings), other in (count, count[::-1]):
        if other == (0, 1) and kings and men + kings <= 3:
            return (men + kings == 3, 32) if men + kings == 3 else (False, 10)
    return None


def _fewer(_: str, count: Count) -> tuple[object, int] | None:
    """Brazilian: at most two pieces on each side, with a king, and not a man on both."""
    is_ending = all(kings and men + kings <= 2 for men, kings in count) and count[0][0] + count[1][0] <= 1
    return (sorted(count), 10) if is_ending else None


def _balance(_: str, count: Count) -> tuple[object, int] | None:
    """Russian: both sides have kings, and nothing is captured or promoted."""
    pieces = sum(map(sum, count))
    if pieces > 7 or not (count[0][1] and count[1][1]):
        return None
    return count, 10 if pieces <= 3 else 60 if pieces <= 5 else 120


def _main_road(cells: str, count: Count) -> tuple[object, int] | None:
    """Russian: a king alone has the longest diagonal to itself, against three pieces with a king among them."""
    road = cells[::9].replace(EMPTY, "")
    for seat, mark in enumerate("OX"):
        men, kings = count[1 - seat]
        if count[seat] == (0, 1) and kings and men + kings == 3 and road == mark:
            return seat, 10
    return None


_NUMBERS: Final = "[1-9][0-9]?(?:[-x:][1-9][0-9]?)+"


def _info(name: str, title: str, example: str, dialect: str = "") -> Info:
    sides = (Side("White", "o"), Side("Black", "x"))
    return Info(
        name, title, f"{name}/2", sides, Credit("traditional", 0), example, dialect=dialect, group="draughts"
    )


checkers = Draughts(
    Info(
        name="checkers",
        title="Checkers",
        rules="checkers/2",
        sides=(Side("Black", "x"), Side("White", "o")),
        group="draughts",
        credit=Credit("traditional", 0),
        example="f6-e5",
        dialect=_NUMBERS,
    ),
    size=8,
    rows_of_men=3,
    quiet_plies=80,
    is_first_below=False,
)
international = FlyingDraughts(
    _info("international-draughts", "International Draughts", "d4-e5", _NUMBERS),
    size=10,
    rows_of_men=4,
    quiet_plies=50,
    is_first_below=True,
    must_take_most=True,
    goes_on_as_king=False,
    endings=(_few,),
)
brazilian = FlyingDraughts(
    _info("brazilian-draughts", "Brazilian Draughts", "c3-d4"),
    size=8,
    rows_of_men=3,
    quiet_plies=40,
    is_first_below=True,
    must_take_most=True,
    goes_on_as_king=False,
    endings=(_fewer,),
)
russian = FlyingDraughts(
    _info("russian-draughts", "Russian Draughts", "c3-d4"),
    size=8,
    rows_of_men=3,
    quiet_plies=30,
    is_first_below=True,
    must_take_most=False,
    goes_on_as_king=True,
    endings=(_balance, _main_road),
)

games = (checkers, international, brazilian, russian)
