"""A newcomer with nothing but a browser: signs up, is mailed boards, and plays by clicking in the mails."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from pbmserv.cli.bootstrap import build_app
from pbmserv.cli.config import Settings
from pbmserv.cli.serve import all_parts, run_parts
from pbmserv.services.app import App
from pbmserv.store import robots
from pbmserv.store.engine import reading
from tests.free_port import free_port

PATIENCE = 30_000  # milliseconds


@pytest.fixture(scope="module")
def outgoing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that mail goes to."""
    return tmp_path_factory.mktemp("data") / "outgoing"


@pytest.fixture(scope="module")
def site(outgoing: Path) -> Iterator[str]:
    """Every part of a server but the listener, as `make serve` sets it up; where its pages are."""
    place = f"127.0.0.1:{free_port()}"
    settings = Settings(data=outgoing.parent, listen="", web=place, confirm="from")
    house = build_app(settings, bring_up_to_date=True)
    parts, stop = all_parts(settings, house), threading.Event()
    ended_well: list[bool] = []
    server = threading.Thread(target=lambda: ended_well.append(run_parts(parts, stop)))
    server.start()
    try:
        wait_for_robots(house)
        yield f"http://{place}"
    finally:
        stop.set()
        server.join()
        house.engine.dispose()
    assert ended_well == [True]


def wait_for_robots(house: App) -> None:
    """Waits until robots can be challenged: their process starts beside the others."""
    deadline = time.monotonic() + PATIENCE / 1000
    while True:
        with reading(house.engine) as connection:
            if robots.names(connection):
                return
        assert time.monotonic() < deadline, "there are no robots"
        time.sleep(0.1)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page, as narrow as a phone's."""
    opened = browser.new_page(viewport={"width": 360, "height": 800})
    opened.set_default_timeout(PATIENCE)
    yield opened
    opened.close()


def send(page: Page) -> str:
    """Sends the mail that is on the sheet; the text of the answer, which is on the page then."""
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/mailbox/*")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    return page.locator("pre").inner_text()


def test_a_whole_beginning(site: str, page: Page, tmp_path: Path) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(site)
    page.get_by_role("link", name="signup").first.click()
    page.get_by_label("From").fill("alice@example.org")
    page.get_by_label("Subject").fill("signup alice sesame")
    assert "Welcome, alice!" in send(page)

    page.get_by_role("link", name="Answer").click()
    page.get_by_label("Text").fill("challenge alice robot.random -size=3x5")
    assert "has started. Your turn. You have 21" in " ".join(send(page).split())
    page.screenshot(path=tmp_path / "board.png", full_page=True)

    # Clicked in a frame that may do nothing by itself, and yet it leads out of that.
    page.frame_locator("iframe").get_by_role("link", name="B2", exact=True).click()
    page.wait_for_url("**/mailbox/write?*")
    assert page.get_by_label("From").input_value() == "alice@example.org"
    assert "You played B2" in send(page)

    page.get_by_role("navigation", name="Main").get_by_role("link", name="Mailbox").click()
    assert page.locator("tbody tr").count() >= 3
    page.get_by_label("Mails to").select_option("alice@example.org")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**/mailbox?to=*")
    assert page.locator("tbody tr").count() >= 3
    assert complaints == []


def test_nothing_in_a_mail_runs_or_is_fetched(site: str, page: Page, outgoing: Path) -> None:
    """Mail of ours holds no such thing; what else lies in the folder may."""
    new = outgoing / "new"
    new.mkdir(parents=True, exist_ok=True)
    html = (
        f'<p id="p">untouched</p><script>p.textContent = "run"</script><img src="{site}/icon.svg?spy">'
        f'<img src="x" onerror="p.textContent = 1"><iframe src="{site}/mailbox"></iframe>'
        '<form action="/mailbox/write" method="post"><button>Send it</button></form>'
    )
    (new / "1700000000.stranger").write_text(
        f"To: alice@example.org\nSubject: hostile\nContent-Type: text/html\n\n{html}\n"
    )
    answered: list[str] = []
    page.on("response", lambda response: answered.append(response.url))
    page.goto(f"{site}/mailbox")
    page.get_by_role("link", name="hostile").click()
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Send it").click()
    assert frame.locator("#p").inner_text() == "untouched"
    assert not [url for url in answered if "spy" in url or url.endswith(("/x", "/mailbox/write"))]
    assert [url for url in answered if url.endswith("/mailbox")] == [f"{site}/mailbox"]
