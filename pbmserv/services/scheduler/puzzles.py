"""A puzzle a week for those who want one.

Whoever leaves two in a row unanswered gets no more until they answer one; the second says so.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.changes import PuzzleSent, WeeklyPuzzle
from pbmserv.commands.command import Reply
from pbmserv.commands.letter import Letter, PuzzleLetter
from pbmserv.matches.player import Player
from pbmserv.matches.puzzles import PuzzleTry
from pbmserv.services.app import App
from pbmserv.services.scheduler.due import ScheduledMail, send_due
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.store import puzzles, queries

BATCH: Final = 50
"""Puzzles sent before the scheduler looks after its other jobs."""

EVERY: Final = timedelta(weeks=1)

MOST_UNANSWERED: Final = 2
"""So many puzzles of the week in a row may stay unanswered before no more come."""


class PuzzleOfTheWeek(Reply):
    """Above the puzzle of the week; `is_last`: no more come until the reader answers one."""

    is_last: bool


def send_puzzles(app: App, now: datetime) -> bool:
    """Writes puzzles that are due, each in a transaction of its own; whether there may be more."""
    return all(send_due(app, _WEEKLY, now) for _ in range(BATCH))


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


def _put_off(connection: Connection, player: Player, now: datetime) -> None:
    queries.write_change(connection, WeeklyPuzzle(player.id, now + EVERY), now)


_WEEKLY: Final = ScheduledMail("puzzle", puzzles.take_puzzle_due, _puzzle, _put_off)
