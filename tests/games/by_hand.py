"""Positions drawn by hand, games played from texts, and counted trees, for the nets of single games."""

from typing import Any

from pbmserv.games.board import Board
from pbmserv.games.game import Game, Scene


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
