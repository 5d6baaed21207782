"""Mail to a player comes back: it is counted, held back after a while, and goes out again."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from pbmserv.commands.letter import Letter
from pbmserv.commands.policy import BOUNCES
from pbmserv.mail.log_words import pairs
from pbmserv.mail.reading.delivery_report import Report, judge
from pbmserv.matches.player import Player
from pbmserv.matches.queries import ListingQuery
from pbmserv.matches.turn_time import deadline, left
from pbmserv.services.app import App
from pbmserv.services.notices import fixed_notice, readable
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.services.writer import deciding
from pbmserv.store import bounces, clocks, letters, players
from pbmserv.store.bounces import Bounce, BouncedMail, Suspended
from pbmserv.store.engine import reading, run_again

log = logging.getLogger(__name__)


MOST_BOARDS: Final = 1000


def count_report(work: UnitOfWork, report: Report | None, report_id: int) -> bool:
    """Counts what a mail that no person wrote reports about a mail of ours; False when it reports no bounce.

    `report_id` is its number in the inbox.
    """
    if report is None or report.verdict == "none":
        return False
    mail = bounces.find(work.connection, report.word, report.is_addressed)
    if mail is None:
        return False
    if mail.has_arrived:
        log.info("a report tells of a mail that has arrived %s", pairs(out=mail.id, mail=report_id))
        return False
    bounces.mark_bounced(work.connection, mail)
    # A word that answers quote may be known to anybody. Without tagged addresses there is no other.
    is_hard = report.verdict == "hard" and (mail.is_certain or not work.app.server.delimiter)
    _count(work, mail, Bounce(is_hard, report.reason, report_id))
    return True


def count_refusal(work: UnitOfWork, mail: BouncedMail, reason: str) -> None:
    """Counts that our own relay refused a mail's recipient for good; `reason` is its reply."""
    _count(work, mail, Bounce(judge("", reason) == "hard", reason))


def note_arrival(work: UnitOfWork, player: Player, written: datetime, told: Collection[int] = ()) -> None:
    """A proven mail of a player came at `written`: what was sent before has arrived, and nothing is held back.

    `told` are the boards of which a letter tells that was decided a moment ago.
    """
    if player.is_suspended and _lift(work, player.address, told):
        log.info("mail to a player who has written goes out again %s", pairs(player=player.id))
    else:
        bounces.mark_arrived(work.connection, player.address, written)


def lift(app: App, whose: str, now: datetime) -> str | None:
    """The same by the operator, for an address or a userid: the address, or None when none such is suspended."""

    def once() -> str | None:
        with deciding(app, now) as work:
            player = None if "@" in whose else players.find(work.connection, whose)
            address = player.address if player else whose.lower()
            return address if _lift(work, address) else None

    return run_again(once)


def _lift(work: UnitOfWork, address: str, told: Collection[int] = ()) -> bool:
    connection, now = work.connection, work.now
    player = players.find_at(connection, address)
    since = None if player is None else bounces.suspended_since(connection, player.id)
    released = None if since is None else bounces.lift(connection, address, now, told)
    if player is None or since is None or released is None:
        return False
    # Due later than an answer, so that any process writes them in this order.
    work.say([*released, *(replace(each, due_at=now) for each in _back(work, player, since))])
    return True


def see_suspended(app: App) -> Sequence[Suspended]:
    """Every address that mail is held back from."""
    with reading(app.engine) as connection:
        return bounces.listing(connection)


def _count(work: UnitOfWork, mail: BouncedMail, bounce: Bounce) -> None:
    connection, now = work.connection, work.now
    if not bounces.record(connection, mail, bounce, now):
        return
    letters.set_back(connection, mail.id)
    how = "hard" if bounce.is_hard else "soft"
    log.info(
        "bounced %s", pairs(out=mail.id, mail=bounce.inbox_id, to=mail.recipient, bounce=how, error=bounce.reason)
    )
    player_id = bounces.lock_unsuspended(connection, mail.recipient) if bounce.is_hard else None
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
        work.say(notices_about(work, player, "mail/unreachable.txt", until=until))


def notices_about(work: UnitOfWork, missing: Player, template: str, **context: Any) -> list[Letter]:
    """One letter for each opponent of a player whom no mail reaches, with the boards that both still play on."""
    records = work.records
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
        fixed_notice(player, template, about, userid=missing.userid, boards=tuple(numbers), **context)
        for player, numbers in opponents
        if player is not None
    ]


def _back(work: UnitOfWork, player: Player, since: datetime) -> list[Letter]:
    """What a player whom mail reaches again learns of their clocks; nothing when none of them runs."""
    records, now = work.records, work.now
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
        return []
    stood = max(
        (each.until for each in clocks.standstills_in_force(work.connection, player.id, since) if each.until),
        default=None,
    )
    context: dict[str, Any] = {
        "since": since,
        "stood_until": stood,
        "is_over": stood is not None and stood < now,
        "boards": tuple(lines),
    }
    return [fixed_notice(player, "mail/back.txt", "you are back", **context)]
