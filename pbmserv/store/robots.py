"""Robots as players, and the boards that wait for one of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, and_, exists, insert, or_, select

from pbmserv.commands.base.names import skeleton
from pbmserv.matches.log import EntryKind
from pbmserv.store.accounts import NO_HASH
from pbmserv.store.tables import entries, matches, players, seats


@dataclass(frozen=True, slots=True)
class Waiting:
    """A board on which a robot is to move or to answer an offer. `userid` is its account, `robot` the program."""

    board: int
    userid: str
    robot: str


def names(connection: Connection) -> frozenset[str]:
    """The robots that are players, by name."""
    return frozenset(connection.execute(_NAMES).scalars())


def add(connection: Connection, robot: str, userids: Iterable[str], now: datetime) -> str:
    """Gives a robot an account under the first free one of these userids, and returns that.

    The account has no address, and no password works. If two processes do this at once, a unique index makes one
    of them retry.
    """
    taken = select(players.c.id)
    userid = next(
        each
        for each in userids
        if connection.execute(taken.where(players.c.userid_lower == each.lower())).one_or_none() is None
    )
    row = {"userid": userid, "userid_lower": userid.lower(), "skeleton": skeleton(userid), "created_at": now}
    connection.execute(insert(players).values(**row, password_hash=NO_HASH, robot=robot, html=False))
    return userid


def ensure(connection: Connection, robot: str, userids: Iterable[str], now: datetime) -> None:
    """Gives a robot an account, unless it has one."""
    if robot not in names(connection):
        add(connection, robot, userids, now)


def waiting(connection: Connection) -> Sequence[Waiting]:
    """The boards that wait for robots, the longest-waiting first, once for each robot."""
    rows = connection.execute(_WAITING)
    return [Waiting(row.number, row.userid, row.robot) for row in rows]


_NAMES: Final = select(players.c.robot).where(players.c.robot.is_not(None))

_OFFERS: Final[tuple[EntryKind, ...]] = ("proposed", "asked")
_ENDS_AN_OFFER: Final[tuple[EntryKind, ...]] = (
    *("played", "resigned", "forfeited", "removed"),
    *("rejected", "rewound"),
)
_later = entries.alias()
_is_offered = exists().where(
    entries.c.match == matches.c.number,
    entries.c.kind.in_(_OFFERS),
    entries.c.seat != seats.c.seat,
    ~exists().where(
        _later.c.match == entries.c.match, _later.c.seq > entries.c.seq, _later.c.kind.in_(_ENDS_AN_OFFER)
    ),
)
_WAITING: Final = (
    select(matches.c.number, players.c.userid, players.c.robot)
    .join(seats, seats.c.match == matches.c.number)
    .join(players, and_(players.c.id == seats.c.player_id, players.c.robot.is_not(None)))
    .where(
        matches.c.status == "active",
        players.c.banned_at.is_(None),
        or_(seats.c.seat == matches.c.to_move, _is_offered),
    )
    .order_by(matches.c.last_at, matches.c.number, seats.c.seat)
)
