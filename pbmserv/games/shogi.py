"""Shogi, the chess of Japan, and minishogi on a small board: what is captured is dropped again."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.boards import DIAGONAL, NE, NW, ORTHOGONAL, SE, SW, E, N, S, W
from pbmserv.games.defaults import EMPTY, checked_for_ever, ended_by_repetition, scene_of, times_before
from pbmserv.games.game import Event, Illegal, Move, Outcome, Piece, Scene, Seat, Unfinished, two_ranks
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.kinds import SHOGI
from pbmserv.games.notation import joined, read_move, starting

KINDS: Final = {mark: (drawn, word) for mark, (word, drawn) in zip("KRBGSNLPDHWVUT", SHOGI.items(), strict=True)}
"""By the letter that a position has for a piece: as it is drawn, and its word."""

MARKS: Final = ("".join(KINDS), "".join(KINDS).lower())
"""The letters of the pieces, by seat: small ones are White's."""

IN_HAND: Final = "RBGSNLP"
WORDS: Final = {KINDS[mark][1]: mark for mark in IN_HAND}
"""What can be dropped, by its word."""

PROMOTED: Final = dict(zip("RBSNLP", "DHWVUT", strict=True))
PLAIN: Final = {promoted: plain for plain, promoted in PROMOTED.items()}

_GOLD: Final = (N, NE, NW, E, W, S)
_STEPS: Final = {
    "K": (*ORTHOGONAL, *DIAGONAL),
    "G": _GOLD,
    "S": (N, *DIAGONAL),
    "P": (N,),
    "D": DIAGONAL,
    "H": ORTHOGONAL,
} | dict.fromkeys("WVUT", _GOLD)
_SLIDES: Final = {"R": ORTHOGONAL, "D": ORTHOGONAL, "B": DIAGONAL, "H": DIAGONAL, "L": (N,)}


@dataclass(frozen=True, slots=True)
class Paths:
    """Where the pieces go on a board, by their letter and by cell; and what attacks a king, by its seat."""

    steps: Mapping[str, tuple[tuple[int, ...], ...]]
    slides: Mapping[str, tuple[tuple[tuple[int, ...], ...], ...]]
    leaps: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    """From where the other side's knight attacks."""
    near: tuple[tuple[str, ...], tuple[str, ...]]
    """In each direction those that attack from the next cell."""
    far: tuple[tuple[str, ...], tuple[str, ...]]
    """In each direction those that attack from further away."""
    lines: tuple[frozenset[int], ...]
    """The cells in line with each cell."""


@lru_cache(maxsize=4)
def paths_of(board: Board) -> Paths:
    """Where the pieces go on a board."""
    steps, slides = {}, {}
    for seat, turn in ((0, 0), (1, 4)):
        for kind, ways in _STEPS.items():
            found = [[rays[(way + turn) % 8][:1] for way in ways] for rays in board.rays]
            steps[_mark(kind, seat)] = tuple(tuple(ray[0] for ray in each if ray) for each in found)
        for kind, ways in _SLIDES.items():
            far = [[rays[(way + turn) % 8] for way in ways] for rays in board.rays]
            slides[_mark(kind, seat)] = tuple(tuple(ray for ray in each if ray) for each in far)
        steps[_mark("N", seat)] = _leaps(board, seat)
    return Paths(
        steps,
        slides,
        (_leaps(board, 0), _leaps(board, 1)),
        (_attackers(0, is_near=True), _attackers(1, is_near=True)),
        (_attackers(0, is_near=False), _attackers(1, is_near=False)),
        tuple(frozenset(cell for ray in rays for cell in ray) for rays in board.rays),
    )


def _mark(kind: str, seat: Seat) -> str:
    return kind if seat == 0 else kind.lower()


def _leaps(board: Board, seat: Seat) -> tuple[tuple[int, ...], ...]:
    """Where the knight of a seat goes: one cell ahead, and from there diagonally ahead."""
    ahead, aside = (N, (NW, NE)) if seat == 0 else (S, (SW, SE))
    return tuple(
        tuple(board.rays[rays[ahead][0]][way][0] for way in aside if board.rays[rays[ahead][0]][way])
        if rays[ahead]
        else ()
        for rays in board.rays
    )


def _attackers(seat: Seat, is_near: bool) -> tuple[str, ...]:
    """For each direction from a king of a seat the other side's pieces that attack from there."""
    turn = 0 if seat == 1 else 4  # as seen from the piece, which goes the other way
    found = []
    for way in range(8):
        back = (way + 4 + turn) % 8
        kinds = [kind for kind, ways in _SLIDES.items() if back in ways]
        kinds += [kind for kind, ways in _STEPS.items() if is_near and back in ways]
        found.append("".join(_mark(kind, 1 - seat) for kind in kinds))
    return tuple(found)


def targets(paths: Paths, cells: str, seat: Seat, source: int, guards: bool = False) -> Iterator[int]:
    """Where the piece on a cell may go, whatever becomes of its king; also the own pieces that it `guards`."""
    mark, own = cells[source], "" if guards else MARKS[seat]
    if mark in paths.steps:
        for target in paths.steps[mark][source]:
            if cells[target] not in own:
                yield target
    if mark in paths.slides:
        for line in paths.slides[mark][source]:
            for target in line:
                if cells[target] == EMPTY:
                    yield target
                    continue
                if cells[target] not in own:
                    yield target
                break


def attackers(board: Board, cells: str, seat: Seat) -> list[tuple[int, ...]]:
    """For each piece that attacks the king of a seat the cells from the king up to it, as far as it needs them.

    Of a knight that is its own cell alone.
    """
    paths = paths_of(board)
    home = cells.find(MARKS[seat][0])
    found = []
    for way, ray in enumerate(board.rays[home]):
        for count, cell in enumerate(ray):
            mark = cells[cell]
            if mark != EMPTY:
                if mark in (paths.far if count else paths.near)[seat][way]:
                    found.append(ray[: count + 1])
                break
    knight = _mark("N", 1 - seat)
    found += [(cell,) for cell in paths.leaps[seat][home] if cells[cell] == knight]
    return found


PROMOTE, STAY = "promote", "stay"

PIECES: Final = {
    mark: Piece(seat, KINDS[kind][0] if seat == 0 else KINDS[kind][0].lower(), f"shogi/{KINDS[kind][1]}")
    for seat in (0, 1)
    for kind, mark in zip(KINDS, MARKS[seat], strict=True)
}
"""By the letter that a position has for a piece."""


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies: for each cell the letter of its piece, small for White, or a dot.

    `hands` are the pieces that each side has captured, as capital letters. `seen` are the boards and hands before
    this one. `last` is the last ply.
    """

    board: Board
    cells: str
    hands: tuple[str, str] = ("", "")
    turn: Seat = 0
    seen: tuple[str, ...] = ()
    last: Move = ()
    taken: tuple[int, ...] = ()
    """Where it captured."""

    @property
    def now(self) -> str:
        """The board and the hands."""
        return f"{self.cells} {self.hands[0]} {self.hands[1]}"


def after(position: Position, move: Move) -> tuple[str, tuple[str, str]]:
    """The board and the hands after a move."""
    cells, hands, seat, target = list(position.cells), list(position.hands), position.turn, target_of(move)
    if isinstance(move[0], str):
        mark = WORDS[move[0]]
        hands[seat] = hands[seat].replace(mark, "", 1)
        cells[target] = mark if seat == 0 else mark.lower()
        return "".join(cells), (hands[0], hands[1])
    mark, taken = cells[move[0]], cells[target].upper()
    if taken != EMPTY:
        plain = PLAIN.get(taken, taken)
        hands[seat] = "".join(sorted(hands[seat] + plain, key=IN_HAND.find))
    if move[-1] == PROMOTE:
        promoted = PROMOTED[mark.upper()]
        mark = promoted if seat == 0 else promoted.lower()
    cells[target], cells[move[0]] = mark, EMPTY
    return "".join(cells), (hands[0], hands[1])


def is_attacked(board: Board, cells: str, seat: Seat) -> bool:
    """Whether the king of a seat is in check; `cells` may have the hands behind them."""
    return bool(attackers(board, cells, seat))


def target_of(move: Move) -> int:
    """The cell where a move, or enough of it, ends."""
    return int(move[1])


_PLACE: Final = "[1-9][a-i]"
_PIECE: Final = f"[k{IN_HAND.lower()}]"
DIALECT: Final = (
    f"{_PLACE}{_PLACE}[+]?|[{IN_HAND.lower()}][*']{_PLACE}|[+]?{_PIECE}(?:{_PLACE})?[-x]?{_PLACE}[+=]?"
)
"""Files are numbered from the right and ranks lettered from the top, as Black sees the board."""

_MOVE: Final = re.compile(
    f"(?P<piece>[+]?{_PIECE})?(?P<source>{_PLACE})?(?P<how>[-x*'])?(?P<target>{_PLACE})(?P<sign>[+=]?)"
)
_MARKS: Final = {drawn: mark for mark, (drawn, _) in KINDS.items()}


@dataclass(frozen=True, slots=True)
class BookMove:
    """What a book says of a move."""

    mark: str
    """The letter that a position has for the piece, in capitals; empty where the book leaves it out."""
    source: int | None
    target: int | None
    """None where it is off the board."""
    is_drop: bool
    ends: tuple[str, ...]
    """How the move may end: `promote`, `stay`, or neither."""
    is_off: bool
    """Whether it names a cell that the board does not have."""

    def fits(self, cells: str, move: Move) -> bool:
        """Whether this is the move, on a board that shows these cells."""
        if self.target != target_of(move) or self.is_drop != isinstance(move[0], str):
            return False
        if isinstance(move[0], str):
            return WORDS[move[0]] == self.mark
        is_piece = not self.mark or cells[move[0]].upper() == self.mark
        return is_piece and self.source in (None, move[0]) and str((*move, "")[2]) in self.ends


def book_move(text: str, size: int) -> BookMove | None:
    """What a text says on a board of that size; None where it is in another notation.

    >>> book_move("P*5e", 9).target, book_move("c3-c4", 9)
    (40, None)
    """
    found = _MOVE.fullmatch(text.lower()) if re.fullmatch(DIALECT, text, re.ASCII | re.IGNORECASE) else None
    if found is None:
        return None
    source, target = _cell(found["source"], size), _cell(found["target"], size)
    is_program = not found["piece"]
    ends = {"+": (PROMOTE,), "=": (STAY,)}.get(found["sign"], ("", STAY) if is_program else ("", STAY, PROMOTE))
    return BookMove(
        _MARKS.get((found["piece"] or "").upper(), "?" if found["piece"] else ""),
        source,
        target,
        found["how"] in ("*", "'"),
        ends,
        is_off=target is None or (source is None and found["source"] is not None),
    )


def _cell(place: str | None, size: int) -> int | None:
    """The cell of a place such as `7f`; None where there is none."""
    if place is None:
        return None
    column, row = size - int(place[0]), size - 1 - "abcdefghi".index(place[1])
    return column * size + row if column >= 0 and row >= 0 else None


TIMES: Final = 4
"""A position that comes so often ends the game."""
MOST_PLIES: Final = 500

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_PIECE, KING, ROOK, BISHOP, GOLD, SILVER, KNIGHT, LANCE, PAWN = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
PROMOTION, DROPPING, PAWN_DROPS, SAFETY, ENDING = 11, 12, 13, 14, 15
_MOST_NEAR: Final = 10

_RULES: Final = dict(zip("KRBGSNLP", range(KING, PAWN + 1), strict=True)) | dict.fromkeys(PLAIN, PROMOTION)


@dataclass(frozen=True)
class Shogi:
    """A game of shogi; `zone` tells in how many rows a side promotes."""

    info: Info
    rows: tuple[str, ...]
    """The pieces at the start, from the top."""
    zone: int
    first_loses: bool = False
    """Whether a repetition is lost by the side that moved first, and no draw."""

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """All pieces on the board. Raises BadOption for any option."""
        chosen(self.info, options)
        size = len(self.rows)
        cells = [self.rows[size - 1 - row][column] for column in range(size) for row in range(size)]
        return Position(boards.squares(size, size, width=2), "".join(cells))

    def to_move(self, position: Position) -> Seat | None:
        """The seat on turn; None when the game is over."""
        return None if next(iter(self.moves(position)), None) is None else position.turn

    def moves(self, position: Position, begun: Move = ()) -> Iterable[Move]:
        """The legal moves that begin so: those on the board by the piece moved, and then what is dropped."""
        if len(position.seen) >= MOST_PLIES or times_before(position.seen, position.now) >= TIMES - 1:
            return ()
        found = self._legal(position, begun[0] if begun else None)
        return starting(found, begun)

    def read(self, position: Position, text: str) -> Move:
        """The legal move that `text` means, by cells and words or as books write it: `P-7f`, `7g7f`."""
        text = text.strip()
        if (book := book_move(text, len(self.rows))) is not None:
            return self._find(position, book)
        if text.endswith("+"):
            text = text[:-1] + PROMOTE
        finder = partial(self.moves, position)
        return read_move(text, position.board, finder, partial(self._why, position), self.info.words)

    def write(self, position: Position, move: Move) -> str:
        """The notation of a legal move: `C3-C4`, `C4xC7=PROMOTE`, `BISHOP-E5` for a drop."""
        cells = [step for step in move if isinstance(step, int)]
        if len(cells) == 1:
            return joined(position.board, move).upper()
        text = joined(position.board, tuple(cells), "-" if position.cells[cells[1]] == EMPTY else "x")
        return "=".join([text, *(step.upper() for step in move if isinstance(step, str))])

    def play(self, position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
        """The position after a legal move, and what happened: a piece dropped, or moved, captured, promoted."""
        seat, target = position.turn, target_of(move)
        events = []
        taken = position.cells[target]
        if isinstance(move[0], str):
            events.append(Event("placed", seat, (target,), move[0]))
        else:
            mark = position.cells[move[0]].upper()
            events.append(Event("moved", seat, (move[0], target), KINDS[mark][1]))
            if taken != EMPTY:
                events.append(Event("captured", 1 - seat, (target,), KINDS[taken.upper()][1]))
            if move[-1] == PROMOTE:
                events.append(Event("promoted", seat, (target,), KINDS[PROMOTED[mark]][1]))
        cells, hands = after(position, move)
        seen, gone = (*position.seen, position.now), () if taken == EMPTY else (target,)
        return Position(position.board, cells, hands, 1 - seat, seen, move, gone), tuple(events)

    def outcome(self, position: Position) -> Outcome | None:
        """How it ended: a side that cannot move has lost; None while somebody is to move."""
        seat = position.turn
        if times_before(position.seen, position.now) >= TIMES - 1:
            guilty = checked_for_ever(position.seen, position.now, seat, partial(is_attacked, position.board))
            if guilty is None and self.first_loses:
                return Outcome(two_ranks(1), "repeated")
            return ended_by_repetition(guilty)
        if next(self._legal(position, None), None) is None:
            is_mate = is_attacked(position.board, position.cells, seat)
            return Outcome(two_ranks(1 - seat), "mate" if is_mate else "stalemate")
        return Outcome(two_ranks(None), "exhausted") if len(position.seen) >= MOST_PLIES else None

    def scene(self, position: Position) -> Scene:
        """What to draw and say of the position."""
        hands = tuple(
            tuple((PIECES[(mark, mark.lower())[seat]], hand.count(mark)) for mark in dict.fromkeys(hand))
            for seat, hand in enumerate(position.hands)
        )
        is_check = is_attacked(position.board, position.cells, position.turn)
        attacked = (position.cells.find(MARKS[position.turn][0]),) if is_check else ()
        cells = tuple([() if mark == EMPTY else (PIECES[mark],) for mark in position.cells])
        return replace(scene_of(position, cells), hands=hands, attacked=attacked)

    def _legal(self, position: Position, first: int | str | None) -> Iterator[Move]:
        """The legal moves, those only that begin with a step where one is given."""
        checks = attackers(position.board, position.cells, position.turn)
        if not isinstance(first, str):
            yield from self._on_board(position, bool(checks), first)
        if not isinstance(first, int) and len(checks) < 2:
            yield from self._drops(position, checks, first)

    def _on_board(self, position: Position, is_checked: bool, only: int | None) -> Iterator[Move]:
        cells, seat, board = position.cells, position.turn, position.board
        paths, own = paths_of(board), MARKS[seat]
        home = cells.find(own[0])
        for source in range(len(cells)) if only is None else (only,):
            if cells[source] not in own:
                continue
            is_bound = is_checked or source == home or source in paths.lines[home]
            for target in targets(paths, cells, seat, source):
                if not is_bound or not is_attacked(board, after(position, (source, target))[0], seat):
                    for how in self._ways_to_end(position, source, target):
                        yield (source, target, *how)

    def _ways_to_end(self, position: Position, source: int, target: int) -> tuple[tuple[str, ...], ...]:
        """The words that may end a move: whether the piece promotes."""
        mark, seat = position.cells[source].upper(), position.turn
        is_there = self._row_left(seat, source) < self.zone or self._row_left(seat, target) < self.zone
        if not is_there or mark not in PROMOTED:
            return ((),)
        return ((PROMOTE,),) if self._is_stuck(mark, seat, target) else ((PROMOTE,), (STAY,))

    def _drops(self, position: Position, checks: list[tuple[int, ...]], only: str | None) -> Iterator[Move]:
        cells, seat = position.cells, position.turn
        free = [cell for line in checks for cell in line[:-1]] if checks else range(len(cells))
        for word, mark in WORDS.items():
            if mark in position.hands[seat] and only in (None, word):
                for cell in free:
                    if cells[cell] == EMPTY and self._can_drop(position, mark, cell):
                        yield (word, cell)

    def _can_drop(self, position: Position, mark: str, cell: int) -> bool:
        """Whether a piece can stand on an empty cell: one that can move on, and a pawn without another rule."""
        if self._is_stuck(mark, position.turn, cell):
            return False
        return mark != "P" or not (self._has_pawn(position, cell) or self._mates(position, cell))

    def _row_left(self, seat: Seat, cell: int) -> int:
        """How many rows are still ahead of a cell."""
        row = cell % len(self.rows)
        return len(self.rows) - 1 - row if seat == 0 else row

    def _is_stuck(self, mark: str, seat: Seat, cell: int) -> bool:
        """Whether a piece could never move on from a cell."""
        return self._row_left(seat, cell) < {"P": 1, "L": 1, "N": 2}.get(mark, 0)

    def _has_pawn(self, position: Position, cell: int) -> bool:
        """Whether the side on turn has a pawn in a cell's column."""
        size = len(self.rows)
        first = cell - cell % size
        return ("P" if position.turn == 0 else "p") in position.cells[first : first + size]

    def _mates(self, position: Position, cell: int) -> bool:
        """Whether a pawn dropped there would be mate."""
        king = MARKS[1 - position.turn][0]
        ahead = paths_of(position.board).steps["P" if position.turn == 0 else "p"][cell]
        if not ahead or position.cells[ahead[0]] != king:
            return False
        cells, hands = after(position, ("pawn", cell))
        return next(self._legal(Position(position.board, cells, hands, 1 - position.turn), None), None) is None

    def _find(self, position: Position, book: BookMove) -> Move:
        """The legal move that a book writes so. Raises Illegal, or Unfinished where both ends would do."""
        if self.to_move(position) is None:
            raise Illegal(ENDING)
        if book.is_off:
            raise Illegal(THE_BOARD)
        found = [move for move in self.moves(position) if book.fits(position.cells, move)]
        if len(found) == 1:
            return found[0]
        if len({move[:2] for move in found}) == 1:
            raise Unfinished(found[0][:2])
        if found:
            raise Unfinished(fits=tuple(found[:_MOST_NEAR]))
        rule = DROPPING if book.is_drop else _RULES.get(book.mark, OWN_PIECE)
        near = [move for move in self.moves(position) if target_of(move) == book.target]
        raise Illegal(rule, tuple(near[:_MOST_NEAR]))

    def _why(self, position: Position, steps: Move) -> int:
        """The rule that forbids a move."""
        if self.to_move(position) is None:
            return ENDING
        first, *others = steps
        if isinstance(first, str):
            is_pawn = WORDS.get(first) == "P" and "P" in position.hands[position.turn]
            is_free = [position.cells[cell] for cell in others if isinstance(cell, int)] == [EMPTY]
            return PAWN_DROPS if is_pawn and is_free and len(others) == 1 else DROPPING
        if position.cells[first] not in MARKS[position.turn]:
            return OWN_PIECE
        reached = list(targets(paths_of(position.board), position.cells, position.turn, first))
        if not others or others[0] not in reached:
            return _RULES[position.cells[first].upper()]
        is_safe = next(iter(self.moves(position, steps[:2])), None) is not None
        return PROMOTION if is_safe else SAFETY


shogi = Shogi(
    Info(
        name="shogi",
        title="Shogi",
        rules="shogi/2",
        sides=(Side("Black", "K"), Side("White", "k")),
        group="chess",
        credit=Credit("traditional", 0),
        example="c3-c4",
        words=(*WORDS, PROMOTE, STAY),
        dialect=DIALECT,
    ),
    ("lnsgkgsnl", ".r.....b.", "p" * 9, "." * 9, "." * 9, "." * 9, "P" * 9, ".B.....R.", "LNSGKGSNL"),
    zone=3,
)

minishogi = Shogi(
    Info(
        name="minishogi",
        title="Minishogi",
        rules="minishogi/2",
        sides=(Side("Black", "K"), Side("White", "k")),
        group="chess",
        credit=Credit("Shigenobu Kusumoto", 1970),
        example="a2-a3",
        words=("rook", "bishop", "gold", "silver", "pawn", PROMOTE, STAY),
        dialect=DIALECT,
    ),
    ("rbsgk", "....p", ".....", "P....", "KGSBR"),
    zone=1,
    first_loses=True,
)

games = (shogi, minishogi)
