"""Mails that players get by a schedule of their own, digests and puzzles of the week, each in one transaction.

So any number of schedulers may look, and a mail is written once. After however long an outage it is one mail. A
player who leaves two puzzles in a row unanswered gets no more until they answer one; the second says so.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.changes import NewDigest, PuzzleSent, WeeklyPuzzle
from pbmserv.commands.command import Reply
from pbmserv.commands.letter import Digest, Letter, PuzzleLetter
from pbmserv.commands.set import read_schedule
from pbmserv.mail.log_words import pairs
from pbmserv.matches.player import Player
from pbmserv.matches.puzzles import PuzzleTry
from pbmserv.services.app import App
from pbmserv.services.notices import late_links
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.services.writer import deciding
from pbmserv.store import accounts, players, puzzles, queries
from pbmserv.store.engine import is_database_trouble, run_again, writing

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScheduledMail:
    """A kind of mail that comes by a schedule."""

    name: str
    """As the log calls it."""
    take_due: Callable[[Connection, datetime], Player | None]
    """The player who has waited longest, held for the transaction; None when it is nobody's time."""
    decide: Callable[[UnitOfWork, Player], Letter | None]
    """The letter; None when there is nothing to tell, or nobody to tell it to."""
    put_off: Callable[[Connection, Player, datetime], None]
    """Notes when the next one is due."""


def send_due(app: App, kind: ScheduledMail, now: datetime) -> bool:
    """Queues the mail that is due longest, if there is anything in it; False when none is due."""
    due: Player | None = None

    def once() -> bool:
        nonlocal due
        with deciding(app, now) as work:
            due = kind.take_due(work.connection, now)
            if due is not None:
                letter = kind.decide(work, due)
                work.say([letter] if letter is not None else [])
                kind.put_off(work.connection, due, now)
        return due is not None

    try:
        return run_again(once)
    except Exception as error:
        if due is None or is_database_trouble(error):
            raise
        # Our own fault with one player's mail must not keep all others from theirs.
        told = pairs(job=kind.name, player=due.id, error=type(error).__name__)
        log.exception("a mail to a player cannot be written %s", told)
        with writing(app.engine) as connection:
            kind.put_off(connection, due, now)
        return True


def send_digest(app: App, now: datetime) -> bool:
    """Has the digest written that is due longest, if a board waits for its player; False when none is due."""
    return send_due(app, _DIGEST, now)


def _put_off_digest(connection: Connection, player: Player, now: datetime) -> None:
    schedule = read_schedule((player.mail.digest or "").split())
    following = schedule.next_after(now) if schedule is not None else None
    accounts.write_account_change(connection, NewDigest(player.id, player.mail.digest, following), now)


def _digest(work: UnitOfWork, player: Player) -> Letter | None:
    """The letter; None when mail to its player comes back."""
    if player.is_suspended or player.mail.is_off or not player.address:
        return None
    return Letter(Digest(tuple(late_links(work.records, player))), "notice", player.address, player.userid)


_DIGEST: Final = ScheduledMail("digest", players.take_digest_due, _digest, _put_off_digest)


EVERY: Final = timedelta(weeks=1)

MOST_UNANSWERED: Final = 2
"""Puzzles of the week in a row that may stay unanswered before no more come."""


class PuzzleOfTheWeek(Reply):
    """Above the puzzle of the week; `is_last`: no more come until the reader answers one."""

    is_last: bool


def send_puzzle(app: App, now: datetime) -> bool:
    """Has the puzzle written that is due longest; False when none is due."""
    return send_due(app, _WEEKLY, now)


def unanswered(tries: Iterable[PuzzleTry]) -> int:
    """How many puzzles of the week in a row somebody has left alone, of those that they were sent, in order."""
    newest_first = list(tries)[::-1]
    return sum(each.by_week for each in takewhile(lambda each: each.is_open and not each.tries, newest_first))


def _puzzle(work: UnitOfWork, player: Player) -> Letter | None:
    """The letter; None when there is no new puzzle, its player answers none, or mail to them comes back."""
    if player.is_suspended or player.is_banned or player.mail.is_off or not player.address:
        return None
    records = work.records
    tries = records.puzzle_tries(player)
    left_alone = unanswered(tries.values())
    puzzle = records.unseen_puzzle(tries, None) if left_alone < MOST_UNANSWERED else None
    if puzzle is None:
        return None
    queries.write_change(work.connection, PuzzleSent(player.id, puzzle.number, by_week=True), work.now)
    said = PuzzleLetter(PuzzleOfTheWeek(left_alone == MOST_UNANSWERED - 1), puzzle.number)
    return Letter(said, "notice", player.address, player.userid)


def _put_off_puzzle(connection: Connection, player: Player, now: datetime) -> None:
    queries.write_change(connection, WeeklyPuzzle(player.id, now + EVERY), now)


_WEEKLY: Final = ScheduledMail("puzzle", puzzles.take_puzzle_due, _puzzle, _put_off_puzzle)
