"""The boards that a mailed text draws with characters, found again: a page draws them with pieces.

The text stays the only source. The game says what a piece looks like in it: the marks of its sides, and what
an empty cell of its sheet holds. A whole board is the sheet of one of a game's boards with pieces in its slots. A
part of a board of squares has a row of squares in a line with one blank between two, and perhaps its label at both
ends; boards side by side have three blanks and more between them. A line of labels alone names the columns.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from textwrap import dedent
from typing import ClassVar, Final, Literal

from pbmserv.games import games
from pbmserv.games.board import Board
from pbmserv.games.game import Game, Piece, Scene
from pbmserv.games.info import Info, Side
from pbmserv.rendering.document import Block, Heading, Item, Numbered, Prose, Quoted, Verbatim
from pbmserv.rendering.piece_style import looks_of
from pbmserv.rendering.svg.pieces import piece_id
from pbmserv.rendering.svg.position import Table, draw_table, pieces_of

_PLIES_WATCHED: Final = 40
"""Of a game in which every piece is seen that its text may draw."""


def read_board(game: Game, lines: Sequence[str]) -> tuple[Scene, Info] | None:
    """The position that these lines draw and the game's facts, if they are the sheet of one of its boards."""
    drawn = _levelled(lines)
    for board in _boards(game.info.name):
        cells = _cells(board, game, drawn)
        if cells is not None:
            return Scene(board, cells), game.info
    return None


def piece_of(text: str, info: Info) -> Piece | None:
    """The piece of a side that is drawn so: as its mark says, with any number where that has an `n`."""
    for seat, side in enumerate(info.sides):
        found = _marks(side.mark).fullmatch(text)
        if found:
            has_value = "value" in found.re.groupindex
            return Piece(seat, text, "die", int(found["value"])) if has_value else Piece(seat, text)
    return None


@lru_cache(maxsize=64)
def empty_of(name: str) -> str:
    """How an empty cell of a game is drawn."""
    game = games()[name]
    sheet = game.scene(game.start(game.info.least_seats, {})).board.sheet
    line, place = sheet.slots[0]
    return sheet.lines[line].ljust(place + sheet.width)[place : place + sheet.width]


def _cells(board: Board, game: Game, drawn: Sequence[str]) -> tuple[tuple[Piece, ...], ...] | None:
    sheet = board.sheet
    empty = _levelled(sheet.lines)
    if len(empty) != len(drawn):
        return None
    indent = len(sheet.lines[0]) - len(empty[0])
    rest = [list(line.ljust(200)) for line in drawn]
    blank = [list(line.ljust(200)) for line in empty]
    cells: list[tuple[Piece, ...]] = []
    above = next(place for place, line in enumerate(sheet.lines) if line.strip())
    for line, first in sheet.slots:
        places = range(first - indent, first - indent + sheet.width)
        text, nothing = ("".join(lines[line - above][place] for place in places) for lines in (rest, blank))
        pieces = () if text == nothing else _pieces(game, text)
        if pieces is None:
            return None
        cells.append(pieces)
        for place in places:
            rest[line - above][place] = blank[line - above][place]
    return tuple(cells) if rest == blank else None


def _pieces(game: Game, text: str) -> tuple[Piece, ...] | None:
    """What a slot with that text holds, from bottom to top; None when it is nothing that the game has."""
    known = _seen(game.info.name)
    word = text.strip()
    if word in known:
        return (known[word],)
    pieces = [known.get(character) for character in word]
    return tuple(piece for piece in pieces if piece) if word and all(pieces) else None


@lru_cache(maxsize=64)
def _seen(name: str) -> dict[str, Piece]:
    """The pieces of a game by their text: those of its sides, and those seen in the beginning of a game."""
    game = games()[name]
    found = {
        side.mark: Piece(seat, side.mark) for seat, side in enumerate(game.info.sides) if "n" not in side.mark
    }
    position = game.start(game.info.least_seats, {})
    for _ in range(_PLIES_WATCHED):
        found.update((piece.text.strip(), piece) for cell in game.scene(position).cells for piece in cell)
        move = next(iter(game.moves(position)), None)
        if move is None:
            break
        position, _ = game.play(position, move)
    return found


@lru_cache(maxsize=64)
def _boards(name: str) -> tuple[Board, ...]:
    """The boards on which a game is played, by its options."""
    return tuple(dict.fromkeys(_started(games()[name])))


def _started(game: Game) -> Iterator[Board]:
    yield game.scene(game.start(game.info.least_seats, {})).board
    for option in game.info.options:
        for value in option.choices:
            yield game.scene(game.start(game.info.least_seats, {option.name: value})).board


def _levelled(lines: Sequence[str]) -> list[str]:
    """Lines without what all of them begin with, and without empty ones before and after."""
    return dedent("\n".join(line.rstrip() for line in lines)).strip("\n").split("\n")


@lru_cache(maxsize=256)
def _marks(mark: str) -> re.Pattern[str]:
    """What the pieces of a side look like in a text: its mark, with any number where it has an `n`."""
    before, has_value, after = mark.partition("n")
    value = "(?P<value>[0-9]{1,3})" if has_value else ""
    return re.compile(f"{re.escape(before)}{value}{re.escape(after)}", re.ASCII)


_LABEL: Final = re.compile(r"[A-Z]|[1-9][0-9]?", re.ASCII)
_GAP: Final = re.compile(r" {2,}")
_FEWEST: Final = 2
"""Rows, and squares in a row: one alone is no board."""


@dataclass(frozen=True, slots=True)
class FigureSquare:
    """A square of a figure: what stands on it, and `side` whose piece that is; None where nothing does.

    `change` is what the ply did to it, in the board after it.
    """

    stands: Piece | None
    side: Side | None
    change: Literal["", "placed", "taken"] = ""

    @property
    def piece(self) -> str:
        """The name of the drawing of the piece on it."""
        return piece_id(self.stands) if self.stands else ""


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
class BoardFigure:
    """A whole board, with the names of the sides. `caption` is the paragraph above, if it leads here."""

    kind: ClassVar[str] = "board"
    caption: str
    scene: Scene
    info: Info

    @property
    def table(self) -> Table:
        """The drawing."""
        return draw_table(self.scene, looks_of(self.info.sides))

    @property
    def cells(self) -> tuple[tuple[str, str], ...]:
        """The cells that are not empty, each with what stands there: the names of sides, and what pieces show."""
        return tuple(
            (self.scene.board.names[cell], " ".join(map(self._named, reversed(pieces))))
            for row in self.scene.board.layout.rows
            for cell in row.cells
            if (pieces := self.scene.cells[cell])
        )

    def _named(self, piece: Piece) -> str:
        side = "" if piece.seat is None else self.info.sides[piece.seat].name
        return " ".join(filter(None, (side, "" if piece.value is None else str(piece.value), piece.kind)))


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


Part = Prose | Verbatim | Quoted | Figure | BoardFigure
DrawnBlock = Heading | Part | DrawnNumbered


def with_figures(blocks: Iterable[Block], game: str = "") -> tuple[DrawnBlock, ...]:
    """The blocks of a text with drawn boards as figures; the paragraph that leads to one is its caption.

    Boards of several games may look alike in text: those of the `game` that the text is about are found first.
    """
    drawn: list[DrawnBlock] = []
    for is_part, found in groupby(blocks, key=lambda block: isinstance(block, Prose | Verbatim | Quoted)):
        if is_part:
            drawn += _parts([block for block in found if isinstance(block, Prose | Verbatim | Quoted)], game)
            continue
        for block in found:
            if isinstance(block, Numbered):
                drawn.append(DrawnNumbered(tuple(_item(item, game) for item in block.items)))
            elif isinstance(block, Heading):
                drawn.append(block)
    return tuple(drawn)


def pieces_in(blocks: Iterable[DrawnBlock]) -> tuple[Piece, ...]:
    """Every piece that the figures of these blocks show, in order."""
    parts: list[DrawnBlock] = []
    for block in blocks:
        parts += (
            [part for item in block.items for part in item.parts] if isinstance(block, DrawnNumbered) else [block]
        )
    found: list[Piece] = []
    for part in parts:
        if isinstance(part, BoardFigure):
            found += pieces_of(part.scene)
        elif isinstance(part, Figure):
            squares = (square for grid in part.grids for row in grid.squares for square in row)
            found += [square.stands for square in squares if square.stands]
    return tuple(found)


def _item(item: Item, game: str) -> DrawnItem:
    return DrawnItem(item.number, tuple(_parts(item.parts, game)))


def _parts(parts: Sequence[Prose | Verbatim | Quoted], game: str) -> list[Part]:
    """Verbatim lines stay together: a board drawn with blank lines between its rows comes in many blocks."""
    done: list[Part] = []
    for is_verbatim, found in groupby(parts, key=lambda part: isinstance(part, Verbatim)):
        run = list(found)
        lines = [line for part in run if isinstance(part, Verbatim) for line in part.lines]
        texts = [line.text for line in lines]
        figure = _figure(texts, done[-1] if done else None, game) if is_verbatim else None
        if figure is None:
            done += run
        else:
            done[-1 if figure.caption else len(done) :] = [figure]
    return done


def _figure(lines: Sequence[str], above: Part | None, game: str) -> Figure | BoardFigure | None:
    """What these lines draw, if they do; the paragraph above may lead to it."""
    caption = above.text if isinstance(above, Prose) and above.text.endswith(":") else ""
    grids = read_grids(lines)
    if grids:
        return Figure(caption, grids)
    likely = sorted(games().values(), key=lambda each: each.info.name != game)
    found = next((found for each in likely if (found := read_board(each, lines))), None)
    return None if found is None else BoardFigure(caption, *found)


def read_grids(lines: Sequence[str]) -> tuple[Grid, ...]:
    """The boards that these lines draw, side by side; none when even one line is no row of a board.

    >>> (before, after) = read_grids(["(1) ...     ... ...", "... <1>     ... (2)"])
    >>> [[square.stands.text if square.stands else "..." for square in row] for row in after.squares]
    [['...', '...'], ['...', '(2)']]
    """
    infos = [game.info for game in games().values() if _has_parts(game.info)]
    found = (_read(lines, info, empty_of(info.name)) for info in infos)
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
    if was.stands == now.stands:
        return now
    return replace(now, change="placed" if now.side else "taken")


def _square(word: str, info: Info, empty: str) -> FigureSquare | None:
    if word == empty:
        return FigureSquare(None, None)
    piece = piece_of(word, info)
    return None if piece is None else FigureSquare(piece, info.sides[piece.seat or 0])


def _has_parts(info: Info) -> bool:
    """Whether parts of a game's boards are found: pieces of one letter alone may be anything."""
    return all("n" in side.mark for side in info.sides)
