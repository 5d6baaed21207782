"""HTML parts as Chromium shows them: on a phone and wide, light and dark, with and without their style sheet.

The pictures are left in pytest's folder, to be looked at: `pytest tests/browser --basetemp=/tmp/shots`.
"""

import re
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from tests.rendering.letters import every_letter

LETTERS = every_letter()
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
NARROWEST, PHONE, WIDE = 320, 360, 800
LEAST_CONTRAST = 4.5  # of text, WCAG 2.2, 1.4.3
LEAST_SHAPE_CONTRAST = 3.0  # of what is no text, 1.4.11
LEAST_TARGET = 24  # pixels, 2.5.8

# What has too little contrast with the nearest ground behind it: each text, and the edge of each die.
CONTRASTS = """() => {
  const ground = document.createElement('div');
  ground.style.background = 'Canvas';
  document.body.append(ground);
  const parts = text => text.match(/[0-9.]+/g).map(Number);
  const canvas = parts(getComputedStyle(ground).backgroundColor);
  ground.remove();
  const light = ([r, g, b]) => [r, g, b].map(each => each / 255)
    .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
    .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const found = parts(getComputedStyle(at).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return canvas;
  };
  const found = [];
  for (const element of document.body.querySelectorAll('*')) {
    const own = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join('').trim();
    if (own) found.push([own, contrast(parts(getComputedStyle(element).color), behind(element)), TEXT]);
  }
  for (const die of document.querySelectorAll('td[class^=p0], td[class^=p1]')) {
    const own = getComputedStyle(die);
    const edge = parts(parseFloat(own.borderTopWidth) ? own.borderTopColor : own.backgroundColor);
    found.push([die.textContent, contrast(edge, behind(die.closest('table'))), SHAPE]);
  }
  return found.filter(([, there, least]) => there < least);
}""".replace("TEXT", str(LEAST_CONTRAST)).replace("SHAPE", str(LEAST_SHAPE_CONTRAST))


def show(browser: Browser, html: str, width: int, scheme: Literal["light", "dark"] = "light") -> Page:
    """A page that shows a mail, and fails if that asks for anything from elsewhere."""
    page = browser.new_page(viewport=ViewportSize(width=width, height=640), color_scheme=scheme)
    page.on("request", lambda request: pytest.fail(f"asks for {request.url}"))
    page.set_content(html)
    return page


@pytest.mark.parametrize("width", [NARROWEST, PHONE])
def test_nothing_is_wider_than_a_phone(browser: Browser, width: int) -> None:
    """No mail scrolls sideways."""
    page = show(browser, "", width)
    for name, html in LETTERS.items():
        page.set_content(html)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    page.close()


@pytest.mark.parametrize("name", ["middle", "six", "finished", "refused"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_pictures(browser: Browser, tmp_path: Path, name: str, scheme: Literal["light", "dark"]) -> None:
    """Taken at both widths; every text on them can be read."""
    for width in (PHONE, WIDE):
        page = show(browser, LETTERS[name], width, scheme)
        page.screenshot(path=tmp_path / f"{name}-{width}-{scheme}.png", full_page=True)
        assert page.evaluate(CONTRASTS) == []
        page.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_without_the_style_sheet_it_can_be_read_too(browser: Browser, scheme: Literal["light", "dark"]) -> None:
    """Most programs drop it; those that are dark then change only the ground and the text that has no colour."""
    for name in ("middle", "six", "listing"):
        bare = re.sub(r"(?s)<style>.*</style>", f"<style>:root{{color-scheme:{scheme}}}</style>", LETTERS[name])
        page = show(browser, bare, PHONE, scheme)
        assert page.evaluate(CONTRASTS) == [], name
        page.close()


def test_sides_differ_in_more_than_colour(browser: Browser) -> None:
    """In the shape of the die, and for programs without round corners in filled or not and in the pips."""
    page = show(browser, LETTERS["six"], PHONE)
    looks: list[dict[str, Any]] = page.evaluate(
        """() => [...document.querySelectorAll('span[aria-hidden]')].map(die => ({
            corners: getComputedStyle(die).borderRadius, pip: die.textContent,
            filled: getComputedStyle(die).color === 'rgb(255, 255, 255)'}))"""
    )
    page.close()
    assert len(looks) == 6
    assert len({look["corners"] for look in looks}) == 6
    assert len({look["pip"] for look in looks}) == 6
    assert [look["filled"] for look in looks] == [True, False] * 3


def test_dark_scheme_changes_every_ground(browser: Browser) -> None:
    """No square of the board, and no link, stays light where all else is dark."""
    page = show(browser, LETTERS["middle"], PHONE, "dark")
    grounds = page.evaluate(
        "() => [...document.querySelectorAll('.pb > tbody > tr > td[bgcolor]:not(.p0), .pk')]"
        ".map(each => getComputedStyle(each).backgroundColor.match(/[0-9]+/g).map(Number))"
    )
    page.close()
    assert len(grounds) > 20
    assert all(sum(ground) < 300 for ground in grounds)


def test_the_last_move_and_what_it_took_are_marked(browser: Browser) -> None:
    """By their borders, and in words for who does not see them."""
    page = show(browser, LETTERS["four"], PHONE)
    last = page.locator(".pl")
    taken = page.locator(".pt")
    assert last.count() == 1
    assert taken.count() == 2
    assert last.evaluate("each => getComputedStyle(each).borderTopWidth") == "4px"
    styles = {each.evaluate("each => getComputedStyle(each).borderTopStyle") for each in taken.all()}
    assert styles == {"dashed"}
    tree = page.locator(".pb").aria_snapshot()
    page.close()
    assert len(re.findall(r"- img .*, the last move", tree)) == 1
    assert len(re.findall(r"link \"[A-E][1-5][^\"]*, just captured", tree)) == 2


def test_what_a_screen_reader_is_told(browser: Browser) -> None:
    """A table with headings over columns and beside rows; a name that is heard begins with what is seen."""
    page = show(browser, LETTERS["middle"], PHONE)
    tree = page.locator(".pb").aria_snapshot()
    page.close()
    assert tree.startswith("- table")
    for column in "ABCDE":
        assert f'columnheader "{column}"' in tree
    for row in "12345":
        assert f'rowheader "{row}"' in tree
    assert 'img "C4 alice 3"' in tree
    assert 'img "D3 bob 1, the last move"' in tree
    assert 'link "C3 \u25be4, moves to choose from"' in tree
    assert 'link "D4 \xd72, captures 2"' in tree
    assert 'link "A5"' in tree


def test_a_tap_hits_what_it_should(browser: Browser) -> None:
    """Squares and buttons are large enough for a finger, and a square with choices leads down to them."""
    page = show(browser, LETTERS["middle"], PHONE)
    boxes = [link.bounding_box() for link in page.locator(".pb a, a.pk").all()]
    assert len(boxes) > 20
    assert all(box and box["width"] >= LEAST_TARGET and box["height"] >= LEAST_TARGET for box in boxes)
    page.locator(".pb a[href^='#']").last.click()
    assert page.evaluate("() => window.scrollY") > 0
    page.close()


@pytest.mark.parametrize("width", [NARROWEST, PHONE])
def test_the_board_begins_high_up(browser: Browser, width: int) -> None:
    """Below the news and a line with the players, within 250 pixels; and it is as wide as the phone."""
    for name in ("start", "invited", "waiting", "choices", "four", "finished"):
        page = show(browser, LETTERS[name], width)
        box = page.locator(".pb").bounding_box()
        page.close()
        assert box is not None
        assert box["y"] < 250, name
        assert box["width"] >= 0.9 * width, name
