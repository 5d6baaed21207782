"""Pictures of boards as Chromium shows them inside `<img>`, light and dark, and movies as they run."""

import base64
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from pbmserv.rendering.board import view_board
from pbmserv.rendering.piece_style import PIECE_STYLES
from pbmserv.rendering.svg.animation import PACE
from pbmserv.rendering.svg.pictures import movie_of, picture_of
from pbmserv.rendering.svg.plan import plan_of
from tests.rendering.letters import played

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
BOARD = played("c3 c4 d3 d4xc4,d3")
WIDTH = plan_of(view_board(BOARD).diagram.scene.board).width

# The colours of an image, given in base 64, at points of it.
COLOURS_AT = """async ([png, points]) => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + png;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width;
  canvas.height = image.height;
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  return points.map(([x, y]) => '#' + [...context.getImageData(x, y, 1, 1).data].slice(0, 3)
    .map(each => each.toString(16).padStart(2, '0')).join(''));
}"""


def points(*places: tuple[int, int]) -> list[tuple[int, int]]:
    """Where a picture of the board, a pixel for a unit, has the left edge of the body of a piece in each place.

    A place is a column and a row, counted from 0 at the upper left.
    """
    board = view_board(BOARD).diagram.scene.board
    middles = [plan_of(board).centres[5 * column + 4 - row] for column, row in places]
    return [(x - 41, y) for x, y in middles]


def colours(page: Page, at: list[tuple[int, int]]) -> list[str]:
    """What is seen at points of a page."""
    shot = base64.b64encode(page.screenshot()).decode()
    found: list[str] = page.evaluate(COLOURS_AT, [shot, at])
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
def test_dice_have_their_colours(browser: Browser, scheme: Literal["light", "dark"]) -> None:
    """In an `<img>` too, where a picture has nothing but itself; in a dark scheme the dark ones."""
    picture = base64.b64encode(picture_of(BOARD).encode()).decode()
    plan = plan_of(view_board(BOARD).diagram.scene.board)
    page = browser.new_page(viewport={"width": plan.width, "height": plan.height}, color_scheme=scheme)
    page.set_content(
        '<meta name="color-scheme" content="light dark"><style>body{margin:0}img{display:block}</style>'
        f'<img width="{plan.width}" src="data:image/svg+xml;base64,{picture}">'
    )
    page.evaluate("() => document.images[0].decode()")
    seen = colours(page, points((2, 2), (3, 1)))
    page.close()
    assert seen == [getattr(look, scheme).ink for look in PIECE_STYLES[:2]]


def test_a_movie_shows_one_ply_after_the_other(browser: Browser) -> None:
    """The die on C3 comes with the first ply; the one on C4 with the second, and is taken by the fourth."""
    page = browser.new_page(viewport={"width": 800, "height": 800})
    page.set_content(
        f"<style>body{{margin:0}}svg{{display:block;width:{WIDTH}px;height:auto}}</style>{movie_of(BOARD)}"
    )
    page.evaluate("() => document.querySelector('svg').pauseAnimations()")
    first, second = PIECE_STYLES[0].light.ink, PIECE_STYLES[1].light.ink
    for ply, (c3, c4) in enumerate([(False, False), (True, False), (True, True), (True, True), (True, False)]):
        page.evaluate("seconds => document.querySelector('svg').setCurrentTime(seconds)", PACE * (ply + 0.5))
        seen = colours(page, points((2, 2), (2, 1)))
        assert [seen[0] == first, seen[1] == second] == [c3, c4], ply
    page.close()


def test_who_wants_less_motion_sees_the_last_position(browser: Browser) -> None:
    """And nothing moves."""
    page = browser.new_page(viewport={"width": 800, "height": 800}, reduced_motion="reduce")
    page.set_content(
        f"<style>body{{margin:0}}svg{{display:block;width:{WIDTH}px;height:auto}}</style>{movie_of(BOARD)}"
    )
    shown = page.evaluate(
        "() => ['film', 'still'].map(name => getComputedStyle(document.querySelector('.' + name)).display)"
    )
    seen = colours(page, points((2, 2), (3, 1)))
    page.close()
    assert shown == ["none", "inline"]
    assert seen == [look.light.ink for look in PIECE_STYLES[:2]]
