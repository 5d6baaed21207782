"""Unsubscribing by the link in a mail: one kind of mail stops, as if its player had sent the command for it.

The link's key stops the kind of mail that it came with, and does nothing else. It is written here, in one
transaction, and not by a mail to ourselves as a move on a page is. A mail program asks once and learns that it is
done, even with no worker running. A mail would prove nothing where addresses have no tags. And any mail of a
player brings back what they had stopped.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from sqlalchemy import Connection

from pbmserv.commands.command import Actor, Decision, Reply, Request, commands
from pbmserv.commands.set import LeaveKind, has_left, leaving_command
from pbmserv.mail.log_words import pairs
from pbmserv.matches.player import Player
from pbmserv.parser.line import parse_line
from pbmserv.services.app import App
from pbmserv.services.notices import notice_to, player_notices
from pbmserv.services.sender import WORDS_LAST
from pbmserv.services.writer import deciding
from pbmserv.store import clocks, mail_tokens, players
from pbmserv.store.engine import reading, run_again
from pbmserv.store.queries import TransactionQueries

log: Final = logging.getLogger(__name__)


class MailStoppedByLink(Reply):
    """All mail to the reader has stopped, since a link in their mail was used; `told` are their opponents."""

    told: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeaveLink:
    """What a link to unsubscribe leads to: a player, and the kind of mail that it stops."""

    player: Player
    kind: LeaveKind
    board: int | None
    # Whether the player gets no such mail anyway.
    has_left: bool


def find_leave_link(app: App, key: str, now: datetime) -> LeaveLink | None:
    """What the link with that key leads to; None when it stands in no mail that still counts.

    A mail counts as long as an answer to it would, and as long as the address that it went to is its player's.
    """
    with reading(app.engine) as connection:
        return _find(connection, TransactionQueries(connection, app.recent), key, now)


def unsubscribe(app: App, key: str, now: datetime) -> LeaveLink | None:
    """Stops what the link with that key is for; gives what it led to before. None as in `find_leave_link`."""
    return run_again(lambda: _unsubscribe(app, key, now))


def _unsubscribe(app: App, key: str, now: datetime) -> LeaveLink | None:
    with deciding(app, now) as work:
        connection, records = work.connection, work.records
        link = _find(connection, records, key, now)
        if link is None:
            return None
        # Two may ask at once, and opponents are told once.
        players.lock(connection, [link.player.userid], alone=True)
        records.forget_players()
        link = _find(connection, records, key, now)
        if link is None or link.has_left:
            return link
        decided = _decide(app, records, link, now)
        work.write(decided, now)
        told = decided.to_players
        work.say(player_notices(records, told))
        if link.kind == "mail":
            # Games are lost by it, and a mail that was passed on has the link too.
            words = MailStoppedByLink(tuple(userid for userid, _ in told))
            work.say([notice_to(link.player, words)])
        if link.kind == "digest":
            clocks.mail_undelivered(connection, link.player.id)
    log.info("a player has unsubscribed by a link %s", pairs(player=link.player.id, link=link.kind))
    return link


def _find(connection: Connection, records: TransactionQueries, key: str, now: datetime) -> LeaveLink | None:
    mail = mail_tokens.find_leave_link(connection, key)
    if mail is None or mail.written <= now - WORDS_LAST:
        return None
    player = players.find_at(connection, mail.recipient)
    if player is None or player.id != mail.player_id:
        return None
    kind = cast(LeaveKind, mail.kind)
    is_watching = mail.board is not None and player.userid in records.watchers(mail.board)
    return LeaveLink(player, kind, mail.board, has_left(kind, player, is_watching))


def _decide(app: App, records: TransactionQueries, link: LeaveLink, now: datetime) -> Decision:
    """What the command for it decides. A banned player may stop mail as well."""
    line = parse_line(leaving_command(link.kind, link.board), None).parsed
    assert line is not None
    actor = Actor(link.player, link.player.address, "personal")
    request = Request(line.line, line.command, line.arguments, actor, server=app.server)
    return commands()[line.command.name].decide(request, records, now)
