"""Reading a picture: what stands where in an SVG, and in a movie at a moment."""

from dataclasses import dataclass
from xml.etree.ElementTree import Element, fromstring

from pbmserv.games.game import Scene
from pbmserv.rendering.svg.pieces import piece_id
from pbmserv.rendering.svg.plan import plan_for

NAMESPACE = "{http://www.w3.org/2000/svg}"
MARKS = {"marked": "d-last", "vacated": "d-left", "captured": "d-taken", "attacked": "d-check"}


@dataclass(frozen=True)
class Seen:
    """The pieces on each cell that is not empty, from bottom to top, and the cells with each kind of mark."""

    pieces: dict[int, tuple[str, ...]]
    marks: dict[str, frozenset[int]]


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
    return Seen(
        {cell: tuple(map(piece_id, pieces)) for cell, pieces in enumerate(scene.cells) if pieces},
        {kind: frozenset(getattr(scene, kind)) for kind in MARKS},
    )


def seen_in(root: Element, scene: Scene, moment: float = 0) -> Seen:
    """What a picture of that scene's board shows, a movie at a moment from 0 to 1; what fades does not count."""
    uses = [
        use
        for use in every(root, "use")
        if use.get("width") and use.get("class") not in ("gone", "held") and _is_visible(use, moment)
    ]
    stacks: dict[int, list[tuple[float, str]]] = {}
    for use in uses:
        x, y, size = (float(use.get(name) or 0) for name in ("x", "y", "width"))
        cell = _nearest(scene, x + size / 2, y + size / 2)
        stacks.setdefault(cell, []).append((y, (use.get("href") or "")[1:]))
    for stack in stacks.values():
        heights = [y for y, _ in stack]
        assert heights == sorted(set(heights), reverse=True), "each piece lies higher than those drawn before it"
    return Seen(
        {cell: tuple(name for _, name in stack) for cell, stack in sorted(stacks.items())},
        {kind: _marked(root, scene, class_, moment) for kind, class_ in MARKS.items()},
    )


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


def _marked(root: Element, scene: Scene, kind: str, moment: float) -> frozenset[int]:
    middles = [
        (mark.get("d") or "").removeprefix("M").split("m")[0].split()
        for mark in every(root, "path", kind)
        if _is_visible(mark, moment)
    ]
    found = [_nearest(scene, float(x), float(y)) for x, y in middles]
    assert len(set(found)) == len(found)
    return frozenset(found)


def _nearest(scene: Scene, x: float, y: float) -> int:
    """The cell on which that point lies."""
    centres = plan_for(scene).centres
    away = {cell: max(abs(x - at_x), abs(y - at_y)) for cell, (at_x, at_y) in enumerate(centres)}
    cell = min(away, key=away.__getitem__)
    assert away[cell] < 30
    return cell
