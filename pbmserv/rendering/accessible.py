"""Accessible text: a board in words, for people who hear their mail or read it in braille.

It follows what blind players ask of chess servers: say first what has changed, name each square with its piece,
put one row on each line, and write nothing that only makes sense in columns. Everything comes from the scene and
the events, so that a new game needs no new words.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pbmserv.games.choices import choices
from pbmserv.games.game import Event, EventKind, Game, Move, Piece, Scene, Seat
from pbmserv.games.kinds import word_of
from pbmserv.matches.state import Turn

MOST_DESCRIBED: Final = 128
"""Where there are more moves, it is not told of each what it would do."""

_PART = re.compile(r"\[([^\[\]]+)\](\+?)|([a-z]+)(\[#ply\])?(\+?)")


@dataclass(frozen=True, slots=True)
class NamedPiece:
    """A piece, or some of one kind, that stand or stood on a cell."""

    cell: str
    # "" if it is nobody's.
    userid: str
    # What it shows, counts, or is, as the game names it; "" for a plain piece.
    value: str
    # What it is, where that is not told by its value: "king"; "die" and "seeds" go with a number.
    kind: str = ""
    # How many of the same stand upon each other here.
    count: int = 1

    def __str__(self) -> str:
        return " ".join(filter(None, (self.cell, self.userid, self.value)))


@dataclass(frozen=True, slots=True)
class Occupied:
    """A cell with what stands on it, from the top."""

    cell: str
    pieces: tuple[NamedPiece, ...]


@dataclass(frozen=True, slots=True)
class RowDescription:
    """A row with its occupied and its empty cells, both from left to right."""

    # Adjacent empty rows are described together; any other row has one label.
    labels: tuple[str, ...]
    occupied: tuple[Occupied, ...]
    empty: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DrawnLines:
    """The lines that a turn drew: pairs of cells that it linked, and the names of walls that it set."""

    links: tuple[tuple[str, str], ...]
    walls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MoveSummary:
    """What one turn did, except for the players that it eliminated: a board's view has these."""

    userid: str
    ply: int | None
    placed: tuple[NamedPiece, ...]
    # Pairs of cells, from and to.
    moved: tuple[tuple[str, str], ...]
    captured: tuple[NamedPiece, ...]
    turned: tuple[str, ...]
    # Pairs of a cell and the kind of piece that stands there now.
    promoted: tuple[tuple[str, str], ...]
    drawn: DrawnLines
    # Pairs of the cell from which pieces were sown, and how many.
    sown: tuple[tuple[str, int], ...]
    has_swapped: bool
    # Who passed, or had to.
    passed: tuple[str, ...]
    # Pairs of userid and points.
    scored: tuple[tuple[str, int], ...]

    @property
    def has_passed(self) -> bool:
        """Whether the turn was a pass."""
        return self.userid in self.passed

    @property
    def had_to_pass(self) -> tuple[str, ...]:
        """Who else passed after it."""
        return tuple(userid for userid in self.passed if userid != self.userid)


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
    # The open moves that capture, and the texts of those that do not; empty if moves are not wanted, or too many.
    captures: tuple[OpenMove, ...]
    others: tuple[str, ...]
    # Whether the others are all empty cells on which nothing is captured.
    any_empty: bool


def accessible_board(
    game: Game, position: Any, scene: Scene, userids: Sequence[str], last: Turn | None, with_moves: bool
) -> AccessibleBoard:
    """The words for a position after its `last` turn; `with_moves` includes the open moves."""
    captures: list[OpenMove] = []
    others: list[str] = []
    names = scene.board.names
    found = choices(game, position) if with_moves else ()
    if sum(choice.ways for choice in found) <= MOST_DESCRIBED:
        single = {choice.step for choice in found if choice.move}
        for move in game.moves(position) if with_moves else ():
            deed = move_summary(game, position, move, names, userids)
            first = move[0]
            is_short = isinstance(first, int) and first in single and bool(deed.placed) and not deed.moved
            text = (names[int(first)] if is_short else game.write(position, move)).lower()
            if deed.captured:
                captures.append(OpenMove(text, deed))
            else:
                others.append(text)
    rows = _rows(scene, userids)
    taking = {piece.cell for capture in captures for piece in capture.deed.placed}
    quiet = {cell.lower() for row in rows for cell in row.empty if cell not in taking}
    return AccessibleBoard(
        rows=rows,
        last=_summary(names, last.ply, last.seat, last.events, userids) if last else None,
        captures=tuple(captures),
        others=tuple(others),
        any_empty=bool(others) and set(others) == quiet,
    )


def move_summary(
    game: Game, position: Any, move: Move, names: Sequence[str], userids: Sequence[str]
) -> MoveSummary:
    """What a legal move does; `names` are those of the board's cells."""
    return _summary(names, None, game.to_move(position) or 0, game.play(position, move)[1], userids)


def named_pieces(
    kind: EventKind, names: Sequence[str], events: Iterable[Event], userids: Sequence[str]
) -> tuple[NamedPiece, ...]:
    """The pieces to which these events did that, one for each cell."""
    return tuple(
        NamedPiece(names[cell], userids[event.seat], event.piece)
        for event in events
        if event.kind == kind
        for cell in event.cells
    )


def piece_name(game: Game, event: Event) -> str:
    """A piece of an event as it is drawn in text: "(2)" of a game whose pieces have values, else its mark."""
    mark = game.info.sides[event.seat].mark
    return mark.replace("n", event.piece) if "n" in mark else event.piece or mark


def _rows(scene: Scene, userids: Sequence[str]) -> tuple[RowDescription, ...]:
    rows: list[RowDescription] = []
    names = scene.board.names
    for each in scene.board.layout.rows:
        occupied = tuple(
            Occupied(names[cell], tuple(_column(names[cell], scene.cells[cell], userids)))
            for cell in each.cells
            if scene.cells[cell]
        )
        row = RowDescription(
            (each.label,), occupied, tuple(names[cell] for cell in each.cells if not scene.cells[cell])
        )
        if rows and not row.occupied and not rows[-1].occupied:
            rows[-1] = RowDescription((*rows[-1].labels, each.label), (), rows[-1].empty + row.empty)
        else:
            rows.append(row)
    return tuple(rows)


def _column(cell: str, pieces: Sequence[Piece], userids: Sequence[str]) -> list[NamedPiece]:
    """What stands on a cell, from the top; the same pieces one upon the other are counted."""
    found: list[NamedPiece] = []
    for piece in reversed(pieces):
        userid = "" if piece.seat is None else userids[piece.seat]
        value = "" if piece.value is None else str(piece.value)
        kind = word_of(piece.kind)
        same = NamedPiece(cell, userid, value, kind, found[-1].count if found else 1)
        if found and found[-1] == same:
            found[-1] = NamedPiece(cell, userid, value, kind, same.count + 1)
        else:
            found.append(NamedPiece(cell, userid, value, kind))
    return found


def _summary(
    names: Sequence[str], ply: int | None, seat: Seat, events: Iterable[Event], userids: Sequence[str]
) -> MoveSummary:
    happened = tuple(events)
    by_kind: dict[EventKind, list[Event]] = {}
    for event in happened:
        by_kind.setdefault(event.kind, []).append(event)
    return MoveSummary(
        userid=userids[seat],
        ply=ply,
        placed=named_pieces("placed", names, happened, userids),
        moved=tuple((names[event.cells[0]], names[event.cells[-1]]) for event in by_kind.get("moved", ())),
        captured=named_pieces("captured", names, happened, userids),
        turned=tuple(names[cell] for event in by_kind.get("turned", ()) for cell in event.cells),
        promoted=tuple((names[event.cells[-1]], event.piece) for event in by_kind.get("promoted", ())),
        drawn=DrawnLines(
            tuple((names[event.cells[0]], names[event.cells[-1]]) for event in by_kind.get("linked", ())),
            tuple(event.piece for event in by_kind.get("walled", ())),
        ),
        sown=tuple((names[event.cells[0]], event.count) for event in by_kind.get("sown", ())),
        has_swapped="swapped" in by_kind,
        passed=tuple(userids[event.seat] for event in by_kind.get("passed", ())),
        scored=tuple((userids[event.seat], event.count) for event in by_kind.get("scored", ())),
    )


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
