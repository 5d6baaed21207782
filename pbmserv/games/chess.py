"""Chess, from any of the 960 first positions of Chess960 or with three checks, and its kin."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

from pbmserv.games import chess_moves, chess_notation
from pbmserv.games.chess_moves import AROUND, BOARD, CAMPS, EMPTY, KINDS, LETTERS, SIZE, Cells, Ply, Situation
from pbmserv.games.chess_notation import DIALECT, DIALECT_OF_DROPS
from pbmserv.games.game import (
    Event,
    Illegal,
    Move,
    MoveError,
    Outcome,
    Piece,
    Scene,
    Seat,
    Unfinished,
    Unreadable,
    two_ranks,
)
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import LONGEST, joined, read_move, starting

Touched = tuple[int, ...]

_CELLS: Final = {EMPTY: ()} | {
    ord(mark): (Piece(seat, mark, f"chess/{kind}"),)
    for seat, marks in enumerate(LETTERS)
    for kind, mark in zip(KINDS, marks, strict=True)
}


def scene_of(at: Situation, marked: Touched, vacated: Touched, captured: Touched, attacked: Touched) -> Scene:
    """What to draw and say of a situation, and of the cells that the last ply touched."""
    return Scene(
        BOARD,
        tuple([_CELLS[mark] for mark in at.cells]),
        marked=marked,
        vacated=vacated,
        captured=captured,
        hands=tuple(_in_hand(seat, hand) for seat, hand in enumerate(at.hands)),
        attacked=attacked,
    )


def _in_hand(seat: Seat, hand: tuple[int, ...]) -> tuple[tuple[Piece, int], ...]:
    found = zip(LETTERS[seat], KINDS, hand, strict=False)
    return tuple((Piece(seat, mark, f"chess/{kind}"), count) for mark, kind, count in found if count)


def pieces_of(at: Situation, seat: Seat) -> list[str]:
    """The kinds of a seat's pieces without its king, each as often as there is one."""
    marks = zip(KINDS[:-1], LETTERS[seat].encode(), strict=False)
    return [kind for kind, mark in marks for _ in range(at.cells.count(mark))]


def shades_of(at: Situation, seat: Seat) -> set[int]:
    """On squares of which colours the bishops and knights of a seat stand: 0 for that of A1, 1."""
    marks = LETTERS[seat].encode()[1:3]
    return {sum(divmod(cell, SIZE)) % 2 for cell, mark in enumerate(at.cells) if mark in marks}


def can_mate(at: Situation, seat: Seat) -> bool:
    """Whether a seat has the pieces to mate, or to give check where that wins.

    A knight alone needs a piece that stands in its king's way, other than a queen; bishops of one colour need
    a pawn, a knight or a bishop of the other colour.
    """
    own, other = pieces_of(at, seat), pieces_of(at, 1 - seat)
    if at.checks or not own:
        return bool(own)
    if own == ["knight"]:
        return not {*other} <= {"queen"}
    if {*own} == {"bishop"}:
        shades = shades_of(at, seat) | shades_of(at, 1 - seat)
        return len(shades) == 2 or not {"pawn", "knight"}.isdisjoint(other)
    return True


def can_blow_up(at: Situation, seat: Seat) -> bool:
    """Whether in atomic chess a king could be blown up with a piece of its own, or mated when it is alone."""
    own, other = pieces_of(at, seat), pieces_of(at, 1 - seat)
    is_one_shade = {*own} == {"bishop"} and len(shades_of(at, seat)) == 1
    if other:
        never_meet = is_one_shade and other == ["bishop"] and shades_of(at, seat) != shades_of(at, 1 - seat)
        return bool(own) and not never_meet
    is_little = len(own) < 2 or own == ["knight"] * 2 or is_one_shade
    return not is_little or not {"queen", "pawn"}.isdisjoint(own)


def can_be_rid(at: Situation, seat: Seat) -> bool:
    """Whether in antichess pieces may be given away: not to bishops that never meet, and of two knights one."""
    if not {*b"Kk"}.isdisjoint(at.cells):
        return True
    own, other = pieces_of(at, seat), pieces_of(at, 1 - seat)
    if {*own, *other} == {"bishop"}:
        return bool(shades_of(at, seat) & shades_of(at, 1 - seat))
    if own == other == ["knight"]:
        return (shades_of(at, seat) == shades_of(at, 1 - seat)) == (seat == at.turn)
    return True


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
        row = chess_moves.first_row(int(values.get("setup", STANDARD)))
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
        between = "x" if chess_moves.captured(position.at, move) >= 0 else "-"
        return joined(BOARD, move[:2], between) + "".join([f"={word}".upper() for word in move[2:]])

    def read(self, position: Position, text: str) -> Move:
        """The legal move that `text` means, by the cells that are touched or as books write it."""
        if not text.isascii() or len(text) > LONGEST:
            raise Unreadable
        b, text = chess_notation.written_b(text), chess_notation.without_signs(text)
        try:
            find, why = partial(self.moves, position), partial(self._why, position)
            move = read_move(text, BOARD, find, why, self.info.words)
        except Unfinished:
            raise
        except MoveError as refusal:
            return self._read_short(position, text, b, refusal)
        others = chess_notation.fitting(text, position.at, tuple(self.moves(position)), b) if b == "B" else []
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
        return chess_notation.in_short(position.at, move, legal_moves(self, position.at)) + sign

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
        return passing if any(self.is_safe(passing, pair) for pair in chess_moves.in_passing(passing)) else at

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
        own = [pair for pair in chess_moves.pairs(at.cells, at.turn) if pair[0] == first]
        if len(steps) == 1:
            return SAFE if own else self._rule_of(mark)
        second = steps[1]
        if (first, second) in own:
            return FAR_ROW if any(move[:2] == steps[:2] for move in legal_moves(self, at)) else SAFE
        is_far = isinstance(second, int) and abs(second - first) in (2 * SIZE, 3 * SIZE, 4 * SIZE)
        return CASTLING if mark == camp.king and is_far else self._rule_of(mark)

    def _rule_of(self, mark: int) -> int:
        return _RULE_OF[chess_moves.kind_of(mark)]

    def _read_short(self, position: Position, text: str, b: str, refusal: MoveError) -> Move:
        """The legal move that a text in the notation of books means. Raises the refusal, or another one."""
        at = position.at
        # With pieces in hand, one that is named with a cell would be dropped, and is never moved.
        is_drop = at.hands and isinstance(refusal, Illegal) and text.startswith(self.info.words)
        if is_drop or not chess_notation.is_short(text, at):
            raise refusal
        legal = tuple(self.moves(position))
        found = _meant(text, at, legal, b)
        meant = chess_notation.as_written(text, at, found, b)
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
        kind = chess_notation.kind_in(text)
        mark = ord(LETTERS[at.turn][KINDS.index(kind)])
        near = tuple(move for move in legal if isinstance(move[0], int) and at.cells[move[0]] == mark)
        if text[0] in "o0":
            raise Illegal(CASTLING, near[:_MOST_NEAR])
        is_unsafe = _meant(text, at, list(self.whole(at, chess_moves.pairs(at.cells, at.turn))), b)
        raise Illegal(SAFE if is_unsafe else _RULE_OF[kind], near[:_MOST_NEAR])

    def find(self, at: Situation) -> Iterator[Move]:
        """The legal moves of a situation, in a fixed order."""
        found, attacks = chess_moves.safe_pairs(at.cells, at.turn)
        yield from self.whole(at, found)
        yield from self.whole(at, [pair for pair in chess_moves.in_passing(at) if self.is_safe(at, pair)])
        if not attacks:
            yield from chess_moves.castling(at, self.is_safe_for_king)

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
        return not chess_moves.is_attacked(cells, cell, 1 - seat)

    def is_check(self, at: Situation) -> bool:
        """Whether the king of the seat on turn is attacked."""
        king = at.cells.find(CAMPS[at.turn].king)
        return king >= 0 and not self.is_safe_for_king(at.cells, king, at.turn)

    def carry_out(self, at: Situation, move: Move) -> Ply:
        """What a move does."""
        return (
            chess_moves.castled(at, move) if chess_moves.is_castling(at, move) else chess_moves.stepped(at, move)
        )

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
    return [
        move
        for move in chess_notation.fitting(text, at, found, b)
        if "x" not in text or chess_moves.captured(at, move) >= 0
    ]


@lru_cache(maxsize=512)  # since several questions are asked about each position
def legal_moves(game: Chess, at: Situation) -> tuple[Move, ...]:
    """All legal moves of a situation."""
    return tuple(game.find(at))


MOST_PLIES: Final = 500
"""Plies after which a game of crazyhouse is a draw: nothing else needs to come to an end there."""

_SIDES: Final = (Side("White", "K"), Side("Black", "k"))
_WORDS: Final = ("queen", "rook", "bishop", "knight")
_IN_HAND: Final = KINDS[:-1]


class Antichess(Chess):
    """A side without pieces, or that cannot move, has won; a side that can capture must."""

    def opened(self, at: Situation) -> Situation:
        """Nobody may castle."""
        return at._replace(rights=())

    def find(self, at: Situation) -> Iterator[Move]:
        """Captures where there are any."""
        every = list(chess_moves.pairs(at.cells, at.turn))
        takes = [pair for pair in every if at.cells[pair[1]] != EMPTY] + chess_moves.in_passing(at)
        return self.whole(at, takes or every)

    def is_safe(self, at: Situation, pair: tuple[int, int]) -> bool:
        """Nothing is forbidden for the sake of a king."""
        return True

    def is_check(self, at: Situation) -> bool:
        """There is no check."""
        return False

    def blocked(self, at: Situation) -> Outcome:
        """How it ended when the seat on turn has no legal move."""
        is_out = not CAMPS[at.turn].marks.intersection(at.cells)
        return Outcome(two_ranks(at.turn), "goal" if is_out else "stalemate")

    def has_enough(self, at: Situation, seat: Seat) -> bool:
        """Whether a seat could get rid of its pieces."""
        return can_be_rid(at, seat)


class Atomic(Chess):
    """A capture blows up all around it but pawns; a side that blows up the other king has won."""

    def find(self, at: Situation) -> Iterator[Move]:
        """Moves that leave the own king whole, and unattacked unless the other one is blown up."""
        king = CAMPS[at.turn].king
        for pair in (*chess_moves.pairs(at.cells, at.turn), *chess_moves.in_passing(at)):
            takes = at.cells[pair[1]] != EMPTY
            if not (takes and at.cells[pair[0]] == king) and self.is_safe(at, pair):
                yield from self.whole(at, [pair])
        yield from chess_moves.castling(at, self.is_safe_for_king)

    def is_safe(self, at: Situation, pair: tuple[int, int]) -> bool:
        """Whether the own king stays, and is unattacked unless the other one is gone."""
        cells = self.carry_out(at, pair).cells
        king, other = cells.find(CAMPS[at.turn].king), cells.find(CAMPS[1 - at.turn].king)
        return king >= 0 and (other < 0 or self.is_safe_for_king(cells, king, at.turn))

    def is_safe_for_king(self, cells: Cells, cell: int, seat: Seat) -> bool:
        """Whether a king would be unattacked, as it is beside the other king, which would be blown up with it."""
        other = CAMPS[1 - seat].king
        return any(cells[each] == other for each in AROUND[cell]) or not chess_moves.is_attacked(
            cells, cell, 1 - seat, with_king=False
        )

    def carry_out(self, at: Situation, move: Move) -> Ply:
        """What a move does; a piece that captures is blown up, too."""
        ply = super().carry_out(at, move)
        if not ply.taken:
            return ply
        cells, centre, pawns = ply.cells, ply.touched[0], b"Pp"
        gone = [centre, *(each for each in AROUND[centre] if cells[each] != EMPTY and cells[each] not in pawns)]
        events = [event for event in ply.events if event.kind != "promoted"]
        for cell in gone:
            mark = at.cells[int(move[0])] if cell == centre else cells[cell]
            owner = 0 if mark in CAMPS[0].marks else 1
            events.append(Event("captured", owner, (cell,), chess_moves.kind_of(mark)))
            cells[cell] = EMPTY
        return replace(ply, taken=tuple(dict.fromkeys((*ply.taken, *gone))), events=tuple(events))

    def ended(self, position: Position) -> Outcome | None:
        """How it ended: first of all, whether a king is gone."""
        at = position.at
        if CAMPS[at.turn].king not in at.cells:
            return Outcome(two_ranks(1 - at.turn), "king")
        return super().ended(position)

    def has_enough(self, at: Situation, seat: Seat) -> bool:
        """Whether a seat could blow up the other king, or mate it."""
        return can_blow_up(at, seat)


class Crazyhouse(Chess):
    """What a player captures may be dropped on an empty cell later."""

    def opened(self, at: Situation) -> Situation:
        """Nobody has a piece in hand."""
        return at._replace(hands=((0,) * len(_IN_HAND),) * 2)

    def find(self, at: Situation) -> Iterator[Move]:
        """The moves of chess, and drops that leave the own king unattacked."""
        yield from super().find(at)
        if not any(at.hands[at.turn]):
            return
        attacks, _ = chess_moves.dangers(at.cells, at.turn, at.cells.index(CAMPS[at.turn].king))
        stops = attacks[0] if attacks else range(len(at.cells))
        free = [cell for cell in stops if at.cells[cell] == EMPTY] if len(attacks) < 2 else []
        for kind, count in zip(_IN_HAND, at.hands[at.turn], strict=True):
            if count:
                yield from [(kind, cell) for cell in free if kind != "pawn" or 0 < cell % SIZE < SIZE - 1]

    def carry_out(self, at: Situation, move: Move) -> Ply:
        """What a move or a drop does."""
        if isinstance(move[0], int):
            return super().carry_out(at, move)
        cells, cell = bytearray(at.cells), int(move[1])
        cells[cell] = ord(LETTERS[at.turn][KINDS.index(move[0])])
        return Ply(cells, (cell,), events=(Event("placed", at.turn, (cell,), move[0]),))

    def situation(self, at: Situation, ply: Ply, move: Move) -> Situation:
        """What a ply leads to: what was captured is in hand, what was dropped no longer."""
        hand, promoted = list(at.hands[at.turn]), set(at.promoted)
        if isinstance(move[0], str):
            hand[KINDS.index(move[0])] -= 1
        for cell in ply.taken:
            hand[0 if cell in promoted else KINDS.index(chess_moves.kind_of(at.cells[cell]))] += 1
            promoted.discard(cell)
        if move[2:] or move[0] in promoted:
            promoted.discard(int(move[0]))
            promoted.add(int(move[1]))
        hands = (tuple(hand), at.hands[1]) if at.turn == 0 else (at.hands[0], tuple(hand))
        return super().situation(at, ply, move)._replace(hands=hands, promoted=frozenset(promoted))

    def ended(self, position: Position) -> Outcome | None:
        """How it ended: after very many plies as a draw."""
        ended = super().ended(position)
        if ended is None and len(position.seen) >= MOST_PLIES:
            return Outcome(two_ranks(None), "exhausted")
        return ended

    def has_enough(self, at: Situation, seat: Seat) -> bool:
        """Every piece may come back."""
        return True


def _info(rules: str, title: str, example: str, words: tuple[str, ...], dialect: str = DIALECT) -> Info:
    name, credit = rules.partition("/")[0], Credit("traditional", 0)
    return Info(name, title, rules, _SIDES, credit, example, words=words, dialect=dialect, group="chess")


chess = Chess(
    Info(
        name="chess",
        title="Chess",
        rules="chess/2",
        sides=_SIDES,
        group="chess",
        credit=Credit("traditional", 0),
        example="e2-e4",
        options=(
            Option("checks", "off", ("off", str(CHECKS_TO_WIN)), measure="checks"),
            Option("setup", STANDARD, (STANDARD,), numbers=range(960), measure="setup"),
        ),
        words=_WORDS,
        dialect=DIALECT,
    )
)
antichess = Antichess(
    _info("antichess/2", "Antichess", "e2-e3", (*_WORDS, "king")),
    promotions=(*_WORDS, "king"),
)
atomic = Atomic(_info("atomic/2", "Atomic Chess", "g1-f3", _WORDS))
crazyhouse = Crazyhouse(_info("crazyhouse/1", "Crazyhouse", "e2-e4", (*_WORDS, "pawn"), DIALECT_OF_DROPS))

games = (chess, antichess, atomic, crazyhouse)
