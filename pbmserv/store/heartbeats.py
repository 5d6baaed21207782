"""Heartbeats of the server's parts, and outages: times in which a part sent none."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, insert, null, or_, select, union_all, update

from pbmserv.matches.clock import Stop
from pbmserv.store import clocks
from pbmserv.store.tables import heartbeats, outages

SILENT_AFTER: Final = timedelta(minutes=10)
"""A part that has sent no heartbeat for this long is down."""

RETRY_PERIOD: Final = timedelta(hours=4)
"""Mail refused during an outage arrives at most this much after it, or as long after it as the outage took.
Relays retry often at first, then every few hours (RFC 5321, section 4.5.4.1)."""

RETIRED_AFTER: Final = timedelta(days=14)
"""A part that is silent for this long, while the scheduler is not, was taken out of use. From then on the clocks
run without it. The time before counts as an outage."""

SCHEDULER: Final = "scheduler"

LISTENER: Final = "listener"
POLLER: Final = "poller"
WORKER: Final = "worker"
SENDER: Final = "sender"
ROBOTS: Final = "robots"

STOP_CLOCKS: Final = (LISTENER, POLLER, SCHEDULER)
"""The parts without which nobody can answer, so their outages stop all clocks. What comes in meanwhile counts from
when it came, and a board's clock starts when it is sent: the others may be down without anybody losing time."""

_MISSED: Final = timedelta(minutes=2, seconds=30)
"""Without a heartbeat for this long, the robots are not expected to answer within a minute."""


def record(connection: Connection, part: str, now: datetime) -> timedelta | None:
    """Records that a part is alive. After an outage, records that too and has all clocks checked.

    Gives how long the part was down, if it was.
    """
    last: datetime | None = connection.execute(
        select(heartbeats.c.at).where(heartbeats.c.part == part).with_for_update()
    ).scalar_one_or_none()
    if last is None:
        connection.execute(insert(heartbeats).values(part=part, at=now))
        return None
    connection.execute(update(heartbeats).where(heartbeats.c.part == part).values(at=max(last, now)))
    if now - last <= SILENT_AFTER or part not in STOP_CLOCKS:
        return None
    ended = now if part == SCHEDULER else min(now, last + RETIRED_AFTER)
    connection.execute(insert(outages).values(part=part, began_at=last, ended_at=ended))
    clocks.check_all_again(connection)
    return ended - last


def robots_are_alive(connection: Connection, now: datetime) -> bool:
    """Whether a robot that is to move will do so soon."""
    last = connection.execute(_LAST, {"part": ROBOTS}).scalar_one_or_none()
    return last is not None and now - last < _MISSED


def last_beats(connection: Connection) -> dict[str, datetime]:
    """When each part that ever ran was last alive."""
    rows = connection.execute(select(heartbeats.c.part, heartbeats.c.at)).all()
    return {row.part: row.at for row in rows}


def outages_since(connection: Connection, began: datetime, now: datetime) -> Sequence[Stop]:
    """The times after `began` in which some part was down, or still is. Nobody could answer then."""
    values = {
        "after": began - RETRY_PERIOD,
        "last_after": began - RETIRED_AFTER - RETRY_PERIOD,
        "before": now - SILENT_AFTER,
    }
    return [_stop(row, now) for row in connection.execute(_DOWN, values)]


def _stop(row: Row[Any], now: datetime) -> Stop:
    if row.ended_at is None:
        return Stop(row.began_at, _comes_back(row.part, row.began_at, now))
    return Stop(row.began_at, row.ended_at + min(RETRY_PERIOD, row.ended_at - row.began_at))


def _comes_back(part: str, last: datetime, now: datetime) -> datetime | None:
    """When a silent part counts as taken out of use; None while it may come back."""
    out_of_use = last + RETIRED_AFTER + RETRY_PERIOD
    return None if part == SCHEDULER or now < out_of_use else out_of_use


_LAST: Final = select(heartbeats.c.at).where(heartbeats.c.part == bindparam("part"))
_OVER: Final = select(outages.c.part, outages.c.began_at, outages.c.ended_at).where(
    outages.c.ended_at > bindparam("after")
)
_SILENT: Final = select(heartbeats.c.part, heartbeats.c.at.label("began_at"), null().label("ended_at")).where(
    heartbeats.c.part.in_(STOP_CLOCKS),
    heartbeats.c.at < bindparam("before"),
    or_(heartbeats.c.at > bindparam("last_after"), heartbeats.c.part == SCHEDULER),
)
_DOWN: Final = union_all(_OVER, _SILENT)
