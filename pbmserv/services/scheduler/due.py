"""Mails that players get by a schedule of their own: each in one transaction with when the next one is due.

So any number of schedulers may look, and a mail is written once. After however long an outage it is one mail.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands.letter import Letter
from pbmserv.mail.log_words import pairs
from pbmserv.matches.player import Player
from pbmserv.services.app import App
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.services.writer import deciding
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
