"""Moves of shogi as books and programs write them: `P-7f`, `Bx3c+`, `G4i-5h`, `N*2d`, `7g7f`."""

import re
from dataclasses import dataclass
from typing import Final

from pbmserv.games.game import Move
from pbmserv.games.shogi_board import IN_HAND, KINDS, WORDS
from pbmserv.games.shogi_position import PROMOTE, STAY, target_of

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
