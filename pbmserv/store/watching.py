"""Who watches boards of others. Nobody watches a board that is over, though the row stays until it is tidied."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select

from pbmserv.commands.changes import Subscription
from pbmserv.store.tables import matches, players, subscriptions


def watchers(connection: Connection, board: int) -> Sequence[str]:
    """The userids of those who watch a board, in alphabetical order."""
    return connection.execute(_WATCHERS, {"board": board}).scalars().all()


def watched(connection: Connection, player_id: int) -> Sequence[int]:
    """The boards that a player watches and that are still played, in ascending order."""
    return connection.execute(_WATCHED, {"player_id": player_id}).scalars().all()


def keep(connection: Connection, change: Subscription) -> None:
    """Begins or ends it."""
    row = {"match": change.board, "player_id": change.player_id}
    connection.execute(delete(subscriptions).filter_by(**row))
    if not change.is_over:
        connection.execute(insert(subscriptions).values(row))


def tidy(connection: Connection) -> None:
    """Forgets who has watched boards that are over."""
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
