"""Boards as the tests draw them: the cells of a scene in rows, with or without their labels."""

import re

from pbmserv.games.game import Scene

_CELL = re.compile(r"\.\.\.|[(<\[{/|][1-6][)>\]}/|]")


def draw_cells(scene: Scene) -> str:
    """The cells alone, the top row first."""
    return "\n".join(" ".join(cell.text for cell in row) for row in scene.cells)


def draw_board(scene: Scene) -> str:
    """The cells with the labels of rows and columns around them."""
    columns = " " * 7 + " ".join(label.center(scene.cell_width) for label in scene.columns).rstrip()
    rows = [
        f"    {label}  {' '.join(cell.text for cell in row)}  {label}"
        for label, row in zip(scene.rows, scene.cells, strict=True)
    ]
    return "\n".join([columns, *rows, columns])


def read_cells(drawn: str) -> list[list[str]]:
    """The cells of a drawing without labels: a list for each row, the top row first."""
    return [_CELL.findall(line) for line in drawn.strip().splitlines()]


def read_figures(text: str) -> list[tuple[list[list[str]], list[list[str]]]]:
    """The figures in a text: three lines of three cells before a ply, and right of them three after it."""
    rows = [_CELL.findall(line) for line in text.splitlines()]
    return [
        ([row[:3] for row in rows[top : top + 3]], [row[3:] for row in rows[top : top + 3]])
        for top in range(len(rows))
        if all(len(row) == 6 for row in rows[top : top + 3]) and (top == 0 or len(rows[top - 1]) != 6)
    ]
