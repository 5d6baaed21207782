"""Boards of points and lines, read from ASCII art."""

from functools import lru_cache
from typing import Final

from pbmserv.games.board import Board, Layout, Row, Sheet
from pbmserv.games.boards import MARGIN, NE, NW, SE, SW, E, N, S, W, made

POINT: Final = "+"

# How a line goes on from a point: its direction, the step to the right and downwards, and its character.
_WAYS: Final = ((E, 1, 0, "-"), (S, 0, 1, "|"), (SE, 1, 1, "\\"), (SW, -1, 1, "/"))
_BACK: Final = {E: W, S: N, SE: NW, SW: NE}


@lru_cache(maxsize=8)
def drawn(key: str, art: str) -> Board:
    """The board of a drawing: `+` are its cells, `- | / \\` the lines between them.

    Rows are named by the number at their left end, columns by the letters of the last line; a cell is in the
    column whose letter stands below it. Raises ValueError where a name is missing. Rays go along lines only, in
    the directions `N` to `NW` of `pbmserv.games.boards`.

    >>> board = drawn("cross", "2  +-+\\n   | |\\n1  +-+\\n   A B")
    >>> board.names, [board.names[cell] for cell in board.neighbours[0]]
    (('A1', 'A2', 'B1', 'B2'), ['A2', 'B1'])
    """
    *body, foot = art.strip("\n").split("\n")
    letters = {place: letter for place, letter in enumerate(foot) if letter != " "}
    labels = {line: text.split()[0] for line, text in enumerate(body) if text[:1].strip()}
    found = sorted(
        (letters.get(place, "?"), labels.get(line, "?"), line, place)
        for line, text in enumerate(body)
        for place, character in enumerate(text)
        if character == POINT
    )
    names = [letter + label for letter, label, _, _ in found]
    if any("?" in name for name in names):
        raise ValueError(f"a cell without a name: {names}")
    at = {(line, place): cell for cell, (_, _, line, place) in enumerate(found)}
    beside = _beside(body, at)
    columns, rows = sorted(letters), sorted(labels)
    places = tuple((2 * columns.index(place) + 1, 2 * rows.index(line) + 1) for _, _, line, place in found)
    margin = " " * MARGIN
    return made(
        key=key,
        names=names,
        neighbours=[sorted(each.values()) for each in beside],
        rays=[[_ray(cell, way, beside) for way in range(8)] for cell in range(len(found))],
        sheet=Sheet(
            tuple((margin + line).rstrip() for line in (*body, foot)),
            tuple((line, MARGIN + place) for _, _, line, place in found),
            1,
        ),
        layout=Layout(
            "point",
            (2 * len(columns), 2 * len(rows)),
            places=places,
            labels=(
                *((letters[place], 2 * column + 1, 2 * len(rows) + 1) for column, place in enumerate(columns)),
                *((labels[line], -1, 2 * row + 1) for row, line in enumerate(rows)),
            ),
            rows=tuple(
                Row(
                    labels[line],
                    tuple(cell for _, cell in sorted((p, c) for (at_line, p), c in at.items() if at_line == line)),
                )
                for line in rows
            ),
            lines=tuple((cell, each[way]) for cell, each in enumerate(beside) for way in _BACK if way in each),
        ),
    )


def _beside(body: list[str], at: dict[tuple[int, int], int]) -> list[dict[int, int]]:
    """For each cell the next one along each line that begins there, by direction."""
    beside: list[dict[int, int]] = [{} for _ in at]
    for (line, place), cell in at.items():
        for way, aside, down, stroke in _WAYS:
            y, x = line + down, place + aside
            while 0 <= y < len(body) and 0 <= x < len(body[y]) and body[y][x] == stroke:
                y, x = y + down, x + aside
            other = at.get((y, x))
            if other is not None:
                beside[cell][way] = other
                beside[other][_BACK[way]] = cell
    return beside


def _ray(cell: int, way: int, beside: list[dict[int, int]]) -> list[int]:
    found: list[int] = []
    while way in beside[cell]:
        cell = beside[cell][way]
        found.append(cell)
    return found
