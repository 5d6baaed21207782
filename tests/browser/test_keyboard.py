"""The pages by keyboard alone: everything is reached in its order, is seen to be reached, and lets go again."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.live import furnished

MOST_STOPS = 150  # of the focus on one page
PATHS = (
    "/",
    "/games",
    "/boards/101",
    "/boards/203?ply=40",
    "/boards/204?move=b1",
    "/players/alice",
    "/standings",
    "/help/cephalopod",
    "/mailbox",
    "/mailbox/write",
)

# Where the focus is: what it is, whether it is seen there, and whether it is marked.
FOCUSED = """() => {
  const own = document.activeElement;
  if (own === document.body) return null;
  const style = getComputedStyle(own);
  const box = own.getBoundingClientRect();
  const marked = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  return {
    what: own.outerHTML.slice(0, 160),
    words: own.innerText?.trim() || own.getAttribute('aria-label') || '',
    seen: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth && box.width > 1,
    marked,
  };
}"""

# How much there is that can have the focus.
REACHABLE = """() => [...document.querySelectorAll(
  'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]'
)].filter(each => each.checkVisibility()).length"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A window on a house full of things to look at."""
    with furnished(tmp_path_factory.mktemp("house")) as (_, url):
        context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})
        yield context.new_page()
        context.close()


def tab_to(page: Page, words: str) -> None:
    """Presses Tab until what has the focus begins with these words."""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused and focused["words"].startswith(words):
            return
    pytest.fail(f"{words!r} cannot be reached")


@pytest.mark.parametrize("path", PATHS)
def test_the_focus_goes_through_all_and_is_seen(page: Page, path: str) -> None:
    """From the first to the last of what can be used, and out of it; nothing keeps it."""
    page.goto(path)
    expected = page.evaluate(REACHABLE)
    seen: list[str] = []
    while len(seen) < MOST_STOPS:
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None or focused["what"] in seen[:1]:
            break
        assert focused["marked"], focused
        assert focused["seen"], focused
        seen.append(focused["what"])
    assert len(seen) == expected


def test_the_skip_link(page: Page) -> None:
    """It is the first stop, is seen then alone, and leads past the head of the page."""
    page.goto("/help")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).not_to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.getElementById('main').contains(document.activeElement)")


def test_a_capture_is_chosen_and_mailed(page: Page) -> None:
    """From the skip link to the square, the choice among its captures, and the mail that plays it."""
    page.goto("/boards/204")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    tab_to(page, "B1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="B1: how does it go on?")).to_be_focused()
    tab_to(page, "b1xa1,b2,c1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Not played yet: B1xA1,B2,C1")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)["words"] == "Mail move 204 b1xa1,b2,c1#5"
    page.keyboard.press("Enter")
    expect(page.get_by_label("Subject")).to_have_value("move 204 b1xa1,b2,c1#5")


def test_replay(page: Page) -> None:
    """By the arrow keys wherever the focus is on the page but in a field, and by its own links."""
    caption = page.locator(".board .caption")
    page.goto("/boards/203")
    page.keyboard.press("ArrowLeft")
    expect(caption).to_have_text("After move 89 of 90")
    tab_to(page, "⇤ First")
    page.keyboard.press("Enter")
    expect(caption).to_have_text("The start")
    tab_to(page, "→ Forward")
    page.keyboard.press("Enter")
    expect(caption).to_have_text("After move 1 of 90")
    page.keyboard.press("ArrowRight")
    expect(caption).to_have_text("After move 2 of 90")
    expect(page.locator("#forward")).to_be_focused()
    tab_to(page, "Run through")
    page.keyboard.press("Tab")
    page.keyboard.type("60")
    page.keyboard.press("Enter")
    expect(caption).to_have_text("After move 60 of 90")
    expect(page).to_have_url("/boards/203?ply=60")


def test_games_are_chosen(page: Page) -> None:
    """With the fields of the form, in their order."""
    page.goto("/games")
    page.get_by_label("Players").focus()
    page.keyboard.type("carol")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("all")
    tab_to(page, "Show")
    page.keyboard.press("Enter")
    expect(page.locator("table.listed caption")).to_contain_text("with Carol")
    numbers = page.locator("table.listed tbody th").all_inner_texts()
    assert {number.strip() for number in numbers} == {"102", "103", "202", "203"}
