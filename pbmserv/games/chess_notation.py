"""How moves of chess are written in books, and read: `Nf3`, `exd5`, `O-O`, `e8=Q`, blind to case.

Only of a `b` the case tells something: whether it is a bishop or a pawn of column B that captures. A move straight
on is always the bishop's, since no book writes `bb3` for a pawn's.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pbmserv.games.chess_moves import BOARD, EMPTY, KINDS, LETTERS, SIZE, Situation, is_castling, king_goes
from pbmserv.games.game import Move

_WORDS: Final = "queen|rook|bishop|knight|king"
_CELL: Final = "[a-h][1-8]"
_WHERE: Final = rf"([a-h]?)([1-8]?)[-x:]?({_CELL})"
_CASTLE: Final = "([o0]-[o0](?:-[o0])?)"
_PIECE: Final = rf"([kqrbn] ?|(?:{_WORDS})[- ]?){_WHERE}"
_PAWN: Final = rf"(?:p|pawn[- ]?)?{_WHERE}(?:[=/ \x28]?([kqrbn]|{_WORDS})\x29?)?"
_DROP: Final = rf"([pqrbn]?|{_WORDS}|pawn)@({_CELL})"
_REST: Final = r"(?: ?e\.?p\.?)?(?: ?(?:\+\+?|#|mate|ch))?"

DIALECT: Final = re.sub(r"\((?!\?)", "(?:", rf"(?:{_CASTLE}|{_PIECE}|{_PAWN}){_REST}")
"""The notation of books, for `Info.dialect`."""
DIALECT_OF_DROPS: Final = re.sub(r"\((?!\?)", "(?:", rf"(?:{_CASTLE}|{_PIECE}|{_PAWN}|{_DROP}){_REST}")
"""That, and drops: `N@f3`."""

_ENDS: Final = re.compile(f"{_REST}$")
_CASTLES, _PIECES, _PAWNS, _DROPS = (re.compile(each) for each in (_CASTLE, _PIECE, _PAWN, _DROP))
_EITHER: Final = re.compile(f"b[-x:]?{_CELL}")
"""What may be a bishop's or a pawn's; with what a pawn becomes it is the pawn's."""
_BY_ROW: Final = re.compile(f"b[1-8][-x:]?{_CELL}")
_SMALL_CELL: Final = re.compile(_CELL)
_LETTER: Final = dict(zip(KINDS, LETTERS[0], strict=True))
_KIND: Final = {letter.lower(): kind for kind, letter in _LETTER.items()}


def without_signs(text: str) -> str:
    """A text in lower case without what may follow a move, as `e.p.` and the signs of check and mate."""
    return _ENDS.sub("", text.strip().lower(), count=1)


def is_short(text: str, at: Situation) -> bool:
    """Whether a text without such signs is in the notation of books; drops are where there are hands."""
    forms = (_CASTLES, _PIECES, _PAWNS, *([_DROPS] if at.hands else ()))
    return any(each.fullmatch(text) for each in forms)


def written_b(text: str) -> str:
    """The `b` that a text begins with, as it is written; empty without one, or in capitals throughout.

    >>> [written_b(text) for text in ("Bxc3", "bxc3", "BXC3", "B2xC3", "Nf3")]
    ['B', 'b', '', '', '']
    """
    first, rest = text.strip()[:1], text.strip()[1:]
    return first if first == "b" or (first == "B" and _SMALL_CELL.search(rest)) else ""


def as_written(text: str, at: Situation, found: list[Move], b: str) -> list[Move]:
    """Those of the moves that a text may mean which are of the piece that its `b` stands for."""
    if not _EITHER.fullmatch(text):
        return found
    is_straight, target = text[-2] == "b", BOARD.numbers[text[-2:].upper()]
    is_capture = at.cells[target] != EMPTY or text[1] in "x:"
    if not is_straight and not (b and is_capture):
        return found
    kind = "bishop" if is_straight or b == "B" else "pawn"
    mark = ord(LETTERS[at.turn][KINDS.index(kind)])
    return [move for move in found if at.cells[int(move[0])] == mark]


def fitting(text: str, at: Situation, legal: Sequence[Move], b: str) -> list[Move]:
    """The legal moves that a text in the notation of books may mean; `b` is as `written_b` has it.

    `B2xc3` may be a bishop's from the second row, and `b2xc3` is no bishop's unless it stands on B2.
    """
    if b != "B" and _BY_ROW.fullmatch(text):
        return []
    found: dict[Move, None] = {}
    if match := _CASTLES.fullmatch(text):
        found |= dict.fromkeys(_castling(at, legal, text.count("-") == 2))
    if match := _PIECES.fullmatch(text):
        found |= dict.fromkeys(_of_pieces(at, legal, match))
    if match := _PAWNS.fullmatch(text):
        becomes = _KIND.get(match[4], match[4])
        pawns = _going(at, legal, ("pawn", match[1], match[2], match[3]))
        found |= dict.fromkeys(move for move in pawns if becomes in (None, *move[2:]))
        if match[1] and match[2]:
            king = BOARD.numbers[(match[1] + match[2]).upper()]
            found |= dict.fromkeys(move for move in _castling_to(at, legal, match[3]) if move[0] == king)
    if match := _DROPS.fullmatch(text):
        drop = (_kind(match[1] or "p"), BOARD.numbers[match[2].upper()])
        found |= dict.fromkeys(move for move in legal if move == drop)
    return list(found)


def kind_in(text: str) -> str:
    """The kind of piece that a text in the notation of books begins with."""
    match = _PIECES.fullmatch(text)
    return "king" if _CASTLES.fullmatch(text) else _kind(match[1]) if match else "pawn"


def in_short(at: Situation, move: Move, legal: Iterable[Move]) -> str:
    """A legal move as books write it, without signs of check."""
    source, target = move[0], int(move[1])
    to = BOARD.names[target].lower()
    if isinstance(source, str):
        return f"{_LETTER[source]}@{to}"
    if is_castling(at, move):
        return "O-O" if target > source else "O-O-O"
    kind = KINDS[LETTERS[at.turn].index(chr(at.cells[source]))]
    name = BOARD.names[source].lower()
    if kind == "pawn":
        becomes = "".join(f"={_LETTER[str(word)]}" for word in move[2:])
        return f"{name[0]}x{to}{becomes}" if source // SIZE != target // SIZE else to + becomes
    takes = "x" if at.cells[target] != EMPTY else ""
    others = [int(each[0]) for each in _going(at, legal, (kind, "", "", to)) if each[0] != source]
    return f"{_LETTER[kind]}{_told_apart(source, name, others)}{takes}{to}"


def _told_apart(source: int, name: str, others: Sequence[int]) -> str:
    """What tells a piece from others of its kind that can go to the same cell: its column, row, or both."""
    if not others:
        return ""
    if all(each // SIZE != source // SIZE for each in others):
        return name[0]
    return name[1] if all(each % SIZE != source % SIZE for each in others) else name


def _kind(word: str) -> str:
    word = word.strip("- ")
    return _KIND.get(word, word)


def _castling(at: Situation, legal: Iterable[Move], is_long: bool) -> Iterator[Move]:
    return (move for move in legal if is_castling(at, move) and (int(move[1]) < int(move[0])) == is_long)


def _of_pieces(at: Situation, legal: Sequence[Move], match: re.Match[str]) -> Iterator[Move]:
    asked = (_kind(match[1]), match[2], match[3], match[4])
    yield from _going(at, legal, asked)
    if asked[0] == "king":
        yield from _castling_to(at, legal, match[4])


def _castling_to(at: Situation, legal: Iterable[Move], to: str) -> Iterator[Move]:
    """Castling as the king's own move, unless the king could go there without."""
    goal, found = BOARD.numbers[to.upper()], [move for move in legal if is_castling(at, move)]
    return (move for move in found if king_goes(move) == goal and (move[0], goal) not in legal)


def _going(at: Situation, legal: Iterable[Move], asked: tuple[str, str, str, str]) -> Iterator[Move]:
    """The moves of a kind of pieces, from a column and a row if they are told, to a cell."""
    kind, column, row, to = asked
    mark, target = ord(LETTERS[at.turn][KINDS.index(kind)]), BOARD.numbers[to.upper()]
    for move in legal:
        source = move[0]
        if isinstance(source, int) and move[1] == target and at.cells[source] == mark:
            name = BOARD.names[source].lower()
            if name[0] in (column or name[0]) and name[1] in (row or name[1]) and not is_castling(at, move):
                yield move
