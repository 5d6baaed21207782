"""What chess and its kin have in common: a position, its moves and what they do, how it ends.

A castling move is the king and its own rook, so that it means the same from every first position. The kin override
single methods of `Chess`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from pbmserv.games.chess_moves import (
    BOARD,
    CAMPS,
    KINDS,
    LETTERS,
    SIZE,
    Cells,
    Situation,
    is_attacked,
    pairs,
    safe_pairs,
)
from pbmserv.games.chess_notation import (
    as_written,
    fitting,
    in_short,
    is_castling,
    is_short,
    kind_in,
    without_signs,
    written_b,
)
from pbmserv.games.chess_pieces import can_mate, scene_of
from pbmserv.games.chess_plies import Ply, captured, castled, castling, first_row, in_passing, kind_of, stepped
from pbmserv.games.game import (
    Event,
    Illegal,
    Move,
    MoveError,
    Outcome,
    Scene,
    Seat,
    Unfinished,
    Unreadable,
    two_ranks,
)
from pbmserv.games.info import Info, chosen
from pbmserv.games.notation import LONGEST, joined, read_move, starting

# The numbers of the paragraphs in the rules texts that Illegal may quote; all games of the family have these.
THE_BOARD, OWN_PIECE, KINGS, LINES, KNIGHTS, PAWNS, FAR_ROW, CASTLING, SAFE, ENDING = range(1, 11)
MORE = 13

_RULE_OF: Final = dict(zip(KINDS, (PAWNS, KNIGHTS, LINES, LINES, LINES, KINGS), strict=True))

STANDARD: Final = "518"
"""The number of the usual first position among the 960."""

CHECKS_TO_WIN: Final = 3
QUIET_PLIES: Final = 100
_MOST_NEAR: Final = 10


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies. `seen` are the situations before since the last ply that cannot be undone."""

    at: Situation
    quiet: int = 0
    """Plies since a capture or a pawn's move."""
    seen: tuple[Situation, ...] = ()
    last: Move = ()
    touched: tuple[int, ...] = ()
    """Where the pieces of the last ply went."""
    vacated: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Chess:
    """Chess, or one of its kin."""

    info: Info
    promotions: tuple[str, ...] = ("queen", "rook", "bishop", "knight")

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """All pieces in their places. Raises BadOption for anything but the options of `info`."""
        values = chosen(self.info, options)
        row = first_row(int(values.get("setup", STANDARD)))
        cells = "".join(f"{piece}P....p{piece.lower()}" for piece in row)
        rooks = tuple(
            column * SIZE + end for column, piece in enumerate(row) for end in (0, SIZE - 1) if piece == "R"
        )
        checks = (0, 0) if values.get("checks") == str(CHECKS_TO_WIN) else ()
        return Position(self.opened(Situation(cells.encode(), rights=rooks, checks=checks)))

    def opened(self, at: Situation) -> Situation:
        """What a game of the family has instead of the first situation of chess."""
        return at

    def to_move(self, position: Position) -> Seat | None:
        """The seat on turn; None when the game is over."""
        return None if self.ended(position) else position.at.turn

    def moves(self, position: Position, begun: Move = ()) -> Iterable[Move]:
        """The legal moves that begin so, by the piece moved."""
        return () if self.ended(position) else starting(legal_moves(self, position.at), begun)

    def outcome(self, position: Position) -> Outcome | None:
        """How it ended; None while somebody is to move."""
        return self.ended(position)

    def write(self, position: Position, move: Move) -> str:
        """The notation of a legal move: `E2-E4`, `E4xD5`, `E7-E8=QUEEN`, `E1-H1` for castling, `KNIGHT-F3`."""
        if isinstance(move[0], str):
            return f"{move[0].upper()}-{BOARD.names[int(move[1])]}"
        between = "x" if captured(position.at, move) >= 0 else "-"
        return joined(BOARD, move[:2], between) + "".join([f"={word}".upper() for word in move[2:]])

    def read(self, position: Position, text: str) -> Move:
        """The legal move that `text` means, by the cells that are touched or as books write it."""
        if not text.isascii() or len(text) > LONGEST:
            raise Unreadable
        b, text = written_b(text), without_signs(text)
        try:
            find, why = partial(self.moves, position), partial(self._why, position)
            move = read_move(text, BOARD, find, why, self.info.words)
        except Unfinished:
            raise
        except MoveError as refusal:
            return self._read_short(position, text, b, refusal)
        others = fitting(text, position.at, tuple(self.moves(position)), b) if b == "B" else []
        if fits := tuple(other for other in others if other[:2] != move[:2]):
            raise Unfinished(fits=(move, *fits))
        return move

    def play(self, position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
        """The position after a legal move, and what happened: pieces moved, were captured, promoted, dropped."""
        at = position.at
        ply = self.carry_out(at, move)
        after = self.situation(at, ply, move)
        is_final = not ply.is_quiet or after.checks != at.checks
        seen = () if is_final and not at.hands else (*position.seen, at)
        quiet = position.quiet + 1 if ply.is_quiet else 0
        return Position(after, quiet, seen, move, ply.arrived, ply.vacated, ply.taken), ply.events

    def scene(self, position: Position) -> Scene:
        """What to draw and say of the position."""
        at = position.at
        attacked = (at.cells.find(CAMPS[at.turn].king),) if self.is_check(at) else ()
        return scene_of(at, position.touched, position.vacated, position.taken, attacked)

    def san(self, position: Position, move: Move) -> str:
        """A legal move as books write it: `Nf3`, `exd5`, `O-O`, `e8=Q+`, `Qh7#`."""
        after, _ = self.play(position, move)
        is_won = (outcome := self.ended(after)) is not None and outcome.reason in ("mate", "king", "checks")
        sign = "#" if is_won else "+" if self.is_check(after.at) else ""
        return in_short(position.at, move, legal_moves(self, position.at)) + sign

    def situation(self, at: Situation, ply: Ply, move: Move) -> Situation:
        """What a ply leads to."""
        seat, rights, checks = at.turn, at.rights, at.checks
        if rights:
            changed = {*ply.touched, *ply.vacated, *ply.taken}
            lost = CAMPS[seat].first if at.cells.find(CAMPS[seat].king) in changed else -1
            rights = tuple([cell for cell in rights if cell not in changed and cell % SIZE != lost])
        after = Situation(bytes(ply.cells), 1 - seat, rights, checks=checks)
        if checks and self.is_check(after):
            after = after._replace(checks=tuple(count + (each == seat) for each, count in enumerate(checks)))
        return self.with_passing(after, ply.passing)

    def with_passing(self, at: Situation, cell: int) -> Situation:
        """The same situation with a pawn that has gone over a cell, if it can be taken there."""
        passing = at._replace(passing=cell)
        return passing if any(self.is_safe(passing, pair) for pair in in_passing(passing)) else at

    def _why(self, position: Position, steps: Move) -> int:
        """The rule that forbids a move by cells."""
        at, first = position.at, steps[0]
        if self.ended(position):
            return ENDING
        if isinstance(first, str):
            return MORE if at.hands else FAR_ROW
        mark, camp = at.cells[first], CAMPS[at.turn]
        if mark not in camp.marks:
            return OWN_PIECE
        own = [pair for pair in pairs(at.cells, at.turn) if pair[0] == first]
        if len(steps) == 1:
            return SAFE if own else self._rule_of(mark)
        second = steps[1]
        if (first, second) in own:
            return FAR_ROW if any(move[:2] == steps[:2] for move in legal_moves(self, at)) else SAFE
        is_far = isinstance(second, int) and abs(second - first) in (2 * SIZE, 3 * SIZE, 4 * SIZE)
        return CASTLING if mark == camp.king and is_far else self._rule_of(mark)

    def _rule_of(self, mark: int) -> int:
        return _RULE_OF[kind_of(mark)]

    def _read_short(self, position: Position, text: str, b: str, refusal: MoveError) -> Move:
        """The legal move that a text in the notation of books means. Raises the refusal, or another one."""
        at = position.at
        # With pieces in hand, one that is named with a cell would be dropped, and is never moved.
        is_drop = at.hands and isinstance(refusal, Illegal) and text.startswith(self.info.words)
        if is_drop or not is_short(text, at):
            raise refusal
        legal = tuple(self.moves(position))
        found = _meant(text, at, legal, b)
        meant = as_written(text, at, found, b)
        if len(meant) == 1:
            return meant[0]
        if meant and all(move[:2] == meant[0][:2] for move in meant):
            raise Unfinished(meant[0][:2])
        if found:
            raise Unfinished(fits=tuple((meant or found)[:_MOST_NEAR]))
        if not legal or (isinstance(refusal, Illegal) and text[:2].upper() in BOARD.numbers and len(text) > 2):
            raise refusal if isinstance(refusal, Illegal) else Illegal(ENDING)
        if "@" in text:
            raise Illegal(MORE, tuple(move for move in legal if isinstance(move[0], str))[:_MOST_NEAR])
        kind = kind_in(text)
        mark = ord(LETTERS[at.turn][KINDS.index(kind)])
        near = tuple(move for move in legal if isinstance(move[0], int) and at.cells[move[0]] == mark)
        if text[0] in "o0":
            raise Illegal(CASTLING, near[:_MOST_NEAR])
        is_unsafe = _meant(text, at, list(self.whole(at, pairs(at.cells, at.turn))), b)
        raise Illegal(SAFE if is_unsafe else _RULE_OF[kind], near[:_MOST_NEAR])

    def find(self, at: Situation) -> Iterator[Move]:
        """The legal moves of a situation, in a fixed order."""
        found, attacks = safe_pairs(at.cells, at.turn)
        yield from self.whole(at, found)
        yield from self.whole(at, [pair for pair in in_passing(at) if self.is_safe(at, pair)])
        if not attacks:
            yield from castling(at, self.is_safe_for_king)

    def whole(self, at: Situation, found: Iterable[tuple[int, int]]) -> Iterator[Move]:
        """Moves from cell to cell; those of a pawn to the far row with each piece that it may become."""
        camp, cells = CAMPS[at.turn], at.cells
        for pair in found:
            if pair[1] % SIZE == camp.last and cells[pair[0]] == camp.pawn:
                yield from [(*pair, word) for word in self.promotions]
            else:
                yield pair

    def is_safe(self, at: Situation, pair: tuple[int, int]) -> bool:
        """Whether a move leaves the mover's own king unattacked."""
        cells = self.carry_out(at, pair).cells
        return self.is_safe_for_king(cells, cells.index(CAMPS[at.turn].king), at.turn)

    def is_safe_for_king(self, cells: Cells, cell: int, seat: Seat) -> bool:
        """Whether a king of a seat would be unattacked there."""
        return not is_attacked(cells, cell, 1 - seat)

    def is_check(self, at: Situation) -> bool:
        """Whether the king of the seat on turn is attacked."""
        king = at.cells.find(CAMPS[at.turn].king)
        return king >= 0 and not self.is_safe_for_king(at.cells, king, at.turn)

    def carry_out(self, at: Situation, move: Move) -> Ply:
        """What a move does."""
        return castled(at, move) if is_castling(at, move) else stepped(at, move)

    def ended(self, position: Position) -> Outcome | None:
        """How it ended, worked out."""
        at, seen = position.at, position.seen
        if at.checks and max(at.checks) >= CHECKS_TO_WIN:
            return Outcome(two_ranks(1 - at.turn), "checks")
        if not legal_moves(self, at):
            return self.blocked(at)
        if self.is_bare(at):
            return Outcome(two_ranks(None), "bare")
        if len(seen) > 3 and seen.count(at) > 1:
            return Outcome(two_ranks(None), "repeated")
        return Outcome(two_ranks(None), "exhausted") if position.quiet >= QUIET_PLIES else None

    def blocked(self, at: Situation) -> Outcome:
        """How it ended when the seat on turn has no legal move."""
        is_mate = self.is_check(at)
        return Outcome(two_ranks(1 - at.turn), "mate") if is_mate else Outcome(two_ranks(None), "stalemate")

    def may_win(self, position: Position, seat: Seat) -> bool:
        """Whether a seat has the pieces with which it could win, wherever they stand, with the other's help."""
        return self.has_enough(position.at, seat)

    def has_enough(self, at: Situation, seat: Seat) -> bool:
        """Whether a seat has the pieces to mate, or to give check where that wins."""
        return can_mate(at, seat)

    def is_bare(self, at: Situation) -> bool:
        """Whether neither side can win."""
        return not (self.has_enough(at, 0) or self.has_enough(at, 1))


def _meant(text: str, at: Situation, found: Sequence[Move], b: str) -> list[Move]:
    """Those of some moves that fit a text; what is said to capture does."""
    return [move for move in fitting(text, at, found, b) if "x" not in text or captured(at, move) >= 0]


@lru_cache(maxsize=512)  # since whoever asks about a position asks several questions
def legal_moves(game: Chess, at: Situation) -> tuple[Move, ...]:
    """All legal moves of a situation."""
    return tuple(game.find(at))
