"""A curve of chances in characters, for mail as text, and as the few bars that an HTML mail has room for."""

from collections.abc import Sequence
from typing import Final

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
    """The places of so many points that are drawn, `most` of them; each of `marks` is among them.

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
