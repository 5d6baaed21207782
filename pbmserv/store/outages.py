"""When the server itself was away: a part that beats was not heard of for a while."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, insert, select, update

from pbmserv.matches.clock import Stop
from pbmserv.store.tables import beats, outages

SILENCE: Final = timedelta(minutes=10)
"""A part that was not heard of for so long was away."""


def beat(connection: Connection, part: str, now: datetime) -> None:
    """A part is alive. When it had not been for a while, that while is noted."""
    last = connection.execute(
        select(beats.c.at).where(beats.c.part == part).with_for_update()
    ).scalar_one_or_none()
    if last is None:
        connection.execute(insert(beats).values(part=part, at=now))
        return
    if now - last > SILENCE:
        connection.execute(insert(outages).values(part=part, began_at=last, ended_at=now))
    connection.execute(update(beats).where(beats.c.part == part).values(at=now))


def since(connection: Connection, began: datetime) -> Sequence[Stop]:
    """The times after then in which some part was away."""
    query = select(outages.c.began_at, outages.c.ended_at).where(outages.c.ended_at > began)
    return [Stop(row.began_at, row.ended_at) for row in connection.execute(query.order_by(outages.c.began_at))]
