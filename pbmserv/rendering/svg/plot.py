"""A plot: what a number has been over time, and how far off it may have been."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count, islice, takewhile
from typing import Final

from markupsafe import Markup

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

    It is for the eye alone: whoever shows it says in words what it shows. Its classes are dressed by the page's
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
    """Endless series of round moments from `first` on or before it, the closest first, and how each is told."""
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
