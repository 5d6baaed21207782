"""What moves of chess do: steps, captures in passing, castling; and the first positions of Chess960."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

from pbmserv.games.chess_moves import CAMPS, EMPTY, KINDS, LETTERS, SIZE, Cells, Situation
from pbmserv.games.chess_notation import king_goes
from pbmserv.games.game import Event, Move, Seat


@dataclass(slots=True)
class Ply:
    """What a move does, while it is worked out."""

    cells: bytearray
    touched: tuple[int, ...]
    vacated: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()
    events: tuple[Event, ...] = ()
    passing: int = -1
    is_quiet: bool = False

    @property
    def arrived(self) -> tuple[int, ...]:
        """The cells that pieces came to; a king that castles may stay where it is."""
        ends = {event.cells[-1] for event in self.events if event.kind != "captured"}
        return tuple(cell for cell in self.touched if cell in ends)


def stepped(at: Situation, move: Move) -> Ply:
    """What a move from cell to cell does that is not castling."""
    seat, camp = at.turn, CAMPS[at.turn]
    source, target, prey = int(move[0]), int(move[1]), captured(at, move)
    cells, mark = bytearray(at.cells), at.cells[source]
    events = [Event("moved", seat, (source, target), kind_of(mark))]
    if prey >= 0:
        events.append(Event("captured", 1 - seat, (prey,), kind_of(cells[prey])))
        cells[prey] = EMPTY
    cells[source] = EMPTY
    if move[2:]:
        word = str(move[2])
        events.append(Event("promoted", seat, (target,), word))
        mark = ord(LETTERS[seat][KINDS.index(word)])
    cells[target] = mark
    is_pawn = at.cells[source] == camp.pawn
    over = (source + target) // 2 if is_pawn and abs(source - target) == 2 else -1
    taken = (prey,) if prey >= 0 else ()
    return Ply(cells, (target,), (source,), taken, tuple(events), over, not taken and not is_pawn)


def kind_of(mark: int) -> str:
    return KINDS["PNBRQK".index(chr(mark).upper())]


def captured(at: Situation, move: Move) -> int:
    """The cell of the piece that a move from cell to cell captures; -1 where there is none."""
    source, target = int(move[0]), int(move[1])
    if at.cells[target] in CAMPS[1 - at.turn].marks:
        return target
    if target == at.passing and at.cells[source] == CAMPS[at.turn].pawn:
        return target // SIZE * SIZE + source % SIZE
    return -1


def in_passing(at: Situation) -> list[tuple[int, int]]:
    """Captures of a pawn that has just gone two cells, whatever becomes of the own king."""
    if at.passing < 0:
        return []
    pawn, sources = CAMPS[at.turn].pawn, CAMPS[1 - at.turn].strikes[at.passing]
    return [(source, at.passing) for source in sources if at.cells[source] == pawn]


def castling(at: Situation, is_safe: Callable[[Cells, int, Seat], bool]) -> Iterator[Move]:
    """The castling moves, of a king that is not attacked."""
    cells, seat = at.cells, at.turn
    for rook in at.rights:
        if rook % SIZE != CAMPS[seat].first:
            continue
        king = cells.index(CAMPS[seat].king)
        move = (king, rook)
        after = castled(at, move)
        goal = king_goes(move)
        row = range(min(king, rook, *after.touched), max(king, rook, *after.touched) + 1, SIZE)
        way = range(min(king, goal), max(king, goal) + 1, SIZE)
        bare = bytearray(cells)
        bare[king] = EMPTY
        if (
            all(cells[cell] == EMPTY or cell in move for cell in row)
            and all(is_safe(bare, cell, seat) for cell in way if cell != goal)
            and is_safe(after.cells, goal, seat)
        ):
            yield move


def castled(at: Situation, move: Move) -> Ply:
    """The king on column G or C, and the rook beside it."""
    king, rook = int(move[0]), int(move[1])
    goal = king_goes(move)
    beside = goal + (-SIZE if rook > king else SIZE)
    cells = bytearray(at.cells)
    cells[king] = cells[rook] = EMPTY
    cells[goal], cells[beside] = at.cells[king], at.cells[rook]
    went = [(king, goal, "king"), (rook, beside, "rook")]
    events = [Event("moved", at.turn, (source, target), kind) for source, target, kind in went if source != target]
    vacated = tuple(cell for cell in (king, rook) if cell not in (goal, beside))
    return Ply(cells, (goal, beside), vacated, (), tuple(events), is_quiet=True)


def first_row(number: int) -> str:
    """White's pieces in the first position of that number, as all 960 are numbered since Reinhard Scharnagl."""
    row = [""] * SIZE
    number, light = divmod(number, 4)
    number, dark = divmod(number, 4)
    number, queen = divmod(number, 6)
    row[2 * light + 1] = row[2 * dark] = "B"
    row[[column for column in range(SIZE) if not row[column]][queen]] = "Q"
    free = [column for column in range(SIZE) if not row[column]]
    for place in list(combinations(range(5), 2))[number]:
        row[free[place]] = "N"
    for column, piece in zip([column for column in range(SIZE) if not row[column]], "RKR", strict=True):
        row[column] = piece
    return "".join(row)
