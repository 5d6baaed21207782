"""The mailbox of who tries the server out: there on this machine alone, and as good as a mail program."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from pbmserv.mail.sending.maildir import Maildir
from pbmserv.mail.sending.transport import Delivered, Outgoing
from pbmserv.services.app import App, utc_now
from pbmserv.services.worker import process_next
from pbmserv.store import inbox, outbox
from pbmserv.store.engine import reading, writing
from pbmserv.web import dev_mailbox, sent_mail
from pbmserv.web.app import make_app
from pbmserv.web.site import Site
from tests.mail.one_by_one import deliver_one
from tests.web.club import opened
from tests.web.tree import Element, main, parse

HOME = "127.0.0.1:8080"
ALICE, BOB = "alice@example.org", "bob@example.org"
OURS = {"Sec-Fetch-Site": "same-origin"}


@dataclass(eq=False)
class Tryout:
    """A house that believes no From address, whose mails go into a folder, and its pages."""

    house: App
    folder: Path
    is_working: bool = True

    def work(self) -> None:
        """Handles what was kept, and sends what is to be sent."""
        while self.is_working and process_next(self.house, utc_now):
            pass
        way = Maildir(self.folder)
        with writing(self.house.engine) as connection:
            for mail in reversed(outbox.listing(connection, "waiting", 100)):
                assert deliver_one(way, Outgoing(mail.envelope_sender, mail.recipient, mail.raw)) == Delivered()
                outbox.mark_sent(connection, [mail.id], utc_now())

    @lru_cache(maxsize=2)  # noqa: B019 - as many as there are tests
    def app(self, has_mailbox: bool) -> Starlette:
        """The pages, with a folder that mail goes to or without."""
        return make_app(Site(self.house, self.folder if has_mailbox else None, self.work))

    def ask(
        self,
        path: str,
        method: str = "GET",
        *,
        host: str = HOME,
        client: str = "127.0.0.1",
        headers: Mapping[str, str] | None = None,
        fields: Mapping[str, str] | None = None,
        has_mailbox: bool = True,
    ) -> httpx.Response:
        """What the pages answer; no `host` leaves out that header."""

        async def asking() -> httpx.Response:
            transport = httpx.ASGITransport(self.app(has_mailbox), client=(client, 1))
            async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOME}") as browser:
                told = {"Host": host, **(headers or {})}
                request = browser.build_request(method, path, headers=told, data=fields)
                if not host:
                    del request.headers["Host"]
                return await browser.send(request)

        return asyncio.run(asking())

    def see(self, path: str) -> Element:
        """The content of a page, by way of the pages that lead to it."""
        response = self.ask(path)
        while response.status_code == 303:
            response = self.ask(response.headers["Location"])
        assert response.status_code == 200
        return main(response)

    def send(self, path: str, **typed: str) -> Element:
        """Fills in the sheet at an address, sends it, and gives the page that this leads to."""
        response = self.ask("/mailbox/write", "POST", headers=OURS, fields=filled_in(self.see(path)) | typed)
        assert response.status_code == 303
        return self.see(response.headers["Location"])

    @property
    def taken(self) -> int:
        """How many mails the server was ever given."""
        with reading(self.house.engine) as connection:
            return len(inbox.listing(connection, None, 100))


def filled_in(sheet: Element) -> dict[str, str]:
    """What stands on a sheet when it is opened, by the names of its fields."""
    form = sheet.one("form", method="post")
    fields = {each.attributes["name"]: each.attributes.get("value", "") for each in form.all("input")}
    # A line feed at the beginning of a text area is not part of it.
    return fields | {each.attributes["name"]: each.text.removeprefix("\n") for each in form.all("textarea")}


def sheet(subject: str = "", sender: str = "", **asked: str) -> str:
    """The address of a sheet on which something stands."""
    return str(httpx.URL("/mailbox/write", params={"subject": subject, "from": sender, **asked}))


def frame_of(page: Element) -> str:
    return page.one("iframe").attributes["src"]


@contextmanager
def trying_out(folder: Path) -> Iterator[Tryout]:
    """An empty one."""
    with opened(folder) as club:
        yield Tryout(replace(club, server=replace(club.server, confirm="ask")), folder / "outgoing")


def begin(tryout: Tryout) -> Tryout:
    """Alice and bob open accounts, and she challenges him."""
    for sender, userid in ((ALICE, "alice"), (BOB, "bob")):
        asked = tryout.send(sheet(f"signup {userid} sesame", sender))
        answer = next(a.attributes["href"] for a in asked.all("a") if a.said == "Answer")
        assert f"Welcome, {userid}!" in tryout.send(answer, text="yes").one("pre").said
    tryout.send(sheet("challenge alice bob", ALICE))
    return tryout


@pytest.fixture
def tryout(tmp_path: Path) -> Iterator[Tryout]:
    """An empty one."""
    with trying_out(tmp_path) as empty:
        yield empty


@pytest.fixture
def playing(tryout: Tryout) -> Tryout:
    """One in which board 101 was begun."""
    return begin(tryout)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tryout]:
    """The same for tests that only look."""
    with trying_out(tmp_path_factory.mktemp("begun")) as tryout:
        yield begin(tryout)


# Where it is


@pytest.mark.parametrize("host", [HOME, "localhost", "LOCALHOST:8080", "127.0.0.1", "[::1]:8080", "127.8.9.1:80"])
@pytest.mark.parametrize("client", ["127.0.0.1", "::1"])
def test_it_is_there_for_a_browser_on_this_machine(begun: Tryout, host: str, client: str) -> None:
    response = begun.ask("/mailbox", host=host, client=client)
    assert response.status_code == 200
    assert "no mail leaves this machine" in main(response).said
    assert parse(begun.ask("/", host=host).text).one("nav").all("a", href="/mailbox")


ELSEWHERE: dict[str, dict[str, Any]] = {
    "another name of this machine": {"host": "club.test"},
    "a name that means it for a moment": {"host": "127.0.0.1.evil.test"},
    "a name below localhost": {"host": "localhost.evil.test:8080"},
    "all addresses": {"host": "0.0.0.0:8080"},
    "a user before the name": {"host": "evil.test@127.0.0.1"},
    "no name": {"host": ""},
    "another machine": {"client": "203.0.113.5"},
    "another machine by IPv6": {"client": "2001:db8::5"},
    "a proxy": {"headers": {"X-Forwarded-For": "203.0.113.5"}},
    "a modern proxy": {"headers": {"Forwarded": "for=203.0.113.5"}},
    "a proxy that tells the scheme": {"headers": {"X-Forwarded-Proto": "https"}},
    "a network before the pages": {"headers": {"CF-Connecting-IP": "203.0.113.5"}},
    "mail that goes to people": {"has_mailbox": False},
}


@pytest.mark.parametrize("who", ELSEWHERE)
def test_it_is_nowhere_else(begun: Tryout, who: str) -> None:
    """Nothing tells the addresses of these pages from others at which nothing is."""
    taken, mail = begun.taken, first(begun)
    asker = {"headers": {}} | ELSEWHERE[who]
    asker["headers"] = {**OURS, **asker["headers"]}
    nothing = begun.ask("/nothing", **asker)
    assert nothing.status_code == 404
    assert "mailbox" not in begun.ask("/", **asker).text.lower()
    typed = {"sender": ALICE, "recipient": "pbmserv@club.test", "subject": "help"}
    for method, path, fields in (
        ("GET", "/mailbox", None),
        ("GET", "/mailbox/write", None),
        ("GET", "/mailbox/sent/1", None),
        ("GET", mail, None),
        ("GET", f"{mail}/html", None),
        ("GET", "/mailbox/no/such/path", None),
        ("POST", "/mailbox", None),
        ("POST", "/mailbox/write", typed),
        ("POST", "/mailbox/write", {"text": "x" * 70_000}),
        ("PUT", mail, None),
    ):
        response = begun.ask(path, method, fields=fields, **asker)
        assert (response.status_code, method, path) == (404, method, path)
        assert response.text == nothing.text
        assert "Allow" not in response.headers
    assert begun.ask("/mailbox", "HEAD", **asker).status_code == 404
    assert begun.taken == taken


def test_it_is_not_behind_a_proxy_that_tells_nothing(begun: Tryout) -> None:
    """As nginx asks when it is told no more than where the pages are."""
    for version, is_at_home in (("1.1", True), ("1.0", False)):
        head = [(b"host", HOME.encode()), (b"connection", b"close")]
        scope = {"type": "http", "http_version": version, "headers": head, "client": ("127.0.0.1", 1)}
        assert Site(begun.house, begun.folder).is_at_home(Request(scope)) == is_at_home


@pytest.mark.parametrize(
    ("site_url", "status"),
    [
        ("https://club.test", 404),
        ("http://0.0.0.0:8080", 404),
        ("club.test", 404),
        ("http://[club", 404),
        ("http://127.0.0.1:8080", 200),
        ("http://[::1]:8080", 200),
        ("http://localhost:8080", 200),
    ],
)
def test_it_is_not_where_pages_are_reached_from_elsewhere(begun: Tryout, site_url: str, status: int) -> None:
    house = replace(begun.house, server=replace(begun.house.server, site_url=site_url))
    assert replace(begun, house=house).ask("/mailbox").status_code == status


def first(tryout: Tryout) -> str:
    """The address of the newest mail."""
    return tryout.see("/mailbox").one("tbody").all("a")[0].attributes["href"]


# Mails


def test_an_empty_one_tells_how_to_begin(tryout: Tryout) -> None:
    link = tryout.see("/mailbox").one("p", class_="none").one("a")
    welcome = tryout.send(link.attributes["href"])
    assert "Hello, alice! Make your first move" in welcome.one("pre").said


def test_mails_are_listed_the_newest_first_and_by_recipient(begun: Tryout) -> None:
    rows = begun.see("/mailbox").one("tbody").all("tr")
    told = [(row.one("th").said, row.one("td", class_="to").said) for row in rows]
    assert sorted(told[:2]) == [("Cephalopod Board 101: alice vs bob", each) for each in (ALICE, BOB)]
    assert told[-1] == ("pbmserv: signup", ALICE)
    page = begun.see("/mailbox?to=Bob@example.org")
    assert {row.one("td", class_="to").said for row in page.one("tbody").all("tr")} == {BOB}
    choices = {option.attributes["value"]: "selected" in option.attributes for option in page.all("option")}
    assert choices == {"": False, ALICE: False, BOB: True}
    assert "There is no mail to carol@example.org" in begun.see("/mailbox?to=carol@example.org").said


def test_a_mail_is_shown_as_text_and_as_html(begun: Tryout) -> None:
    response = begun.ask(first(begun))
    page = main(response)
    assert page.one("h1").said == "Cephalopod Board 101: alice vs bob"
    assert [row.one("dt").said for row in page.one("dl").all("div")] == ["From", "To", "Date"]
    assert "    5  ... ... ... ... ...  5\n" in page.one("pre").text
    assert "frame-src 'self'" in response.headers["Content-Security-Policy"]
    assert response.headers["Cache-Control"] == "no-store"
    framed = begun.ask(frame_of(page))
    policy = framed.headers["Content-Security-Policy"]
    assert {part.strip() for part in policy.split(";")} == {
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "sandbox allow-top-navigation-by-user-activation",
    }
    assert framed.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert framed.headers["X-Content-Type-Options"] == "nosniff"


def test_a_square_writes_the_mail_that_plays_it(playing: Tryout) -> None:
    path = next(a.attributes["href"] for a in playing.see(f"/mailbox?to={ALICE}").one("tbody").all("a"))
    board = parse(playing.ask(frame_of(playing.see(path))).text)
    links = board.all("a")
    assert all(link.attributes.get("target") == "_top" for link in links)
    assert not [link for link in links if link.attributes["href"].startswith("mailto:")]
    square = next(link.attributes["href"] for link in links if link.said == "C3")
    typed = filled_in(playing.see(square))
    assert typed.pop("recipient").startswith("pbmserv+t")
    assert typed == {"sender": ALICE, "subject": "c3", "text": "", "answers": ""}
    played = playing.send(square)
    assert "You played C3. It is bob's turn." in played.one("pre").said
    assert f"Mails to {ALICE}" in played.said


def test_an_answer_proves_who_writes(playing: Tryout) -> None:
    path = playing.see(f"/mailbox?to={ALICE}").one("tbody").all("a")[0].attributes["href"]
    answer = next(a.attributes["href"] for a in playing.see(path).all("a") if a.said == "Answer")
    typed = filled_in(playing.see(answer))
    assert (typed["sender"], typed["subject"]) == (ALICE, "Re: Cephalopod Board 101: alice vs bob")
    assert "+" in typed["recipient"], "to the personal address"
    assert "You played C3" in playing.send(answer, text="c3").said
    newest = playing.see(path).one("p", class_="mailbox-newer").one("a").attributes["href"]
    assert newest == playing.see(f"/mailbox?to={ALICE}").one("tbody").all("a")[0].attributes["href"]


def test_files_that_came_with_a_mail_are_there(playing: Tryout) -> None:
    page = playing.send(sheet("record 101", ALICE))
    (link,) = page.one("dl").all("a")
    response = playing.ask(link.attributes["href"])
    assert response.json()["game"] == "cephalopod"
    assert response.headers["Content-Type"] == "application/octet-stream"
    assert link.said in response.headers["Content-Disposition"]
    for number in ("0", "2", "x"):
        assert playing.ask(link.attributes["href"][:-1] + number).status_code == 404


def test_links_of_the_pages_lead_to_the_sheet(begun: Tryout) -> None:
    links = [a.attributes["href"] for a in parse(begun.ask("/").text).all("a")]
    assert not [link for link in links if link.startswith("mailto:")]
    begin = next(
        link for link in links if parse_qs(urlsplit(link).query).get("subject", [""])[0].startswith("signup")
    )
    assert filled_in(begun.see(begin))["recipient"] == "pbmserv@club.test"


# Writing


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": f"http://{HOME}"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://evil.test"},
        {"Origin": "null"},
        {},
    ],
)
def test_no_page_elsewhere_can_write(begun: Tryout, headers: dict[str, str]) -> None:
    taken = begun.taken
    typed = {"sender": ALICE, "recipient": "pbmserv@club.test", "subject": "signup alice sesame"}
    response = begun.ask("/mailbox/write", "POST", headers=headers, fields=typed)
    assert response.status_code == 403
    assert main(response).all("a", href="/mailbox/write")
    assert begun.taken == taken


def test_browsers_that_only_tell_the_origin_can_write(tryout: Tryout) -> None:
    typed = {"sender": ALICE, "recipient": "pbmserv@club.test", "subject": "signup alice sesame"}
    response = tryout.ask("/mailbox/write", "POST", headers={"Origin": f"http://{HOME}"}, fields=typed)
    assert response.status_code == 303
    assert tryout.ask("/mailbox/write").headers["Referrer-Policy"] == "same-origin", "else they tell none"


@pytest.mark.parametrize(
    ("wrong", "typed"),
    [
        ("sender", {"sender": "alice"}),
        ("sender", {"sender": ""}),
        ("sender", {"sender": f"{ALICE}\r\nBcc: eve@evil.test"}),
        ("sender", {"sender": "pbmserv+t00001@club.test"}),
        ("recipient", {"recipient": "bob@example.org"}),
        ("recipient", {"recipient": "pbmserv@evil.test"}),
        ("recipient", {"recipient": f"pbmserv@club.test, {BOB}"}),
    ],
)
def test_only_a_player_can_write_and_only_to_the_server(begun: Tryout, wrong: str, typed: dict[str, str]) -> None:
    taken = begun.taken
    fields = {"sender": ALICE, "recipient": "pbmserv@club.test", "subject": "help", "text": "<&\n"} | typed
    response = begun.ask("/mailbox/write", "POST", headers=OURS, fields=fields)
    assert response.status_code == 422
    page = main(response)
    assert [each.attributes["name"] for each in page.all("input", **{"aria-invalid": "true"})] == [wrong]
    assert filled_in(page) == fields | {"answers": ""}, "nothing typed is lost"
    assert begun.taken == taken


def test_any_words_make_one_mail(tryout: Tryout) -> None:
    odd = "help\r\nBcc: eve@evil.test\x00\u2028é\x1b[0m"
    page = tryout.send(sheet(), sender=ALICE, subject=odd, text="\x00é\u2028\r\n.\r\nFrom here\r\n" + "x" * 2000)
    assert page.one("h1").said
    assert {row.one("td", class_="to").said for row in tryout.see("/mailbox").one("tbody").all("tr")} == {ALICE}


def test_an_answer_that_is_late_is_waited_for(tryout: Tryout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev_mailbox, "PATIENCE", 0)
    tryout.is_working = False
    page = tryout.send(sheet("signup alice sesame", ALICE))
    assert page.one("h1").said == "On its way"
    again = next(a.attributes["href"] for a in page.all("a") if a.said == "Look again")
    tryout.is_working = True
    tryout.work()
    assert "Hello, alice! Make your first move" in tryout.see(again).one("pre").said


def test_an_answer_is_shown_with_what_became_of_the_mail(tryout: Tryout) -> None:
    page = tryout.send(sheet("list", ALICE))
    assert [each.said for each in page.all("p", class_="notice")]


def test_a_mail_that_is_never_answered_is_said_so(tryout: Tryout) -> None:
    page = tryout.send(sheet("help", "noreply@example.org"))
    assert page.one("h1").said == "What became of your mail"
    assert "no person seems to have written this mail (its sender is a mail system)" in page.said
    assert "No answer was sent by mail." in page.said
    assert tryout.ask("/mailbox/sent/999").status_code == 404
    assert tryout.ask("/mailbox/sent/x").status_code == 404


# Folders of all kinds


@pytest.fixture
def other(begun: Tryout, tmp_path: Path) -> Tryout:
    """Another folder, empty, shown by the same house."""
    return replace(begun, folder=tmp_path / "outgoing")


def deliver(folder: Path, count: int, head: bytes = b"", recipient: str = ALICE) -> None:
    way = Maildir(folder)
    for number in range(count):
        raw = head + b"Subject: n%d\r\n\r\nx\r\n" % number
        assert deliver_one(way, Outgoing("", recipient, raw)) == Delivered()


def test_a_large_one_comes_by_the_page(other: Tryout) -> None:
    deliver(other.folder, 60, recipient=BOB)
    deliver(other.folder, 105)
    path, seen = f"/mailbox?to={ALICE}", []
    while path:
        page = other.see(path)
        seen += [row.one("th").said for row in page.one("tbody").all("tr")]
        path = next((a.attributes["href"] for a in page.all("a") if a.said == "Older"), "")
    assert seen == [f"n{number}" for number in reversed(range(105))]


def test_of_a_very_large_one_little_is_read(other: Tryout, monkeypatch: pytest.MonkeyPatch) -> None:
    (other.folder / "new").mkdir(parents=True)
    for number in range(1500):
        (other.folder / "new" / f"{1_700_000_000 + number}.x").write_bytes(b"To: a@b\n\nx")
    opened_files: list[Path] = []
    read = sent_mail._read

    def noted(file: Path, size: int = -1) -> bytes:
        opened_files.append(file)
        return read(file, size)

    monkeypatch.setattr(sent_mail, "_read", noted)
    assert len(other.see("/mailbox").one("tbody").all("tr")) == sent_mail.MOST
    assert len(opened_files) <= sent_mail.MOST + 1 + sent_mail.LOOKED_THROUGH


def test_a_mail_keeps_its_address_when_a_mail_program_has_shown_it(other: Tryout) -> None:
    deliver(other.folder, 1)
    path = first(other)
    (file,) = (other.folder / "new").iterdir()
    file.rename(other.folder / "cur" / f"{file.name}:2,S")
    assert other.see(path).one("h1").said == "n0"


@pytest.mark.parametrize("name", ["nothing", "..%2f..%2fetc%2fpasswd", "%2e%2e", "%00", "write/html"])
def test_no_other_file_can_be_asked_for(other: Tryout, name: str) -> None:
    deliver(other.folder, 1)
    assert other.ask(f"/mailbox/{name}").status_code == 404


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff\x00\n\n\xff",
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain; charset=nonsense\n\n\xff\n",
        b"Subject: <script>alert(1)</script>\nTo: <b>@x\n\n</pre><script>alert(1)</script>\n",
        b"From: =?utf-8?b?/w==?=\nDate: never\nMIME-Version: 1.0\nContent-Type: text/html\n\n<p onclick=x>&\xff",
    ],
)
def test_whatever_lies_there_is_shown(other: Tryout, raw: bytes) -> None:
    deliver(other.folder, 1)
    (other.folder / "new" / "99999999999.stranger").write_bytes(raw)
    path = first(other)
    page = other.see(path)
    assert not page.all("script")
    assert other.ask(f"{path}/html").status_code in (200, 404)
