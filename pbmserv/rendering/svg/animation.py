"""A whole game as one animated SVG that begins again when it is over.

It is animated by SMIL, which runs inside `<img>` too and needs no script. Each piece and each mark is an element
that is shown during some plies and hidden during others. Where nothing is animated the last position stands there,
as it does for those who have asked their system for less motion.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from markupsafe import Markup

from pbmserv.games.game import Scene
from pbmserv.rendering.svg.pieces import piece_id, symbols
from pbmserv.rendering.svg.position import (
    HIDDEN,
    PictureLayout,
    draw_ground,
    mark_path,
    marks,
    pieces,
    places,
    plan_of,
    put,
    whole,
)
from pbmserv.rendering.svg.stylesheet import BOARD_SHEET, SHEET

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


@dataclass(frozen=True, slots=True)
class Pacing:
    """When each of so many positions is shown, in parts of the whole from 0 to 1."""

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


def draw_movie(scenes: Sequence[Scene], title: str, captions: Sequence[str], description: str = "") -> str:
    """One or more positions of a game, the first one first, with a line below each, as an SVG of its own.

    All scenes are of one board; there are as many `captions` as scenes.
    """
    plan = plan_of(scenes[0])
    pacing = Pacing(len(scenes))
    film = Markup('<g class="film">{}{}{}{}</g>').format(
        _marks(scenes, plan, pacing),
        _pieces(scenes, plan, pacing),
        _bar(plan, pacing),
        _told(captions, plan, pacing),
    )
    last = scenes[-1]
    still = Markup('<g class="still">{}{}{}</g>').format(
        marks(last, plan), pieces(last, plan), _line(captions[-1], plan, 0)
    )
    kinds = symbols(cell for scene in scenes for row in scene.cells for cell in row)
    inside = Markup("<defs>{}</defs>{}{}{}").format(kinds, _foot(plan), draw_ground(plan), film + still)
    sheet = f"{SHEET}{BOARD_SHEET}{_SHEET}"
    return whole(inside, plan.width, plan.height + _FOOT, title, description, sheet)


def _pieces(scenes: Sequence[Scene], plan: PictureLayout, pacing: Pacing) -> Markup:
    """Each kind of piece in each of its places once."""
    seen = [
        {(piece_id(cell), place) for cell, place in places(scene) if cell.seat is not None} for scene in scenes
    ]
    return Markup("").join(
        put(name, *plan.at(*place), _shown(runs, pacing), is_seen=runs[-1][1] == len(scenes))
        for (name, place), runs in sorted(_runs(seen).items())
    )


def _marks(scenes: Sequence[Scene], plan: PictureLayout, pacing: Pacing) -> Markup:
    seen = [
        {
            (kind, place)
            for cell, place in places(scene)
            for kind, squares in (("taken", scene.taken), ("last", scene.last))
            if cell.square in squares
        }
        for scene in scenes
    ]
    return Markup("").join(
        Markup('<path class="{}" d="{}"{}>{}</path>').format(
            kind,
            mark_path(*plan.at(*place)),
            Markup("") if runs[-1][1] == len(scenes) else HIDDEN,
            _shown(runs, pacing),
        )
        for (kind, place), runs in sorted(_runs(seen).items(), key=lambda each: (each[0][0] == "last", each[0]))
    )


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


def _bar(plan: PictureLayout, pacing: Pacing) -> Markup:
    """How much of the game has been shown."""
    width = _room(plan)
    most = max(pacing.count - 1, 1)
    steps = ((index, str(round(width * index / most))) for index in range(pacing.count))
    return Markup('<rect class="bar" x="{}" y="{}" width="{}" height="{}" rx="4">{}</rect>').format(
        plan.left, plan.height + _FOOT - 22, width, _BAR, _animate("width", steps, pacing)
    )


def _told(captions: Sequence[str], plan: PictureLayout, pacing: Pacing) -> Markup:
    """The captions below each other behind a window of one line, moved up one by one."""
    steps = [(index, f"0 {-_LINE * index}") for index in range(pacing.count)]
    lines = Markup("").join(_line(caption, plan, index) for index, caption in enumerate(captions))
    return Markup(
        '<clipPath id="line"><rect y="{}" width="{}" height="{}"/></clipPath>'
        '<g clip-path="url(#line)"><g transform="translate({})">{}{}</g></g>'
    ).format(plan.height, plan.width, _LINE, steps[-1][1], _animate("transform", steps, pacing), lines)


def _line(caption: str, plan: PictureLayout, index: int) -> Markup:
    return Markup('<text class="told" x="{}" y="{}">{}</text>').format(
        plan.left, plan.height + _LINE * index + 28, caption
    )


def _foot(plan: PictureLayout) -> Markup:
    """The ground below the board, and the line that the bar runs along."""
    return Markup(
        '<rect class="ground" y="{}" width="{}" height="{}" rx="22"/>'
        '<rect class="square" x="{}" y="{}" width="{}" height="{}" rx="4"/>'
    ).format(plan.height - 40, plan.width, _FOOT + 40, plan.left, plan.height + _FOOT - 22, _room(plan), _BAR)


def _room(plan: PictureLayout) -> int:
    return plan.at(len(plan.columns), 0)[0] - plan.left - 6


def _seconds(pacing: Pacing) -> str:
    return f"{pacing.seconds:.3f}".rstrip("0").rstrip(".")
