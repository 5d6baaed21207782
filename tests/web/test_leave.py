"""The link to unsubscribe, for a browser and for a mail program: looking does nothing, a POST does it at once."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

import httpx
import pytest

from pbmserv.matches.player import MailSettings
from pbmserv.services.scheduler.due import send_puzzle
from pbmserv.services.views import list_outbox, list_players
from pbmserv.web import leave
from pbmserv.web.app import make_app
from pbmserv.web.site import Site
from tests.web.club import NOON, Club, opened
from tests.web.tree import main, parse

ALICE, BOB = "alice@home.test", "bob@work.test"
FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
ONE_CLICK: Final = b"List-Unsubscribe=One-Click"


class Reader:
    """Somebody with a mail program and a browser."""

    def __init__(self, club: Club) -> None:
        self.club = club
        self._app = make_app(Site(club))

    def __call__(
        self, path: str, method: str = "GET", content: bytes = b"", headers: dict[str, str] | None = None
    ) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="https://club.test") as client:
                return await client.request(method, path, content=content, headers=headers)

        return asyncio.run(ask())

    def link(self, address: str) -> str:
        """The link to unsubscribe in the newest mail to an address, as a path."""
        mail = next(each for each in list_outbox(self.club, None, 1000) if each.recipient == address)
        found = re.search(rb"<https://club\.test(/leave/\w+)>", mail.raw)
        assert found is not None
        return found[1].decode()

    def mail_of(self, userid: str) -> MailSettings:
        """What mail a player gets."""
        return next(each.mail for each in list_players(self.club) if each.userid == userid)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """In a club in which alice plays bob, carol watches, and bob has asked for what is written to all."""
    monkeypatch.setattr(leave, "utc_now", lambda: NOON + timedelta(hours=5))
    with opened(tmp_path) as empty:
        server = replace(empty.server, site_url="https://club.test", club_name="Chess & Friends")
        club = Club(empty.engine, server, empty.new_token, empty.hasher)
        club.post(ALICE, "signup alice sesame")
        club.post(BOB, "signup bob poppy")
        club.post("carol@away.test", "signup carol linseed")
        club.post(BOB, "set broadcast on")
        club.post(ALICE, "challenge alice bob")
        club.post("carol@away.test", "subscribe 101")
        club.post(ALICE, "move 101 c3")
        yield Reader(club)


@pytest.mark.parametrize(
    ("content", "headers"),
    [
        (ONE_CLICK, FORM),
        (
            b'--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
            {"Content-Type": "multipart/form-data; boundary=x"},
        ),
    ],
)
def test_one_click(reader: Reader, content: bytes, headers: dict[str, str]) -> None:
    """As RFC 8058 has it: no redirect, no cookie, nothing to look at, either kind of form."""
    done = reader(reader.link(BOB), "POST", content, headers)
    assert done.status_code == 200
    assert reader.mail_of("bob").is_off
    assert "set-cookie" not in done.headers


def test_looking_stops_nothing(reader: Reader) -> None:
    """Programs that check the links in mails open every one of them."""
    link = reader.link(BOB)
    for method in ("GET", "HEAD", "GET"):
        assert reader(f"{link}?List-Unsubscribe=One-Click", method).status_code == 200
    assert reader(link, "PUT").status_code == 405
    assert not reader.mail_of("bob").is_off


def test_the_button_sends_what_a_mail_program_sends(reader: Reader) -> None:
    """The page says whose mail stops and what that means; the next one says that it is done, and the way back."""
    link = reader.link(BOB)
    page = main(reader(link))
    assert page.one("h1").said == "Stop all mail?"
    assert "bob, you will get no more mail from Chess & Friends except when a game of yours ends." in page.said
    assert "you can lose on time" in page.said
    form = page.one("form", method="post")
    assert form.attributes["action"] == link
    (field,) = form.all("input")
    assert (field.attributes["name"], field.attributes["value"]) == ("List-Unsubscribe", "One-Click")
    done = main(reader(link, "POST", ONE_CLICK, FORM))
    assert done.one("h1").said == "Done"
    assert done.one("a", class_="send").said == "set mail on"
    assert not done.all("form")
    again = main(reader(link))
    assert again.one("h1").said == "There is nothing to stop"
    assert not again.all("form")


def test_each_kind_says_what_it_stops(reader: Reader) -> None:
    """Watching, messages, broadcasts: the way back names what there was before."""
    club = reader.club
    seen = []
    club.post(BOB, "set messages known")
    for address, told in (("carol@away.test", ""), (BOB, "message bob"), (BOB, "broadcast")):
        if told:
            club.post(ALICE, told, "Hello!")
        link = reader.link(address)
        asked, done = main(reader(link)), main(reader(link, "POST", ONE_CLICK, FORM))
        seen.append((asked.one("h1").said, done.one("a", class_="send").said))
    assert seen == [
        ("Stop board 101?", "subscribe 101"),
        ("Stop messages?", "set messages known"),
        ("Stop broadcasts?", "set broadcast on"),
    ]
    assert not reader.mail_of("bob").is_off


def test_puzzles_of_the_week_stop(reader: Reader) -> None:
    """And nothing else does."""
    reader.club.post(BOB, "set puzzle weekly")
    send_puzzle(reader.club, NOON + timedelta(days=1))
    link = reader.link(BOB)
    assert "no longer get a puzzle a week" in main(reader(link)).said
    done = main(reader(link, "POST", ONE_CLICK, FORM))
    assert done.one("a", class_="send").said == "set puzzle weekly"
    assert (reader.mail_of("bob").puzzle, reader.mail_of("bob").is_off) == (False, False)
    assert "you get no puzzles" in main(reader(link)).said


@pytest.mark.parametrize("path", ["/leave/nosuchkey", "/leave/%C3%A4", "/leave/" + "a" * 500, "/leave/a b"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_link_that_is_none(reader: Reader, path: str, method: str) -> None:
    response = reader(path, method, ONE_CLICK, FORM)
    assert response.status_code == 404
    assert "This link stops no mail." in main(response).said


def test_nobody_is_told_of_the_link(reader: Reader) -> None:
    """It is in no cache and no search engine, and goes along to no other page."""
    for path in (reader.link(BOB), "/leave/nosuchkey"):
        headers = reader(path).headers
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-robots-tag"] == "noindex, nofollow"


def test_it_is_a_sound_page(reader: Reader) -> None:
    page = parse(reader(reader.link(BOB)).text)
    assert page.one("title").said.startswith("Unsubscribe - ")
    assert len(page.all("h1")) == 1
