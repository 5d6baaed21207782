"""Writes a digest: one mail with every board where it is a player's turn, the most urgent first."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from pbmserv.commands.letter import Digest
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
from pbmserv.services.compose import (
    MailBody,
    NothingLeft,
    OutgoingMail,
    build_message,
    in_words,
    other_subject,
    takes_html,
)
from pbmserv.services.notices import readable
from pbmserv.services.overviews import fitted, overview_of
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries

MOST_SHOWN: Final = 20

MOST_WEIGHED: Final = 200
"""Boards of one player that are looked at for the most urgent ones; of more, those that wait longest."""

_NEVER_OVER: Final = timedelta.max


def digest_mail(
    records: TransactionQueries, app: App, digest: Digest, player: Player, now: datetime
) -> OutboxMessage:
    """The mail. Raises NothingLeft when no board waits."""
    found = records.boards(
        ListingQuery(userids=(player.userid,), filter="next", count=MOST_WEIGHED, with_practice=True)
    )
    looked_at = (readable(records, line.number, "digest") for line in found.lines)
    boards = [board for board in looked_at if board is not None]
    if not boards:
        raise NothingLeft
    boards.sort(key=lambda board: _urgency(board, records, now))
    lines = {line.number: line for line in found.lines}
    seen = [view_board(board, player.userid, timing=records.timing(board, now)) for board in boards[:MOST_SHOWN]]
    views, key = with_links(app, seen)
    order = [lines[board.match.number] for board in boards]
    whole = found.total - (len(found.lines) - len(boards))
    table = overview_of(app, player.userid, order, key, whole, now) if len(boards) > 1 else None
    remarks = tuple(say(each, app.server, in_words(player)) for each in digest.notes)

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
