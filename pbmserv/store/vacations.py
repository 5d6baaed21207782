"""Holidays: the days on which a player's clocks stand still."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from pbmserv.commands.changes import NewVacations
from pbmserv.store import clocks
from pbmserv.store.tables import players
from pbmserv.store.tables import vacations as table


def of_players(connection: Connection, userids: Sequence[str], since: date) -> Sequence[tuple[str, date, date]]:
    """Userid, first and last day of every holiday of these players that goes on or begins from that day on."""
    lowered = [userid.lower() for userid in userids]
    rows = connection.execute(_OF, {"lowered": lowered, "since": since})
    return [(row.userid, row.first_day, row.last_day) for row in rows]


def write(connection: Connection, change: NewVacations) -> None:
    """Puts these holidays in the place of all days from `since` on; what was before stays."""
    theirs = table.c.player_id == change.player_id
    ended = theirs & (table.c.first_day < change.since) & (table.c.last_day >= change.since)
    connection.execute(update(table).where(ended).values(last_day=_day_before(change.since)))
    connection.execute(delete(table).where(theirs, table.c.first_day >= change.since))
    rows = [{"player_id": change.player_id, "first_day": first, "last_day": last} for first, last in change.days]
    if rows:
        connection.execute(insert(table), rows)
    clocks.check_again(connection, change.player_id)


def _day_before(day: date) -> date:
    return date.fromordinal(day.toordinal() - 1)


_OF: Final = (
    select(players.c.userid, table.c.first_day, table.c.last_day)
    .join(table, table.c.player_id == players.c.id)
    .where(
        players.c.userid_lower.in_(bindparam("lowered", expanding=True)),
        table.c.last_day >= bindparam("since"),
    )
    .order_by(table.c.first_day, players.c.userid_lower)
)
