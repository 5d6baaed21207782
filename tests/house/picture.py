"""The house as a picture: its folders as rooms on their floors, and who imports whom.

`python -m tests.house.picture` writes `docs/house.svg`. Rooms stand like stairs, the top floor first, each as
large as its code. An arrow starts at the right of the room that imports and comes down on the room that is
imported. The number in the disc says how many imports there are, of one module by another.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from tests.docs import DOCS, ROOT
from tests.house.figures import floors_of
from tests.house.imports import folder_of, modules_of

PICTURE: Final = DOCS / "house.svg"

_LEFT, _TOP, _STEP_X, _STEP_Y = 190, 24, 76, 66
_LARGEST = 56
_STYLE = """
  svg { --paper: #ffffff; --band: #f3f4f6; --ink: #1f2328; --faint: #59636e; --line: #8c959f; --room: #0550ae;
    --disc: #ffffff; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #0d1117; --band: #161b22; --ink: #f0f6fc; --faint: #9198a1; --line: #656c76; --room: #388bfd;
      --disc: #0d1117; }
  }
  text { font: 13px system-ui, sans-serif; fill: var(--ink); }
  .name { font-weight: 600; }
  .faint { font-size: 11px; fill: var(--faint); }
  .count { font-size: 11px; text-anchor: middle; }
  .paper { fill: var(--paper); }
  .band { fill: var(--band); }
  .room { fill: var(--room); }
  .line { stroke: var(--line); stroke-width: 1.5; fill: none; }
  .head { fill: var(--line); }
  .disc { fill: var(--disc); stroke: var(--line); stroke-width: 1.5; }
"""


@dataclass(frozen=True)
class Room:
    """A folder of the package."""

    name: str
    floor: int
    lines: int
    """Of code."""
    files: int


@dataclass(frozen=True)
class House:
    """What the picture shows."""

    rooms: tuple[Room, ...]
    """From the top floor down."""
    arrows: Mapping[tuple[str, str], int]
    """How many modules of the second folder modules of the first import, each pair of modules counted once."""


def house_of(checkout: Path) -> House:
    """The house as it is in a checkout."""
    modules, floors = modules_of(checkout), floors_of(checkout)
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    arrows: Counter[tuple[str, str]] = Counter()
    for path, imported in modules.imports.items():
        folder = folder_of(path)
        lines[folder] += len(modules.code[path])
        files[folder] += 1
        arrows.update(
            (folder, there) for there in map(folder_of, imported) if folder and there not in ("", folder)
        )
    rooms = (Room(name, floor, lines[name], files[name]) for name, floor in floors.items())
    return House(tuple(sorted(rooms, key=lambda room: (-room.floor, room.name))), dict(sorted(arrows.items())))


def draw(house: House) -> str:
    """The picture as SVG, for light and dark pages."""
    width = _LEFT + len(house.rooms) * _STEP_X
    height = _TOP + len(house.rooms) * _STEP_Y + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>The folders of pbmserv and their imports</title>",
        f"<desc>{_described(house)}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
        *_bands(house, width),
        *_lines(house),
        *(_room(place, room, house) for place, room in enumerate(house.rooms)),
        *_discs(house),
        *_legend(height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def read(svg: str) -> House:
    """The house that a picture shows."""
    tree = ElementTree.fromstring(svg)
    rooms = [
        Room(each.attrib["data-room"], *(int(each.attrib[f"data-{name}"]) for name in ("floor", "lines", "files")))
        for each in tree.iterfind(".//*[@data-room]")
    ]
    arrows = {
        (each.attrib["data-from"], each.attrib["data-to"]): int(each.attrib["data-imports"])
        for each in tree.iterfind(".//*[@data-from]")
    }
    return House(tuple(rooms), arrows)


def _described(house: House) -> str:
    rooms = (f"{room.name} on floor {room.floor}" for room in house.rooms)
    return f"From the top: {', '.join(rooms)}. All imports lead to lower floors."


def _at(place: int) -> tuple[int, int]:
    """The middle of a room, by its place from the top."""
    return _LEFT + place * _STEP_X + _STEP_X // 2, _TOP + place * _STEP_Y + _STEP_Y // 2


def _side(room: Room, house: House) -> float:
    return round(_LARGEST * sqrt(room.lines / max(each.lines for each in house.rooms)), 1)


def _bands(house: House, width: int) -> Iterator[str]:
    floors = [room.floor for room in house.rooms]
    for floor in sorted(set(floors), reverse=True):
        first, count = floors.index(floor), floors.count(floor)
        y = _TOP + first * _STEP_Y
        if floor % 2 == 0:
            yield f'<rect class="band" y="{y}" width="{width}" height="{count * _STEP_Y}"/>'
        yield f'<text class="faint" x="12" y="{y + count * _STEP_Y // 2 + 4}">floor {floor}</text>'


def _lines(house: House) -> Iterator[str]:
    places = {room.name: place for place, room in enumerate(house.rooms)}
    for name, place in places.items():
        x, y = _at(place)
        to = [places[there] for here, there in house.arrows if here == name]
        if to:
            yield f'<path class="line" d="M{x},{y} H{_at(max(to))[0]}"/>'
        by = [places[here] for here, there in house.arrows if there == name]
        if by:
            top = y - _side(house.rooms[place], house) / 2 - 2
            yield f'<path class="line" d="M{x},{_at(min(by))[1]} V{top - 6:.1f}"/>'
            yield f'<path class="head" d="M{x},{top:.1f} l-5,-9 h10 z"/>'


def _room(place: int, room: Room, house: House) -> str:
    x, y = _at(place)
    side = _side(room, house)
    left, top, label = x - side / 2, y - side / 2, x - side / 2 - 8
    size = f"{room.lines:,} lines, {room.files} files"
    return (
        f'<g data-room="{room.name}" data-floor="{room.floor}" data-lines="{room.lines}" '
        f'data-files="{room.files}">'
        f'<rect class="room" x="{left:.1f}" y="{top:.1f}" width="{side}" height="{side}" rx="3"/>'
        f'<text class="name" x="{label:.1f}" y="{y - 2}" text-anchor="end">{room.name}</text>'
        f'<text class="faint" x="{label:.1f}" y="{y + 13}" text-anchor="end">{size}</text></g>'
    )


def _discs(house: House) -> Iterator[str]:
    places = {room.name: place for place, room in enumerate(house.rooms)}
    for (here, there), count in house.arrows.items():
        x, y = _at(places[there])[0], _at(places[here])[1]
        yield (
            f'<g data-from="{here}" data-to="{there}" data-imports="{count}">'
            f'<circle class="disc" cx="{x}" cy="{y}" r="{8 + sqrt(count) * 0.9:.1f}"/>'
            f'<text class="count" x="{x}" y="{y + 4}">{count}</text></g>'
        )


def _legend(height: int) -> Iterator[str]:
    told = (
        "A room is as large as its code.",
        "Start at a room and go right: it imports",
        "the rooms below the discs on its line.",
        "A disc has the number of imports,",
        "of one module by another.",
    )
    for place, line in enumerate(told):
        yield f'<text class="faint" x="70" y="{height - 20 - 16 * (len(told) - place)}">{line}</text>'


if __name__ == "__main__":
    PICTURE.write_text(draw(house_of(ROOT)))
