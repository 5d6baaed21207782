"""Figures in characters: curves drawn with them, and the drawn figures of a rules text told in words."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from pbmserv.rendering.document import Block, Document, Numbered, Prose, Quoted, Verbatim

ROWS: Final = 9
"""Rows of the curve, from 100 at the top to 0; two more below it are the axis and its numbers."""

COLUMNS: Final = 54
"""Columns of the curve; a longer game is drawn with every second move, or fewer."""

BARS: Final = 30
"""Bars in a mail."""

_LABELS: Final = {0: "100", ROWS // 2: "50", ROWS - 1: "0"}
_TALLEST: Final = 60
"""Pixels of a bar."""


def draw_curve(points: Sequence[int], marks: Sequence[int] = ()) -> list[str]:
    """Numbers from 0 to 100 as lines of characters, at most 12 of at most 60; those at `marks` are an `o`.

    >>> for line in draw_curve([50, 75, 0, 100], [2]):
    ...     print(line)
    100 |   *
        |
        | *
        |
     50 |*
        |
        |
        |
      0 |  o
        +----
         0
    """
    places = sampled(len(points), COLUMNS, marks)
    rows = [[" "] * len(places) for _ in range(ROWS)]
    for column, place in enumerate(places):
        row = round((100 - points[place]) * (ROWS - 1) / 100)
        rows[row][column] = "o" if place in marks else "*"
    drawn = [f"{_LABELS.get(number, ''):>3} |{''.join(row)}".rstrip() for number, row in enumerate(rows)]
    return [*drawn, f"    +{'-' * len(places)}", f"     {_numbers(places)}"]


def sampled(count: int, most: int, marks: Sequence[int] = ()) -> list[int]:
    """Which of `count` points to draw, at most `most` of them; each of `marks` is among them.

    >>> sampled(9, 5), sampled(9, 5, [3])
    ([0, 2, 4, 6, 8], [0, 3, 4, 6, 8])
    """
    if count <= most:
        return [*range(count)]
    places = [round(number * (count - 1) / (most - 1)) for number in range(most)]
    for mark in marks:
        nearest = min(range(most), key=lambda number: abs(places[number] - mark))
        places[nearest] = mark
    return places


def bars(points: Sequence[int], marks: Sequence[int] = ()) -> list[tuple[int, bool]]:
    """The bars of a curve: how many pixels each is tall, and whether it is pointed out."""
    places = sampled(len(points), BARS, marks)
    return [(max(1, round(points[place] * _TALLEST / 100)), place in marks) for place in places]


def _numbers(places: Sequence[int]) -> str:
    """The numbers of moves below an axis, as far from each other as can be read."""
    line = ""
    step = next(each for each in (5, 10, 20, 50, 100, 200, 500, 1000) if places[-1] / each <= len(places) / 5)
    for column, place in enumerate(places):
        is_first = place // step > (places[column - 1] // step if column else -1)
        if is_first and (not line or column - len(line) >= 2):
            line = line.ljust(column) + str(place // step * step)
    return line


_EMPTY: Final = frozenset({".", "+", "..."})
_BESIDE: Final = re.compile(r" {4,}")
_LONGEST: Final = 3
"""Characters of what stands on a cell, but for columns of pieces."""

_COLUMNS_OF_PIECES: Final = frozenset("xoXOwbWB")

_FEWEST: Final = 2

_Part = Prose | Verbatim | Quoted


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A row of a figure: how it is called, and what stands in it."""

    # "" where the figure names no rows.
    label: str
    # Pairs of a column ("" where the figure names none) and what is drawn there.
    pieces: tuple[tuple[str, str], ...]


Figures = tuple[tuple[FigureRow, ...], ...]
"""The boards of a figure, side by side; none where it cannot be told."""


def in_words(document: Document, tell: Callable[[Figures], str]) -> Document:
    """A document with its drawn figures told by `tell`."""
    blocks: list[Block] = []
    for is_part, found in groupby(document.blocks, key=lambda block: isinstance(block, _Part)):
        if is_part:
            blocks += _parts([block for block in found if isinstance(block, _Part)], tell)
            continue
        for block in found:
            if isinstance(block, Numbered):
                items = tuple(replace(item, parts=tuple(_parts(item.parts, tell))) for item in block.items)
                block = replace(block, items=items)
            blocks.append(block)
    return Document(tuple(blocks))


def _parts(parts: Sequence[_Part], tell: Callable[[Figures], str]) -> list[_Part]:
    told: list[_Part] = []
    for is_verbatim, found in groupby(parts, key=lambda part: isinstance(part, Verbatim)):
        run = list(found)
        # A board drawn with blank lines between its rows comes in many blocks.
        lines = [
            line.text for part in run if isinstance(part, Verbatim) for line in part.lines if line.text.strip()
        ]
        if is_verbatim and is_drawn(lines):
            told.append(Prose((tell(read_figures(lines)),), flows=True))
        else:
            told += run
    return told


def is_drawn(lines: Sequence[str]) -> bool:
    """Whether lines draw a board, and are not commands.

    >>> is_drawn(["A B C", ". n n  1", " n V n  2"]), is_drawn(["move 101 c3", "resign 101"])
    (True, False)
    >>> is_drawn(["x o . . x     . x . x x"]), is_drawn(["a---+", "|   |"]), is_drawn(["c3"])
    (True, True, False)
    """
    is_more = len(lines) >= _FEWEST or any("." in line.split() for line in lines)
    return is_more and all(all(map(_is_drawn_word, line.split())) for line in lines)


def _is_drawn_word(word: str) -> bool:
    if any(character in word for character in "|+") or "--" in word or word == "-":
        return True
    return len(word) <= _LONGEST or set(word) <= _COLUMNS_OF_PIECES


def read_figures(lines: Sequence[str]) -> Figures:
    """The boards that lines draw; none where they are no rows of cells.

    >>> (board,) = read_figures(["A B C", ". n n  1", " n V n  2"])
    >>> [(row.label, row.pieces) for row in board]
    [('1', (('B', 'n'), ('C', 'n'))), ('2', (('A', 'n'), ('B', 'V'), ('C', 'n')))]
    """
    groups = [_BESIDE.split(line.strip()) for line in lines]
    if len({len(each) for each in groups}) != 1:
        groups = [[line] for line in lines]
    boards = [_board([each[place].split() for each in groups]) for place in range(len(groups[0]))]
    return tuple(board for board in boards if board) if all(boards) else ()


def _board(rows: list[list[str]]) -> tuple[FigureRow, ...]:
    heads = [
        row for row in rows if all(len(word) == 1 and word.isupper() for word in row) and len(set(row)) == len(row)
    ]
    columns = heads[0] if heads else []
    found = []
    for row in rows:
        if columns and row == columns:
            continue
        label = row[-1] if row[-1].isdigit() else row[0] if row[0].isdigit() else ""
        cells = [word for place, word in enumerate(row) if not (word == label and place in (0, len(row) - 1))]
        if any(set(word) & set("|-/\\") for word in cells) or (columns and len(cells) != len(columns)):
            return ()
        named = zip(columns or [""] * len(cells), cells, strict=True)
        found.append(FigureRow(label, tuple((column, word) for column, word in named if word not in _EMPTY)))
    return tuple(found)
