"""The curve of a player's chances in a finished game, each of its moves to be chosen."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from markupsafe import Markup

from pbmserv.rendering.curve_text import sampled

WIDTH: Final = 640
HEIGHT: Final = 190
LEFT, RIGHT, TOP, BOTTOM = 40, 628, 12, 160
"""Where the curve is; left of it stand the chances, below it the numbers of moves."""

MOST_BANDS: Final = 160
"""Of a longer game only so many moves can be chosen here; a page of the longest would else be too heavy."""

_LINES: Final = (0, 50, 100)
_MOST_NUMBERS: Final = 6

Scale = Callable[[float], float]
"""Where a number is in the drawing."""


def draw_chances(points: Sequence[int], marks: Sequence[int], shown: int) -> Markup:
    """An SVG of chances, 0 to 100, at the start and after each move; `marks` are moves where the game turned.

    The move that is `shown` is marked. It is for eyes and pointers: whoever shows it has the same in words and
    links beside it. Each move is a link to `?ply=N` of the page.
    """
    last = max(len(points) - 1, 1)
    places = sampled(len(points), MOST_BANDS, marks)

    def across(place: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * place / last, 1)

    def down(chance: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * chance / 100, 1)

    course = "L".join(f"{across(place)} {down(points[place])}" for place in places)
    return Markup(
        '<svg class="plot chances" viewBox="0 0 {} {}" aria-hidden="true" focusable="false">{}'
        '<path class="here" d="M{} {}V{}"/><path class="course" d="M{}"/>{}'
        '<circle class="now" cx="{}" cy="{}" r="5"/>'
        "{}</svg>"
    ).format(
        WIDTH,
        HEIGHT,
        Markup("").join([*_lines(down), *_numbers(last, across)]),
        across(shown),
        TOP,
        BOTTOM,
        course,
        Markup("").join(
            Markup('<circle class="turn" cx="{}" cy="{}" r="9"/>').format(across(place), down(points[place]))
            for place in marks
        ),
        across(shown),
        down(points[shown]),
        Markup("").join(_bands(points, places, across)),
    )


def _lines(down: Scale) -> Iterator[Markup]:
    for chance in _LINES:
        yield Markup(
            '<path class="grid" d="M{} {}H{}"/>'
            '<text class="tick" x="{}" y="{}" dy=".35em" text-anchor="end">{}</text>'
        ).format(LEFT, down(chance), RIGHT, LEFT - 8, down(chance), chance)


def _numbers(last: int, across: Scale) -> Iterator[Markup]:
    step = next(
        each for each in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000) if last / each <= _MOST_NUMBERS
    )
    for place in range(0, last + 1, step):
        yield Markup('<text class="tick" x="{}" y="{}" dy="1.4em" text-anchor="middle">{}</text>').format(
            across(place), BOTTOM, place
        )


def _bands(points: Sequence[int], places: Sequence[int], across: Scale) -> Iterator[Markup]:
    """A link for each move, as wide as the curve belongs to it."""
    for number, place in enumerate(places):
        first = across((places[number - 1] + place) / 2) if number else LEFT
        end = across((place + places[number + 1]) / 2) if number + 1 < len(places) else RIGHT
        yield Markup(
            '<a href="?ply={0}#position" tabindex="-1"><title>{0}: {1}</title>'
            '<path class="band" d="M{2} {3}H{4}V{5}H{2}z"/></a>'
        ).format(place, points[place], first, TOP, end, BOTTOM)
