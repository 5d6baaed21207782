"""Reading a picture: what stands where in an SVG, and in a movie at a moment."""

from dataclasses import dataclass
from xml.etree.ElementTree import Element, fromstring

from pbmserv.games.game import Scene
from pbmserv.rendering.svg.pieces import piece_id
from pbmserv.rendering.svg.position import PictureLayout, plan_of

NAMESPACE = "{http://www.w3.org/2000/svg}"
Place = tuple[int, int]


@dataclass(frozen=True)
class Seen:
    """The pieces by place, and the places that are marked."""

    pieces: frozenset[tuple[str, Place]]
    last: frozenset[Place]
    taken: frozenset[Place]


def parsed(svg: str) -> Element:
    """The root of a picture, which must be sound XML."""
    root = fromstring(svg)
    assert root.tag == f"{NAMESPACE}svg"
    return root


def every(root: Element, name: str, class_: str = "") -> list[Element]:
    """The elements of that name, or those with that class too."""
    return [each for each in root.iter(f"{NAMESPACE}{name}") if class_ in ("", each.get("class"))]


def told_by(scene: Scene) -> Seen:
    """What a picture of a scene must show."""
    cells = [(cell, (x, y)) for y, row in enumerate(scene.cells) for x, cell in enumerate(row)]
    return Seen(
        frozenset((piece_id(cell), place) for cell, place in cells if cell.seat is not None),
        frozenset(place for cell, place in cells if cell.square in scene.last),
        frozenset(place for cell, place in cells if cell.square in scene.taken),
    )


def seen_in(root: Element, scene: Scene, moment: float = 0) -> Seen:
    """What a picture of that scene's board shows, a movie at a moment from 0 to 1; nothing may be there twice."""
    plan = plan_of(scene)
    uses = [use for use in every(root, "use") if _is_visible(use, moment)]
    pieces = [((use.get("href") or "")[1:], _place(plan, use.get("x"), use.get("y"))) for use in uses]
    assert len(set(pieces)) == len(pieces)
    return Seen(frozenset(pieces), _marked(root, plan, "last", moment), _marked(root, plan, "taken", moment))


def value_at(element: Element, attribute: str, moment: float) -> str | None:
    """What an attribute is at a moment, animated or not."""
    value = element.get(attribute)
    for child in element:
        if child.get("attributeName") == attribute:
            assert child.get("calcMode") == "discrete"
            times = [float(each) for each in (child.get("keyTimes") or "").split(";")]
            values = (child.get("values") or "").split(";")
            assert times == sorted(set(times))
            assert (times[0], len(times)) == (0, len(values))
            assert times[-1] < 1
            value = next(
                each for begin, each in reversed(list(zip(times, values, strict=True))) if begin <= moment
            )
    return value


def _is_visible(element: Element, moment: float) -> bool:
    return value_at(element, "visibility", moment) != "hidden"


def _marked(root: Element, plan: PictureLayout, kind: str, moment: float) -> frozenset[Place]:
    corners = [
        (mark.get("d") or "").split("h")[0].removeprefix("M").split()
        for mark in every(root, "path", kind)
        if _is_visible(mark, moment)
    ]
    return frozenset(_place(plan, x, y) for x, y in corners)


def _place(plan: PictureLayout, x: str | None, y: str | None) -> Place:
    """The column and row of the square that holds a point near its upper left corner."""
    size = range(max(len(plan.columns), len(plan.rows)))
    corners = {plan.at(column, row): (column, row) for column in size for row in size}
    found = [
        place for (left, top), place in corners.items() if 0 <= int(x or -1) - left < 10 > int(y or -1) - top >= 0
    ]
    assert len(found) == 1
    return found[0]
