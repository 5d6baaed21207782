"""One mail with every board where it is a player's turn, by a schedule of theirs, in the place of many mails."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.changes import NewDigest
from pbmserv.commands.set import read_schedule
from pbmserv.matches.player import Player
from pbmserv.matches.queries import ListingQuery, Queries
from pbmserv.matches.replay import GameState
from pbmserv.matches.turn_time import left
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.html_mail import Content
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.overview import Overview
from pbmserv.rendering.templates import render, say
from pbmserv.services.app import App
from pbmserv.services.board_mail import with_links
from pbmserv.services.bounces import readable
from pbmserv.services.compose import MailBody, OutgoingMail, build_message, in_words, other_subject, takes_html
from pbmserv.services.notices import late_links
from pbmserv.services.overviews import fitted, overview_of
from pbmserv.services.scheduler.due import ScheduledMail, send_due
from pbmserv.store import accounts, players
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries

BATCH: Final = 50
"""Digests written before the scheduler looks after its other jobs."""

MOST_SHOWN: Final = 20

MOST_WEIGHED: Final = 200
"""Boards of one player that are looked at for the most urgent ones; of more, those that wait longest."""

_NEVER_OVER: Final = timedelta.max


def send_digests(app: App, now: datetime) -> bool:
    """Writes digests that are due, each in a transaction of its own; whether there may be more."""
    return all(send_next(app, now) for _ in range(BATCH))


def send_next(app: App, now: datetime) -> bool:
    """Writes the digest that is due longest, if its player has any board to move on; False when none is due."""
    return send_due(app, _DIGEST, now)


def _put_off(connection: Connection, player: Player, now: datetime) -> None:
    schedule = read_schedule((player.mail.digest or "").split())
    following = schedule.next_after(now) if schedule is not None else None
    accounts.write_account_change(connection, NewDigest(player.id, player.mail.digest, following), now)


def _digest(connection: Connection, app: App, player: Player, now: datetime) -> OutboxMessage | None:
    """The mail; None when there is nothing in it, or mail to its player comes back."""
    if player.is_suspended or player.mail.is_off or not player.address:
        return None
    records = TransactionQueries(connection, app.recent)
    found = records.boards(
        ListingQuery(userids=(player.userid,), filter="next", count=MOST_WEIGHED, with_practice=True)
    )
    looked_at = (readable(records, line.number, "digest") for line in found.lines)
    boards = [board for board in looked_at if board is not None]
    if not boards:
        return None
    boards.sort(key=lambda board: _urgency(board, records, now))
    lines = {line.number: line for line in found.lines}
    seen = [view_board(board, player.userid, timing=records.timing(board, now)) for board in boards[:MOST_SHOWN]]
    views, key = with_links(app, seen)
    order = [lines[board.match.number] for board in boards]
    whole = found.total - (len(found.lines) - len(boards))
    table = overview_of(app, player.userid, order, key, whole, now) if len(boards) > 1 else None
    remarks = tuple(say(each, app.server, in_words(player)) for each in late_links(records, player))

    def build(most: int) -> OutboxMessage:
        drawn = replace(table, drawn=min(most, len(views))) if table else None
        return build_message(app, _draft(app, player, views[:most], key, drawn, remarks), now)

    return fitted(build, lambda message: len(message.raw), MOST_SHOWN)


def _draft(
    app: App,
    player: Player,
    views: tuple[BoardView, ...],
    key: str,
    overview: Overview | None,
    remarks: tuple[str, ...],
) -> OutgoingMail:
    alone = views[0].number if overview is None else None

    def told(views: Sequence[BoardView], table: Overview | None, words: bool) -> str:
        total = len(overview.rows) + overview.more if overview else 1
        first = overview.rows[0].number if overview else alone
        context = {
            "total": total,
            "alone": alone,
            "first": first,
            "overview": table,
            "remarks": remarks,
            "server": app.server,
        }
        return render("mail/digest.txt", words, views=views, **context)

    def html() -> Content:
        return Content(document_of(told((), None, words=False)), views, overview=overview)

    return OutgoingMail(
        kind="notice",
        recipient=player.address,
        player=player,
        subject=other_subject(app.server, "your turn"),
        body=MailBody(
            told(views, overview, in_words(player)),
            views,
            content=html() if takes_html(player) else None,
            key=key,
            named=overview.named if overview else (),
        ),
        # With one board alone, a bare move will do as the answer.
        board=alone,
        leaves="digest",
    )


def _urgency(board: GameState, records: Queries, now: datetime) -> tuple[timedelta, datetime]:
    """The least time left first; without a clock, and where as much is left, what waits longest."""
    time_left = left(board, records.timing(board, now))
    return (_NEVER_OVER if time_left is None else time_left, board.state.last_at)


_DIGEST: Final = ScheduledMail("digest", players.take_digest_due, _digest, _put_off)
