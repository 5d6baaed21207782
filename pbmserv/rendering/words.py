"""A board in words, for people who hear their mail or feel it in braille: values for the templates of words.

What is good to hear was taken from what blind players ask of chess servers: say first what has changed, name each
square with what stands on it, one row a line, nothing that only makes sense when it is seen in columns. Everything
comes from the scene and from events, so that a new game is told without new words.
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
    """What stands, or stood, on a square: whose it is, and what it shows ("" where pieces show nothing)."""

    square: str
    userid: str
    value: str

    def __str__(self) -> str:
        return f"{self.square} {self.userid} {self.value}".rstrip()


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its pieces and its empty squares, both from left to right.

    Rows that follow on each other and are all empty are one; else there is one label.
    """

    labels: tuple[str, ...]
    pieces: tuple[Piece, ...]
    empty: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deed:
    """What one turn did. `moved` are pairs of squares, from and to, `scored` pairs of userid and points.

    Who was put out by it is not told here: a board's view has that.
    """

    userid: str
    ply: int | None
    placed: tuple[Piece, ...]
    moved: tuple[tuple[str, str], ...]
    captured: tuple[Piece, ...]
    passed: bool
    scored: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class OpenMove:
    """A move that captures: the shortest text to answer, and what it would do."""

    text: str
    deed: Deed


@dataclass(frozen=True, slots=True)
class ToldBoard:
    """The words for a board: `last` is what the last turn did, None where nothing was played yet.

    `captures` are the open moves that capture, `others` the texts of those that do not; both are empty where the
    moves are not asked for. `any_empty`: the others are every empty square on which nothing is captured.
    """

    rows: tuple[Row, ...]
    last: Deed | None
    captures: tuple[OpenMove, ...]
    others: tuple[str, ...]
    any_empty: bool


def tell_board(
    game: Game, position: Any, scene: Scene, userids: Sequence[str], last: Turn | None, with_moves: bool
) -> ToldBoard:
    """The words for a position that the `last` turn led to, `with_moves` that are open now."""
    sides = game.info.sides
    shortest = {cell.choices[0]: cell.square for row in scene.cells for cell in row if len(cell.choices) == 1}
    captures: list[OpenMove] = []
    others: list[str] = []
    for move in game.moves(position) if with_moves else ():
        text = game.write(position, move)
        answer = shortest.get(text, text).lower()
        deed = _deed(None, game.to_move(position) or 0, game.play(position, move)[1], userids, sides)
        if deed.captured:
            captures.append(OpenMove(answer, deed))
        else:
            others.append(answer)
    rows = _rows(scene, userids)
    taking = {piece.square for capture in captures for piece in capture.deed.placed}
    quiet = {square.lower() for row in rows for square in row.empty if square not in taking}
    return ToldBoard(
        rows=rows,
        last=_deed(last.ply, last.seat, last.events, userids, sides) if last else None,
        captures=tuple(captures),
        others=tuple(others),
        any_empty=bool(others) and set(others) == quiet,
    )


def _rows(scene: Scene, userids: Sequence[str]) -> tuple[Row, ...]:
    rows: list[Row] = []
    for label, cells in zip(scene.rows, scene.cells, strict=True):
        pieces = tuple(
            Piece(cell.square, userids[cell.seat], "" if cell.value is None else str(cell.value))
            for cell in cells
            if cell.seat is not None
        )
        row = Row((label,), pieces, tuple(cell.square for cell in cells if cell.seat is None))
        if rows and not row.pieces and not rows[-1].pieces:
            rows[-1] = Row((*rows[-1].labels, label), (), rows[-1].empty + row.empty)
        else:
            rows.append(row)
    return tuple(rows)


def _deed(
    ply: int | None, seat: Seat, events: Iterable[Event], userids: Sequence[str], sides: Sequence[Side]
) -> Deed:
    happened = tuple(events)

    def piece(event: Placed | Captured) -> Piece:
        return Piece(event.square, userids[event.seat], value_of(event.piece, sides[event.seat]))

    return Deed(
        userid=userids[seat],
        ply=ply,
        placed=tuple(piece(event) for event in happened if isinstance(event, Placed)),
        moved=tuple((event.origin, event.target) for event in happened if isinstance(event, Moved)),
        captured=tuple(piece(event) for event in happened if isinstance(event, Captured)),
        passed=any(isinstance(event, Passed) for event in happened),
        scored=tuple((userids[event.seat], event.points) for event in happened if isinstance(event, Scored)),
    )


def value_of(piece: str, side: Side) -> str:
    """What a piece's text on the board shows, without the mark of its side; "" where the side shows no value.

    >>> value_of("(4)", Side("Paren", "(n)")), value_of("b", Side("Black", "b"))
    ('4', '')
    """
    before, has_value, after = side.mark.partition("n")
    return piece.removeprefix(before).removesuffix(after) if has_value else ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a command's form; `is_fixed` when it is written as it stands, `with_ply` when #ply may follow."""

    name: str
    is_fixed: bool = False
    is_optional: bool = False
    is_many: bool = False
    with_ply: bool = False


def parts_of(form: str, name: str) -> tuple[Part, ...]:
    """The parts of a command's form in their order.

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
