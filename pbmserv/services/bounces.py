"""Boards of which many are looked at: one whose log does not replay must not keep the others from it."""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.policy import BOUNCES
from pbmserv.mail.log_words import pairs
from pbmserv.mail.reading.delivery_report import Report, judge
from pbmserv.matches.log import BrokenLog
from pbmserv.matches.player import Player
from pbmserv.matches.queries import ListingQuery
from pbmserv.matches.replay import GameState
from pbmserv.matches.turn_time import deadline, left
from pbmserv.services.app import App
from pbmserv.services.compose import plain_notice
from pbmserv.store import bounces, clocks, outbox, players
from pbmserv.store.bounces import BouncedMail, Suspended
from pbmserv.store.engine import reading, run_again, writing
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries

log = logging.getLogger(__name__)


def readable(records: TransactionQueries, number: int, job: str) -> GameState | None:
    """A board; None where its log does not replay, which `admin check` tells too.

    The operator is told what it is left out of: `job`, such as "digest".
    """
    try:
        return records.board(number)
    except BrokenLog as error:
        log.error(
            "a board whose log does not replay is left out %s", pairs(board=number, job=job, error=str(error))
        )
        return None


MOST_BOARDS: Final = 1000


def heed_report(connection: Connection, app: App, report: Report | None, report_id: int, now: datetime) -> bool:
    """Counts what a mail that no person wrote reports about a mail of ours; False when it reports no bounce.

    `report_id` is its number in the inbox.
    """
    if report is None or report.verdict == "none":
        return False
    mail = bounces.find(connection, report.word, report.is_addressed)
    if mail is None:
        return False
    if mail.has_arrived:
        log.info("a report tells of a mail that has arrived %s", pairs(out=mail.id, mail=report_id))
        return False
    bounces.mark_bounced(connection, mail)
    # A word that answers quote may be known to anybody. Without tagged addresses there is no other.
    is_hard = report.verdict == "hard" and (mail.is_certain or not app.server.delimiter)
    _count(connection, app, mail, is_hard, report.reason, now, report_id)
    return True


def heed_refusal(connection: Connection, app: App, mail: BouncedMail, reason: str, now: datetime) -> None:
    """Counts that our own relay refused a mail's recipient for good; `reason` is its reply."""
    _count(connection, app, mail, judge("", reason) == "hard", reason, now)


def note_arrival(connection: Connection, app: App, player: Player, written: datetime, now: datetime) -> None:
    """A proven mail of a player came at `written`: what was sent before has arrived, and nothing is held back."""
    if player.is_suspended and _lift(connection, app, player.address, now):
        log.info("mail to a player who has written goes out again %s", pairs(player=player.id))
    else:
        bounces.mark_arrived(connection, player.address, written)


def lift(app: App, whose: str, now: datetime) -> str | None:
    """The same by the operator, for an address or a userid: the address, or None when none such is suspended."""

    def once() -> str | None:
        with writing(app.engine) as connection:
            player = None if "@" in whose else players.find(connection, whose)
            address = player.address if player else whose.lower()
            return address if _lift(connection, app, address, now) else None

    return run_again(once)


def _lift(connection: Connection, app: App, address: str, now: datetime) -> bool:
    player = players.find_at(connection, address)
    since = None if player is None else bounces.suspended_since(connection, player.id)
    if player is None or since is None or not bounces.lift(connection, address, now):
        return False
    message = _back(connection, app, player, since, now)
    outbox.queue(connection, [] if message is None else [message], now)
    return True


def see_suspended(app: App) -> Sequence[Suspended]:
    """Every address that mail is held back from."""
    with reading(app.engine) as connection:
        return bounces.listing(connection)


def _count(
    connection: Connection,
    app: App,
    mail: BouncedMail,
    is_hard: bool,
    reason: str,
    now: datetime,
    report_id: int | None = None,
) -> None:
    if not bounces.record(connection, mail, is_hard, reason, now, report_id):
        return
    how = "hard" if is_hard else "soft"
    log.info("bounced %s", pairs(out=mail.id, mail=report_id, to=mail.recipient, bounce=how, error=reason))
    player_id = bounces.lock_unsuspended(connection, mail.recipient) if is_hard else None
    came = () if player_id is None else bounces.hard_since(connection, mail.recipient, now - BOUNCES.per)
    if player_id is None or len(came) < BOUNCES.most:
        return
    bounces.suspend(connection, mail.recipient, now)
    stop = clocks.begin_standstill(connection, player_id, came[0])
    log.warning(
        "mail to a player is held back after hard bounces; see `pbmserv admin suspended` %s",
        pairs(player=player_id, to=mail.recipient, count=BOUNCES.most),
    )
    player = players.find_at(connection, mail.recipient)
    if player is not None:
        until = None if stop is None or stop.until is None or stop.until <= now else stop.until
        messages = notices_about(connection, app, player, "mail/unreachable.txt", now, until=until)
        outbox.queue(connection, messages, now)


def notices_about(
    connection: Connection, app: App, missing: Player, template: str, now: datetime, **context: object
) -> list[OutboxMessage]:
    """One mail for each opponent of a player whom no mail reaches, with the boards that both still play on."""
    records = TransactionQueries(connection, app.recent)
    shared: dict[str, list[int]] = {}
    listing = records.boards(ListingQuery(userids=(missing.userid,), count=MOST_BOARDS))
    for number in sorted(line.number for line in listing.lines):
        board = readable(records, number, "bounces")
        if board is None:
            continue
        playing = [userid for userid in board.match.userids if userid in board.playing]
        if missing.userid in playing:
            for userid in playing:
                shared.setdefault(userid, []).append(number)
    shared.pop(missing.userid, None)
    opponents = [(records.player(userid), numbers) for userid, numbers in shared.items()]
    about = f"mail to {missing.userid}"
    return [
        plain_notice(app, player, template, about, now, userid=missing.userid, boards=numbers, **context)
        for player, numbers in opponents
        if player is not None
    ]


def _back(
    connection: Connection, app: App, player: Player, since: datetime, now: datetime
) -> OutboxMessage | None:
    """What a player whom mail reaches again is told of their clocks; None when none of them runs."""
    records = TransactionQueries(connection, app.recent)
    listing = records.boards(
        ListingQuery(userids=(player.userid,), filter="next", count=MOST_BOARDS, with_practice=True)
    )
    lines = []
    for number in sorted(line.number for line in listing.lines):
        board = readable(records, number, "back")
        if board is None:
            continue
        timing = records.timing(board, now)
        length = left(board, timing)
        if timing.started is not None and length is not None:
            lines.append((number, length, deadline(board, timing)))
    if not lines:
        return None
    stood = max(
        (each.until for each in clocks.standstills_in_force(connection, player.id, since) if each.until),
        default=None,
    )
    context = {"since": since, "stood_until": stood, "is_over": stood is not None and stood < now, "boards": lines}
    return plain_notice(app, player, "mail/back.txt", "you are back", now, **context)
