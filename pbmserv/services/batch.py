"""On SQLite: a few waiting mails are decided without the write lock, then written together under it.

So several workers decide side by side, and neither the listener nor the sender waits for them. Some mails are left
to `worker`, which decides them under the lock, read already: those that begin or end a board or an account, hold a
password, or have failed before, and those for which somebody else was quicker.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from pbmserv.mail.log_words import pairs
from pbmserv.parser.parsed import Parsed
from pbmserv.services.app import App
from pbmserv.services.authenticate import VerifiedCredentials, has_secrets
from pbmserv.services.pending import PendingMail, open_mail
from pbmserv.services.process import ProcessedMail, process_mail
from pbmserv.services.steps import LEAVING
from pbmserv.store import inbox
from pbmserv.store.engine import is_database_away, reading, writing
from pbmserv.store.optimistic import recording, write_if_unchanged
from pbmserv.store.recording import NeedsLock, Recording

MOST_TOGETHER: Final = 10
"""The most mails in one transaction: the first answer waits for the last."""

LONGEST_DECISION: Final = 0.05
"""Seconds after which no further mail is decided before the others are written."""

MOST_SEEN: Final = 40
"""How many waiting mails are looked at for some that no other worker has in hand."""

NOTHING_TO_VERIFY: Final = VerifiedCredentials({}, (), {})

ClaimMail = Callable[[int], bool]
"""Takes a mail in hand for as long as a batch lasts; False if another worker has it. A courtesy, which saves work:
that no mail is done twice is seen to by what is checked under the write lock."""

MarkInFlight = Callable[[int], None]
"""Called with the number of a mail before anything is done with it, in case the worker dies of it."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DecidedMail:
    """A mail with what was decided on a snapshot, and how to write that if it still holds."""

    pending: PendingMail
    done: ProcessedMail
    recorded: Recording


@dataclass(frozen=True, slots=True)
class UndecidedMail:
    """The number of a mail that is to be decided under the lock, and what was read of it, if that went well."""

    number: int
    pending: PendingMail | None = None


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What became of a few waiting mails."""

    # Those that are done.
    written: tuple[DecidedMail, ...]
    # Those that are to be processed under the lock, one by one.
    left: tuple[UndecidedMail, ...]


def process_batch(
    app: App,
    clock: Callable[[], datetime],
    claim: ClaimMail,
    mark_in_flight: MarkInFlight,
    lanes: Sequence[int],
) -> BatchOutcome:
    """Decides and writes the next waiting mails, from the first of these lanes that has some for this worker."""
    decided: list[DecidedMail] = []
    left: list[UndecidedMail] = []
    until = time.monotonic() + LONGEST_DECISION
    for mail_id in _claimed(app, clock(), claim, lanes):
        mark_in_flight(mail_id)
        match decide_mail(app, mail_id, clock()):
            case UndecidedMail() as undecided:
                left.append(undecided)
            case DecidedMail() as found:
                decided.append(found)
        if len(decided) + len(left) == MOST_TOGETHER or time.monotonic() > until:
            break
    try:
        written = write_decided(app, decided)
    except Exception as error:
        if is_database_away(error):
            raise
        # Nothing was written. One at a time will show which of them fails.
        written = ()
    lost = tuple(UndecidedMail(each.pending.message.id, each.pending) for each in decided if each not in written)
    return BatchOutcome(written, (*lost, *left))


def decide_mail(app: App, mail_id: int, now: datetime) -> DecidedMail | UndecidedMail | None:
    """Decides a mail on a snapshot, unless it has to be decided under the lock; None if it no longer waits."""
    pending: PendingMail | None = None
    try:
        with recording(app.engine) as (connection, recorded):
            message = inbox.claim(connection, mail_id, now)
            if message is None:
                return None
            if message.is_held_up:
                return UndecidedMail(mail_id)
            pending = open_mail(connection, app, message)
            pending = replace(pending, reads=dict(recorded.reads))
            if not _may_be_decided(pending):
                return UndecidedMail(mail_id, pending)
            done = process_mail(connection, app, pending, NOTHING_TO_VERIFY, now)
    except NeedsLock as error:
        log.debug("decided under the lock %s", pairs(mail=mail_id, error=str(error)))
        return UndecidedMail(mail_id, pending)
    except Exception as error:
        if is_database_away(error):
            raise
        # It will fail again by itself, where that is counted.
        return UndecidedMail(mail_id, pending)
    return DecidedMail(pending, done, recorded)


def write_decided(app: App, decided: Sequence[DecidedMail]) -> tuple[DecidedMail, ...]:
    """Writes in one commit those of the decisions that still hold, and gives them."""
    if not decided:
        return ()
    with writing(app.engine) as connection:
        return tuple(each for each in decided if write_if_unchanged(connection, each.recorded))


def _claimed(app: App, now: datetime, claim: ClaimMail, lanes: Sequence[int]) -> Iterator[int]:
    """The next mails of the first lane with some for this worker. Each is claimed only when its turn comes."""
    for lane in lanes:
        with reading(app.engine) as connection:
            waiting = inbox.next_few(connection, now, lane, MOST_SEEN)
        taken = False
        for mail_id in filter(claim, waiting):
            taken = True
            yield mail_id
        if taken:
            # A quicker lane does not wait for the answers of a slower one.
            return


def _may_be_decided(pending: PendingMail) -> bool:
    """Whether a mail has only commands that show or change what is there, and no password."""
    lines = pending.runnable.lines
    return (
        bool(lines)
        and not has_secrets(pending.runnable)
        and all(
            isinstance(line, Parsed)
            and line.command.kind in ("binding", "open")
            and line.command.name not in LEAVING
            and line.arguments.offer is None
            for line in lines
        )
    )
