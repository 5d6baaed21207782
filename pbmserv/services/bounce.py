"""Bounces: what comes back is counted against its address, and mail to an address that takes none is held back.

Only board mail is held back, and only from players: whoever else we write to has just written to us. A player who
writes again is sent what was missed. Meanwhile their clocks stand still, some days a year and no more: whoever can
have reports written about their own mail could stop the game else.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.mail.report import read_report
from pbmserv.mail.verdict import judge
from pbmserv.matches.player import Player
from pbmserv.matches.records import Wanted
from pbmserv.matches.terms import deadline, left
from pbmserv.services.house import House
from pbmserv.services.letters import plain_notice
from pbmserv.services.readable import readable
from pbmserv.store import bounces, outbox, players, standstills
from pbmserv.store.bounces import Returned, Suspended
from pbmserv.store.engine import reading, run_again, writing
from pbmserv.store.inbox import Kept
from pbmserv.store.outbox import Letter
from pbmserv.store.records import TransactionRecords

HARD_BOUNCES: Final = 3
WITHIN: Final = timedelta(days=7)

MOST_BOARDS: Final = 1000

log = logging.getLogger(__name__)


def heed_report(connection: Connection, house: House, kept: Kept, now: datetime) -> bool:
    """Counts what a mail that no person wrote reports about a mail of ours; False when it reports no bounce."""
    report = read_report(kept.raw, kept.recipients, house.server.address, house.server.delimiter)
    if report is None or report.verdict == "none":
        return False
    mail = bounces.find(connection, report.thread_word)
    if mail is None:
        return False
    _count(connection, house, mail, report.verdict == "hard", report.reason, now)
    return True


def heed_refusal(connection: Connection, house: House, mail: Returned, reason: str, now: datetime) -> None:
    """Counts that our own relay refused a mail's recipient for good; `reason` is its reply."""
    _count(connection, house, mail, judge("", reason) == "hard", reason, now)


def lift_for(connection: Connection, house: House, player: Player, now: datetime) -> None:
    """Sends a player who has written again what was missed, if mail to them was held back."""
    if player.is_suspended and _lift(connection, house, player.address, now):
        log.info("mail to player %d goes out again: a mail came from there", player.id)


def lift(house: House, whose: str, now: datetime) -> str | None:
    """The same by the operator, for an address or a userid: the address, or None when none such is suspended."""

    def once() -> str | None:
        with writing(house.engine) as connection:
            player = None if "@" in whose else players.find(connection, whose)
            address = player.address if player else whose.lower()
            return address if _lift(connection, house, address, now) else None

    return run_again(once)


def _lift(connection: Connection, house: House, address: str, now: datetime) -> bool:
    player = players.find_at(connection, address)
    since = None if player is None else bounces.suspended_since(connection, player.id)
    if player is None or since is None or not bounces.lift(connection, address, now):
        return False
    letter = _back(connection, house, player, since, now)
    outbox.queue(connection, [] if letter is None else [letter], now)
    return True


def see_suspended(house: House) -> Sequence[Suspended]:
    """Every address that mail is held back from."""
    with reading(house.engine) as connection:
        return bounces.listing(connection)


def _count(
    connection: Connection, house: House, mail: Returned, is_hard: bool, reason: str, now: datetime
) -> None:
    if not bounces.note(connection, mail, is_hard, reason, now):
        return
    log.info("outgoing mail %d came back, a %s bounce", mail.id, "hard" if is_hard else "soft")
    player_id = bounces.lock_unsuspended(connection, mail.recipient) if is_hard else None
    if player_id is None or bounces.hard_since(connection, mail.recipient, now - WITHIN) < HARD_BOUNCES:
        return
    began = bounces.first_hard(connection, mail.recipient, now - WITHIN)
    bounces.suspend(connection, mail.recipient, now)
    stop = standstills.begin(connection, player_id, began or now)
    log.warning(
        "boards for player %d are held back after %d hard bounces; see `pbmserv admin suspended`",
        player_id,
        HARD_BOUNCES,
    )
    player = players.find_at(connection, mail.recipient)
    if player is not None:
        until = None if stop is None or stop.until is None or stop.until <= now else stop.until
        letters = notices_about(connection, house, player, "mail/unreachable.txt", now, until=until)
        outbox.queue(connection, letters, now)


def notices_about(
    connection: Connection, house: House, missing: Player, template: str, now: datetime, **context: object
) -> list[Letter]:
    """One mail for each opponent of a player whom no mail reaches, with the boards that both still play on."""
    records = TransactionRecords(connection, house.recent)
    shared: dict[str, list[int]] = {}
    listing = records.boards(Wanted(userids=(missing.userid,), count=MOST_BOARDS))
    for number in sorted(line.number for line in listing.lines):
        board = readable(records, number, "is one of which nobody is told that mail comes back")
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
        plain_notice(house, player, template, about, now, userid=missing.userid, boards=numbers, **context)
        for player, numbers in opponents
        if player is not None
    ]


def _back(connection: Connection, house: House, player: Player, since: datetime, now: datetime) -> Letter | None:
    """What a player whom mail reaches again is told of their clocks; None when none of them runs."""
    records = TransactionRecords(connection, house.recent)
    listing = records.boards(Wanted(userids=(player.userid,), filter="next", count=MOST_BOARDS))
    lines = []
    for number in sorted(line.number for line in listing.lines):
        board = readable(records, number, "is left out of what a player is told who is back")
        if board is None:
            continue
        timing = records.timing(board, now)
        length = left(board, timing)
        if timing.started is not None and length is not None:
            lines.append((number, length, deadline(board, timing)))
    if not lines:
        return None
    stood = max(
        (each.until for each in standstills.in_force(connection, player.id, since) if each.until), default=None
    )
    context = {"since": since, "stood_until": stood, "is_over": stood is not None and stood < now, "boards": lines}
    return plain_notice(house, player, "mail/back.txt", "you are back", now, **context)
