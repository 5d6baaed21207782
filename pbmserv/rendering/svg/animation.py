"""A whole game as one animated SVG that begins again when it is over.

It is animated by SMIL, which runs inside `<img>` too and needs no script. Each piece and each mark is an element
that is shown during some plies and hidden during others; what a ply takes fades while it is shown. Where nothing
is animated the last position stands there, as it does for those who have asked their system for less motion.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeVar

from markupsafe import Markup

from pbmserv.games.game import Scene
from pbmserv.rendering.piece_style import PieceStyle
from pbmserv.rendering.svg.pieces import symbols
from pbmserv.rendering.svg.plan import Plan, draw_ground, plan_for
from pbmserv.rendering.svg.position import (
    HIDDEN,
    Mark,
    Put,
    draw_marks,
    draw_pieces,
    marks,
    pieces_of,
    puts,
    puts_on,
    whole,
)
from pbmserv.rendering.svg.stylesheet import SHEET

PACE: Final = 0.9
"""Seconds that a position is shown."""

REST: Final = 4.0
"""Seconds more that the last one is."""

LONGEST: Final = 90.0
"""Seconds of the whole; a long game goes faster."""

_FOOT: Final = 76
_LINE: Final = 40
_BAR: Final = 8
_SHEET: Final = (
    ".still{display:none}@media(prefers-reduced-motion:reduce){.film{display:none}.still{display:inline}}"
)

Thing = TypeVar("Thing", bound=Hashable)
Drawn = TypeVar("Drawn", Put, Mark)


@dataclass(frozen=True, slots=True)
class Pacing:
    """When each position is shown, as a fraction of the whole, from 0 to 1."""

    count: int

    @property
    def seconds(self) -> float:
        """How long it takes until it begins again."""
        return self._pace * self.count + REST

    def begins(self, index: int) -> str:
        """When a position begins to be shown, as it is written; "1" for the one after the last."""
        return f"{index * self._pace / self.seconds:.5f}".rstrip("0").rstrip(".") if index < self.count else "1"

    @property
    def _pace(self) -> float:
        return min(PACE, (LONGEST - REST) / self.count)


def draw_movie(
    scenes: Sequence[Scene],
    looks: Sequence[PieceStyle],
    title: str,
    captions: Sequence[str],
    description: str = "",
) -> str:
    """One or more positions of a game, the first one first, with a line below each, as an SVG of its own.

    All scenes are of one board; `looks` are those of the sides, by seat; there are as many `captions` as scenes.
    """
    plan = plan_for(scenes[0])
    pacing = Pacing(len(scenes))
    film = Markup('<g class="film">{}{}{}{}{}</g>').format(
        _drawn((marks(scene, looks) for scene in scenes), pacing),
        _drawn(map(puts, scenes), pacing),
        _fading(scenes, pacing),
        _bar(plan, pacing),
        _told(captions, plan, pacing),
    )
    last = scenes[-1]
    still = Markup('<g class="still">{}{}{}</g>').format(
        draw_marks(last, looks), draw_pieces(last), _line(captions[-1], plan, 0)
    )
    kinds = symbols((piece for scene in scenes for piece in pieces_of(scene)), looks)
    ground = draw_ground(scenes[0], looks)
    inside = Markup("<defs>{}</defs>{}{}{}").format(kinds, _foot(plan), ground, film + still)
    return whole(inside, plan.width, plan.height + _FOOT, title, description, f"{SHEET}{_SHEET}")


def _drawn(seen: Iterable[Iterable[Drawn]], pacing: Pacing) -> Markup:
    """Each piece in each of its places once, or each mark."""
    return Markup("").join(
        thing.drawn(_shown(found, pacing), Markup("") if found[-1][1] == pacing.count else HIDDEN)
        for thing, found in sorted(_runs(seen).items())
    )


def _fading(scenes: Sequence[Scene], pacing: Pacing) -> Markup:
    """What each ply took, which fades while the ply is shown."""
    gone: list[set[Put]] = [set()]
    for before, after in pairwise(scenes):
        plan = plan_for(before)
        were = {put for cell in after.captured for put in puts_on(plan, cell, before.cells[cell])}
        are = {put for cell in after.captured for put in puts_on(plan, cell, after.cells[cell])}
        gone.append(were - are)
    return Markup("").join(
        put.drawn(_shown(found, pacing) + _faded(found, pacing), Markup(' class="gone"') + HIDDEN)
        for put, found in sorted(_runs(gone).items())
    )


def _faded(runs: Sequence[tuple[int, int]], pacing: Pacing) -> Markup:
    values, times = ["1"], ["0"]
    for begin, end in runs:
        values += ["1", "0"]
        times += [pacing.begins(begin), pacing.begins(end)]
    return Markup(
        '<animate attributeName="opacity" dur="{}s" repeatCount="indefinite" values="{};0" keyTimes="{};1"/>'
    ).format(_seconds(pacing), ";".join(values), ";".join(times))


def _runs(seen: Iterable[Iterable[Thing]]) -> Mapping[Thing, list[tuple[int, int]]]:
    """For each thing the runs of positions in which it is seen: the first, and the one after the last."""
    runs: dict[Thing, list[tuple[int, int]]] = {}
    for index, things in enumerate(seen):
        for thing in things:
            known = runs.setdefault(thing, [])
            if known and known[-1][1] == index:
                known[-1] = (known[-1][0], index + 1)
            else:
                known.append((index, index + 1))
    return runs


def _shown(runs: Sequence[tuple[int, int]], pacing: Pacing) -> Markup:
    """What shows an element during these runs of positions and hides it else."""
    steps = list(_steps(runs, pacing.count))
    if steps == [(0, True)]:
        return Markup("")
    return _animate("visibility", ((index, "visible" if shown else "hidden") for index, shown in steps), pacing)


def _steps(runs: Sequence[tuple[int, int]], count: int) -> Iterator[tuple[int, bool]]:
    if runs[0][0] > 0:
        yield 0, False
    for begin, end in runs:
        yield begin, True
        if end < count:
            yield end, False


def _animate(name: str, steps: Iterable[tuple[int, str]], pacing: Pacing) -> Markup:
    """An attribute that has each of these values from the position on that stands beside it."""
    every = list(steps)
    kind = Markup('animateTransform type="translate"') if name == "transform" else Markup("animate")
    return Markup(
        '<{} attributeName="{}" calcMode="discrete" dur="{}s" repeatCount="indefinite" values="{}" keyTimes="{}"/>'
    ).format(
        kind,
        name,
        _seconds(pacing),
        ";".join(value for _, value in every),
        ";".join(pacing.begins(index) for index, _ in every),
    )


def _bar(plan: Plan, pacing: Pacing) -> Markup:
    """How much of the game has been shown."""
    width = _room(plan)
    most = max(pacing.count - 1, 1)
    steps = ((index, str(round(width * index / most))) for index in range(pacing.count))
    return Markup('<rect class="d-bar" x="{}" y="{}" width="{}" height="{}" rx="4">{}</rect>').format(
        plan.frame[0], plan.height + _FOOT - 22, width, _BAR, _animate("width", steps, pacing)
    )


def _told(captions: Sequence[str], plan: Plan, pacing: Pacing) -> Markup:
    """The captions below each other behind a window of one line, moved up one by one."""
    steps = [(index, f"0 {-_LINE * index}") for index in range(pacing.count)]
    lines = Markup("").join(_line(caption, plan, index) for index, caption in enumerate(captions))
    return Markup(
        '<clipPath id="line"><rect y="{}" width="{}" height="{}"/></clipPath>'
        '<g clip-path="url(#line)"><g transform="translate({})">{}{}</g></g>'
    ).format(plan.height, plan.width, _LINE, steps[-1][1], _animate("transform", steps, pacing), lines)


def _line(caption: str, plan: Plan, index: int) -> Markup:
    return Markup('<text class="d-told" x="{}" y="{}">{}</text>').format(
        plan.frame[0], plan.height + _LINE * index + 28, caption
    )


def _foot(plan: Plan) -> Markup:
    """The ground below the board, and the line that the bar runs along."""
    return Markup(
        '<rect class="d-ground" y="{}" width="{}" height="{}" rx="22"/>'
        '<rect class="d-rail" x="{}" y="{}" width="{}" height="{}" rx="4"/>'
    ).format(plan.height - 40, plan.width, _FOOT + 40, plan.frame[0], plan.height + _FOOT - 22, _room(plan), _BAR)


def _room(plan: Plan) -> int:
    return plan.frame[2] - plan.frame[0]


def _seconds(pacing: Pacing) -> str:
    return f"{pacing.seconds:.3f}".rstrip("0").rstrip(".")
