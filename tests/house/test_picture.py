"""The picture of the house shows the house."""

from dataclasses import replace

from tests.docs import ROOT
from tests.house.picture import PICTURE, House, draw, house_of, read

ANEW = "python -m tests.house.picture draws it anew"


def test_picture_is_current() -> None:
    """The same rooms and arrows. Numbers may be a tenth off, so that not every commit draws it anew."""
    shown, is_so = read(PICTURE.read_text()), house_of(ROOT)
    assert [(room.name, room.floor) for room in shown.rooms] == [
        (room.name, room.floor) for room in is_so.rooms
    ], ANEW
    assert set(shown.arrows) == set(is_so.arrows), ANEW
    pairs = [
        *((one.lines, other.lines) for one, other in zip(shown.rooms, is_so.rooms, strict=True)),
        *((one.files, other.files) for one, other in zip(shown.rooms, is_so.rooms, strict=True)),
        *((count, is_so.arrows[arrow]) for arrow, count in shown.arrows.items()),
    ]
    assert [pair for pair in pairs if abs(pair[0] - pair[1]) > max(3, pair[1] / 10)] == [], ANEW


def test_picture_is_drawn_by_its_script() -> None:
    """Nobody has changed it by hand."""
    svg = PICTURE.read_text()
    assert draw(read(svg)) == svg, ANEW


def test_a_picture_can_be_read() -> None:
    """What is drawn is found again."""
    house = read(PICTURE.read_text())
    smaller = House(tuple(replace(room, lines=room.lines // 2) for room in house.rooms), house.arrows)
    assert read(draw(smaller)) == smaller
