"""When the server itself was away: a part that beats was not heard of for a while."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, bindparam, insert, or_, select, update

from pbmserv.matches.clock import Stop
from pbmserv.store import clocks
from pbmserv.store.tables import beats, outages

SILENCE: Final = timedelta(minutes=10)
"""A part that was not heard of for so long was away."""

RETRIES: Final = timedelta(hours=4)
"""Mail that was turned away meanwhile comes again so much later at most, and not later than the part was away: who
relays mail tries often at first, and then every few hours (RFC 5321, section 4.5.4.1)."""

OUT_OF_USE: Final = timedelta(days=14)
"""A part that was not heard of for so long, though the steward was, has been taken out of use: from then on the
clocks run without it. Until then it was away, and that time stays on nobody's clock."""

STEWARD: Final = "steward"


def beat(connection: Connection, part: str, now: datetime) -> timedelta | None:
    """A part is alive. When it had not been for a while, that is noted, and all clocks are looked at again.

    Gives how long it was away, if it was.
    """
    last: datetime | None = connection.execute(
        select(beats.c.at).where(beats.c.part == part).with_for_update()
    ).scalar_one_or_none()
    if last is None:
        connection.execute(insert(beats).values(part=part, at=now))
        return None
    connection.execute(update(beats).where(beats.c.part == part).values(at=max(last, now)))
    if now - last <= SILENCE:
        return None
    ended = now if part == STEWARD else min(now, last + OUT_OF_USE)
    connection.execute(insert(outages).values(part=part, began_at=last, ended_at=ended))
    clocks.look_at_all(connection)
    return ended - last


def since(connection: Connection, began: datetime, now: datetime) -> Sequence[Stop]:
    """The times after `began` in which some part was away, or still is; nobody could answer then."""
    over = [
        Stop(row.began_at, row.ended_at + min(RETRIES, row.ended_at - row.began_at))
        for row in connection.execute(_OVER, {"after": began - RETRIES})
    ]
    silent = connection.execute(_SILENT, {"after": began - OUT_OF_USE - RETRIES, "before": now - SILENCE})
    return [*over, *(Stop(row.at, _comes_back(row.part, row.at, now)) for row in silent)]


def _comes_back(part: str, last: datetime, now: datetime) -> datetime | None:
    """When a silent part was taken out of use, and mail found another way; None while it may come back."""
    out_of_use = last + OUT_OF_USE + RETRIES
    return None if part == STEWARD or now < out_of_use else out_of_use


_OVER: Final = (
    select(outages.c.began_at, outages.c.ended_at)
    .where(outages.c.ended_at > bindparam("after"))
    .order_by(outages.c.began_at)
)
_SILENT: Final = select(beats.c.part, beats.c.at).where(
    beats.c.at < bindparam("before"), or_(beats.c.at > bindparam("after"), beats.c.part == STEWARD)
)
