"""Bans of addresses and domains, and figures on what each address has sent and what came of it.

Mail from a banned address has no effect and gets no answer; the ban affects no player. The figures help the
operator decide whom to ban, and hold no text of any mail.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, delete, exists, func, insert, or_, select

from pbmserv.commands.letter import MailKind
from pbmserv.commands.policy import WRONG_FROM_SENDER
from pbmserv.store import counts
from pbmserv.store.inbox import asked_key, key_digest
from pbmserv.store.mail_tokens import digest
from pbmserv.store.tables import addresses, bans, bounces, content_keys, inbox, outbox, players


@dataclass(frozen=True, slots=True)
class AddressBan:
    """An address (`alice@example.org`), or a domain and all below it (`@example.org`); `reason` may be empty."""

    pattern: str
    banned_at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Reasons not to process a mail; it is processed if none is true."""

    is_known: bool
    """A mail with its content was handled before."""

    was_asked: bool
    """A mail with its content was handled before, and its sender only asked whether they had written it."""

    is_banned: bool
    """One of the addresses that it may be from is banned."""


def standing(connection: Connection, content_key: str, senders: Sequence[str] = ()) -> Standing:
    """The Standing of a mail, from its content key and the addresses it may be from."""
    patterns = [pattern for sender in senders for pattern in patterns_of(sender)]
    keys = {"key": key_digest(content_key), "asked": key_digest(asked_key(content_key))}
    row = connection.execute(_STANDING, {**keys, "patterns": patterns}).one()
    return Standing(row.is_known, row.was_asked, row.is_banned)


def patterns_of(address: str) -> Sequence[str]:
    """All patterns that would ban an address."""
    _, _, domain = address.lower().rpartition("@")
    labels = domain.split(".")
    return [address.lower(), *(f"@{'.'.join(labels[first:])}" for first in range(len(labels)))]


def add_ban(connection: Connection, ban: AddressBan) -> bool:
    """Records a ban; False if it exists already."""
    if connection.execute(select(bans.c.pattern).where(bans.c.pattern == ban.pattern)).first():
        return False
    values = {"pattern": ban.pattern, "banned_at": ban.banned_at, "reason": ban.reason}
    connection.execute(insert(bans).values(values))
    return True


def lift_ban(connection: Connection, pattern: str) -> bool:
    """Deletes a ban; False if there is none."""
    return connection.execute(delete(bans).where(bans.c.pattern == pattern)).rowcount > 0


def address_bans(connection: Connection) -> Sequence[AddressBan]:
    """All address bans, oldest first."""
    query = select(bans).order_by(bans.c.banned_at, bans.c.pattern)
    return [AddressBan(row.pattern, row.banned_at, row.reason) for row in connection.execute(query)]


def banned_players(connection: Connection) -> Sequence[tuple[str, datetime]]:
    """The userids of banned players, each with the time of the ban; oldest first."""
    query = select(players.c.userid, players.c.banned_at).where(players.c.banned_at.is_not(None))
    return [(row.userid, row.banned_at) for row in connection.execute(query.order_by(players.c.banned_at))]


def players_at(connection: Connection, pattern: str) -> Sequence[str]:
    """The userids of players who have an address that a pattern bans, in alphabetical order."""
    is_at = addresses.c.address == pattern
    if pattern.startswith("@"):
        domain = pattern.removeprefix("@")
        is_at = or_(
            addresses.c.address.endswith(pattern, autoescape=True),
            addresses.c.address.endswith(f".{domain}", autoescape=True),
        )
    query = select(players.c.userid).distinct().join(addresses, addresses.c.player_id == players.c.id)
    return connection.execute(query.where(is_at).order_by(players.c.userid)).scalars().all()


_STANDING: Final = select(
    exists().where(content_keys.c.digest == bindparam("key")).label("is_known"),
    exists().where(content_keys.c.digest == bindparam("asked")).label("was_asked"),
    exists().where(bans.c.pattern.in_(bindparam("patterns", expanding=True))).label("is_banned"),
)


_IN_VAIN: Final[tuple[MailKind, ...]] = ("fruitless", "puzzled", "no room", "not theirs", "limit")
"""Answers to mails that had no effect."""


@dataclass(frozen=True, slots=True)
class SenderFigures:
    """What came from an address, which may be forged. Password guesses are stored for a day."""

    address: str
    userid: str
    """The player whose address it is; empty for strangers."""
    mails: int
    kilobytes: int
    in_vain: int
    """Answers saying that nothing changed, that there was no command, or that a limit was reached."""
    unanswered: int
    """Mails that got no answer: over a limit, from machines, or from banned addresses."""
    guesses: int
    """Mails with a wrong password."""
    bounced: int
    """Our mails to it that bounced."""


def senders_since(connection: Connection, since: datetime) -> Sequence[SenderFigures]:
    """All addresses with any figures since then, those with most mails first."""
    arrived = inbox.c.received_at > since
    mails = _by(connection, select(inbox.c.sender, func.count()).where(arrived).group_by(inbox.c.sender))
    sizes = _by(connection, select(inbox.c.sender, func.sum(inbox.c.size)).where(arrived).group_by(inbox.c.sender))
    silent = _by(
        connection,
        select(inbox.c.sender, func.count()).where(arrived, inbox.c.status == "silent").group_by(inbox.c.sender),
    )
    in_vain = _by(
        connection,
        select(outbox.c.recipient, func.count())
        .where(outbox.c.created_at > since, outbox.c.kind.in_(_IN_VAIN))
        .group_by(outbox.c.recipient),
    )
    guesses = counts.totals(connection, WRONG_FROM_SENDER.name, since)
    bounced = _by(
        connection,
        select(bounces.c.address, func.count()).where(bounces.c.at > since).group_by(bounces.c.address),
    )
    everybody = {*mails, *in_vain, *bounced} - {""}
    owners = _owners(connection)
    found = [
        SenderFigures(
            each,
            owners.get(each, ""),
            mails.get(each, 0),
            -(-sizes.get(each, 0) // 1000),
            in_vain.get(each, 0),
            silent.get(each, 0),
            guesses.get(digest(each), 0),
            bounced.get(each, 0),
        )
        for each in everybody
    ]
    return sorted(found, key=lambda each: (-each.mails, each.address))


def _by(connection: Connection, query: Select[Any]) -> dict[str, int]:
    return {row[0]: int(row[1]) for row in connection.execute(query)}


def _owners(connection: Connection) -> dict[str, str]:
    query = select(addresses.c.address, players.c.userid).join(players, addresses.c.player_id == players.c.id)
    return {row.address: row.userid for row in connection.execute(query)}
