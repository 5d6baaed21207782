"""Draughts: English draughts, called checkers; others of the family will be objects here, too."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL
from pbmserv.games.game import (
    Credit,
    Event,
    Illegal,
    Info,
    Move,
    Outcome,
    Piece,
    Scene,
    Seat,
    Side,
    chosen,
    two_ranks,
)
from pbmserv.games.jumping import DOWN, EMPTY, UP, Ways, jumped, jumps, ways_of
from pbmserv.games.notation import joined, read_move, starting

MEN, KINGS = ("x", "o"), ("X", "O")

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_PIECE, MEN_MOVE, KINGS_MOVE, CAPTURING, MUST_CAPTURE, ENDING = 1, 2, 3, 4, 5, 6, 8

_CELLS = {EMPTY: ()} | {
    mark: (Piece(seat, mark, kind),)
    for kind, marks in (("", MEN), ("king", KINGS))
    for seat, mark in enumerate(marks)
}
_NAMES = {EMPTY: "", MEN[0]: "", MEN[1]: "", KINGS[0]: "king", KINGS[1]: "king"}


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell the mark of its piece, or a dot.

    `seen` are the boards before this one since the last ply that captured or moved a man. `last` is the last ply,
    and `taken` what it captured.
    """

    board: Board
    cells: str
    turn: Seat = 0
    seen: tuple[str, ...] = ()
    last: Move = ()
    taken: tuple[int, ...] = ()


@dataclass(frozen=True)
class Draughts:
    """A game of draughts, with so many rows of men on each side."""

    info: Info
    size: int
    rows_of_men: int
    quiet_plies: int
    """After so many without a capture or a man's move it is a draw."""

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """Men on the dark squares, those who move first at the top. Raises BadOption for any option."""
        chosen(self.info, options)
        rows = MEN[1] * self.rows_of_men + EMPTY * (self.size - 2 * self.rows_of_men) + MEN[0] * self.rows_of_men
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
        if self._drawn(position):
            return ()
        jumps = list(_jumps(position))
        return starting(jumps or _steps(position), begun)

    def read(self, position: Position, text: str) -> Move:
        """The legal move that `text` means, by the names of squares or by their numbers."""
        if re.fullmatch(self.info.dialect, text.strip(), re.ASCII | re.IGNORECASE):
            text = "-".join([self._named(int(number)) for number in re.findall("[0-9]+", text)])
        return read_move(text, position.board, partial(self.moves, position), partial(self._why, position))

    def write(self, position: Position, move: Move) -> str:
        """The notation of a legal move: `F6-E5`, or `C3xE5xG7` for one that captures."""
        return joined(position.board, move, "x" if jumped(position.board, move) else "-")

    def play(self, position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
        """The position after a legal move, and what happened: a piece moved, some captured, a man promoted."""
        seat, board, steps = position.turn, position.board, tuple(int(step) for step in move)
        cells, taken, mark = list(position.cells), jumped(board, move), position.cells[steps[0]]
        events = [Event("moved", seat, steps, _NAMES[mark])]
        events += [Event("captured", 1 - seat, (cell,), _NAMES[cells[cell]]) for cell in taken]
        for cell in (steps[0], *taken):
            cells[cell] = EMPTY
        is_man = mark == MEN[seat]
        if is_man and steps[-1] % self.size == (0 if seat == 0 else self.size - 1):
            mark = KINGS[seat]
            events.append(Event("promoted", seat, steps[-1:], _NAMES[mark]))
        cells[steps[-1]] = mark
        seen = () if taken or is_man else (*position.seen, position.cells)
        return Position(board, "".join(cells), 1 - seat, seen, move, taken), tuple(events)

    def outcome(self, position: Position) -> Outcome | None:
        """How it ended: whoever cannot move has lost; None while somebody is to move."""
        if self._drawn(position):
            is_repeated = len(position.seen) < self.quiet_plies
            return Outcome(two_ranks(None), "repeated" if is_repeated else "exhausted")
        if self.to_move(position) is not None:
            return None
        own = (MEN[position.turn], KINGS[position.turn])
        is_bare = not any(mark in position.cells for mark in own)
        return Outcome(two_ranks(1 - position.turn), "bare" if is_bare else "blocked")

    def scene(self, position: Position) -> Scene:
        """What to draw and say of the position."""
        steps = tuple(int(step) for step in position.last)
        return Scene(
            position.board,
            tuple(_CELLS[mark] for mark in position.cells),
            marked=steps[-1:],
            vacated=tuple(step for step in steps[:1] if step != steps[-1]),
            captured=position.taken,
        )

    def _drawn(self, position: Position) -> bool:
        """Whether too long nothing has happened, or the position is here for the third time."""
        seen = position.seen
        return len(seen) >= self.quiet_plies or (len(seen) > 7 and seen[-2::-2].count(position.cells) > 1)

    def _named(self, number: int) -> str:
        """The name of a dark square: they are numbered from the top, each row from left to right."""
        row, place = divmod(number - 1, self.size // 2)
        if row >= self.size:
            raise Illegal(THE_BOARD)
        up = self.size - 1 - row
        return f"{chr(ord('A') + 2 * place + up % 2)}{up + 1}"

    def _why(self, position: Position, steps: Move) -> int:
        """The rule that forbids a move."""
        if self.to_move(position) is None:
            return ENDING
        source, cells = int(steps[0]), position.cells
        if cells[source] not in (MEN[position.turn], KINGS[position.turn]):
            return OWN_PIECE
        if jumped(position.board, steps):
            return CAPTURING
        if next(_jumps(position), None):
            return MUST_CAPTURE
        return MEN_MOVE if cells[source] in MEN else KINGS_MOVE


def _ways(position: Position, mark: str) -> Ways:
    return ways_of(position.board, (DOWN, UP)[MEN.index(mark)] if mark in MEN else DIAGONAL)


def _steps(position: Position) -> Iterator[Move]:
    for mark in (MEN[position.turn], KINGS[position.turn]):
        ways = _ways(position, mark)
        for source in _places(position.cells, mark):
            yield from ((source, ray[0]) for ray in ways[source] if position.cells[ray[0]] == EMPTY)


def _jumps(position: Position) -> Iterator[Move]:
    theirs = (MEN[1 - position.turn], KINGS[1 - position.turn])
    for mark in (MEN[position.turn], KINGS[position.turn]):
        ways = _ways(position, mark)
        for source in _places(position.cells, mark):
            yield from jumps(position.cells, ways, theirs, (source,))


def _places(cells: str, mark: str) -> Iterator[int]:
    """Where this mark is; quicker than a look at every cell."""
    place = cells.find(mark)
    while place >= 0:
        yield place
        place = cells.find(mark, place + 1)


checkers = Draughts(
    Info(
        name="checkers",
        title="Checkers",
        rules="checkers/1",
        sides=(Side("Black", MEN[0]), Side("White", MEN[1])),
        credit=Credit("traditional", 0),
        example="f6-e5",
        dialect="[1-9][0-9]?(?:[-x:][1-9][0-9]?)+",
    ),
    size=8,
    rows_of_men=3,
    quiet_plies=80,
)

games = (checkers,)
