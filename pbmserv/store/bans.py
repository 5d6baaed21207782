"""Addresses and domains whose mail has no effect and gets no answer. They say nothing of any player."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, delete, exists, insert, or_, select

from pbmserv.store.inbox import asked_key, key_digest
from pbmserv.store.tables import addresses, bans, content_keys, players


@dataclass(frozen=True, slots=True)
class AddressBan:
    """An address (`alice@example.org`), or a domain and all below it (`@example.org`); `reason` may be empty."""

    pattern: str
    banned_at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Why a mail is not to be processed, if one of these holds."""

    is_known: bool
    """A mail with its content was handled before."""

    was_asked: bool
    """A mail with its content was handled before, and its sender only asked whether they had written it."""

    is_banned: bool
    """One of the addresses that it may be from is banned."""


def standing(connection: Connection, content_key: str, senders: Sequence[str] = ()) -> Standing:
    """How a mail stands, by its content key and the addresses that it may be from."""
    patterns = [pattern for sender in senders for pattern in patterns_of(sender)]
    keys = {"key": key_digest(content_key), "asked": key_digest(asked_key(content_key))}
    row = connection.execute(_STANDING, {**keys, "patterns": patterns}).one()
    return Standing(row.is_known, row.was_asked, row.is_banned)


def patterns_of(address: str) -> Sequence[str]:
    """Each pattern that would ban an address."""
    _, _, domain = address.lower().rpartition("@")
    labels = domain.split(".")
    return [address.lower(), *(f"@{'.'.join(labels[first:])}" for first in range(len(labels)))]


def add(connection: Connection, ban: AddressBan) -> bool:
    """Records a ban; False if it is there already."""
    if connection.execute(select(bans.c.pattern).where(bans.c.pattern == ban.pattern)).first():
        return False
    values = {"pattern": ban.pattern, "banned_at": ban.banned_at, "reason": ban.reason}
    connection.execute(insert(bans).values(values))
    return True


def lift(connection: Connection, pattern: str) -> bool:
    """Deletes a ban; False if there is none."""
    return connection.execute(delete(bans).where(bans.c.pattern == pattern)).rowcount > 0


def listing(connection: Connection) -> Sequence[AddressBan]:
    """All of them, the oldest first."""
    query = select(bans).order_by(bans.c.banned_at, bans.c.pattern)
    return [AddressBan(row.pattern, row.banned_at, row.reason) for row in connection.execute(query)]


def banned_players(connection: Connection) -> Sequence[tuple[str, datetime]]:
    """The userids of banned players, and since when they are; the oldest first."""
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
