"""Whole boards in a text: the sheets of a game's boards, and what its pieces look like on them."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from textwrap import dedent
from typing import Final

from pbmserv.games import games
from pbmserv.games.board import Board
from pbmserv.games.game import Game, Piece, Scene
from pbmserv.games.info import Info

_PLIES_WATCHED: Final = 40
"""Of a game in which every piece is seen that its text may draw."""


def read_board(game: Game, lines: Sequence[str]) -> tuple[Scene, Info] | None:
    """The position that these lines draw and the game's facts, if they are the sheet of one of its boards."""
    drawn = _levelled(lines)
    for board in _boards(game.info.name):
        cells = _read(board, game, drawn)
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


def _read(board: Board, game: Game, drawn: Sequence[str]) -> tuple[tuple[Piece, ...], ...] | None:
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
