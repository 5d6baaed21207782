"""Tafl, the board games of the Vikings: brandubh, tablut, hnefatafl. A king breaks out of a siege."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.boards import ORTHOGONAL
from pbmserv.games.defaults import EMPTY, TIMES, Position, scene_of, times_before
from pbmserv.games.game import Event, Move, Outcome, Piece, Scene, Seat, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import joined, read_move, starting

ATTACKER, DEFENDER, KING = "x", "o", "K"
ATTACKERS, DEFENDERS = 0, 1
MEN: Final = (ATTACKER, DEFENDER + KING)
"""What each seat moves."""

QUIET_PLIES: Final = 100
"""Plies without a capture that make a draw."""

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_PIECE, MOVING, RESTRICTED, ENDING = 1, 2, 3, 4, 8

_CELLS: Final = {
    EMPTY: (),
    ATTACKER: (Piece(ATTACKERS, ATTACKER),),
    DEFENDER: (Piece(DEFENDERS, DEFENDER),),
    KING: (Piece(DEFENDERS, KING, "king"),),
}


@dataclass(frozen=True)
class Tafl:
    """A game of tafl: how it begins, where the king escapes, and how he is captured."""

    info: Info
    rows: tuple[str, ...]
    """The pieces at the start, from the top."""
    has_corners: bool
    """Whether the king escapes to a corner, where nobody else may stand; or to any cell at the edge."""
    is_strong: bool
    """Whether the king is captured from all sides everywhere, and not at the edge."""

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """The king in the middle, among his defenders. Raises BadOption for any option."""
        chosen(self.info, options)
        size = len(self.rows)
        cells = [self.rows[size - 1 - row][column] for column in range(size) for row in range(size)]
        return Position(_board(size, self.has_corners), "".join(cells))

    def to_move(self, position: Position) -> Seat | None:
        """The seat on turn; None when the game is over."""
        return None if next(iter(self.moves(position)), None) is None else position.turn

    def moves(self, position: Position, begun: Move = ()) -> Iterable[Move]:
        """The legal moves that begin so, by the piece moved."""
        if self._ended(position) is not None:
            return ()
        return starting(self._legal(position, begun), begun)

    def read(self, position: Position, text: str) -> Move:
        """The legal move that `text` means."""
        return read_move(text, position.board, partial(self.moves, position), partial(self._why, position))

    def write(self, position: Position, move: Move) -> str:
        """The notation of a legal move: `D7-D5`."""
        return joined(position.board, move)

    def play(self, position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
        """The position after a legal move, and what happened: a piece moved, some were captured."""
        seat, cells, (source, target) = position.turn, list(position.cells), (int(step) for step in move)
        events = [Event("moved", seat, (source, target), _name(cells[source]))]
        cells[target], cells[source] = cells[source], EMPTY
        taken = tuple(
            cell for cell in position.board.neighbours[target] if self._takes(position, cells, target, cell)
        )
        events += [Event("captured", 1 - seat, (cell,), _name(cells[cell])) for cell in taken]
        for cell in taken:
            cells[cell] = EMPTY
        seen = () if taken else (*position.seen, position.cells)
        return Position(position.board, "".join(cells), 1 - seat, move, taken, seen), tuple(events)

    def outcome(self, position: Position) -> Outcome | None:
        """How it ended; None while somebody is to move."""
        ended = self._ended(position)
        is_open = ended is None or ended.reason == "exhausted"
        if is_open and next(self._legal(position), None) is None:
            return Outcome(two_ranks(1 - position.turn), "blocked")
        return ended

    def scene(self, position: Position) -> Scene:
        """What to draw and say of the position."""
        return scene_of(position, tuple([_CELLS[mark] for mark in position.cells]))

    def goals(self, board: Board) -> frozenset[int]:
        """Where the king escapes."""
        return _corners(board) if self.has_corners else _edge(board)

    def _ended(self, position: Position) -> Outcome | None:
        """How it ended by what stands on the board, leaving aside who can move."""
        home = position.cells.find(KING)
        if home < 0:
            return Outcome(two_ranks(ATTACKERS), "king")
        if home in self.goals(position.board):
            return Outcome(two_ranks(DEFENDERS), "goal")
        if position.turn == DEFENDERS and is_encircled(position.board, position.cells):
            return Outcome(two_ranks(ATTACKERS), "goal")
        if times_before(position.seen, position.cells) >= TIMES - 1:
            return Outcome(two_ranks(None), "repeated")
        return Outcome(two_ranks(None), "exhausted") if len(position.seen) >= QUIET_PLIES else None

    def _legal(self, position: Position, begun: Move = ()) -> Iterator[Move]:
        """The moves of all pieces, or of the one that is touched, whether the game goes on or not."""
        for source in begun[:1] or range(len(position.cells)):
            yield from self._from(position, source)

    def _from(self, position: Position, source: object) -> Iterator[Move]:
        """The moves of the piece on a cell."""
        cells, board = position.cells, position.board
        if not isinstance(source, int) or cells[source] not in MEN[position.turn]:
            return
        closed = frozenset() if cells[source] == KING else self._restricted(board)
        for way in ORTHOGONAL:
            for target in board.rays[source][way]:
                if cells[target] != EMPTY:
                    break
                if target not in closed:
                    yield (source, target)

    def _restricted(self, board: Board) -> frozenset[int]:
        """Where only the king may stand."""
        return _corners(board) | {throne(board)} if self.has_corners else frozenset((throne(board),))

    def _takes(self, position: Position, cells: list[str], mover: int, cell: int) -> bool:
        """Whether a piece that has just come to stand beside a cell captures what is there."""
        seat, board = position.turn, position.board
        if cells[cell] not in MEN[1 - seat]:
            return False
        if cells[cell] == KING and (
            self.is_strong or cell == throne(board) or throne(board) in board.neighbours[cell]
        ):
            is_in_reach = len(board.neighbours[cell]) == len(ORTHOGONAL)
            return is_in_reach and all(
                cells[each] == ATTACKER or each == throne(board) for each in board.neighbours[cell]
            )
        beyond = next((rays[0] for rays in _opposite(board, mover, cell)), None)
        return beyond is not None and (cells[beyond] in MEN[seat] or self._is_hostile(board, cells, beyond))

    def _is_hostile(self, board: Board, cells: list[str], cell: int) -> bool:
        """Whether a cell helps to capture either side's men; on his throne the king himself does, not the cell."""
        return cells[cell] == EMPTY and cell in self._restricted(board)

    def _why(self, position: Position, steps: Move) -> int:
        """The rule that forbids a move."""
        if self.to_move(position) is None:
            return ENDING
        source, target = int(steps[0]), int(steps[-1])
        if position.cells[source] not in MEN[position.turn]:
            return OWN_PIECE
        is_restricted = position.cells[source] != KING and target in self._restricted(position.board)
        return RESTRICTED if is_restricted and position.cells[target] == EMPTY else MOVING


def is_encircled(board: Board, cells: str) -> bool:
    """Whether neither the king nor any defender could get to the edge, if no attacker moved."""
    edge, met = _edge(board), set[int]()
    for source, mark in enumerate(cells):
        if mark not in MEN[DEFENDERS] or source in met:
            continue
        reached = [source]
        while reached:
            cell = reached.pop()
            if cell in edge:
                return False
            if cell not in met:
                met.add(cell)
                reached += [each for each in board.neighbours[cell] if cells[each] != ATTACKER and each not in met]
    return True


def throne(board: Board) -> int:
    """The cell in the middle."""
    return len(board.names) // 2


def _opposite(board: Board, mover: int, cell: int) -> Iterator[tuple[int, ...]]:
    """The cells on from a cell, away from one beside it; nothing at the edge."""
    for way in ORTHOGONAL:
        if board.rays[mover][way][:1] == (cell,) and board.rays[cell][way]:
            yield board.rays[cell][way]


@lru_cache(maxsize=4)
def _board(size: int, has_corners: bool) -> Board:
    """The squares, with the restricted ones darker."""
    board = boards.squares(size, size)
    shaded = (throne(board), *(_corners(board) if has_corners else ()))
    key = f"{board.key} throne{' and corners' * has_corners}"
    return replace(board, key=key, layout=replace(board.layout, shaded=tuple(sorted(shaded))))


@lru_cache(maxsize=4)
def _corners(board: Board) -> frozenset[int]:
    return frozenset(cell for cell, beside in enumerate(board.neighbours) if len(beside) == 2)


@lru_cache(maxsize=4)
def _edge(board: Board) -> frozenset[int]:
    return frozenset(cell for cell, beside in enumerate(board.neighbours) if len(beside) < len(ORTHOGONAL))


def _name(mark: str) -> str:
    return "king" if mark == KING else ""


def _tafl(name: str, rows: str, credit: Credit, example: str, has_corners: bool, is_strong: bool) -> Tafl:
    sides = (Side("Attackers", ATTACKER), Side("Defenders", DEFENDER))
    info = Info(name, name.capitalize(), f"{name}/2", sides, credit, example, group="hunt")
    return Tafl(info, tuple(rows.split()), has_corners, is_strong)


brandubh = _tafl(
    "brandubh",
    "...x... ...x... ...o... xxoKoxx ...o... ...x... ...x...",
    Credit("traditional", 0),
    "d6-g6",
    has_corners=True,
    is_strong=False,
)

tablut = _tafl(
    "tablut",
    "...xxx... ....x.... ....o.... x...o...x xxooKooxx x...o...x ....o.... ....x.... ...xxx...",
    Credit("traditional", 0),
    "d9-d7",
    has_corners=False,
    is_strong=False,
)

hnefatafl = _tafl(
    "hnefatafl",
    "...xxxxx... .....x..... ........... x....o....x x...ooo...x xx.ooKoo.xx "
    "x...ooo...x x....o....x ........... .....x..... ...xxxxx...",
    Credit("traditional", 0),
    "d11-d9",
    has_corners=True,
    is_strong=True,
)

games = (brandubh, tablut, hnefatafl)
