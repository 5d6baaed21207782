"""A newcomer's whole path: from the first page to a game that is played, seen again, and understood.

Once on the machine of a server that is tried out, where the mailbox stands for a mail program; and once as from
elsewhere, where links begin mails, which are sent from the players' addresses to the real listener.
"""

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from pbmserv.mail.sending.maildir import read_all
from tests.browser.live import ALICE, BOB, PERSONAL_LINK, Live, serving
from tests.cli.processes import wait_for

NINA = "nina@example.org"
PATIENCE = 30_000  # milliseconds
A_PERSON = 3500  # milliseconds that filling in a form takes
MOST_TAPS = 60
TAKES = re.compile(r", captures \d|^[a-c][1-5]x")  # a square of a board, or a move listed below it
PLACES = re.compile(r"^[A-C][1-5]$")
SENT = re.compile(r"/mailbox/(?!write)")
WON = re.compile(r"\bwon:")
A_STEP = 1100  # milliseconds between two plies of a film


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server on which the two roads are gone one after the other, each with players of its own."""
    with serving(tmp_path_factory.mktemp("data")) as live:
        yield live


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new window, in which nothing may fail."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE)
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda message: complaints.append(message.text))
    yield opened
    cookies = context.cookies()
    context.close()
    assert complaints == []
    assert cookies == []


def test_the_way_in(server: Live, page: Page) -> None:
    """A form, a first move, a game that is won by taps on the boards of mails, and a challenge: nothing is read
    but what comes along."""
    page.goto(server.home)
    page.get_by_role("link", name="Join", exact=True).first.click()
    page.get_by_label("Name").fill("nina")
    page.get_by_label("Mail address").fill(NINA)
    page.wait_for_timeout(A_PERSON)
    page.get_by_role("button", name="Send me the mail").click()
    expect(page.get_by_role("heading", name="Look into your mailbox")).to_be_visible()

    open_newest_mail(page, server, NINA)
    page.frame_locator("iframe").get_by_role("link", name="B3").click()
    expect(page.get_by_label("From")).to_have_value(NINA)
    assert "You played B3, robot.random answered" in sent(page)

    number = play_to_the_end(page, server)
    # The robot plays by chance, but by the same chance on the same board.
    assert re.search(r"\bYou (played \S+ and |took [^.]* and )?won:", server.newest(NINA))

    open_newest_mail(page, server, NINA)
    page.frame_locator("iframe").get_by_role("link", name="play again").click()
    assert "Your game of Cephalopod with robot.random has started" in sent(page)
    page.goto(f"{server.home}/players/nina")
    expect(page.get_by_text(f"Board {number}")).to_have_count(0)


def play_to_the_end(page: Page, server: Live) -> int:
    """Taps in each mail that has a board to tap on a square that captures, if any, until the game is over."""
    read = ""
    for _ in range(MOST_TAPS):
        read = wait_for_my_turn(server, read)
        if WON.search(read):
            return board_of(read)
        open_newest_mail(page, server, NINA)
        mail = page.frame_locator("iframe")
        takes, places = (mail.get_by_role("link", name=words) for words in (TAKES, PLACES))
        takes.or_(places).first.wait_for()
        (takes if takes.count() else places).first.click()
        page.get_by_role("button", name="Send").click()
        # Later moves are not acknowledged by mail: the page tells what became of them.
        page.wait_for_url(SENT)
        expect(page.get_by_role("main")).not_to_contain_text("Not done")
    raise AssertionError("the game does not end")


def wait_for_my_turn(server: Live, read: str) -> str:
    """Waits for a mail, after the one that was read, that waits for a move or tells the end; its text."""
    deadline = time.monotonic() + PATIENCE / 1000
    while True:
        newest = " ".join(server.newest(NINA).split())
        if newest != read and ("Your turn" in newest or WON.search(newest)):
            return newest
        assert time.monotonic() < deadline, "the robot does not answer"
        time.sleep(0.2)


def test_at_home(server: Live, page: Page) -> None:
    """With nothing but a browser: two players, one window."""
    for address, userid in ((ALICE, "alice"), (BOB, "bob")):
        page.goto(server.home)
        page.get_by_role("link", name="signup USERID", exact=True).click()
        page.get_by_label("From").fill(address)
        page.get_by_label("Subject").fill(f"signup {userid}")
        assert f"Welcome, {userid}!" in sent(page)

    page.goto(server.home)
    page.get_by_role("link", name="cephalopod challenge YOU SOMEBODY").click()
    page.get_by_label("From").fill(ALICE)
    page.get_by_label("Subject").fill("cephalopod challenge alice bob -size=3x3")
    answer = sent(page)
    assert "has started. Your turn. You have 21" in " ".join(answer.split())
    number = board_of(answer)

    # By a square of the mail.
    page.frame_locator("iframe").get_by_role("link", name="B2", exact=True).click()
    expect(page.get_by_label("From")).to_have_value(ALICE)
    answer = sent(page)
    assert "You played B2. It is bob's turn." in answer
    assert board_of(answer) == number

    # By a square of the board's page, and the mail that this begins.
    page.goto(f"{server.home}/boards/{number}")
    square(page, "A1", "choose").click()
    page.get_by_role("link", name=f"Mail move {number} a1#2").click()
    page.get_by_label("From").fill(BOB)
    answer = sent(page)
    assert "You played A1. It is alice's turn." in answer
    assert board_of(answer) == number

    # By the personal link of the mail that Alice was sent then.
    open_newest_mail(page, server, ALICE)
    page.frame_locator("iframe").get_by_role("link", name="play on the web").click()
    expect(page.get_by_role("heading", name="Your move, alice")).to_be_visible()
    square(page, "C2", "choose").click()
    played_now(page, "C2", number)
    see_again(page, ["B2", "A1", "C2"])
    read_the_rules(page)
    page.get_by_role("link", name="move 101 c3", exact=True).click()
    expect(page.get_by_role("heading", name="Write a mail")).to_be_visible()
    expect(page.get_by_label("Subject")).to_have_value("move 101 c3")


def test_from_elsewhere(server: Live, page: Page) -> None:
    """With a mail program: each link is the mail that it begins."""
    carol, dan = "carol@example.org", "dan@example.org"
    page.goto(server.elsewhere)
    assert page.get_by_role("link", name="Mailbox").count() == 0
    assert page.request.get(f"{server.elsewhere}/mailbox").status == 404
    for address, userid in ((carol, "carol"), (dan, "dan")):
        link = mail_link(page, "signup USERID")
        filled_in = link.replace("USERID", userid)
        assert f"Welcome, {userid}!" in server.send(address, filled_in)
    link = mail_link(page, "cephalopod challenge YOU SOMEBODY")
    filled_in = link.replace("YOU", "carol").replace("SOMEBODY", "dan")
    number = board_of(server.send(carol, filled_in))

    for address, move in ((carol, "C3"), (dan, "C4")):
        page.goto(f"{server.elsewhere}/boards/{number}")
        square(page, move, "choose").click()
        expect(page.get_by_role("heading", name=f"Not played yet: {move}")).to_be_visible()
        link = mail_link(page, f"Mail move {number} {move.lower()}")
        answer = server.send(address, link)
        assert f"You played {move}. It is " in answer
        assert board_of(answer) == number

    found = PERSONAL_LINK.search(server.newest(carol))
    assert found is not None
    page.goto(server.elsewhere + found[1])
    square(page, "D3", "choose").click()
    played_now(page, "D3", number)

    # The same page waits for the answer, which dan sends by mail below.
    waiting = page.context.new_page()
    waiting.goto(server.elsewhere + found[1])
    expect(waiting.get_by_text("It is dan's turn. You can leave this page open")).to_be_visible()

    # Whoever comes by the board's page chooses among captures.
    page.goto(f"{server.elsewhere}/boards/{number}")
    square(page, "D4", "choose, capturing 2").click()
    link = mail_link(page, f"Mail move {number} d4xc4,d3")
    assert "You played D4 and took C4 and D3. It is carol's turn." in server.send(dan, link)
    expect(waiting.get_by_role("heading", name="Your move, carol")).to_be_visible()
    expect(waiting).to_have_title(re.compile("^Your turn: "))
    waiting.close()
    page.goto(f"{server.elsewhere}/boards/{number}")
    see_again(page, ["C3", "C4", "D3", "D4xC4,D3"])
    read_the_rules(page)
    assert mail_link(page, "move 101 c3#7") == "mailto:pbmserv@localhost?subject=move%20101%20c3%237"


def board_of(answer: str) -> int:
    """The number of the board that a mail shows."""
    found = re.search(r"Cephalopod(?: variant| practice)? Board ([0-9]+)", answer)
    assert found is not None
    return int(found[1])


def sent(page: Page) -> str:
    """Sends the mail that is on the sheet; the text of the answer, which is on the page then."""
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/mailbox/*")
    return page.locator("pre").inner_text()


def square(page: Page, name: str, does: str) -> Locator:
    """The square of the board on the page that is called so, is empty, and does that."""
    return page.locator("svg.table").get_by_role("link", name=re.compile(rf"^(?:\S\d+ )?{name}: {does}$"))


def open_newest_mail(page: Page, server: Live, address: str) -> None:
    """Opens the newest mail to an address in the mailbox, once there is one."""
    wait_for(lambda: any(letter.header("To") == address for letter in read_all(server.outgoing)))
    page.goto(server.home)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Mailbox").click()
    page.get_by_label("Mails to").select_option(address)
    page.get_by_role("button", name="Show").click()
    page.locator("tbody a").first.click()


def mail_link(page: Page, words: str) -> str:
    """Where the first link with these words leads: to a mail."""
    href = page.get_by_role("link", name=words).first.get_attribute("href")
    assert href is not None
    assert href.startswith("mailto:")
    return href


def played_now(page: Page, move: str, number: int) -> None:
    """Plays the move that a personal page shows, and goes to the board."""
    page.get_by_label("Message to the other players").fill("Hello from the pages!")
    page.get_by_role("button", name=f"Play {move} now").click()
    expect(page.get_by_role("heading", name=f"You played {move}")).to_be_focused()
    expect(page.locator("body")).not_to_contain_text("Hello from the pages!")


def see_again(page: Page, moves: list[str]) -> None:
    """Goes back and forward through the game on the page, by links, by keys and as a film."""
    plies = len(moves)
    expect(page.locator(".moves [aria-current]")).to_have_text(f"{plies} {moves[-1]}")
    page.get_by_role("link", name="Back").click()
    shows(page, plies - 1, plies)
    page.get_by_role("link", name="Forward").click()
    expect(page.locator(".board .caption")).to_have_text(f"After move {plies}")
    page.keyboard.press("ArrowLeft")
    shows(page, plies - 1, plies)
    page.get_by_role("link", name="First").click()
    expect(page.locator(".board .caption")).to_have_text("The start")
    page.keyboard.press("ArrowRight")
    shows(page, 1, plies)
    page.clock.install()
    page.reload()
    page.get_by_role("button", name="Run through").click()
    for ply in range(2, plies):
        page.clock.run_for(A_STEP)
        shows(page, ply, plies)
    page.clock.run_for(A_STEP)
    expect(page.locator(".board .caption")).to_have_text(f"After move {plies}")
    expect(page.get_by_role("button", name="Run through")).to_be_visible()


def shows(page: Page, ply: int, of: int) -> None:
    """Waits until the board after that ply is there."""
    expect(page.locator(".board .caption")).to_have_text(f"After move {ply} of {of}")


def read_the_rules(page: Page) -> None:
    """From the board to the rules with their figures, and on to a command with its examples."""
    page.locator("dl").get_by_role("link", name="Cephalopod").click()
    expect(page.get_by_text("Mark Steere").first).to_be_visible()
    assert page.locator("article figure").count() == 5
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Help").click()
    page.get_by_role("link", name="move", exact=True).click()
    expect(page).to_have_title(re.compile("Help: move"))
