"""Ratings over a year as a picture: a line for everybody, its colour by how well they really play."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

WIDTH, HEIGHT = 900, 460
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 40, 44
COLOURS = ("#b5492e", "#c98f1b", "#2f8f6f", "#24527a")
"""From those who play at random to those who look ahead: apart also for eyes that see colours otherwise."""

NAMES = ("looks ahead seldom", "at a quarter to half of plies", "at half to three quarters", "mostly")

Line = Sequence[tuple[datetime, float]]


@dataclass(frozen=True)
class Axes:
    """Where a day and a rating are on the picture."""

    begins: datetime
    days: int
    low: int
    high: int

    def x(self, at: datetime) -> float:
        """Across."""
        passed = (at - self.begins).total_seconds() / 86400
        return LEFT + passed / self.days * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Down."""
        return HEIGHT - BOTTOM - (value - self.low) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)


def draw_ratings(lines: Mapping[str, Line], skills: Mapping[str, float], begins: datetime, days: int) -> str:
    """An SVG; each line is somebody's ratings with the times from which they held."""
    values = [value for line in lines.values() for _, value in line] or [1500.0]
    axes = Axes(begins, days, int(min(values) // 100 * 100), int(-(-max(values) // 100) * 100 + 1))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
    parts = [
        head + 'font-family="Verdana,Arial,sans-serif" font-size="12">',
        "<title>Ratings of a simulated club over a year</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_frame(axes),
        *_legend(),
    ]
    for userid, line in sorted(lines.items()):
        parts += _curve(axes, line, _colour(skills.get(userid, 0.0)))
    return "\n".join([*parts, "</svg>", ""])


def _frame(axes: Axes) -> Iterator[str]:
    for value in range(axes.low, axes.high + 1, 100 if axes.high - axes.low <= 900 else 200):
        yield f'<path d="M{LEFT} {axes.y(value):.1f}H{WIDTH - RIGHT}" stroke="#e3ded2"/>'
        yield f'<text x="{LEFT - 8}" y="{axes.y(value) + 4:.1f}" text-anchor="end">{value}</text>'
    for month in range(0, axes.days // 30 + 1, 2):
        at = LEFT + month * 30 / axes.days * (WIDTH - LEFT - RIGHT)
        yield f'<text x="{at:.1f}" y="{HEIGHT - 24}" text-anchor="middle">{month}</text>'
    yield f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">months</text>'


def _legend() -> Iterator[str]:
    for index, (colour, name) in enumerate(zip(COLOURS, NAMES, strict=True)):
        at = LEFT + index * 205
        yield f'<rect x="{at}" y="14" width="18" height="10" fill="{colour}"/>'
        yield f'<text x="{at + 24}" y="23">{name}</text>'


def _curve(axes: Axes, line: Line, colour: str) -> Iterator[str]:
    points = [f"{axes.x(at):.1f} {axes.y(value):.1f}" for at, value in line]
    yield f'<path d="M{"L".join(points)}" fill="none" stroke="{colour}" stroke-width="1.4" stroke-opacity="0.8"/>'
    at, value = line[-1]
    yield f'<circle cx="{axes.x(at):.1f}" cy="{axes.y(value):.1f}" r="2.4" fill="{colour}"/>'


def _colour(skill: float) -> str:
    return COLOURS[min(int(skill * len(COLOURS)), len(COLOURS) - 1)]
