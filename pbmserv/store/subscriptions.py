"""Who watches other people's boards, and whether anything happened there.

When a board is over nobody watches it; the row stays until it is purged.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from pbmserv.commands.changes import Subscription
from pbmserv.store.tables import entries, matches, players, subscriptions


def watchers(connection: Connection, board: int) -> Sequence[str]:
    """The userids of those who watch a board, in alphabetical order."""
    return connection.execute(_WATCHERS, {"board": board}).scalars().all()


def watched(connection: Connection, player_id: int) -> Sequence[int]:
    """The running boards that a player watches, in ascending order."""
    return connection.execute(_WATCHED, {"player_id": player_id}).scalars().all()


def entry_counts(connection: Connection, boards: Sequence[int]) -> Mapping[int, int]:
    """How many entries the logs of these boards have. The primary keys alone are read."""
    rows = connection.execute(_ENTRY_COUNTS, {"boards": [*boards]})
    return {number: count or 0 for number, count in rows}


def write(connection: Connection, change: Subscription) -> None:
    """Starts or ends a subscription."""
    row = {"match": change.board, "player_id": change.player_id}
    connection.execute(delete(subscriptions).filter_by(**row))
    if not change.is_over:
        connection.execute(insert(subscriptions).values(row))


def purge(connection: Connection) -> None:
    """Deletes the subscriptions to boards that are over."""
    over = select(matches.c.number).where(matches.c.status != "active")
    connection.execute(delete(subscriptions).where(subscriptions.c.match.in_(over)))


_WATCHERS: Final = (
    select(players.c.userid)
    .join(subscriptions, subscriptions.c.player_id == players.c.id)
    .where(subscriptions.c.match == bindparam("board"))
    .order_by(players.c.userid_lower)
)
_WATCHED: Final = (
    select(subscriptions.c.match)
    .join(matches, matches.c.number == subscriptions.c.match)
    .where(subscriptions.c.player_id == bindparam("player_id"), matches.c.status == "active")
    .order_by(subscriptions.c.match)
)
_LAST_ENTRY: Final = select(func.max(entries.c.seq)).where(entries.c.match == matches.c.number).scalar_subquery()
_ENTRY_COUNTS: Final = select(matches.c.number, _LAST_ENTRY).where(
    matches.c.number.in_(bindparam("boards", expanding=True))
)
