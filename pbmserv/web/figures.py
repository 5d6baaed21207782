"""The boards that a mailed text draws with characters, found again: a page draws them with pieces.

The text stays the only source. What a piece looks like in it is told by the game: the marks of its sides, and what
an empty square of its scene holds. A line is a row of squares with one blank between two, and perhaps its label at
both ends; boards side by side have three blanks and more between them. A line of labels alone names the columns.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import ClassVar, Final, Literal

from pbmserv.games import games
from pbmserv.games.game import Cell, Info, Side
from pbmserv.rendering.document import Block, Heading, Item, Numbered, Prose, Quoted, Verbatim
from pbmserv.rendering.svg.pieces import piece_id

_LABEL: Final = re.compile(r"[A-Z]|[1-9][0-9]?", re.ASCII)
_GAP: Final = re.compile(r" {2,}")
_FEWEST: Final = 2
"""Rows, and squares in a row: one alone is no board."""


@dataclass(frozen=True, slots=True)
class FigureSquare:
    """A square of a figure: `cell` as a scene has it, `side` whose piece stands on it (None: nothing does).

    `change` is what the ply did to it, in the board after it.
    """

    cell: Cell
    side: Side | None
    change: Literal["", "placed", "taken"] = ""

    @property
    def piece(self) -> str:
        """The name of the drawing of the piece on it."""
        return piece_id(self.cell)


@dataclass(frozen=True, slots=True)
class Grid:
    """One drawn board. `columns` and `rows` are labels, from left to right and from above; empty without them."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    squares: tuple[tuple[FigureSquare, ...], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """Boards side by side: two are before and after a ply. `caption` is the paragraph above, if it leads here."""

    kind: ClassVar[str] = "figure"
    caption: str
    grids: tuple[Grid, ...]


@dataclass(frozen=True, slots=True)
class DrawnItem:
    """A numbered paragraph that may hold figures."""

    number: str
    parts: tuple["Part", ...]


@dataclass(frozen=True, slots=True)
class DrawnNumbered:
    """Numbered paragraphs that follow on each other."""

    kind: ClassVar[str] = "numbered"
    items: tuple[DrawnItem, ...]


Part = Prose | Verbatim | Quoted | Figure
DrawnBlock = Heading | Part | DrawnNumbered


def with_figures(blocks: Iterable[Block]) -> tuple[DrawnBlock, ...]:
    """The blocks of a text with drawn boards as figures; the paragraph that leads to one is its caption."""
    drawn: list[DrawnBlock] = []
    for is_part, found in groupby(blocks, key=lambda block: not isinstance(block, Heading | Numbered)):
        if is_part:
            drawn += _parts([block for block in found if not isinstance(block, Heading | Numbered)])
            continue
        for block in found:
            if isinstance(block, Numbered):
                drawn.append(DrawnNumbered(tuple(map(_item, block.items))))
            elif isinstance(block, Heading):
                drawn.append(block)
    return tuple(drawn)


def cells_in(blocks: Iterable[DrawnBlock]) -> tuple[Cell, ...]:
    """Every square that the figures of these blocks show, in order."""
    parts: list[DrawnBlock] = []
    for block in blocks:
        parts += (
            [part for item in block.items for part in item.parts] if isinstance(block, DrawnNumbered) else [block]
        )
    grids = [grid for part in parts if isinstance(part, Figure) for grid in part.grids]
    return tuple(square.cell for grid in grids for row in grid.squares for square in row)


def _item(item: Item) -> DrawnItem:
    return DrawnItem(item.number, tuple(_parts(item.parts)))


def _parts(parts: Sequence[Prose | Verbatim | Quoted]) -> list[Part]:
    """Verbatim lines stay together: a board drawn with blank lines between its rows comes in many blocks."""
    done: list[Part] = []
    for is_verbatim, found in groupby(parts, key=lambda part: isinstance(part, Verbatim)):
        run = list(found)
        lines = [line for part in run if isinstance(part, Verbatim) for line in part.lines]
        grids = read_grids([line.text for line in lines]) if is_verbatim else ()
        if not grids:
            done += run
            continue
        above = done[-1] if done else None
        leads_here = isinstance(above, Prose) and above.text.endswith(":")
        caption = above.text if isinstance(above, Prose) and leads_here else ""
        done[-1 if leads_here else len(done) :] = [Figure(caption, grids)]
    return done


def read_grids(lines: Sequence[str]) -> tuple[Grid, ...]:
    """The boards that these lines draw, side by side; none when even one line is no row of a board.

    >>> (before, after) = read_grids(["(1) ...     ... ...", "... <1>     ... (2)"])
    >>> [[square.cell.text for square in row] for row in after.squares]
    [['...', '...'], ['...', '(2)']]
    """
    found = (_read(lines, game.info, _empty(game.info.name)) for game in games().values())
    return next((grids for grids in found if grids), ())


def _read(lines: Sequence[str], info: Info, empty: str) -> tuple[Grid, ...]:
    columns: tuple[str, ...] = ()
    labels: list[str] = []
    rows: list[tuple[tuple[FigureSquare, ...], ...]] = []
    for line in lines:
        groups = _GAP.split(line.strip())
        read = [[_square(word, info, empty) for word in group.split(" ")] for group in groups]
        boards = [tuple(square for square in row if square) for row in read if None not in row]
        beside = [group for group, row in zip(groups, read, strict=True) if None in row]
        if not boards and all(_LABEL.fullmatch(word) for word in line.split()):
            columns = tuple(line.split())
        elif boards and len(set(beside)) <= 1 and all(_LABEL.fullmatch(label) for label in beside):
            rows.append(tuple(boards))
            labels += beside[:1]
        else:
            return ()
    shapes = {tuple(map(len, boards)) for boards in rows}
    if len(rows) < _FEWEST or len(shapes) != 1 or min(min(shapes)) < _FEWEST:
        return ()
    grids = tuple(_grid(columns, labels, board) for board in zip(*rows, strict=True))
    return _compared(*grids) if len(grids) == 2 and len(set(min(shapes))) == 1 else grids


def _grid(columns: tuple[str, ...], labels: Sequence[str], rows: Sequence[tuple[FigureSquare, ...]]) -> Grid:
    are_named = len(columns) == len(rows[0]) and len(labels) == len(rows)
    return Grid(columns if are_named else (), tuple(labels) if are_named else (), tuple(rows))


def _compared(before: Grid, after: Grid) -> tuple[Grid, Grid]:
    squares = tuple(
        tuple(_changed(was, now) for was, now in zip(old, new, strict=True))
        for old, new in zip(before.squares, after.squares, strict=True)
    )
    return before, replace(after, squares=squares)


def _changed(was: FigureSquare, now: FigureSquare) -> FigureSquare:
    if was.cell == now.cell:
        return now
    return replace(now, change="placed" if now.side else "taken")


def _square(word: str, info: Info, empty: str) -> FigureSquare | None:
    if word == empty:
        return FigureSquare(Cell("", word, None, None, ()), None)
    for seat, side in enumerate(info.sides):
        found = _marks(side.mark).fullmatch(word)
        if found:
            value = int(found["value"]) if "value" in found.re.groupindex else None
            return FigureSquare(Cell("", word, seat, value, ()), side)
    return None


@lru_cache(maxsize=256)
def _marks(mark: str) -> re.Pattern[str]:
    """What the pieces of a side look like in a text: its mark, with any number where it has an `n`."""
    before, has_value, after = mark.partition("n")
    value = "(?P<value>[0-9]{1,3})" if has_value else ""
    return re.compile(f"{re.escape(before)}{value}{re.escape(after)}", re.ASCII)


@lru_cache(maxsize=256)
def _empty(name: str) -> str:
    """How an empty square of a game is drawn; "" where its boards begin full."""
    game = games()[name]
    scene = game.scene(game.start(game.info.least_seats, {}))
    return next((cell.text for row in scene.cells for cell in row if cell.seat is None), "")
