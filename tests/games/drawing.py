"""Boards as the tests draw them: pieces on the sheet, with or without the labels around it."""

import re
from itertools import groupby

from pbmserv.games.game import Scene

_CELL = re.compile(r"\.\.\.|[(<\[{/|][1-6][)>\]}/|]")


def draw_board(scene: Scene) -> str:
    """The sheet without its blank lines, and on each slot the pieces that stand there, from bottom to top.

    A stack that is too wide for its slot shows `*` there, and what it is below the board.
    """
    sheet = scene.board.sheet
    lines = [list(line) for line in sheet.lines]
    below = []
    for name, pieces, (line, at) in zip(scene.board.names, scene.cells, sheet.slots, strict=True):
        text = "".join(piece.text for piece in pieces)
        if len(text) > sheet.width:
            below.append(f"    {name}: {text}")
            text = "*"
        if text:
            lines[line][at : at + sheet.width] = text.center(sheet.width)
    drawn = ["".join(line).rstrip() for line in lines]
    return "\n".join([line for line in drawn if line] + below)


def draw_cells(scene: Scene) -> str:
    """The cells of a board of squares alone, the top row first."""
    return "\n".join(
        " ".join("".join(piece.text for piece in scene.cells[cell]) or "..." for cell in row.cells)
        for row in scene.board.layout.rows
    )


def read_cells(drawn: str) -> list[list[str]]:
    """The cells of a drawing without labels: a list for each row, the top row first."""
    return [_CELL.findall(line) for line in drawn.strip().splitlines()]


def read_figures(text: str) -> list[tuple[list[list[str]], list[list[str]]]]:
    """The figures in a text: lines of three cells before a ply, and right of them three after it."""
    rows = [_CELL.findall(line) for line in text.splitlines()]
    figures = [list(lines) for is_figure, lines in groupby(rows, lambda row: len(row) == 6) if is_figure]
    return [([row[:3] for row in lines], [row[3:] for row in lines]) for lines in figures]
