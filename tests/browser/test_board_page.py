"""A board's page in Chromium: the keys, the film, the copy, and whoever has a keyboard only."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from pbmserv.services.views import load_board
from pbmserv.web.server import WebPart
from pbmserv.web.site import Site
from tests.web.club import Club, opened
from tests.web.put import many_moves, put, put_game, sign_up

MOVES = ["a1", "b2", "b1", "a2", "c3"]
PHONE, WIDE = 360, 1280
A_STEP = 1100  # milliseconds between two plies of a film


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """101 is small and bob's turn, after five plies; 102 is long; 103 is a Go board, 104 one of amazons."""
    with opened(tmp_path_factory.mktemp("shelf")) as house:
        sign_up(house, "alice", "bob")
        put(house, 101, "3x3", ("alice", "bob"), MOVES)
        put(house, 102, "9x9", ("alice", "bob"), many_moves("9x9", 2, 120))
        put_game(house, 103, "go", [])
        put_game(house, 104, "amazons", ["d1-d7/g7"])
        yield house


@pytest.fixture(scope="module")
def site(house: Club) -> Iterator[str]:
    """Where the pages of the house are."""
    part, stop = WebPart(Site(house), "127.0.0.1", 0), threading.Event()
    thread = threading.Thread(target=part.run, args=(stop,), daemon=True)
    thread.start()
    yield part.url
    stop.set()
    thread.join(10)


@pytest.fixture
def page(browser: Browser, site: str) -> Iterator[Page]:
    """A new window on the site, in which no script may fail."""
    context = browser.new_context(base_url=site, viewport=ViewportSize(width=WIDE, height=700))
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert faults == []


def shows(page: Page, ply: int, of: int) -> None:
    """Waits until the board after that ply is there."""
    expect(page.locator(".board .caption")).to_have_text(f"After move {ply} of {of}" if ply else "The start")


def test_arrow_keys_go_through_the_game_in_place(page: Page) -> None:
    """Without leaving the page or its place; what happened is announced, and the address tells the ply."""
    page.goto("/boards/102")
    page.evaluate("() => { window.stayed = true; scrollTo(0, 60); }")
    page.keyboard.press("ArrowLeft")
    shows(page, 119, 120)
    assert page.url.endswith("/boards/102?ply=119")
    assert page.evaluate("() => window.stayed && scrollY") == 60
    expect(page.locator("body > [role=status]")).to_contain_text("Move 119:")
    expect(page).to_have_title("Cephalopod Board 102: alice vs bob, move 119 - pbmserv")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    shows(page, 117, 120)
    page.keyboard.press("ArrowRight")
    shows(page, 118, 120)
    page.keyboard.press("Alt+ArrowRight")
    page.locator("#ply").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("region", name="List of moves").focus()
    page.keyboard.press("ArrowRight")
    page.locator("#forward").press("Enter")
    shows(page, 119, 120)
    expect(page.locator("#forward")).to_be_focused()
    assert page.evaluate("() => window.stayed")


def test_the_list_shows_the_ply_and_leads_to_it(page: Page) -> None:
    page.goto("/boards/102?ply=60")
    inside = """own => {
        const [list, shown] = [own.closest('.scroll'), own].map(each => each.getBoundingClientRect());
        return shown.top >= list.top && shown.bottom <= list.bottom;
    }"""
    assert page.locator(".moves [aria-current]").evaluate(inside)
    page.locator(".moves a", has_text="62").press("Enter")
    shows(page, 62, 120)
    expect(page.locator(".moves [aria-current]")).to_be_focused()


def test_the_game_plays_and_stops_at_its_end(page: Page) -> None:
    page.clock.install()
    page.goto("/boards/101?ply=3")
    button = page.locator("#run")
    expect(button).to_have_text("Run through")
    button.click()
    expect(button).to_have_text("Pause")
    page.clock.run_for(A_STEP)
    shows(page, 4, 5)
    button.click()
    expect(button).to_have_text("Run through")
    page.clock.run_for(3 * A_STEP)
    shows(page, 4, 5)
    button.click()
    page.clock.run_for(A_STEP)
    expect(page.locator(".board .caption")).to_have_text("After move 5")
    expect(button).to_have_text("Run through")
    button.click()
    shows(page, 0, 5)
    expect(button).to_have_text("Pause")
    expect(button).to_be_focused()


def test_a_page_that_does_not_come_is_gone_to(page: Page, site: str) -> None:
    """Whatever keeps the script from it, the link leads there."""
    page.goto("/boards/101")
    page.evaluate("() => { window.fetch = () => Promise.reject(new Error('away')); }")
    page.locator("#back").click()
    shows(page, 4, 5)
    assert page.evaluate("() => window.stayed") is None


def test_the_text_board_is_copied(page: Page, house: Club) -> None:
    page.goto("/boards/101")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied.")).to_be_visible()
    expect(page.locator("body > [role=status]")).to_have_text("Copied.")
    seen = load_board(house, 101)
    assert seen is not None
    assert page.evaluate("() => navigator.clipboard.readText()") == seen.diagram.text


def test_a_move_by_keyboard_alone(page: Page) -> None:
    """From the board to the button that begins the mail; the focus is where the next thing to do is."""
    page.goto("/boards/101")
    page.locator("#position").focus()
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip the board")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_attribute("aria-label", "A3: choose")
    page.keyboard.press("Enter")
    page.wait_for_url("**/boards/101?move=a3#turn")
    expect(page.get_by_role("heading", name="Not played yet: A3")).to_be_focused()
    expect(page.locator("svg.table")).to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_attribute(
        "href", "mailto:pbmserv@club.test?subject=move%20101%20a3%236"
    )


@pytest.mark.parametrize("width", [PHONE, WIDE])
def test_nothing_moves_and_nothing_is_too_wide(page: Page, width: int) -> None:
    """The controls stay where they are from ply to ply, and a phone need not scroll sideways."""
    page.set_viewport_size({"width": width, "height": 700})
    places = set()
    for query in ("", "?ply=0", "?ply=1", "?ply=60", "?ply=119"):
        page.goto(f"/boards/102{query}")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        boxes = [page.locator(each).bounding_box() for each in ("svg.table", ".replay")]
        places.add(str(boxes))
    assert len(places) == 1
    page.goto("/boards/102")
    for cell in page.locator("svg.table a").all():
        box = cell.bounding_box()
        assert box is not None
        assert box["width"] >= 24
        assert box["height"] >= 24


def test_the_board_is_as_large_as_the_screen_allows(page: Page) -> None:
    """With all of it to be seen at once."""
    for width, height in ((1280, 800), (1920, 1080), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto("/boards/102")
        box = page.locator("svg.table").bounding_box()
        assert box is not None
        assert box["height"] >= min(0.8 * height, 0.85 * width)
        assert box["y"] + box["height"] <= height or width < 400


def test_a_board_with_many_cells_scrolls_by_itself(page: Page) -> None:
    """On a phone, where a finger has to hit each of them; the page does not. Who only looks sees it all."""
    page.set_viewport_size({"width": PHONE, "height": 700})
    page.goto("/boards/103")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE
    cells = page.locator("svg.table a")
    assert cells.count() == 361
    box = cells.nth(200).bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24
    page.goto("/boards/104?ply=0")
    whole = page.locator("svg.table").bounding_box()
    assert whole is not None
    assert whole["x"] + whole["width"] <= PHONE


@pytest.mark.parametrize("number", [103, 104])
def test_a_move_of_several_steps_is_touched(page: Page, number: int) -> None:
    """One touch where one move begins so, else the next cell is asked for on the same board."""
    page.goto(f"/boards/{number}")
    for _ in range(4):
        cells = page.locator("svg.table a")
        if not cells.count():
            break
        cell = cells.nth(cells.count() // 2)
        address = cell.get_attribute("href") or ""
        cell.click()
        expect(page).to_have_url(f"/boards/{number}{address}")
    expect(page.get_by_role("heading", name="Not played yet: ")).to_be_visible()


def test_without_scripts_all_works_by_links(browser: Browser, site: str, tmp_path: Path) -> None:
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/boards/101")
    assert not page.locator("#run").is_visible()
    assert not page.get_by_role("button", name="Copy").is_visible()
    page.get_by_role("link", name="Back").click()
    shows(page, 4, 5)
    page.get_by_label("Move", exact=True).fill("2")
    page.get_by_role("button", name="Go").click()
    shows(page, 2, 5)
    context.close()
