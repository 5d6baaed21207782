"""Moves by mail that were not acknowledged at once: which of them no later mail has mentioned."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from pbmserv.store.tables import addresses, outbox, players, receipts

DELAY: Final = timedelta(days=1)
"""How long a move waits to be mentioned by another mail."""

WAIT_FOR_ROBOT: Final = timedelta(minutes=1)
"""How long an acknowledgement waits for the robot's answer, to tell that too."""


@dataclass(frozen=True, slots=True)
class DueReceipts:
    """A player, and the boards with moves of theirs that no mail has mentioned."""

    userid: str
    boards: tuple[int, ...]


def note_move(
    connection: Connection, board: int, player_id: int, due_at: datetime | None, on_page_at: datetime | None
) -> None:
    """A player has moved: when they are to be told (None: never), and when they did so on a page."""
    connection.execute(_FORGET, {"board": board, "who": player_id})
    if due_at or on_page_at:
        row = {"match": board, "player_id": player_id, "due_at": due_at, "on_page_at": on_page_at}
        connection.execute(_NOTE, row)


def moved_on_page_at(connection: Connection, board: int, player_id: int) -> datetime | None:
    """When a player moved on a page; None if their last move came by mail."""
    return connection.execute(_ON_PAGE, {"board": board, "who": player_id}).scalar_one_or_none()


def take_due(connection: Connection, now: datetime) -> DueReceipts | None:
    """A player with a receipt that is due, and all their boards that wait for one; None if none is due.

    None of these receipts is due any more.
    """
    due = connection.execute(_DUE, {"now": now}).one_or_none()
    if due is None:
        return None
    who = {"who": due.player_id}
    theirs = connection.execute(_THEIRS, who).all()
    connection.execute(_CLEAR, who)
    mentioned: dict[int, datetime] = {}
    since = min(row.due_at for row in theirs) - DELAY
    for row in connection.execute(_MENTIONED, who | {"since": since}):
        for number in {row.match, *(board for board, _ in row.shown or ())}:
            mentioned[number] = max(row.created_at, mentioned.get(number, row.created_at))
    never = since - DELAY
    unsaid = (row.match for row in theirs if mentioned.get(row.match, never) <= row.due_at - DELAY)
    return DueReceipts(due.userid, tuple(unsaid))


def count_acknowledged(connection: Connection, player_id: int, moves: int) -> None:
    """So many more moves of a player were acknowledged."""
    more = update(players).where(players.c.id == player_id)
    connection.execute(more.values(moves_acknowledged=players.c.moves_acknowledged + moves))


_OF_PLAYER: Final = receipts.c.player_id == bindparam("who")
_ONE: Final = (receipts.c.match == bindparam("board")) & _OF_PLAYER
_FORGET: Final = delete(receipts).where(_ONE)
_NOTE: Final = insert(receipts)
_ON_PAGE: Final = select(receipts.c.on_page_at).where(_ONE)
_DUE: Final = (
    select(receipts.c.player_id, players.c.userid)
    .join(players, players.c.id == receipts.c.player_id)
    .where(receipts.c.due_at <= bindparam("now"))
    .order_by(receipts.c.due_at)
    .limit(1)
    .with_for_update(skip_locked=True, of=receipts)
)
_HAS_DUE: Final = _OF_PLAYER & receipts.c.due_at.is_not(None)
_THEIRS: Final = select(receipts.c.match, receipts.c.due_at).where(_HAS_DUE).order_by(receipts.c.match)
_CLEAR: Final = delete(receipts).where(_HAS_DUE)
_MENTIONED: Final = select(outbox.c.match, outbox.c.shown, outbox.c.created_at).where(
    outbox.c.recipient.in_(select(addresses.c.address).where(addresses.c.player_id == bindparam("who"))),
    outbox.c.player_id == bindparam("who"),
    outbox.c.created_at >= bindparam("since"),
    outbox.c.status != "superseded",
)
