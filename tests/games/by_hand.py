"""Positions drawn by hand, games played from texts, and counted trees, for the nets of single games."""

from dataclasses import replace
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.earlier import EARLIER
from pbmserv.games.game import Game, Outcome, Scene

LONG: Final = 1000
"""More plies than any limit on those without progress, and an even number."""


def cells_of(board: Board, figure: str) -> tuple[str, ...]:
    """What a figure shows on each cell, in the board's order: rows from the top, blanks between cells."""
    found = [""] * len(board.names)
    rows = [line.split() for line in figure.strip().splitlines()]
    for row, shown in zip(board.layout.rows, rows, strict=True):
        for cell, text in zip(row.cells, shown, strict=True):
            found[cell] = text
    return tuple(found)


def figure_of(scene: Scene, empty: str = ".") -> str:
    """The rows of a scene as such a figure."""
    shown = ["".join(piece.text for piece in pieces) or empty for pieces in scene.cells]
    return "\n".join(" ".join(shown[cell] for cell in row.cells) for row in scene.board.layout.rows)


def played(game: Game, position: Any, texts: str) -> Any:
    """The position after these moves, with blanks between them."""
    for text in texts.split():
        position, _ = game.play(position, game.read(position, text))
    return position


def written(game: Game, position: Any) -> set[str]:
    """The legal moves as they are written."""
    return {game.write(position, move) for move in game.moves(position)}


def leaves(game: Game, position: Any, plies: int) -> int:
    """How many games of so many plies there are from here."""
    if plies == 0:
        return 1
    return sum(leaves(game, game.play(position, move)[0], plies - 1) for move in game.moves(position))


def at_limit(position: Any) -> Any:
    """The same position after very many plies without progress, where such are counted."""
    long = {"seen": (*map(str, range(LONG)), *getattr(position, "seen", ())), "quiet": LONG}
    counted = [name for name, value in long.items() if type(getattr(position, name, None)) is type(value)]
    return replace(position, **{name: long[name] for name in counted})


def assert_end_before_limit(game: Game, position: Any) -> None:
    """A position in which the game is over ends it so at its limit, too; under its first rules it was a draw."""
    late = at_limit(position)
    assert late != position
    assert game.outcome(late) == game.outcome(position)
    assert game.to_move(late) is None
    assert EARLIER[f"{game.info.name}/1"].outcome(late) == Outcome((1, 1), "exhausted")
