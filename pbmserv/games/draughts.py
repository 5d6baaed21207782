"""Draughts: English draughts, called checkers. Those with kings that fly are in `pbmserv.games.flying`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL
from pbmserv.games.game import Event, Illegal, Move, Outcome, Piece, Reason, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.jumping import DOWN, EMPTY, UP, Ways, jumped, jumps, ways_of
from pbmserv.games.notation import joined, read_move, starting

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
    """A game of draughts, with so many rows of men on each side: this one has kings that go one step."""

    info: Info
    size: int
    rows_of_men: int
    quiet_plies: int
    """After so many without a capture or a man's move it is a draw."""
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
        """How it ended: whoever cannot move has lost; None while somebody is to move."""
        if next(iter(self.legal(position)), None) is not None:
            drawn = self.drawn_by(position)
            return Outcome(two_ranks(None), drawn) if drawn else None
        own = (self.men[position.turn], self.kings[position.turn])
        is_bare = not any(mark in position.cells for mark in own)
        return Outcome(two_ranks(1 - position.turn), "bare" if is_bare else "blocked")

    def scene(self, position: Position) -> Scene:
        """What to draw and say of the position."""
        steps = tuple(int(step) for step in position.last)
        return Scene(
            position.board,
            tuple(self.pieces[mark] for mark in position.cells),
            marked=steps[-1:],
            vacated=tuple(step for step in steps[:1] if step != steps[-1]),
            captured=position.taken,
        )

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
        seen = position.seen
        if len(seen) >= self.quiet_plies:
            return "exhausted"
        return "repeated" if len(seen) > 7 and seen[-2::-2].count(position.cells) > 1 else None

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


def places(cells: str, mark: str) -> Iterator[int]:
    """Where this mark is; quicker than a look at every cell."""
    place = cells.find(mark)
    while place >= 0:
        yield place
        place = cells.find(mark, place + 1)


checkers = Draughts(
    Info(
        name="checkers",
        title="Checkers",
        rules="checkers/2",
        sides=(Side("Black", "x"), Side("White", "o")),
        group="draughts",
        credit=Credit("traditional", 0),
        example="f6-e5",
        dialect="[1-9][0-9]?(?:[-x:][1-9][0-9]?)+",
    ),
    size=8,
    rows_of_men=3,
    quiet_plies=80,
    is_first_below=False,
)

games = (checkers,)
