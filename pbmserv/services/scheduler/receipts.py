"""Once a day: the moves of a player that no other mail has mentioned, in one mail."""

import logging
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.command import Reply
from pbmserv.matches.player import Player
from pbmserv.services.app import App
from pbmserv.services.bounces import readable
from pbmserv.services.compose import notice_mail
from pbmserv.store import outbox, receipts
from pbmserv.store.engine import run_again, writing
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries

BATCH: Final = 50
"""Mails written before the scheduler looks after its other jobs."""

MOST_NAMED: Final = 40
"""Moves that one mail names."""

log = logging.getLogger(__name__)


class Receipts(Reply):
    """The reader's moves, each with its board, and the players who have to move there now."""

    played: tuple[tuple[str, int], ...]
    waiting: tuple[str, ...]


def send_receipts(app: App, now: datetime) -> bool:
    """Writes the mails that are due, each in a transaction of its own; whether there may be more."""
    return all(run_again(lambda: _send_next(app, now)) for _ in range(BATCH))


def _send_next(app: App, now: datetime) -> bool:
    with writing(app.engine) as connection:
        due = receipts.take_due(connection, now)
        if due is None:
            return False
        records = TransactionQueries(connection, app.recent)
        player = records.player(due.userid)
        message = None if player is None else _mail(connection, app, records, player, due.boards, now)
        outbox.queue(connection, [message] if message is not None else [], now)
    return True


def _mail(
    connection: Connection,
    app: App,
    records: TransactionQueries,
    player: Player,
    boards: tuple[int, ...],
    now: datetime,
) -> OutboxMessage | None:
    """The mail; None where there is nothing to tell, or nobody to be told."""
    if player.mail.is_off or player.mail.receipts != "daily" or player.is_suspended or not player.address:
        return None
    played: list[tuple[str, int]] = []
    waiting: dict[str, None] = {}
    for number in boards[:MOST_NAMED]:
        board = readable(records, number, "receipts")
        seat = None if board is None else board.match.seat_of(player.userid)
        if board is None or board.state.status != "active":
            continue
        moves = [turn.move for turn in board.state.turns if turn.seat == seat and turn.move]
        if moves:
            played.append((moves[-1], number))
            waiting |= {board.on_turn: None} if board.on_turn not in (None, player.userid) else {}
    words = Receipts(tuple(played), tuple(waiting))
    return notice_mail(app, player, words, None, now, about="your moves") if played else None
