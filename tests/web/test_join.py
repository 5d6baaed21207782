"""The page on which an account is asked for: it sends one mail, and tells nobody who has an address."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from pbmserv.commands import policy
from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.services.receive import receive_mail
from pbmserv.services.scheduler.retention import purge
from pbmserv.services.views import list_outbox
from pbmserv.services.worker import process_next
from pbmserv.store import counts, players
from pbmserv.store.engine import reading
from pbmserv.web.app import make_app
from pbmserv.web.site import Site
from tests.conversation import parsed, shown_text
from tests.web.club import NOON, opened
from tests.web.tree import main, parse

SERVER = Server("pbmserv@club.test", confirm="from", site_url="https://club.test")


@dataclass(eq=False)
class Visitors:
    """A house whose clock the test moves, and those who ask for its pages."""

    house: App
    now: datetime = NOON
    app: Starlette = field(init=False)

    def __post_init__(self) -> None:
        self.behind("")

    def behind(self, trusted_proxy: str) -> None:
        """Puts the pages behind a proxy."""
        self.app = make_app(Site(self.house, trusted_proxy=trusted_proxy, secret=b"of these pages"))

    def ask(
        self, path: str, fields: Mapping[str, str] | None = None, host: str = "192.0.2.1", **headers: str
    ) -> httpx.Response:
        """Asks for a page, or sends a form."""

        async def go() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, client=(host, 1234))
            async with httpx.AsyncClient(transport=transport, base_url="https://club.test") as client:
                if fields is None:
                    return await client.get(path, headers=headers)
                told = {"Content-Type": "application/x-www-form-urlencoded", **headers}
                return await client.post(path, content=urlencode(fields), headers=told)

        return asyncio.run(go())

    def join(
        self,
        userid: str,
        address: str,
        host: str = "192.0.2.1",
        after: float = 10,
        token: str = "",
    ) -> httpx.Response:
        """Opens the page and sends the form, so many seconds later."""
        token = token or self.token(host)
        self.now += timedelta(seconds=after)
        return self.ask("/join", {"userid": userid, "address": address, "token": token}, host)

    def token(self, host: str = "192.0.2.1") -> str:
        page = parse(self.ask("/join", host=host).text)
        return page.one("input", name="token").attributes["value"]

    def mails(self) -> list[tuple[str, str]]:
        """What goes out then: to whom, and its text, the first mail first."""
        while process_next(self.house, lambda: self.now):
            pass
        sent = list_outbox(self.house, None, 1000)
        return [(mail.recipient, shown_text(parsed(mail.raw))) for mail in reversed(sent)]


@pytest.fixture
def visitors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visitors]:
    """Visitors of a house that believes every From address, but for this page."""
    with opened(tmp_path) as club:
        house = App(club.engine, SERVER, club.new_token, club.hasher)
        there = Visitors(house)
        monkeypatch.setattr("pbmserv.web.join.utc_now", lambda: there.now)
        yield there


def is_sent(response: httpx.Response) -> bool:
    return response.status_code == 303 and response.headers["location"] == "/join/sent"


def test_the_mail_asks_although_every_from_address_is_believed(visitors: Visitors) -> None:
    assert is_sent(visitors.join("alice", "Alice@Home.test"))
    ((recipient, text),) = visitors.mails()
    assert recipient == "alice@home.test"
    assert text.startswith("Hello, alice!")
    with reading(visitors.house.engine) as connection:
        alice = players.find(connection, "alice")
    assert alice is not None
    assert not alice.is_confirmed


def test_the_page_says_the_same_whoever_has_the_address(visitors: Visitors) -> None:
    """A player is told by mail that they have an account; so the address tells nobody anything by its silence."""
    visitors.join("alice", "alice@home.test")
    visitors.mails()
    confirm(visitors, "alice@home.test")
    visitors.now += timedelta(days=1)
    known = visitors.join("alicia", "alice@home.test", host="192.0.2.7")
    unknown = visitors.join("bertha", "bertha@home.test", host="192.0.2.8")
    same_name = visitors.join("Bertha", "bertha@home.test", host="192.0.2.9")
    pending = visitors.join("bertha", "other@home.test", host="192.0.2.10")
    answers = [known, unknown, same_name, pending]
    assert all(map(is_sent, answers))
    assert len({each.content for each in answers}) == 1
    assert len({tuple(sorted(each.headers.items())) for each in answers}) == 1
    told = dict(visitors.mails()[2:])
    assert list(told) == ["alice@home.test", "bertha@home.test", "other@home.test"]
    assert "You already have an account here: you are alice." in told["alice@home.test"]
    assert "The name bertha is taken." in told["other@home.test"]


def confirm(visitors: Visitors, address: str) -> None:
    """Answers the newest mail to an address with `yes`."""
    mail = next(each for each in list_outbox(visitors.house, None, 100) if each.recipient == address)
    to = str(parsed(mail.raw)["From"]).partition("<")[2].rstrip(">")
    raw = f"From: {address}\r\nTo: {to}\r\nSubject: Re: hello\r\nMessage-ID: <y@x>\r\n\r\nyes\r\n".encode()
    receive_mail(visitors.house, raw, address, [to], visitors.now)
    visitors.mails()


def test_an_address_gets_one_mail_a_day(visitors: Visitors) -> None:
    for _ in range(3):
        assert is_sent(visitors.join("alice", "alice@home.test"))
        assert len(visitors.mails()) == 1
    confirm(visitors, "alice@home.test")
    before = len(visitors.mails())
    visitors.now += timedelta(days=1)
    for _ in range(3):
        assert is_sent(visitors.join("alicia", "alice@home.test"))
        assert len(visitors.mails()) == before + 1


@pytest.mark.parametrize(
    ("userid", "address", "says"),
    [
        ("a", "a@home.test", "That can't be a name here."),
        ("operator", "a@home.test", "sounds like the server itself"),
        ("ann", "nowhere", "That is not a mail address."),
        ("ann", "ann@home.test\r\nBcc: all@home.test", "That is not a mail address."),
        ("ann", "pbmserv+x@club.test", "That is an address of this server"),
        ("<b>", '"><script>@x.test', "That can't be a name here."),
    ],
)
def test_what_cannot_be_is_told_beside_it(visitors: Visitors, userid: str, address: str, says: str) -> None:
    answer = visitors.join(userid, address)
    assert answer.status_code == 422
    assert says in main(answer).said
    assert "<script>@" not in answer.text
    assert visitors.mails() == []


def test_a_players_name_is_taken(visitors: Visitors) -> None:
    visitors.join("alice", "alice@home.test")
    visitors.mails()
    confirm(visitors, "alice@home.test")
    for address in ("alice@home.test", "mallory@home.test"):
        answer = visitors.join("a1ice", address)
        assert answer.status_code == 422
        assert "That name is taken" in main(answer).said
        assert "alice@home.test" not in answer.text.replace(f'value="{address}"', "")


def test_three_seconds_lie_between_page_and_form(visitors: Visitors) -> None:
    token = visitors.token()
    quick = visitors.join("alice", "alice@home.test", after=2.9, token=token)
    assert quick.status_code == 422
    assert "that was very quick" in main(quick).said
    assert parse(quick.text).one("input", name="token").attributes["value"] == token
    assert visitors.mails() == []
    assert is_sent(visitors.join("alice", "alice@home.test", after=0.1, token=token))


@pytest.mark.parametrize(
    "token", ["", "x", "1767268800000", "1767268800000.0123456789abcdef0123456789abcdef", "é.é"]
)
def test_the_form_is_taken_from_its_page_alone(visitors: Visitors, token: str) -> None:
    answer = visitors.ask("/join", {"userid": "alice", "address": "alice@home.test", "token": token})
    assert answer.status_code == 422
    assert "open for too long" in main(answer).said
    assert visitors.mails() == []
    fresh = parse(answer.text).one("input", name="token").attributes["value"]
    assert is_sent(visitors.join("alice", "alice@home.test", token=fresh))


def test_the_form_is_good_for_two_hours(visitors: Visitors) -> None:
    token = visitors.token()
    assert visitors.join("alice", "alice@home.test", after=7201, token=token).status_code == 422
    token = visitors.token()
    assert is_sent(visitors.join("alice", "alice@home.test", after=7199, token=token))


def test_a_host_has_five_an_hour(visitors: Visitors) -> None:
    for number in range(policy.PAGE_A_HOST.most):
        assert is_sent(visitors.join(f"player{number}", f"p{number}@home.test"))
    answer = visitors.join("ann", "ann@home.test")
    assert answer.status_code == 429
    assert "too many people are joining" in main(answer).said
    assert is_sent(visitors.join("ann", "ann@home.test", host="192.0.2.2"))
    visitors.now += timedelta(hours=1)
    assert is_sent(visitors.join("ben", "ben@home.test"))


def test_all_have_fifty_a_day_and_the_last_ones_by_the_hour(visitors: Visitors) -> None:
    """A crowd of hosts that comes in one hour leaves a place for each hour of the day."""

    def ask(number: int) -> bool:
        return is_sent(visitors.join(f"player{number}x", f"p{number}@h{number}.test", host=f"192.0.2.{number}"))

    assert all(map(ask, range(policy.PAGE_A_DAY.most)))
    assert not ask(100)
    for hour in range(1, 24):
        visitors.now += timedelta(hours=1)
        assert ask(100 + hour), hour
        assert not ask(200)
    assert counted_since(visitors, NOON) == 49
    visitors.now += timedelta(days=1)
    assert all(map(ask, range(policy.PAGE_A_DAY.most)))
    for _ in purge(visitors.house, visitors.now - timedelta(days=90), visitors.now + timedelta(days=1, hours=12)):
        pass
    assert counted_since(visitors, NOON - timedelta(days=9)) == policy.PAGE_A_DAY.most


def counted_since(visitors: Visitors, since: datetime) -> int:
    with reading(visitors.house.engine) as connection:
        return counts.total(connection, policy.PAGE_A_DAY.name, "", since)


def test_hosts_of_one_network_of_ipv6_are_one(visitors: Visitors) -> None:
    for number in range(policy.PAGE_A_HOST.most):
        assert is_sent(visitors.join(f"player{number}", f"p{number}@home.test", host=f"2001:db8::{number + 1}"))
    assert visitors.join("ann", "ann@home.test", host="2001:db8::ffff").status_code == 429
    assert is_sent(visitors.join("ann", "ann@home.test", host="2001:db8:0:1::1"))


def statuses_of_six(visitors: Visitors, host: str, headers: Callable[[int], Mapping[str, str]]) -> list[int]:
    """What six forms are answered that come over connections from one host, each with headers of its own."""
    token, answers = visitors.token(host), []
    visitors.now += timedelta(seconds=10)
    for number in range(policy.PAGE_A_HOST.most + 1):
        wish = {"userid": f"player{number}", "address": f"p{number}@home.test", "token": token}
        answers.append(visitors.ask("/join", wish, host, **headers(number)))
    return [each.status_code for each in answers]


FIVE = [*[303] * policy.PAGE_A_HOST.most, 429]


@pytest.mark.parametrize("host", ["192.0.2.1", "10.0.0.1", "127.0.0.1", "::1", "testclient"])
@pytest.mark.parametrize(
    "names", [("Via",), ("X-Forwarded-For", "Forwarded", "X-Real-IP", "CF-Connecting-IP", "Host")]
)
def test_no_header_lifts_the_limit_of_a_host(visitors: Visitors, host: str, names: Sequence[str]) -> None:
    def headers(number: int) -> Mapping[str, str]:
        return dict.fromkeys(names, f"192.0.2.{77 + number}")

    assert statuses_of_six(visitors, host, headers) == FIVE


def test_the_last_word_of_the_proxy_that_is_named_counts(visitors: Visitors) -> None:
    """What stands before it was told to the proxy, in the same line or in one above."""
    visitors.behind("10.0.0.1")
    assert (
        statuses_of_six(visitors, "10.0.0.1", lambda n: {"X-Forwarded-For": f"198.51.100.{n}, 192.0.2.5"}) == FIVE
    )
    mapped = statuses_of_six(visitors, "::ffff:10.0.0.1", lambda n: {"X-Forwarded-For": f"198.51.100.{n}"})
    assert mapped == [303] * 6


def test_a_proxy_may_add_a_line_to_that_of_a_visitor() -> None:
    lines = [b"198.51.100.1", b"192.0.2.5"]
    request = Request(
        {"type": "http", "client": ("10.0.0.1", 1), "headers": [(b"x-forwarded-for", line) for line in lines]}
    )
    site = Site(App(None, SERVER, str, None), trusted_proxy="10.0.0.1")  # type: ignore[arg-type]
    assert site.visitor(request) == "192.0.2.5"


def test_a_proxy_that_says_nothing_of_use_counts_itself(visitors: Visitors) -> None:
    visitors.behind("10.0.0.1")
    assert statuses_of_six(visitors, "10.0.0.1", lambda n: {"X-Forwarded-For": f"unknown{n}"}) == FIVE


def test_visitors_of_ipv4_on_a_socket_of_ipv6_are_many(visitors: Visitors) -> None:
    hosts = (f"::ffff:192.0.2.{number}" for number in range(9))
    assert all(is_sent(visitors.join(f"player{n}", f"p{n}@home.test", host)) for n, host in enumerate(hosts))


@pytest.mark.parametrize("changed", [{"signup": "mail"}, {"site_url": ""}])
def test_without_it_there_is_no_such_page(visitors: Visitors, changed: dict[str, str]) -> None:
    server = replace(SERVER, **changed)  # type: ignore[arg-type]
    there = Visitors(App(visitors.house.engine, server, visitors.house.new_token, visitors.house.hasher))
    assert there.ask("/join").status_code == 404
    assert there.ask("/join", {"userid": "ann"}).status_code == 404
    assert there.ask("/join/sent").status_code == 404
    assert "/join" not in there.ask("/").text
    assert "/join" in visitors.ask("/").text


def test_the_page_is_sound_and_needs_no_script(visitors: Visitors) -> None:
    for path in ("/join", "/join/sent"):
        answer = visitors.ask(path)
        page = parse(answer.text)
        assert len(page.all("h1")) == 1
        assert "set-cookie" not in answer.headers
        for each in page.all("input"):
            assert each.attributes["type"] == "hidden" or page.one("label", **{"for": each.attributes["id"]}).said
    page = parse(visitors.ask("/join").text)
    assert visitors.ask("/join").headers["cache-control"] == "no-store"
    assert page.one("a", id="join-line").said == "signup USERID"
    assert page.one("a", id="join-address").said == "pbmserv@club.test"
    assert all("hidden" in each.attributes for each in page.all("button", type="button"))
