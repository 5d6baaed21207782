"""Who watches boards of others."""

from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, select

from pbmserv.commands.changes import Subscription
from pbmserv.store.tables import players, subscriptions


def watchers(connection: Connection, board: int) -> Sequence[str]:
    """The userids of those who watch a board, in alphabetical order."""
    query = select(players.c.userid).join(subscriptions, subscriptions.c.player_id == players.c.id)
    return (
        connection.execute(query.where(subscriptions.c.match == board).order_by(players.c.userid_lower))
        .scalars()
        .all()
    )


def keep(connection: Connection, change: Subscription) -> None:
    """Begins or ends it."""
    row = {"match": change.board, "player_id": change.player_id}
    connection.execute(delete(subscriptions).filter_by(**row))
    if not change.is_over:
        connection.execute(insert(subscriptions).values(row))
