"""Plots: what a number has been over time and how far off it may have been, and the chances in a finished game."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count, islice, takewhile
from typing import Final

from markupsafe import Markup

from pbmserv.rendering.drawn_text import sampled

WIDTH: Final = 640
HEIGHT: Final = 300
LEFT, RIGHT, TOP, BOTTOM = 62, 570, 16, 256
"""Where the axes are; outside them stand the numbers, the dates, and the last value."""

MOST_DOTS: Final = 40
_MOST_DATES: Final = 4
_MOST_LINES: Final = 6
_SHORTEST: Final = timedelta(hours=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_STEPS: Final = (1, 2, 5)
_DAY, _YEAR = 1440, 12
_MINUTES: Final = (15, 60, 180, 360, 720, *(days * _DAY for days in (1, 2, 4, 8, 16)))
_MONTHS: Final = (1, 2, 3, 6, *(years * _YEAR for years in (1, 2, 5, 10, 20, 50, 100)))
_TIME, _DATE = "%H:%M", "%Y-%m-%d"


@dataclass(frozen=True, slots=True)
class Point:
    """A number at a moment, and how far off it may be to either side."""

    at: datetime
    value: int
    doubt: int


def plot(points: Sequence[Point]) -> Markup:
    """An SVG of these points, of which there is one at least, in the order of their moments.

    It is for the eye alone: its page says in words what it shows. Its classes are dressed by the page's
    sheet: `doubt` is the band about the `course`, `grid` and `tick` belong to the axes, `now` is the last value.
    """
    low = min(each.value - each.doubt for each in points)
    high = max(max(each.value + each.doubt for each in points), low + 1)
    first, last = _span(points[0].at, points[-1].at)

    def across(at: datetime) -> int:
        return round(LEFT + (RIGHT - LEFT) * ((at - first) / (last - first)))

    def down(value: int) -> int:
        return round(BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low))

    upper = [(across(each.at), down(each.value + each.doubt)) for each in points]
    lower = [(across(each.at), down(each.value - each.doubt)) for each in points]
    course = [(across(each.at), down(each.value)) for each in points]
    return Markup(
        '<svg class="plot" viewBox="0 0 {} {}" aria-hidden="true" focusable="false">{}'
        '<path class="axis" d="M{} {}H{}"/>{}'
        '<path class="doubt" d="{}Z"/><path class="course" d="{}"/>{}{}</svg>'
    ).format(
        WIDTH,
        HEIGHT,
        Markup("").join(_line(value, down(value)) for value in _whole(low, high)),
        LEFT,
        BOTTOM,
        RIGHT,
        Markup("").join(
            _date(at, told, across(at), number) for number, (at, told) in enumerate(_dates(first, last))
        ),
        _path([*upper, *reversed(lower)]),
        _path(course),
        Markup("").join(_dot(*place) for place in course[:-1]) if len(course) <= MOST_DOTS else "",
        _now(points[-1].value, *course[-1]),
    )


def _line(value: int, y: int) -> Markup:
    return Markup(
        '<path class="grid" d="M{} {}H{}"/><text class="tick" x="{}" y="{}" dy=".35em" text-anchor="end">{}</text>'
    ).format(LEFT, y, RIGHT, LEFT - 8, y, value)


def _date(at: datetime, told: str, x: int, number: int) -> Markup:
    # On narrow screens there is room for every other date.
    dress = "tick second" if number % 2 else "tick"
    return Markup(
        '<path class="mark" d="M{} {}v6"/><text class="{}" x="{}" y="{}" dy="1.4em" text-anchor="middle">{}</text>'
    ).format(x, BOTTOM, dress, x, BOTTOM, told)


def _dot(x: int, y: int) -> Markup:
    return Markup('<circle class="dot" cx="{}" cy="{}" r="2.5"/>').format(x, y)


def _now(value: int, x: int, y: int) -> Markup:
    return Markup(
        '<circle class="now" cx="{0}" cy="{1}" r="4.5"/><text class="now" x="{2}" y="{1}" dy=".35em">{3}</text>'
    ).format(x, y, x + 9, value)


def _path(places: Iterable[tuple[int, int]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in places)


def _whole(low: int, high: int) -> range:
    """Whole numbers between two, at equal steps.

    >>> list(_whole(1130, 1890)), list(_whole(1500, 1501))
    ([1200, 1400, 1600, 1800], [1500, 1501])
    """
    for step in (digit * 10**zeros for zeros in count() for digit in _STEPS):
        found = range(-(-low // step) * step, high + 1, step)
        if len(found) <= _MOST_LINES:
            return found
    raise AssertionError("there is always a greater step")


def _span(first: datetime, last: datetime) -> tuple[datetime, datetime]:
    """From when to when the plot goes: what happened at one moment stands in the middle of an hour."""
    lacking = max(_SHORTEST - (last - first), timedelta())
    return first - lacking / 2, last + lacking / 2


def _dates(first: datetime, last: datetime) -> tuple[tuple[datetime, str], ...]:
    """Round moments between two, at most four, and what they are told as; in UTC.

    >>> [told for _, told in _dates(datetime(2026, 1, 1, 22, tzinfo=UTC), datetime(2026, 1, 2, 5, tzinfo=UTC))]
    ['2026-01-02', '03:00']
    >>> [told for _, told in _dates(datetime(2025, 11, 20, tzinfo=UTC), datetime(2026, 3, 9, tzinfo=UTC))]
    ['2025-12', '2026-01', '2026-02', '2026-03']
    """
    for moments, form in _ways(first):
        # One more than are wanted, after one that may be too early, tells that they are too many.
        begun = islice(takewhile(lambda at: at <= last, moments), _MOST_DATES + 2)
        found = [at for at in begun if at >= first]
        if len(found) <= _MOST_DATES:
            return tuple((at, _told(at, form)) for at in found)
    raise AssertionError("no plot is longer than a few centuries")


def _ways(first: datetime) -> Iterator[tuple[Iterator[datetime], str]]:
    """Endless series of round moments from `first` on or before it, the closest first, and how each is written."""
    for minutes in _MINUTES:
        yield _every(first, timedelta(minutes=minutes)), _TIME if minutes < _DAY else _DATE
    for months in _MONTHS:
        yield _monthly(first, months), "%Y-%m" if months < _YEAR else "%Y"


def _told(at: datetime, form: str) -> str:
    is_midnight = form == _TIME and (at.hour, at.minute) == (0, 0)
    return at.strftime(_DATE if is_midnight else form)


def _every(first: datetime, step: timedelta) -> Iterator[datetime]:
    start = _EPOCH + (first - _EPOCH) // step * step
    return (start + number * step for number in count())


def _monthly(first: datetime, step: int) -> Iterator[datetime]:
    start = (first.year * 12 + first.month - 1) // step * step
    return (datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC) for month in count(start, step))


_CURVE_HEIGHT: Final = 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 628, 12, 160
"""Where the curve is; left of it stand the chances, below it the numbers of moves."""

MOST_BANDS: Final = 160
"""Of a longer game only this many moves can be chosen here; a page of the longest would be too heavy."""

_LINES: Final = (0, 50, 100)
_MOST_NUMBERS: Final = 6

Scale = Callable[[float], float]
"""Where a number is in the drawing."""


def draw_chances(points: Sequence[int], marks: Sequence[int], shown: int) -> Markup:
    """An SVG of chances, 0 to 100, at the start and after each move; `marks` are moves where the game turned.

    The move that is `shown` is marked. It is for eyes and pointers: its page has the same in words and
    links beside it. Each move is a link to `?ply=N` of the page.
    """
    last = max(len(points) - 1, 1)
    places = sampled(len(points), MOST_BANDS, marks)

    def across(place: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * place / last, 1)

    def down(chance: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * chance / 100, 1)

    course = "L".join(f"{across(place)} {down(points[place])}" for place in places)
    return Markup(
        '<svg class="plot chances" viewBox="0 0 {} {}" aria-hidden="true" focusable="false">{}'
        '<path class="here" d="M{} {}V{}"/><path class="course" d="M{}"/>{}'
        '<circle class="now" cx="{}" cy="{}" r="5"/>'
        "{}</svg>"
    ).format(
        WIDTH,
        _CURVE_HEIGHT,
        Markup("").join([*_lines(down), *_numbers(last, across)]),
        across(shown),
        _TOP,
        _BOTTOM,
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
        ).format(_LEFT, down(chance), _RIGHT, _LEFT - 8, down(chance), chance)


def _numbers(last: int, across: Scale) -> Iterator[Markup]:
    step = next(
        each for each in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000) if last / each <= _MOST_NUMBERS
    )
    for place in range(0, last + 1, step):
        yield Markup('<text class="tick" x="{}" y="{}" dy="1.4em" text-anchor="middle">{}</text>').format(
            across(place), _BOTTOM, place
        )


def _bands(points: Sequence[int], places: Sequence[int], across: Scale) -> Iterator[Markup]:
    """A link for each move, as wide as the curve belongs to it."""
    for number, place in enumerate(places):
        first = across((places[number - 1] + place) / 2) if number else _LEFT
        end = across((place + places[number + 1]) / 2) if number + 1 < len(places) else _RIGHT
        yield Markup(
            '<a href="?ply={0}#position" tabindex="-1"><title>{0}: {1}</title>'
            '<path class="band" d="M{2} {3}H{4}V{5}H{2}z"/></a>'
        ).format(place, points[place], first, _TOP, end, _BOTTOM)
