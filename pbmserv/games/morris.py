"""Merels: nine men's morris, and those of twelve, six and three men, on other drawings."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from pbmserv.games.board import Board
from pbmserv.games.boards import NE, NW, SE, SW, E, N, S, W, drawn
from pbmserv.games.defaults import drawer, drawn_by
from pbmserv.games.game import Event, Move, Outcome, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import joined, read_move, starting

EMPTY = "+"
FEWEST_MEN, FLYING_MEN = 3, 3

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, MOVING, FLYING, CAPTURING, MILLS_ARE_SAFE, ENDING = 1, 2, 3, 4, 5, 6, 7

NINE = """
7  +-----------+-----------+
   |           |           |
6  |   +-------+-------+   |
   |   |       |       |   |
5  |   |   +---+---+   |   |
   |   |   |       |   |   |
4  +---+---+       +---+---+
   |   |   |       |   |   |
3  |   |   +---+---+   |   |
   |   |       |       |   |
2  |   +-------+-------+   |
   |           |           |
1  +-----------+-----------+
   A   B   C   D   E   F   G
"""

TWELVE = """
7  +-----+-----+
   |\\    |    /|
6  | +---+---+ |
   | |\\  |  /| |
5  | | +-+-+ | |
   | | |   | | |
4  +-+-+   +-+-+
   | | |   | | |
3  | | +-+-+ | |
   | |/  |  \\| |
2  | +---+---+ |
   |/    |    \\|
1  +-----+-----+
   A B C D E F G
"""
SIX = """
5  +-------+-------+
   |       |       |
4  |   +---+---+   |
   |   |       |   |
3  +---+       +---+
   |   |       |   |
2  |   +---+---+   |
   |       |       |
1  +-------+-------+
   A   B   C   D   E
"""
THREE = """
3  +---+---+
   |\\  |  /|
   | \\ | / |
   |  \\|/  |
2  +---+---+
   |  /|\\  |
   | / | \\ |
   |/  |  \\|
1  +---+---+
   A   B   C
"""
_WAYS = ((N, S), (E, W), (NE, SW), (NW, SE))


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each point the mark of its man, or a plus. `hands` are men to be placed.

    `seen` are the boards before this one since the last man was placed or captured. `last` is where the
    last ply placed or moved a man, and `taken` where it captured one.
    """

    board: Board
    cells: str
    hands: tuple[int, int]
    turn: Seat = 0
    seen: tuple[str, ...] = ()
    last: Move = ()
    taken: tuple[int, ...] = ()
    is_won: bool = False


@dataclass(frozen=True)
class Morris:
    """A game of merels on a drawing."""

    info: Info
    art: str
    men: int
    quiet_plies: int
    """Plies without a man placed or captured that make a draw."""
    can_fly: bool = True
    """Whether a side with three men left may go anywhere."""
    wins_by_mill: bool = False
    """Whether a mill wins, instead of capturing."""
    ending: int = ENDING
    """The paragraph of the rules text that says how the game ends."""

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """The empty board. Raises BadOption for any option."""
        chosen(self.info, options)
        board = drawn(self.info.name, self.art)
        return Position(board, EMPTY * len(board.names), (self.men, self.men))

    def to_move(self, position: Position) -> Seat | None:
        """The seat on turn; None when the game is over."""
        return None if next(iter(self.moves(position)), None) is None else position.turn

    def moves(self, position: Position, begun: Move = ()) -> Iterable[Move]:
        """The legal moves that begin so: where a man is placed, or from and to, and then the man to capture."""
        is_over = position.is_won or drawn_by(position, self.quiet_plies)
        is_bare = self._men(position, position.turn) < FEWEST_MEN
        return () if is_over or is_bare else starting(self._moves(position), begun)

    def read(self, position: Position, text: str) -> Move:
        """The legal move that `text` means."""
        return read_move(text, position.board, partial(self.moves, position), partial(self._why, position))

    def write(self, position: Position, move: Move) -> str:
        """The notation of a legal move: `D6` or `D6-D5`, and `D6-D5xA1` for one that captures."""
        count = 1 if position.hands[position.turn] else 2
        taken = "x" + joined(position.board, move[count:]) if move[count:] else ""
        return joined(position.board, move[:count]) + taken

    def play(self, position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
        """The position after a legal move, and what happened: a man placed or moved, a man captured."""
        seat, cells, hands = position.turn, list(position.cells), list(position.hands)
        steps = tuple(int(step) for step in move)
        is_placed = hands[seat] > 0
        path, taken = (steps[:1], steps[1:]) if is_placed else (steps[:2], steps[2:])
        hands[seat] -= is_placed
        cells[path[0]] = EMPTY
        cells[path[-1]] = self._mark(seat)
        events = [Event("placed" if is_placed else "moved", seat, path)]
        for cell in taken:
            cells[cell] = EMPTY
            events.append(Event("captured", 1 - seat, (cell,)))
        seen = () if is_placed or taken else (*position.seen, position.cells)
        is_won = self.wins_by_mill and _closes(position.board, position.cells, self._mark(seat), path)
        after = Position(position.board, "".join(cells), (hands[0], hands[1]), 1 - seat, seen, path, taken, is_won)
        return after, tuple(events)

    def outcome(self, position: Position) -> Outcome | None:
        """How it ended: by a mill, by too few men, or by no move; None while somebody is to move."""
        if position.is_won:
            return Outcome(two_ranks(1 - position.turn), "goal")
        if self._men(position, position.turn) < FEWEST_MEN:
            return Outcome(two_ranks(1 - position.turn), "bare")
        if next(self._moves(position), None) is None:
            is_full = EMPTY not in position.cells
            return Outcome(two_ranks(None if is_full else 1 - position.turn), "blocked")
        reason = drawn_by(position, self.quiet_plies)
        return Outcome(two_ranks(None), reason) if reason else None

    def scene(self, position: Position) -> Scene:
        """What to draw and say of the position."""
        return drawer(self.info, more={EMPTY: ()})(position)

    def _mark(self, seat: Seat) -> str:
        return self.info.sides[seat].mark

    def _men(self, position: Position, seat: Seat) -> int:
        """The men of a seat on the board and in hand."""
        return position.cells.count(self._mark(seat)) + position.hands[seat]

    def _moves(self, position: Position) -> Iterator[Move]:
        cells, own = position.cells, self._mark(position.turn)
        prey = None
        for path in self._paths(position):
            if self.wins_by_mill or not _closes(position.board, cells, own, path):
                yield path
                continue
            prey = prey or self._prey(position)
            for cell in prey:
                yield (*path, cell)

    def _paths(self, position: Position) -> Iterator[tuple[int, ...]]:
        """Where a man can be placed, or from where to where one can be moved."""
        cells, own = position.cells, self._mark(position.turn)
        empty = [cell for cell, mark in enumerate(cells) if mark == EMPTY]
        if position.hands[position.turn]:
            yield from ((cell,) for cell in empty)
            return
        can_fly = self._can_fly(position)
        for source, mark in enumerate(cells):
            if mark == own:
                for target in empty if can_fly else position.board.neighbours[source]:
                    if cells[target] == EMPTY:
                        yield (source, target)

    def _can_fly(self, position: Position) -> bool:
        """Whether the side on turn has so few men that they may go anywhere."""
        return self.can_fly and position.cells.count(self._mark(position.turn)) <= FLYING_MEN

    def _prey(self, position: Position) -> tuple[int, ...]:
        """The men of the other side that can be captured: those in no mill, or all where each is in one."""
        theirs = self._mark(1 - position.turn)
        men = [cell for cell, mark in enumerate(position.cells) if mark == theirs]
        loose = [cell for cell in men if not _closes(position.board, position.cells, theirs, (cell,))]
        return tuple(loose or men)

    def _why(self, position: Position, steps: Move) -> int:
        """The rule that forbids a move."""
        if self.to_move(position) is None:
            return self.ending
        is_placing = position.hands[position.turn] > 0
        count = 1 if is_placing else 2
        paths = [path for path in self._paths(position) if path == steps[:count]]
        if not paths or self.wins_by_mill:
            return PLACING if is_placing else FLYING if self._can_fly(position) else MOVING
        is_prey = len(steps) == count + 1 and position.cells[int(steps[-1])] == self._mark(1 - position.turn)
        closes = _closes(position.board, position.cells, self._mark(position.turn), paths[0])
        return MILLS_ARE_SAFE if closes and is_prey else CAPTURING


@lru_cache(maxsize=8)
def _mills(board: Board) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For each point the other points of each row of three on a line that it is in."""
    rows = {
        (before[0], cell, after[0])
        for cell, rays in enumerate(board.rays)
        for before, after in ((rays[way], rays[back]) for way, back in _WAYS)
        if before and after
    }
    return tuple(
        tuple(tuple(other for other in row if other != cell) for row in sorted(rows) if cell in row)
        for cell in range(len(board.names))
    )


def _closes(board: Board, cells: str, mark: str, path: tuple[int, ...]) -> bool:
    """Whether a man that comes to the last of these points, from the first, is in a mill there."""
    source = path[0] if len(path) > 1 else -1
    return any(
        all(cells[cell] == mark and cell != source for cell in others) for others in _mills(board)[path[-1]]
    )


def _info(name: str, title: str, example: str, version: int = 2) -> Info:
    sides = (Side("White", "o"), Side("Black", "x"))
    return Info(name, title, f"{name}/{version}", sides, Credit("traditional", 0), example, group="rows")


morris = Morris(_info("morris", "Nine men's morris", "d6"), NINE, men=9, quiet_plies=100)
twelve = Morris(_info("twelve-mens-morris", "Twelve men's morris", "d6"), TWELVE, men=12, quiet_plies=100)
six = Morris(_info("six-mens-morris", "Six men's morris", "c4"), SIX, men=6, quiet_plies=100, can_fly=False)
three = Morris(
    _info("three-mens-morris", "Three men's morris", "a1", version=1),
    THREE,
    men=3,
    quiet_plies=40,
    can_fly=False,
    wins_by_mill=True,
    ending=4,
)

games = (morris, twelve, six, three)
