"""How the pieces of chess move: over boards that are bytes, cell by cell in the order A1, A2, ... B1.

A piece is a letter, White's in capitals, and an empty cell a dot. What is listed here ignores rights to castle and
pawns taken in passing, which the game knows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from pbmserv.games import boards
from pbmserv.games.boards import DIAGONAL, NE, NW, SE, SW, N, S
from pbmserv.games.game import Event, Move, Seat

SIZE: Final = 8
BOARD: Final = boards.squares(SIZE, SIZE, is_chequered=True)
EMPTY: Final = ord(".")
KINDS: Final = ("pawn", "knight", "bishop", "rook", "queen", "king")
LETTERS: Final = ("PNBRQK", "pnbrqk")

Cells = bytes | bytearray
Ray = tuple[int, ...]


class Situation(NamedTuple):
    """What decides which moves there are; the same one for the third time is a draw."""

    cells: bytes
    turn: Seat = 0
    rights: tuple[int, ...] = ()
    """The cells of the rooks that may still castle."""
    passing: int = -1
    """The cell over which a pawn has just gone, if it can be taken there."""
    hands: tuple[tuple[int, ...], ...] = ()
    """In crazyhouse, for each seat, how many of `KINDS` it has beside the board, without kings."""
    promoted: frozenset[int] = frozenset()
    """In crazyhouse, where pieces stand that were pawns."""
    checks: tuple[int, ...] = ()
    """How often each seat has given check, where that counts."""


@dataclass(frozen=True, slots=True)
class Camp:
    """The marks of a side's pieces, and what belongs to its direction; tables have an entry for each cell."""

    pawn: int
    knight: int
    king: int
    first: int
    """Its row of pieces, and the last one, where pawns are promoted."""
    last: int
    marks: frozenset[int]
    sliders: tuple[frozenset[int], frozenset[int]]
    """Those of its pieces that go along rows and columns, and along diagonals."""
    ahead: tuple[Ray, ...]
    """Where a pawn goes: one cell or two."""
    strikes: tuple[Ray, ...]
    """Where it captures."""


def _hops(steps: tuple[tuple[int, int], ...]) -> tuple[Ray, ...]:
    places = [(column, row) for column in range(SIZE) for row in range(SIZE)]
    ends = [[(column + x, row + y) for x, y in steps] for column, row in places]
    return tuple(
        tuple(column * SIZE + row for column, row in each if 0 <= column < SIZE and 0 <= row < SIZE)
        for each in ends
    )


def _camp(seat: Seat) -> Camp:
    pawn, knight, bishop, rook, queen, king = LETTERS[seat].encode()
    up, sides = ((N, (NW, NE)), (S, (SW, SE)))[seat]
    first = (0, SIZE - 1)[seat]
    second = (1, SIZE - 2)[seat]
    return Camp(
        pawn,
        knight,
        king,
        first,
        SIZE - 1 - first,
        frozenset((pawn, knight, bishop, rook, queen, king)),
        (frozenset((rook, queen)), frozenset((bishop, queen))),
        tuple(rays[up][: 2 if cell % SIZE == second else 1] for cell, rays in enumerate(BOARD.rays)),
        tuple(tuple(rays[side][0] for side in sides if rays[side]) for rays in BOARD.rays),
    )


CAMPS: Final = (_camp(0), _camp(1))
HOPS: Final = _hops(((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)))
AROUND: Final = tuple(tuple(sorted(ray[0] for ray in rays if ray)) for rays in BOARD.rays)
"""The cells beside each cell, diagonally too."""

_ALONG: Final = tuple((tuple(filter(None, rays[::2])), tuple(filter(None, rays[1::2]))) for rays in BOARD.rays)
"""From each cell the rays of a rook, and those of a bishop."""

_RAYS: Final = tuple(
    tuple((ray, int(way in DIAGONAL)) for way, ray in enumerate(rays) if ray) for rays in BOARD.rays
)
_REACHES: Final = {ord(mark): (mark in "RrQq", mark in "BbQq") for mark in "RrBbQq"}


def pairs(cells: Cells, seat: Seat) -> Iterator[tuple[int, int]]:
    """From where to where each piece of a seat can go, whatever becomes of its king."""
    camp, foes = CAMPS[seat], CAMPS[1 - seat].marks
    pawn, knight, king, own = camp.pawn, camp.knight, camp.king, camp.marks
    for source, mark in enumerate(cells):
        if mark not in own:
            continue
        if mark == pawn:
            for target in camp.ahead[source]:
                if cells[target] != EMPTY:
                    break
                yield source, target
            for target in camp.strikes[source]:
                if cells[target] in foes:
                    yield source, target
        elif mark in (knight, king):
            for target in HOPS[source] if mark == knight else AROUND[source]:
                if cells[target] not in own:
                    yield source, target
        else:
            straight, slanting = _ALONG[source]
            is_straight, is_slanting = _REACHES[mark]
            rays = straight + slanting if is_straight and is_slanting else straight if is_straight else slanting
            for ray in rays:
                for target in ray:
                    there = cells[target]
                    if there == EMPTY:
                        yield source, target
                        continue
                    if there in foes:
                        yield source, target
                    break


def is_attacked(cells: Cells, cell: int, by: Seat, with_king: bool = True) -> bool:
    """Whether a piece of a seat could capture on a cell."""
    foe, friend = CAMPS[by], CAMPS[1 - by]
    for each in HOPS[cell]:
        if cells[each] == foe.knight:
            return True
    for each in friend.strikes[cell]:
        if cells[each] == foe.pawn:
            return True
    if with_king and foe.king in cells:
        for each in AROUND[cell]:
            if cells[each] == foe.king:
                return True
    sliders = foe.sliders
    for ray, way in _RAYS[cell]:
        for each in ray:
            mark = cells[each]
            if mark != EMPTY:
                if mark in sliders[way]:
                    return True
                break
    return False


def dangers(cells: Cells, seat: Seat, king: int) -> tuple[list[Ray], dict[int, Ray]]:
    """What attacks a king, and which of its own pieces may not leave the line to an attacker.

    Of each attacker the cells where a piece that comes there stops it; of each pinned piece those where it may go.
    """
    foe, camp = CAMPS[1 - seat], CAMPS[seat]
    own, sliders = camp.marks, foe.sliders
    attacks: list[Ray] = []
    pins: dict[int, Ray] = {}
    for ray, way in _RAYS[king]:
        shield = -1
        for count, cell in enumerate(ray, 1):
            mark = cells[cell]
            if mark == EMPTY:
                continue
            if mark in own:
                if shield >= 0:
                    break
                shield = cell
                continue
            if mark in sliders[way]:
                if shield >= 0:
                    pins[shield] = ray[:count]
                else:
                    attacks.append(ray[:count])
            break
    attacks += [(each,) for each in HOPS[king] if cells[each] == foe.knight]
    attacks += [(each,) for each in camp.strikes[king] if cells[each] == foe.pawn]
    return attacks, pins


def safe_pairs(cells: Cells, seat: Seat) -> tuple[list[tuple[int, int]], list[Ray]]:
    """Those of `pairs` that leave the seat's own king unattacked, and what attacks it now, as `dangers` tells."""
    king = cells.index(CAMPS[seat].king)
    attacks, pins = dangers(cells, seat, king)
    bare = bytearray(cells)
    bare[king] = EMPTY
    found = []
    stops = attacks[0] if attacks else ()
    for pair in pairs(cells, seat):
        source, target = pair
        if source == king:
            if not is_attacked(bare, target, 1 - seat):
                found.append(pair)
        elif not attacks or (len(attacks) == 1 and target in stops):
            pin = pins.get(source)
            if pin is None or target in pin:
                found.append(pair)
    return found, attacks


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


def is_castling(at: Situation, move: Move) -> bool:
    """Whether a legal move is that of a king to its own rook."""
    target = move[1]
    return isinstance(move[0], int) and isinstance(target, int) and at.cells[target] in CAMPS[at.turn].marks


def king_goes(move: Move) -> int:
    """Where the king goes that castles so."""
    king, rook = int(move[0]), int(move[1])
    return (6 if rook > king else 2) * SIZE + king % SIZE


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
