"""Accessible text: a board in words, for people who hear their mail or read it in braille.

It follows what blind players ask of chess servers: say first what has changed, name each square with its piece,
put one row on each line, and write nothing that only makes sense in columns. Everything comes from the scene and
the events, so that a new game needs no new words.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pbmserv.games.game import Captured, Event, Game, Moved, Passed, Placed, Scene, Scored, Seat, Side
from pbmserv.matches.state import Turn

_PART = re.compile(r"\[([^\[\]]+)\](\+?)|([a-z]+)(\[#ply\])?(\+?)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece that is or was on a square."""

    square: str
    userid: str
    # What it shows; "" if pieces of the game show nothing.
    value: str

    def __str__(self) -> str:
        return f"{self.square} {self.userid} {self.value}".rstrip()


@dataclass(frozen=True, slots=True)
class RowDescription:
    """A row with its pieces and its empty squares, both from left to right."""

    # Adjacent empty rows are described together; any other row has one label.
    labels: tuple[str, ...]
    pieces: tuple[Piece, ...]
    empty: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MoveSummary:
    """What one turn did, except for the players that it eliminated: a board's view has these."""

    userid: str
    ply: int | None
    placed: tuple[Piece, ...]
    # Pairs of squares, from and to.
    moved: tuple[tuple[str, str], ...]
    captured: tuple[Piece, ...]
    passed: bool
    # Pairs of userid and points.
    scored: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class OpenMove:
    """A move that captures, and what it would do."""

    # The shortest text to answer with.
    text: str
    deed: MoveSummary


@dataclass(frozen=True, slots=True)
class AccessibleBoard:
    """The words for a board."""

    rows: tuple[RowDescription, ...]
    # What the last turn did; None if nothing was played yet.
    last: MoveSummary | None
    # The open moves that capture, and the texts of those that do not; empty if moves are not wanted.
    captures: tuple[OpenMove, ...]
    others: tuple[str, ...]
    # Whether the others are all empty squares on which nothing is captured.
    any_empty: bool


def accessible_board(
    game: Game, position: Any, scene: Scene, userids: Sequence[str], last: Turn | None, with_moves: bool
) -> AccessibleBoard:
    """The words for a position after its `last` turn; `with_moves` includes the open moves."""
    sides = game.info.sides
    shortest = {cell.choices[0]: cell.square for row in scene.cells for cell in row if len(cell.choices) == 1}
    captures: list[OpenMove] = []
    others: list[str] = []
    for move in game.moves(position) if with_moves else ():
        text = game.write(position, move)
        answer = shortest.get(text, text).lower()
        deed = _summary(None, game.to_move(position) or 0, game.play(position, move)[1], userids, sides)
        if deed.captured:
            captures.append(OpenMove(answer, deed))
        else:
            others.append(answer)
    rows = _rows(scene, userids)
    taking = {piece.square for capture in captures for piece in capture.deed.placed}
    quiet = {square.lower() for row in rows for square in row.empty if square not in taking}
    return AccessibleBoard(
        rows=rows,
        last=_summary(last.ply, last.seat, last.events, userids, sides) if last else None,
        captures=tuple(captures),
        others=tuple(others),
        any_empty=bool(others) and set(others) == quiet,
    )


def _rows(scene: Scene, userids: Sequence[str]) -> tuple[RowDescription, ...]:
    rows: list[RowDescription] = []
    for label, cells in zip(scene.rows, scene.cells, strict=True):
        pieces = tuple(
            Piece(cell.square, userids[cell.seat], "" if cell.value is None else str(cell.value))
            for cell in cells
            if cell.seat is not None
        )
        row = RowDescription((label,), pieces, tuple(cell.square for cell in cells if cell.seat is None))
        if rows and not row.pieces and not rows[-1].pieces:
            rows[-1] = RowDescription((*rows[-1].labels, label), (), rows[-1].empty + row.empty)
        else:
            rows.append(row)
    return tuple(rows)


def _summary(
    ply: int | None, seat: Seat, events: Iterable[Event], userids: Sequence[str], sides: Sequence[Side]
) -> MoveSummary:
    happened = tuple(events)

    def piece(event: Placed | Captured) -> Piece:
        return Piece(event.square, userids[event.seat], value_of(event.piece, sides[event.seat]))

    return MoveSummary(
        userid=userids[seat],
        ply=ply,
        placed=tuple(piece(event) for event in happened if isinstance(event, Placed)),
        moved=tuple((event.origin, event.target) for event in happened if isinstance(event, Moved)),
        captured=tuple(piece(event) for event in happened if isinstance(event, Captured)),
        passed=any(isinstance(event, Passed) for event in happened),
        scored=tuple((userids[event.seat], event.points) for event in happened if isinstance(event, Scored)),
    )


def value_of(piece: str, side: Side) -> str:
    """What a piece shows, without the mark of its side; "" if the side shows no value.

    >>> value_of("(4)", Side("Paren", "(n)")), value_of("b", Side("Black", "b"))
    ('4', '')
    """
    before, has_value, after = side.mark.partition("n")
    return piece.removeprefix(before).removesuffix(after) if has_value else ""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a command's usage pattern."""

    name: str
    # Whether it is typed as it is.
    is_fixed: bool = False
    is_optional: bool = False
    is_many: bool = False
    # Whether #ply may follow.
    with_ply: bool = False


def parts_of(form: str, name: str) -> tuple[Part, ...]:
    """The parts of a command's usage pattern, in order.

    >>> [part.name for part in parts_of("[game] move board [userid password] move[#ply]", "move")]
    ['game', 'move', 'board', 'userid password', 'move']
    """
    before, _, after = form.partition(name)
    return (*_parts(before), Part(name, is_fixed=True), *_parts(after))


def _parts(text: str) -> Iterable[Part]:
    for inside, many_inside, plain, ply, many in _PART.findall(text):
        is_many = bool(many or many_inside) or inside.endswith("+")
        bare = (inside or plain).strip("+-")
        yield Part(bare.removesuffix("s") if is_many else bare, False, bool(inside), is_many, bool(ply))
