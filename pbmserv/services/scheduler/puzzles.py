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
from pbmserv.matches.player import Player
from pbmserv.matches.puzzles import PuzzleTry
from pbmserv.rendering.html_mail import Content
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.puzzle import PuzzleView, puzzle_text, view_puzzle
from pbmserv.rendering.templates import say
from pbmserv.services.app import App
from pbmserv.services.compose import MailBody, OutgoingMail, build_message, in_words, other_subject
from pbmserv.services.scheduler.due import ScheduledMail, send_due
from pbmserv.store import puzzles, queries
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries

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


def _puzzle(connection: Connection, app: App, player: Player, now: datetime) -> OutboxMessage | None:
    """The mail; None when there is no new puzzle, its player answers none, or mail to them comes back."""
    if player.is_suspended or player.is_banned or player.mail.is_off or not player.address:
        return None
    records = TransactionQueries(connection, app.recent)
    tries = records.puzzle_tries(player)
    left_alone = unanswered(tries.values())
    puzzle = records.unseen_puzzle(tries, None) if left_alone < MOST_UNANSWERED else None
    if puzzle is None:
        return None
    queries.write_change(connection, PuzzleSent(player.id, puzzle.number, by_week=True), now)
    return _mail(app, player, view_puzzle(puzzle), left_alone == MOST_UNANSWERED - 1, now)


def _mail(app: App, player: Player, shown: PuzzleView, is_last: bool, now: datetime) -> OutboxMessage:
    words = in_words(player)
    said = say(PuzzleOfTheWeek(is_last), app.server, words)
    text = f"{said}\n\n{puzzle_text(shown, app.server, words)}"
    draft = OutgoingMail(
        kind="notice",
        recipient=player.address,
        player=player,
        subject=other_subject(app.server, "the puzzle of the week"),
        body=MailBody(text, content=Content(document_of(said)), practice=shown),
        leaves="puzzle",
    )
    return build_message(app, draft, now)


def _put_off(connection: Connection, player: Player, now: datetime) -> None:
    queries.write_change(connection, WeeklyPuzzle(player.id, now + EVERY), now)


_WEEKLY: Final = ScheduledMail("puzzle", puzzles.take_puzzle_due, _puzzle, _put_off)
