"""Signing up on the page. It writes the mail that its visitor would have written, and stores it in the inbox.

So an account is opened as by any other mail, but that the From address proves nothing, whatever `confirm` says.
What becomes of the mail is told to the address alone: nobody can find out on the page who has one.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection

from pbmserv.commands import policy
from pbmserv.commands.address import free_names
from pbmserv.commands.policy import Counted
from pbmserv.commands.vocabulary import is_address, is_kept_back, is_userid, skeleton
from pbmserv.mail.sending.from_web import write_sign_up
from pbmserv.services.app import App
from pbmserv.services.limits import left, spend
from pbmserv.store import inbox
from pbmserv.store.engine import SHORT_TIMEOUT, reading, writing
from pbmserv.store.inbox import NewMail, priorities_of
from pbmserv.store.queries import TransactionQueries

Flaw = Literal["form", "reserved", "taken", "address", "our address"]
"""What is wrong with a name or an address. Names of players are public, and so it is told that one is taken."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody has typed."""

    userid: str
    address: str


@dataclass(frozen=True, slots=True)
class WishFlaws:
    """What is wrong with it, and names that are free."""

    userid: Flaw | None = None
    address: Flaw | None = None
    free: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        """Whether anything is wrong."""
        return self.userid is not None or self.address is not None


def flaws_of_wish(app: App, wish: Wish) -> WishFlaws:
    """What is wrong with a wish, as far as anybody may know.

    A name that waits for an answer from its address is not told of: else the page would tell whose it is to be.
    """
    address: Flaw | None = None
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


def _flaw_of_name(app: App, userid: str, records: TransactionQueries) -> Flaw | None:
    if not is_userid(userid):
        return "form"
    if is_kept_back(userid, app.server):
        return "reserved"
    return "taken" if any(each.is_confirmed for each in records.named_like(skeleton(userid))) else None
