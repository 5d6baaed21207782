"""Houses that run, to be gone about as people do: every part of a server, or pages full of things to look at."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import cast
from urllib.parse import unquote, urlsplit

from sqlalchemy import Engine

from pbmserv.cli.bootstrap import build_app
from pbmserv.cli.config import Settings
from pbmserv.cli.serve import all_parts, run_parts
from pbmserv.cli.try_out import send_and_wait
from pbmserv.mail.sending.from_web import compose
from pbmserv.mail.sending.maildir import Maildir, MaildirMail, read_all
from pbmserv.mail.sending.transport import Delivered, Outgoing
from pbmserv.services.app import App, utc_now
from pbmserv.services.receive import receive_mail
from pbmserv.services.worker import process_next
from pbmserv.store import clocks, outbox
from pbmserv.store.engine import open_engine, reading, writing
from pbmserv.web.server import WebPart
from pbmserv.web.site import Site
from tests.free_port import free_port
from tests.mail.one_by_one import deliver_one
from tests.web.club import opened
from tests.web.put import many_moves, put, put_game

MIDDLE = ["a4", "d2", "a3", "e1", "a2", "e2xd2,e1", "b4", "c3", "b3xa3,b4,c3", "b4xa4,b3", "b3", "b2xa2,b3"]
ALICE, BOB, CAROL = "alice@example.org", "bob@example.org", "carol@example.org"
PERSONAL_LINK = re.compile(r"http://[0-9.:]+(/play/[0-9]+/[a-z0-9]+)")

DESK_LINK = re.compile(r"http://[0-9.:]+(/desk/[a-z0-9]+)")


@dataclass(frozen=True)
class Live:
    """A server that runs: its pages as they are on its own machine, and as they are from elsewhere."""

    home: str
    elsewhere: str
    mail_in: str
    outgoing: Path

    def send(self, sender: str, mailto: str) -> str:
        """Sends exactly the mail that a `mailto:` link begins, from an address; the text of the answer."""
        letter = send_and_wait(self.mail_in, self.outgoing, begun_by(mailto, sender)).letter
        assert letter is not None
        return text_of(letter)

    def newest(self, address: str) -> str:
        """The text of the newest mail to an address."""
        return text_of([letter for letter in read_all(self.outgoing) if letter.header("To") == address][-1])


def begun_by(mailto: str, sender: str) -> EmailMessage:
    """The mail that a program makes of a `mailto:` link (RFC 6068), where nothing is added to it."""
    link = urlsplit(mailto)
    assert link.scheme == "mailto"
    told = {name: unquote(value) for name, _, value in (each.partition("=") for each in link.query.split("&"))}
    return compose(sender, unquote(link.path), told.get("subject", ""), told.get("body", ""), utc_now())


def text_of(letter: MaildirMail) -> str:
    """What a mail says."""
    part = letter.message.get_body(("plain",))
    assert part is not None
    text: str = part.get_content()
    return text


@contextmanager
def serving(folder: Path) -> Iterator[Live]:
    """Every part of a server, as `make serve` sets it up; and its pages once more, without the mailbox."""
    place = f"127.0.0.1:{free_port()}"
    listen = f"smtp://127.0.0.1:{free_port()}"
    settings = Settings(data=folder, listen=listen, web=place, confirm="from", variants=True)
    house = build_app(settings, bring_up_to_date=True)
    other = WebPart(Site(house), "127.0.0.1", 0)
    parts, stop = all_parts(settings, house), threading.Event()
    ended_well: list[bool] = []
    everything = parts | {"elsewhere": other.run}
    server = threading.Thread(target=lambda: ended_well.append(run_parts(everything, stop)))
    server.start()
    try:
        yield Live(f"http://{place}", other.url, settings.listeners[0], folder / "outgoing")
    finally:
        stop.set()
        server.join()
        house.engine.dispose()
    assert ended_well == [True]


@dataclass
class Furnished:
    """A house full of things to look at, at home; nothing in it runs but the pages and what they ring for.

    `faulty` is where its pages have a fault, `away` where they find no database.
    """

    house: App
    outgoing: Path
    mails: int = 0
    faulty: str = ""
    away: str = ""

    def say(self, sender: str, subject: str, body: str = "") -> None:
        """Hands in a mail; they come ten minutes after each other, the first two days ago."""
        self.mails += 1
        now = utc_now() - timedelta(days=2) + timedelta(minutes=10 * self.mails)
        address = self.house.server.address
        head = f"From: {sender}\r\nTo: {address}\r\nSubject: {subject}\r\nMessage-ID: <{self.mails}@mail.test>"
        receive_mail(self.house, f"{head}\r\n\r\n{body}\r\n".encode(), sender, [address], now)
        while process_next(self.house, lambda: now):
            pass

    def work(self) -> None:
        """What the worker and the sender would do."""
        while process_next(self.house, utc_now):
            pass
        with writing(self.house.engine) as connection:
            way = Maildir(self.outgoing)
            for mail in reversed(outbox.listing(connection, "waiting", 1000)):
                assert deliver_one(way, Outgoing(mail.envelope_sender, mail.recipient, mail.raw)) == Delivered()
                shown = outbox.mark_sent(connection, [mail.id], utc_now())
                clocks.turns_delivered(connection, shown, utc_now())

    def personal_links(self, address: str, number: int) -> list[str]:
        """The personal links to a board that were mailed to an address, as paths, the newest first."""
        with reading(self.house.engine) as connection:
            mails = [mail for mail in outbox.listing(connection, None, 1000) if mail.recipient == address]
        links = [found[1] for mail in mails if (found := PERSONAL_LINK.search(mail.raw.decode()))]
        return [link for link in links if link.startswith(f"/play/{number}/")]

    def desk(self, address: str) -> str:
        """The desk in the newest mail to an address that links one, as a path."""
        with reading(self.house.engine) as connection:
            mails = [mail for mail in outbox.listing(connection, None, 1000) if mail.recipient == address]
        return next(found[1] for mail in mails if (found := DESK_LINK.search(mail.raw.decode())))


@contextmanager
def furnished(folder: Path) -> Iterator[tuple[Furnished, str]]:
    """A house of three players, and where its pages are.

    101 is in the middle, after twelve plies, alice to move; 102 was declined; 103 goes on without alice; 104 and
    105 were resigned; 106 was begun lately, and its clock runs; 107 was just begun. Of those put there, 201 is
    whole and over, 202 has six players, 203 is long, on the largest board, and on 204 a square has several moves;
    205 to 209 are of other games: Go, Hex, oware, amazons and nine men's morris.
    """
    port = free_port()
    with opened(folder) as empty:
        server = replace(empty.server, site_url=f"http://127.0.0.1:{port}")
        there = Furnished(App(empty.engine, server, empty.new_token, empty.hasher), folder / "outgoing")
        _fill(there)
        there.work()
        nowhere = open_engine(f"sqlite:///{folder / 'pages.db'}")
        pages = WebPart(Site(there.house, there.outgoing, there.work), "127.0.0.1", port)
        faulty = WebPart(Site(replace(there.house, engine=cast(Engine, None))), "127.0.0.1", 0)
        away = WebPart(Site(replace(there.house, engine=nowhere)), "127.0.0.1", 0)
        there.faulty, there.away = faulty.url, away.url
        parts, stop = {"pages": pages.run, "faulty": faulty.run, "away": away.run}, threading.Event()
        thread = threading.Thread(target=run_parts, args=(parts, stop))
        thread.start()
        try:
            yield there, pages.url
        finally:
            stop.set()
            thread.join()
            nowhere.dispose()


def _fill(there: Furnished) -> None:
    for sender, userid in ((ALICE, "alice"), (BOB, "bob"), (CAROL, "Carol")):
        there.say(sender, f"signup {userid} {userid}-sesame")
    there.say(ALICE, "challenge alice bob", "Good luck, you old walrus!")
    for number, move in enumerate(MIDDLE):
        there.say((ALICE, BOB)[number % 2], f"move 101 {move}")
    there.say(BOB, "challenge bob Carol -size=3x5 --unrated")
    there.say(CAROL, "resign 102")
    there.say(ALICE, "challenge alice bob carol -size=3x3")
    for sender, move in ((ALICE, "a1"), (BOB, "b1"), (CAROL, "c3")):
        there.say(sender, f"move 103 {move}")
    there.say(ALICE, "resign 103")
    for number in (104, 105):
        there.say(ALICE, "challenge alice bob -size=3x3")
        there.say(ALICE, f"move {number} b2")
        there.say(BOB, f"move {number} a1")
        there.say(BOB, f"resign {number}")
    for _ in (106, 107):
        there.say(BOB, "challenge bob alice -forfeittime=14")
    there.say(BOB, "move 106 c3")
    there.say(ALICE, "move 106 b2")
    there.say(CAROL, "cephalopod seek -size=3x5 -forfeittime=14", "Anybody?")
    put(there.house, 201, "3x3", ("alice", "bob"), many_moves("3x3", 2, 200))
    for userid in ("dora", "emil", "Friederike-Charlotte"):
        there.say(f"{userid.lower()}@example.org", f"signup {userid} {userid}-sesame")
    everybody = ("alice", "bob", "Carol", "dora", "emil", "Friederike-Charlotte")
    put(there.house, 202, "5x5", everybody, many_moves("5x5", 6, 23))
    put(there.house, 203, "9x9", ("Carol", "Friederike-Charlotte"), many_moves("9x9", 2, 90))
    put(there.house, 204, "3x3", ("bob", "alice"), ("a1", "b2", "c1", "a3"))
    put_game(there.house, 205, "go", ("q16", "d4", "q4"))
    put_game(there.house, 206, "hex", ("c3", "f6", "e5"))
    put_game(there.house, 207, "oware", ("c1",))
    put_game(there.house, 208, "amazons", ())
    put_game(there.house, 209, "morris", ("d6", "b4", "f4"))
    there.say(ALICE, "next")
