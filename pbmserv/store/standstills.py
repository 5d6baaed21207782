"""What follows where mail to a player bounces: their clocks stand still, and a last mail goes to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select, update

from pbmserv.matches.clock import YEAR, Stop, standstill
from pbmserv.store import clocks
from pbmserv.store.tables import addresses, standstills


@dataclass(frozen=True, slots=True)
class StandstillOver:
    """A standstill that has ended although the player's mail still bounces."""

    id: int
    player_id: int
    address: str


def begin_standstill(connection: Connection, player_id: int, since: datetime) -> Stop | None:
    """Stops a player's clocks because their mail bounces; gives for how long, None if they may not stop."""
    stop = standstill(since, standstills_in_force(connection, player_id, since - YEAR))
    if stop is not None:
        row = {"player_id": player_id, "began_at": stop.since, "until_at": stop.until}
        connection.execute(insert(standstills).values(row))
    clocks.clear_deadlines(connection, player_id)
    return stop


def end_standstill(connection: Connection, player_id: int, now: datetime) -> None:
    """Mail to a player may arrive again: their clocks resume."""
    theirs = (standstills.c.player_id == player_id) & (standstills.c.until_at > now)
    connection.execute(update(standstills).where(theirs).values(until_at=now))
    clocks.clear_deadlines(connection, player_id)


def standstills_in_force(connection: Connection, player_id: int, since: datetime) -> Sequence[Stop]:
    """The standstills of a player that end after then, in order."""
    query = select(standstills).where(standstills.c.player_id == player_id, standstills.c.until_at > since)
    return [Stop(row.began_at, row.until_at) for row in connection.execute(query.order_by(standstills.c.began_at))]


def next_standstill_over(connection: Connection, now: datetime) -> StandstillOver | None:
    """One that has ended and of which the opponents were not notified, locked until the transaction ends."""
    query = (
        select(standstills.c.id, standstills.c.player_id, addresses.c.address)
        .join(addresses, addresses.c.player_id == standstills.c.player_id)
        .where(
            standstills.c.notified_at.is_(None),
            standstills.c.until_at <= now,
            addresses.c.is_first,
            addresses.c.suspended_at.is_not(None),
            # An earlier one ended because mail arrived again.
            standstills.c.until_at > addresses.c.suspended_at,
        )
        .order_by(standstills.c.id)
        .limit(1)
        .with_for_update(skip_locked=True, of=standstills)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else StandstillOver(row.id, row.player_id, row.address)


@dataclass(frozen=True, slots=True)
class LastMailDue:
    """A suspended address of which its player has not been told."""

    address: str
    since: datetime


def next_last_mail(connection: Connection, before: datetime) -> LastMailDue | None:
    """An address that was suspended before then and got no last mail, locked until the transaction ends."""
    query = (
        select(addresses.c.address, addresses.c.suspended_at)
        .where(addresses.c.suspended_at <= before, addresses.c.last_mail_at.is_(None), addresses.c.is_first)
        .order_by(addresses.c.suspended_at)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else LastMailDue(*row)


def mark_last_mail(connection: Connection, address: str, now: datetime) -> None:
    """Records that the last mail to a suspended address goes out."""
    connection.execute(update(addresses).where(addresses.c.address == address).values(last_mail_at=now))


def mark_standstill_notified(connection: Connection, standstill_id: int, now: datetime) -> None:
    """Records that the opponents were notified."""
    connection.execute(update(standstills).where(standstills.c.id == standstill_id).values(notified_at=now))
