"""Bounces: what comes back is counted against its address, and mail to an address that takes none is held back.

Only board mail is held back, and only from players: whoever else we write to has just written to us. A player who
writes again is sent what was missed.
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
from pbmserv.services.house import House
from pbmserv.services.letters import plain_notice
from pbmserv.services.readable import readable
from pbmserv.store import bounces, clocks, outbox, players
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


def lift_for(connection: Connection, player: Player) -> None:
    """Sends a player who has written again what was missed, if mail to them was held back."""
    if player.is_suspended and bounces.lift(connection, player.address):
        log.info("mail to player %d goes out again: a mail came from there", player.id)


def lift(house: House, whose: str) -> str | None:
    """The same by the operator, for an address or a userid: the address, or None when none such is suspended."""

    def once() -> str | None:
        with writing(house.engine) as connection:
            player = None if "@" in whose else players.find(connection, whose)
            address = player.address if player else whose.lower()
            return address if bounces.lift(connection, address) else None

    return run_again(once)


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
    bounces.suspend(connection, mail.recipient, now)
    clocks.set_back(connection, player_id)
    log.warning(
        "boards for player %d are held back after %d hard bounces; see `pbmserv admin suspended`",
        player_id,
        HARD_BOUNCES,
    )
    player = players.find_at(connection, mail.recipient)
    if player is not None:
        outbox.queue(connection, _notices(connection, house, player, now), now)


def _notices(connection: Connection, house: House, missing: Player, now: datetime) -> list[Letter]:
    """One mail for each opponent, with the boards that both are still playing on."""
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
        plain_notice(house, player, "mail/unreachable.txt", about, now, userid=missing.userid, boards=numbers)
        for player, numbers in opponents
        if player is not None
    ]
