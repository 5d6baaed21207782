"""Playing by a personal link as a browser does it: looking plays nothing, the button plays at once."""

import asyncio
import itertools
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from pbmserv.mail.sending.transport import Delivered
from pbmserv.services.deliver import note
from pbmserv.services.views import list_inbox, list_outbox, load_board
from pbmserv.services.worker import process_next
from pbmserv.store.engine import writing
from pbmserv.web import play as room
from pbmserv.web.app import make_app
from pbmserv.web.site import Site
from tests.web.club import NOON, Club, opened
from tests.web.tree import Element, main, parse

SITE = "https://club.test"
LINK = re.compile(rb"https://club\.test(/play/[0-9]+/[a-z0-9]+)")
ALICE, BOB = "alice@home.test", "bob@work.test"


class Visitor:
    """Somebody with a browser at a club's pages; the worker works whenever it is rung, unless it is away."""

    def __init__(self, club: Club) -> None:
        self.club = club
        self.worker_is_away = False
        self._app = make_app(Site(club, ring=self.work))

    def work(self) -> None:
        if not self.worker_is_away:
            while process_next(self.club, lambda: NOON):
                pass

    def __call__(self, path: str, form: dict[str, str] | None = None, method: str = "") -> httpx.Response:
        """Gets a page, or sends a form to it."""
        content = None if form is None else urlencode(form)
        kind = method or ("GET" if form is None else "POST")

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://club.test") as client:
                return await client.request(kind, path, content=content)

        return asyncio.run(ask())

    def press(self, link: str, move: str, words: str = "") -> httpx.Response:
        """Tries a move on a page and presses its button."""
        return self(link, self.tried(link, move) | {"words": words})

    def tried(self, link: str, move: str) -> dict[str, str]:
        """The hidden fields of the form on the page where a move is tried."""
        form = main(self(f"{link}?{urlencode({'move': move})}")).one("form", method="post")
        return {each.attributes["name"]: each.attributes.get("value", "") for each in form.all("input")}

    def moves(self) -> list[str]:
        seen = load_board(self.club, 101)
        assert seen is not None
        return [entry.text for entry in seen.match.entries]

    def link(self, address: str) -> str:
        """The newest personal link that was mailed to an address, as a path."""
        mails = (mail for mail in list_outbox(self.club, None, 1000) if mail.recipient == address)
        return next(found[1].decode() for mail in mails if (found := LINK.search(mail.raw)))

    def hand_out(self) -> None:
        """Sends every mail that waits."""
        with writing(self.club.engine) as connection:
            for mail in list_outbox(self.club, "waiting", 1000):
                note(connection, [(mail, Delivered())], NOON)

    def mails(self) -> int:
        return len(list_inbox(self.club, None, 1000))


@pytest.fixture
def visit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visitor]:
    """A club in which alice is to move on board 101; links in its mails are young."""
    seconds = itertools.count()
    monkeypatch.setattr(room, "utc_now", lambda: NOON + timedelta(seconds=next(seconds)))
    with opened(tmp_path) as empty:
        server = replace(empty.server, site_url=SITE)
        club = Club(empty.engine, server, empty.new_token, empty.hasher)
        club.post(ALICE, "signup alice sesame")
        club.post(BOB, "signup bob poppy")
        club.post(ALICE, "challenge alice bob")
        yield Visitor(club)


def test_from_the_mail_to_the_move(visit: Visitor) -> None:
    """The link shows the board, a square what becomes of it, and the button plays it at once."""
    link = visit.link(ALICE)
    board = main(visit(link))
    assert "?move=c3#turn" in {each.attributes["href"] for each in board.one("svg", class_="table").all("a")}
    assert not board.all("form", method="post")
    tried = main(visit(f"{link}?move=c3"))
    form = tried.one("form", method="post")
    assert form.attributes["action"] == link
    assert form.one("button").said == "Play C3 now"
    fields = {each.attributes["name"]: each.attributes.get("value", "") for each in form.all("input")}
    area = form.one("textarea")
    assert form.one("label", **{"for": area.attributes["id"]}).said.startswith("Message to the other players")
    assert visit.moves() == []
    sent = visit(link, fields | {area.attributes["name"]: "Good luck!"})
    assert sent.status_code == 303
    assert visit.moves() == ["C3"]
    assert sent.headers["location"] == f"{link}#turn"
    said = main(visit(link))
    assert panel(said).one("h2").said == "You played C3"
    assert "It is bob's turn." in panel(said).said
    assert said.one("p", class_="caption").said == "After move 1"
    assert not said.one("svg", class_="table").all("a")


def test_the_page_goes_on_with_the_answer(visit: Visitor) -> None:
    """The same link shows the other player's move, and plays the next one."""
    link = visit.link(ALICE)
    visit.press(link, "c3")
    waiting = main(visit(link)).one("div", class_="board")
    assert waiting.attributes["data-changes"] == "/changes?boards=101.1"
    assert waiting.attributes["data-here"] == link
    visit.press(visit.link(BOB), "b2")
    assert parse(visit(link).text).one("title").said.startswith("Your turn: ")
    visit.press(link, "d4")
    assert visit.moves() == ["C3", "B2", "D4"]


def test_without_scripts_it_asks_again_by_itself(visit: Visitor) -> None:
    """While somebody else is to move; not while its reader thinks."""
    link = visit.link(ALICE)
    assert "http-equiv" not in visit(link).text
    visit.press(link, "c3")
    assert '<noscript><meta http-equiv="refresh" content="60"></noscript>' in visit(link).text


def test_the_button_comes_first(visit: Visitor) -> None:
    """Right below the board: no replay between, and nothing else above it in the form."""
    link = visit.link(ALICE)
    visit.press(link, "c3")
    link = visit.link(BOB)
    assert main(visit(link)).all("nav", class_="replay")
    page = main(visit(f"{link}?move=b2"))
    assert not page.all("nav", class_="replay")
    assert not page.one("section", class_="drawn").all("p", class_="legend")
    form = panel(page).one("form")
    first = next(each for each in form.inside if not isinstance(each, str) and each.tag != "input")
    assert first.one("button").said == "Play B2 now"


def test_play_means_one_thing(visit: Visitor) -> None:
    """To put a move on the board for good; nothing else on the page is called so."""
    link = visit.link(ALICE)
    visit.press(link, "c3")
    for path in (visit.link(BOB), f"{visit.link(BOB)}?move=b2", "/boards/101"):
        page = main(visit(path))
        named = [each.said for tag in ("button", "a") for each in page.all(tag)]
        named += [each.attributes.get("aria-label", "") for each in page.all("a")]
        assert [each for each in named if re.search(r"\bplay\b", each, re.IGNORECASE)] in (
            [],
            ["Play B2 now"],
        )


def test_looking_plays_nothing(visit: Visitor) -> None:
    """Whatever programs open links beforehand: no mail is made by GET or HEAD, with whatever in the query."""
    link, kept = visit.link(ALICE), visit.mails()
    for path in (link, f"{link}?move=c3", f"{link}?move=c3&words=hi", f"{link}/done", f"{link}/done?mail=1"):
        for method in ("GET", "HEAD"):
            visit(path, method=method)
    assert visit.mails() == kept


def test_unknown_links(visit: Visitor) -> None:
    """The page says what to do, whether one looks or plays."""
    key = visit.link(ALICE).rpartition("/")[2]
    for link in ("/play/101/nosuchkey", f"/play/999/{key}", f"/play/abc/{key}", f"/play/101/{key}x"):
        for asked in (visit(link), visit(link, {"move": "c3"}), visit(f"{link}/done?mail=1")):
            assert asked.status_code == 404
            assert main(asked).one("h1").said in ("No such link", "No such board")
            assert_private(asked)
    assert "newest mail about that board" in main(visit("/play/101/nosuchkey")).said
    assert visit.moves() == []


def test_no_page_for_other_mails(visit: Visitor) -> None:
    """Only for one that came by this link."""
    for asked in ("", "1", "4711", "x", "99999999999999999999", "-1"):
        assert visit(f"{visit.link(ALICE)}/done?mail={asked}").status_code == 404


def test_a_form_from_an_older_page(visit: Visitor) -> None:
    """It plays nothing, though it is its sender's turn again: the board as it is now is shown, and a sentence."""
    link = visit.link(ALICE)
    old = visit.tried(link, "d3")
    visit.press(link, "c3")
    visit.press(visit.link(BOB), "b2")
    kept = visit.mails()
    late = visit(link, old)
    assert (late.status_code, late.headers["location"]) == (303, f"{link}?late=1")
    assert visit.mails() == kept
    page = main(visit(late.headers["location"]))
    assert "so your move was not played" in page.one("div", class_="notice").said
    assert page.one("p", class_="caption").said == "After move 2"
    assert visit(link, {"move": "d3"}).headers["location"] == f"{link}?late=1", "a page of an older version"


def test_a_form_after_a_take_back(visit: Visitor) -> None:
    """As many plies may be another game."""
    link = visit.link(ALICE)
    visit.press(link, "c3")
    bobs = visit.link(BOB)
    old = visit.tried(bobs, "b2")
    visit.club.post(ALICE, "undo 101")
    visit.club.post(BOB, "accept 101")
    assert visit(bobs, old).headers["location"] == f"{bobs}?late=1"
    visit.press(link, "d3")
    assert visit(bobs, old).headers["location"] == f"{bobs}?late=1"
    assert visit.moves()[-1] == "D3"


def test_a_second_click_after_the_first_is_played(visit: Visitor) -> None:
    """It leads to the same page as the first."""
    link = visit.link(ALICE)
    form = visit.tried(link, "c3")
    first, second = visit(link, form), visit(link, form)
    assert first.headers["location"] == second.headers["location"] == f"{link}#turn"
    assert visit.moves() == ["C3"]


def test_a_link_that_a_newer_one_has_replaced(visit: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows the board with a kind sentence, and no way to play; its page leads to no newer link."""
    link = visit.link(ALICE)
    visit.press(link, "c3")
    visit.press(visit.link(BOB), "b2")
    old = visit.tried(link, "d4")
    visit.hand_out()
    monkeypatch.setattr(room, "utc_now", lambda: NOON + timedelta(days=9))
    shown = visit(link)
    page = main(shown)
    assert "A newer mail has a link to this board" in page.one("div", class_="notice").said
    assert not page.all("form", method="post")
    assert not page.one("svg", class_="table").all("a")
    newest = visit.link(ALICE)
    assert newest != link
    assert newest.rpartition("/")[2] not in shown.text
    kept = visit.mails()
    assert visit(link, old).headers["location"] == link
    assert visit.mails() == kept
    assert panel(main(visit(newest))).one("h2").said == "Your move, alice"


def test_what_is_no_move_is_shown_as_such(visit: Visitor) -> None:
    """It is sent back to the board, which says why; there is no mail."""
    kept, link = visit.mails(), visit.link(ALICE)
    fields = visit.tried(link, "c3")
    for move in ("resign", "undo", "z9", "", "c3\nresign 101", "<script>"):
        sent = visit(link, fields | {"move": move})
        assert sent.status_code == 303
        assert sent.headers["location"] == f"{link}?{urlencode({'move': move})}"
        assert visit(sent.headers["location"]).status_code == 200
    assert visit.mails() == kept


def test_words_that_would_be_commands(visit: Visitor) -> None:
    """They are told to the other player, and nobody if one of them is a password."""
    visit.press(visit.link(ALICE), "c3", "resign 101\r\n<b>well</b>")
    assert visit.moves() == ["C3"]
    text = next(mail.raw.decode() for mail in list_outbox(visit.club, None, 10) if mail.recipient == BOB)
    assert "| resign 101" in text


def test_words_with_a_password(visit: Visitor) -> None:
    """They go to nobody."""
    visit.press(visit.link(ALICE), "c3", "resign 101\r\nas alice sesame\r\n<b>well</b>")
    assert visit.moves() == ["C3"]
    text = next(mail.raw.decode() for mail in list_outbox(visit.club, None, 10) if mail.recipient == BOB)
    assert "sesame" not in text
    assert "well" not in text


def test_a_double_click_shows_the_first_answer(visit: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are kept before either is handled; what is seen is what came of it."""
    link = visit.link(ALICE)
    monkeypatch.setattr(room, "PATIENCE", 0.0)
    visit.worker_is_away = True
    form = visit.tried(link, "c3")
    visit(link, form)
    visit.worker_is_away = False
    second = visit(link, form)
    assert visit.moves() == ["C3"]
    assert second.headers["location"] == f"{link}#turn"


def test_when_the_worker_is_away(visit: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The move is kept, the page says so, and looking again tells what came of it."""
    monkeypatch.setattr(room, "PATIENCE", 0.0)
    visit.worker_is_away = True
    sent = visit.press(visit.link(ALICE), "c3")
    waiting = main(visit(sent.headers["location"]))
    assert waiting.one("h1").said == "On its way"
    assert "cannot be lost" in waiting.said
    again = waiting.one("a", class_="go").attributes["href"]
    visit.worker_is_away = False
    visit.work()
    assert visit(again).headers["location"] == f"{visit.link(ALICE)}#turn"


def test_so_many_wait_and_no_more(visit: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the worker is away those who play must not take all threads from those who look."""
    monkeypatch.setattr("pbmserv.web.site.time.sleep", lambda _: pytest.fail("it waits"))
    monkeypatch.setattr(room, "MOST_WAITING", 0)
    visit = Visitor(visit.club)
    visit.worker_is_away = True
    sent = visit.press(visit.link(ALICE), "c3")
    assert main(visit(sent.headers["location"])).one("h1").said == "On its way"


def test_a_move_that_came_too_late_is_told_as_mailed(visit: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason and what to send instead."""
    monkeypatch.setattr(room, "PATIENCE", 0.0)
    link = visit.link(ALICE)
    visit.worker_is_away = True
    for move in ("d3", "c3"):
        last = visit.press(link, move)
    visit.worker_is_away = False
    visit.work()
    said = main(visit(last.headers["location"]))
    assert said.one("h1").said == "Not played"
    assert "Your move was meant as move 1, but move 2 comes next on board 101, and it is bob's turn." in said.said
    assert visit.moves() == ["D3"]


def panel(page: Element) -> Element:
    """What its reader can do."""
    return page.one("section", **{"aria-labelledby": "turn"})


def assert_private(response: httpx.Response) -> None:
    assert response.headers["cache-control"] == "no-store"
    assert "noindex" in response.headers["x-robots-tag"]
    assert response.headers["referrer-policy"] == "no-referrer"
    assert "etag" not in response.headers
    assert "set-cookie" not in response.headers


def test_these_pages_are_private(visit: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cache stores them, no search engine finds them, no other page is told where one comes from."""
    link = visit.link(ALICE)
    assert_private(visit(link))
    assert_private(visit(f"{link}?move=c3"))
    assert_private(visit(link, {"move": "z9"}))
    visit.worker_is_away = True
    monkeypatch.setattr(room, "PATIENCE", 0.0)
    sent = visit.press(link, "c3")
    assert_private(sent)
    assert_private(visit(sent.headers["location"]))
    assert_private(visit(link))


def test_no_key_is_logged(
    visit: Visitor, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not when it plays, not when a page fails."""
    link = visit.link(ALICE)
    caplog.set_level(logging.DEBUG)
    visit.press(link, "c3")
    monkeypatch.setattr(room, "find_play_link", lambda *_: 1 / 0)
    assert visit(link).status_code == 500
    # The browser of this test logs what it asks for.
    ours = [each.getMessage() for each in caplog.records if not each.name.startswith(("httpx", "httpcore"))]
    assert ours
    assert link.rpartition("/")[2] not in "".join(ours)


def test_every_page_is_sound(visit: Visitor) -> None:
    """One heading, a title, a language; nothing inline."""
    link = visit.link(ALICE)
    paths = [link, f"{link}?move=c3", "/play/101/nosuchkey"]
    paths += [visit.press(link, "c3").headers["location"], f"{link}?late=1"]
    for path in paths:
        text = visit(path).text
        page: Element = parse(text)
        assert len(page.all("h1")) == 1
        assert page.one("title").said.endswith(" - pbmserv")
        assert not re.search(r"\s(style|on\w+)=", text)
        assert not any(script.text for script in page.all("script"))
