"""When the clocks of players stood still, or do, since mail to them came back: some days a year, and no more.

A row is written when an address is suspended, with the end that it has if nothing happens before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select, update

from pbmserv.matches.clock import YEAR, Stop, standstill
from pbmserv.store import clocks
from pbmserv.store.tables import addresses, standstills


@dataclass(frozen=True, slots=True)
class Over:
    """A standstill of a player that is over, though mail to them still comes back."""

    id: int
    player_id: int
    address: str


def begin(connection: Connection, player_id: int, since: datetime) -> Stop | None:
    """Mail to a player comes back from then on: their clocks stand still as long as this gives, if at all."""
    stop = standstill(since, in_force(connection, player_id, since - YEAR))
    if stop is not None:
        row = {"player_id": player_id, "began_at": stop.since, "until_at": stop.until}
        connection.execute(insert(standstills).values(row))
    clocks.forget_deadlines(connection, player_id)
    return stop


def end(connection: Connection, player_id: int, now: datetime) -> None:
    """Mail to a player may arrive again: their clocks run on."""
    theirs = (standstills.c.player_id == player_id) & (standstills.c.until_at > now)
    connection.execute(update(standstills).where(theirs).values(until_at=now))
    clocks.forget_deadlines(connection, player_id)


def in_force(connection: Connection, player_id: int, since: datetime) -> Sequence[Stop]:
    """The times from then on, or going on then, in which a player's clocks stand still, in order."""
    query = select(standstills).where(standstills.c.player_id == player_id, standstills.c.until_at > since)
    return [Stop(row.began_at, row.until_at) for row in connection.execute(query.order_by(standstills.c.began_at))]


def next_over(connection: Connection, now: datetime) -> Over | None:
    """One that is over, of which nobody was told yet; it is held until the transaction ends."""
    query = (
        select(standstills.c.id, standstills.c.player_id, addresses.c.address)
        .join(addresses, addresses.c.player_id == standstills.c.player_id)
        .where(
            standstills.c.told_at.is_(None),
            standstills.c.until_at <= now,
            addresses.c.is_first,
            addresses.c.suspended_at.is_not(None),
            # One that came before is over because mail arrived again.
            standstills.c.until_at > addresses.c.suspended_at,
        )
        .order_by(standstills.c.id)
        .limit(1)
        .with_for_update(skip_locked=True, of=standstills)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else Over(row.id, row.player_id, row.address)


def told(connection: Connection, standstill_id: int, now: datetime) -> None:
    """The opponents know."""
    connection.execute(update(standstills).where(standstills.c.id == standstill_id).values(told_at=now))
