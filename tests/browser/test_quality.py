"""Every kind of page in Chromium: axe finds nothing, and nothing is too wide, moves, is heavy or from elsewhere.

Pictures are left where they are asked for, to be looked at: `pytest tests/browser --basetemp=/tmp/shots`.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, Request, Route, expect

from tests.browser.live import ALICE, BOB, Furnished, furnished

PHONE, WIDE, HIGH = 360, 1280, 800
NARROWEST = 320  # what a window of 1280 is at a zoom of 400 %: WCAG 2.2, 1.4.10
HEAVIEST = 60_000  # bytes of HTML
MOST_SHIFT = 0.01  # of the window; what counts as good is 0.1, and rounding alone was seen to make 0.00055
TAGS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

# Each page by its name: where it is, or how it is come to.
PAGES: Final[dict[str, str | Callable[[Page, Furnished], object]]] = {
    "home": "/",
    "join": "/join",
    "join-wrongly": lambda page, _: join_wrongly(page),
    "joined": "/join/sent",
    "games": "/games",
    "games-filtered": "/games?player=alice&status=over&sort=newest",
    "games-all": "/games?status=all",
    "games-by-time": "/games?sort=time",
    "games-none": "/games?player=dora&status=over",
    "games-asked-wrongly": "/games?player=alicia&status=lost&sort=x&game=ludo",
    "board": "/boards/101",
    "board-start": "/boards/101?ply=0",
    "board-earlier": "/boards/101?ply=9",
    "board-tried": "/boards/101?move=b3xb2,b4",
    "board-choices": "/boards/204?move=b1",
    "board-refusal": "/boards/101?move=a1xb1",
    "board-no-move": "/boards/101?move=hello",
    "board-declined": "/boards/102",
    "board-left": "/boards/103",
    "board-resigned": "/boards/104",
    "board-begun": "/boards/106",
    "board-over": "/boards/201",
    "board-of-six": "/boards/202",
    "board-largest": "/boards/203",
    "board-of-points": "/boards/205",
    "board-of-hexagons": "/boards/206",
    "board-of-pits": "/boards/207",
    "board-of-steps": "/boards/208",
    "board-next-step": "/boards/208?move=d1",
    "board-drawn": "/boards/209",
    "player": "/players/alice",
    "player-new": "/players/Friederike-Charlotte",
    "standings": "/standings/cephalopod",
    "standings-all": "/standings/cephalopod?show=all",
    "standings-size": "/standings/cephalopod?size=3x5",
    "help": "/help",
    "help-commands": "/help/commands",
    "help-move": "/help/move",
    "help-tutorial": "/help/tutorial",
    "help-rules": "/help/cephalopod",
    "privacy": "/privacy",
    "missing-page": "/nothing/here",
    "missing-board": "/boards/999",
    "missing-ply": "/boards/101?ply=99",
    "missing-player": "/players/alicia",
    "missing-game": "/standings/ludo",
    "missing-help": "/help/mvoe",
    "missing-link": "/play/101/nosuchkey",
    "fault": lambda page, there: page.goto(there.faulty),
    "away": lambda page, there: page.goto(there.away),
    "play": lambda page, there: page.goto(there.personal_links(ALICE, 101)[0]),
    "play-tried": lambda page, there: page.goto(f"{there.personal_links(ALICE, 101)[0]}?move=b3xb2,b4"),
    "play-late": lambda page, there: page.goto(f"{there.personal_links(ALICE, 101)[0]}?late=1"),
    "play-waits": lambda page, there: page.goto(there.personal_links(ALICE, 106)[-1]),
    "played": lambda page, there: play(page, there.personal_links(BOB, 107)[0]),
    "desk": lambda page, there: page.goto(there.desk(ALICE)),
    "desk-board": lambda page, there: page.goto(f"{there.desk(ALICE)}/101?after=106"),
    "desk-tried": lambda page, there: page.goto(f"{there.desk(ALICE)}/101?move=b3xb2,b4"),
    "desk-missing": "/desk/nosuchkey",
    "mailbox": "/mailbox",
    "mailbox-of-nobody": "/mailbox?to=zoe@example.org",
    "mailbox-mail": lambda page, there: newest_mail(page, "Cephalopod Board 101"),
    "mailbox-write": "/mailbox/write",
    "mailbox-answer": lambda page, there: answer(page),
    "mailbox-wrong": lambda page, there: write_wrongly(page),
}

# What has moved on a page while it came, and how far.
SHIFTS = """() => new Promise(resolve => {
  const told = each => [each.value, ...each.sources.map(source => source.node?.outerHTML?.slice(0, 200) ?? '')];
  const seen = [];
  const observer = new PerformanceObserver(list => seen.push(...list.getEntries().map(told)));
  observer.observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(seen), 20);
})"""

# Waits until all pictures are there, also those that come when they are scrolled to, and all is drawn.
ALL_THERE = """async () => {
  for (const image of document.images) image.loading = 'eager';
  await Promise.all([...document.images].map(image => image.decode()));
  await document.fonts.ready;
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
}"""

TOO_WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('*')]
  .filter(each => each.getBoundingClientRect().right > innerWidth && !each.closest('.scroll, .unseen, svg'))
  .map(each => each.outerHTML.slice(0, 200)).concat(['scrolls'])"""


@dataclass
class Visit:
    """A window in which every kind of page is looked at, and what it told on the way."""

    page: Page
    there: Furnished
    url: str
    complaints: list[str]
    foreign: list[str]

    def see(self, name: str) -> None:
        """Goes to a page, and waits until all of it is there."""
        way = PAGES[name]
        if isinstance(way, str):
            self.page.goto(way)
        else:
            way(self.page, self.there)
        self.page.evaluate(ALL_THERE)

    def take_pictures(self, folder: Path | None, name: str) -> None:
        """Leaves a picture of the page in each scheme, where somebody wants to look at them."""
        size = self.page.viewport_size
        assert size is not None
        for scheme in SCHEMES if folder else ():
            self.page.emulate_media(color_scheme=scheme)
            self.page.screenshot(path=f"{folder}/{name}-{size['width']}-{scheme}.png", full_page=True)

    def axe(self, *rules: str) -> list[Any]:
        """What axe-core finds against the given rules, or all of WCAG 2.2 AA."""
        only = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": TAGS}
        options = {"runOnly": only, "resultTypes": ["violations"], "iframes": False}
        found: dict[str, Any] = self.page.evaluate("options => axe.run(options)", options)
        return [
            (each["id"], node["target"], node["html"][:200], node["failureSummary"])
            for each in found["violations"]
            for node in each["nodes"]
        ]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Furnished, str]]:
    """A house with something on every page."""
    with furnished(tmp_path_factory.mktemp("house")) as found:
        yield found


@pytest.fixture(scope="module")
def visit(browser: Browser, house: tuple[Furnished, str]) -> Iterator[Visit]:
    """One window for all pages. What is kept by the browser at the end was put there by one of them."""
    there, url = house
    context = browser.new_context(base_url=url, viewport={"width": PHONE, "height": HIGH})
    visit = Visit(context.new_page(), there, url, [], [])

    def asked(request: Request) -> None:
        if not request.url.startswith((url, there.faulty, there.away)):
            visit.foreign.append(request.url)

    visit.page.on("request", asked)
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    visit.page.on("console", lambda message: visit.complaints.append(message.text))
    yield visit
    kept = visit.page.evaluate("() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]")
    cookies = context.cookies()
    context.close()
    assert cookies == []
    assert kept == []


def assert_calm(page: Page) -> None:
    """Nothing that anybody could see has moved; each thing that did, and how far, is told."""
    shifts = page.evaluate(SHIFTS)
    assert sum(value for value, *_ in shifts) < MOST_SHIFT, shifts


@pytest.fixture
def shots(request: pytest.FixtureRequest) -> Path | None:
    """Where pictures are left, if somebody wants to look at them."""
    chosen = request.config.getoption("basetemp")
    folder = Path(chosen) / "pages" if chosen else None
    if folder is not None:
        folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.parametrize("name", PAGES)
def test_page(visit: Visit, shots: Path | None, name: str) -> None:
    """As a phone and a wide window show it, light and dark."""
    page = visit.page
    page.emulate_media(color_scheme="light")
    visit.complaints.clear()
    page.set_viewport_size({"width": WIDE, "height": HIGH})
    visit.see(name)
    assert_calm(page)
    assert page.evaluate(TOO_WIDE) == []
    visit.take_pictures(shots, name)
    page.set_viewport_size({"width": PHONE, "height": HIGH})
    page.emulate_media(color_scheme="light")
    response = page.reload()
    assert response is not None
    assert len(response.body()) < HEAVIEST
    page.evaluate(ALL_THERE)
    assert_calm(page)
    assert page.evaluate(TOO_WIDE) == []
    visit.take_pictures(shots, name)
    page.emulate_media(color_scheme="light")
    page.evaluate(AXE_SCRIPT)
    assert visit.axe() == []
    page.emulate_media(color_scheme="dark")
    assert visit.axe("color-contrast") == []
    assert [each for each in visit.complaints if "responded with a status of" not in each] == []
    assert visit.foreign == []


@pytest.mark.parametrize("width", [PHONE, WIDE])
@pytest.mark.parametrize("name", ["board-of-pits", "board-earlier"])
def test_a_script_that_comes_late_moves_nothing(visit: Visit, name: str, width: int) -> None:
    """The page is drawn before it: what the script then shows has its place already."""
    page = visit.page
    page.set_viewport_size({"width": width, "height": HIGH})

    def late(route: Route) -> None:
        time.sleep(0.5)
        route.continue_()

    page.route("**/script.js*", late)
    try:
        visit.see(name)
        expect(page.get_by_role("button", name="Run through")).to_be_visible()
        assert_calm(page)
    finally:
        page.unroute("**/script.js*")


@pytest.mark.parametrize(
    "name", ["home", "games", "board-choices", "board-largest", "help-rules", "play-tried", "desk"]
)
def test_reflow(visit: Visit, name: str) -> None:
    """At a zoom of 400 %, and with letters of twice the size, nothing has to be scrolled sideways."""
    page = visit.page
    page.set_viewport_size({"width": NARROWEST, "height": HIGH})
    visit.see(name)
    assert page.evaluate(TOO_WIDE) == []
    page.set_viewport_size({"width": 2 * NARROWEST, "height": HIGH})
    page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
    assert page.evaluate(TOO_WIDE) == []


def newest_mail(page: Page, about: str) -> None:
    """Opens the newest mail with that Subject."""
    page.goto("/mailbox")
    page.get_by_role("link", name=about).first.click()
    page.wait_for_load_state()


def answer(page: Page) -> None:
    """Begins the answer to the newest mail."""
    newest_mail(page, "Cephalopod Board 101")
    page.get_by_role("link", name="Answer").click()
    page.wait_for_load_state()


def write_wrongly(page: Page) -> None:
    """Sends a mail between addresses that cannot be."""
    page.goto("/mailbox/write?from=nobody&to=zoe@example.org")
    page.get_by_role("button", name="Send").click()
    page.wait_for_load_state()


def join_wrongly(page: Page) -> None:
    """Asks for a name that is kept back, with an address of the server."""
    page.goto("/join")
    page.get_by_label("Name").fill("operator")
    page.get_by_label("Mail address").fill("pbmserv@club.test")
    page.get_by_role("button", name="Send me the mail").click()
    page.wait_for_load_state()


def play(page: Page, link: str) -> None:
    """Plays by a personal link."""
    page.goto(f"{link}?move=c3")
    page.get_by_role("button", name="Play C3 now").click()
    page.get_by_role("heading", name="You played C3").wait_for()
