"""Mails written on our pages instead of in a mail program: notes as they were typed, and sign-ups.

A sign-up opens an account as any other mail does, but its From address proves nothing, whatever `confirm` says.
The address alone learns what becomes of it: nobody can find out on the page who has one.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection

from pbmserv.commands import policy
from pbmserv.commands.address import free_names
from pbmserv.commands.letter import AT_ONCE
from pbmserv.commands.policy import Counted
from pbmserv.commands.server import Server
from pbmserv.commands.vocabulary import is_address, is_kept_back, is_userid, skeleton
from pbmserv.mail.reading.headers import one_address
from pbmserv.mail.sending.from_web import compose, put_in_thread, write_sign_up
from pbmserv.services.admin.traces import outcome_text
from pbmserv.services.app import App
from pbmserv.services.limits import left, spend
from pbmserv.services.receive import receive_mail
from pbmserv.store import inbox, letters
from pbmserv.store.engine import SHORT_TIMEOUT, reading, writing
from pbmserv.store.inbox import NewMail, priorities_of
from pbmserv.store.mail_history import find_received, replies_to, status_of, told_of
from pbmserv.store.queries import TransactionQueries

Flaw = Literal["sender", "recipient"]


@dataclass(frozen=True, slots=True)
class Note:
    """A mail as it was typed. `answers` and `references` are Message-IDs, empty where it answers none."""

    sender: str
    recipient: str
    subject: str
    text: str
    answers: str = ""
    references: str = ""


@dataclass(frozen=True, slots=True)
class PostedOutcome:
    """How far a mail has come: it waits to be handled, its answer waits for a robot's move, or all is done.

    `answer` is the Message-ID of what its writer was sent, empty where nothing was; `told` says what became of it.
    """

    state: Literal["waiting", "held", "done"]
    answer: str = ""
    told: str = ""


def flaws_of(note: Note, server: Server) -> frozenset[Flaw]:
    """Which addresses of a note cannot be: it is from a person, and to the server."""
    sender, recipient = _address(note.sender), _address(note.recipient)
    flaws: set[Flaw] = set()
    if sender is None or server.takes(sender):
        flaws.add("sender")
    if recipient is None or not server.takes(recipient):
        flaws.add("recipient")
    return frozenset(flaws)


def post(app: App, note: Note, now: datetime) -> int:
    """Keeps a note without flaws as a mail, and gives its number; raises when the database is away."""
    sender, recipient = _address(note.sender) or "", _address(note.recipient) or ""
    mail = compose(sender, recipient, note.subject, note.text.replace("\r\n", "\n"), now)
    if note.answers:
        put_in_thread(mail, note.answers, note.references)
    return receive_mail(app, mail.as_bytes(), sender, [recipient], now)


def see_fate(app: App, number: int, sender: str) -> PostedOutcome | None:
    """What became of a mail of the inbox, and what its writer was answered; None where there is no such mail."""
    with reading(app.engine) as connection:
        status = status_of(connection, number)
        caused, told = replies_to(connection, number), outcome_text(app.server, told_of(connection, number))
        unwritten = letters.caused_by(connection, number)
    if status is None:
        return None
    if status == "waiting" or AT_ONCE in unwritten or any(mail.status == "waiting" for mail in caused):
        return PostedOutcome("waiting", told=told)
    # Players are answered at their first address, whichever they write from; the answer is queued before the rest.
    sent = sorted(
        (mail for mail in caused if mail.status in ("sent", "bounced")), key=lambda mail: mail.recipient != sender
    )
    if unwritten:
        return PostedOutcome("held", told=told)
    return PostedOutcome("done", sent[0].message_id if sent else "", told)


def find_posted(app: App, sender: str, message_id: str) -> int | None:
    """The number of a mail that was sent to us a moment ago; None where it has not come."""
    with reading(app.engine) as connection:
        return find_received(connection, sender.lower(), message_id)


def _address(typed: str) -> str | None:
    return one_address([typed.strip().encode("utf-8", "replace")])


WishFlaw = Literal["form", "reserved", "taken", "address", "our address"]
"""What is wrong with a name or an address. Names of players are public, so the page may say that one is taken."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody has typed."""

    userid: str
    address: str


@dataclass(frozen=True, slots=True)
class WishFlaws:
    """What is wrong with it, and names that are free."""

    userid: WishFlaw | None = None
    address: WishFlaw | None = None
    free: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        """Whether anything is wrong."""
        return self.userid is not None or self.address is not None


def flaws_of_wish(app: App, wish: Wish) -> WishFlaws:
    """What is wrong with a wish, as far as anybody may know.

    A name that waits for an answer from its address is not told of: else the page would tell whose it is to be.
    """
    address: WishFlaw | None = None
    if not is_address(wish.address) or not wish.address.isascii():
        address = "address"
    elif app.server.owns(wish.address):
        address = "our address"
    with reading(app.engine) as connection:
        records = TransactionQueries(connection)
        userid = _flaw_of_name(app, wish.userid, records)
        base = wish.userid if is_userid(wish.userid) else ""
        free = free_names(base, wish.address, app.server, records) if userid else ()
    return WishFlaws(userid, address, free)


def join(app: App, wish: Wish, host: str, now: datetime) -> bool:
    """Stores the mail of a wish without flaws; False if there were too many sign-ups on the page.

    An address gets one such mail a day, and asking for another is a success, too.
    """
    with writing(app.engine, SHORT_TIMEOUT) as connection:
        if not _has_room(connection, host, now):
            return False
        address = wish.address.lower()
        was_asked = left(connection, policy.PAGE_AN_ADDRESS, address, now) <= 0
        spend(connection, cost_of_sign_up(address, host), now)
        if not was_asked:
            raw = write_sign_up(address, app.server.address, f"signup {wish.userid}", now)
            (lane,) = priorities_of(connection, [(address, ())])
            mail = NewMail(raw, address, [app.server.address], address, priority=lane, host=host)
            inbox.add(connection, mail, now)
    return True


def cost_of_sign_up(address: str, host: str) -> tuple[Counted, ...]:
    """What a sign-up on the page costs."""
    return policy.PAGE_A_DAY.count(), policy.PAGE_A_HOST.count(host), policy.PAGE_AN_ADDRESS.count(address)


def _has_room(connection: Connection, host: str, now: datetime) -> bool:
    has_place = any(left(connection, each, "", now) > 0 for each in (policy.PAGE_A_DAY, policy.PAGE_AN_HOUR))
    return has_place and left(connection, policy.PAGE_A_HOST, host, now) > 0


def _flaw_of_name(app: App, userid: str, records: TransactionQueries) -> WishFlaw | None:
    if not is_userid(userid):
        return "form"
    if is_kept_back(userid, app.server):
        return "reserved"
    return "taken" if any(each.is_confirmed for each in records.named_like(skeleton(userid))) else None
