"""The worker's step: one waiting mail becomes log entries and answers, in one transaction, exactly once."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from math import inf
from types import MappingProxyType
from typing import Final

from sqlalchemy import Connection

from pbmserv.mail.log_words import pairs
from pbmserv.services.app import App
from pbmserv.services.authenticate import (
    ChangedMeanwhile,
    CredentialsToVerify,
    claimed_userids,
    credentials_to_verify,
    has_secrets,
    verify,
)
from pbmserv.services.batch import ClaimMail, MarkInFlight, process_batch
from pbmserv.services.failures import (
    Isolate,
    failed,
    is_suspect,
    process_isolated,
    set_back,
)
from pbmserv.services.limits import too_many_guesses
from pbmserv.services.pending import PendingMail, open_mail
from pbmserv.services.process import ProcessedMail, is_processed, process_mail
from pbmserv.services.writer import write_due, write_now
from pbmserv.store import bans, inbox, letters, players
from pbmserv.store.engine import (
    is_database_away,
    is_database_trouble,
    locks_rows,
    reading,
    run_again,
    trace,
    writing,
)
from pbmserv.store.inbox import InboxMessage
from pbmserv.store.optimistic import recording, still_holds
from pbmserv.store.priorities import ANSWERS, PLAYERS, PRIORITIES, UNKNOWN_SENDERS

MOST_TURNS: Final = 10
TURNS: Final[Mapping[int, Sequence[int]]] = MappingProxyType(
    {4: (PLAYERS, UNKNOWN_SENDERS, ANSWERS), 9: (UNKNOWN_SENDERS, PLAYERS, ANSWERS)}
)
"""Which of MOST_TURNS turns serve a slower lane first, so that nobody waits for ever."""

log = logging.getLogger(__name__)


def process_some(
    app: App,
    clock: Callable[[], datetime],
    mark_in_flight: MarkInFlight = lambda _: None,
    isolate: Isolate | None = None,
    claim: ClaimMail = lambda _: True,
) -> bool:
    """Processes the next waiting mails, on SQLite a few together; without any, writes letters that are due.

    False if there was neither.

    With row locks each mail has a transaction of its own: the rows of several would be locked in no fixed order.
    `claim` tells which mails no other worker on the same file has in hand. Raises what `process_next` raises.
    """
    turn = next(app.turns) % MOST_TURNS
    lanes = TURNS.get(turn, PRIORITIES)
    is_found = _process_some(app, clock, mark_in_flight, isolate, claim, lanes)
    return ((not is_found or turn == 0) and write_due(app, clock())) or is_found


def _process_some(
    app: App,
    clock: Callable[[], datetime],
    mark_in_flight: MarkInFlight,
    isolate: Isolate | None,
    claim: ClaimMail,
    lanes: Sequence[int],
) -> bool:
    if locks_rows(app.engine):
        return process_next(app, clock, mark_in_flight, isolate, lanes)
    batch = process_batch(app, clock, claim, mark_in_flight, lanes)
    for each in batch.written:
        _committed(app, each.pending, each.done)
    done = [each.done for each in batch.written]
    write_now(
        app,
        [*chain.from_iterable(each.letters for each in done)],
        clock(),
        [*chain.from_iterable(each.boards for each in done)],
    )
    alone = [
        _process(app, clock, _claim(each.number), mark_in_flight, isolate, each.pending) for each in batch.left
    ]
    return bool(batch.written) or any(alone)


def seconds_until_due(app: App, now: datetime) -> float:
    """How long it is until a mail is due that has failed, or a letter that waits; `inf` where there is none."""
    with reading(app.engine) as connection:
        due = [each for each in (inbox.next_retry(connection), letters.next_due(connection)) if each is not None]
    return min(((each - now).total_seconds() for each in due), default=inf)


def process_next(
    app: App,
    clock: Callable[[], datetime],
    mark_in_flight: MarkInFlight = lambda _: None,
    isolate: Isolate | None = None,
    lanes: Sequence[int] = PRIORITIES,
) -> bool:
    """Processes the next waiting mail, from the first of these lanes that has one; False if there was none.

    `isolate`, if given, processes a mail that has already ended a process. Trouble with the whole database is
    raised, and the mail goes on waiting; any other fault is counted against the mail.
    """
    return _process(
        app, clock, lambda connection, now: inbox.take(connection, now, lanes), mark_in_flight, isolate
    )


def process_one(app: App, mail_id: int, clock: Callable[[], datetime]) -> bool:
    """Processes one given mail, in this process; False if that is not possible now."""
    return _process(app, clock, _claim(mail_id))


def _claim(mail_id: int) -> Callable[[Connection, datetime], InboxMessage | None]:
    return lambda connection, now: inbox.claim(connection, mail_id, now)


def _process(
    app: App,
    clock: Callable[[], datetime],
    take: Callable[[Connection, datetime], InboxMessage | None],
    mark_in_flight: MarkInFlight = lambda _: None,
    isolate: Isolate | None = None,
    known: PendingMail | None = None,
) -> bool:
    """`known` is the mail as it was read on a snapshot a moment ago."""
    message: InboxMessage | None = None
    # Reading and verifying are slow. Meanwhile a lock on a row keeps nobody waiting; one on the whole file would.
    is_locked = locks_rows(app.engine)

    decided: list[ProcessedMail] = []

    def once() -> bool:
        nonlocal message, known
        with writing(app.engine) if is_locked else reading(app.engine) as connection:
            message = take(connection, clock())
            if message is None:
                return False
            mark_in_flight(message.id)
            if isolate is not None and is_suspect(message):
                return True
            if is_locked:
                pending = open_mail(connection, app, message)
                credentials = verify(_credentials(connection, app, pending, clock()), app.hasher)
                done = process_mail(connection, app, pending, credentials, clock())
        if not is_locked:
            pending, known = known or _opened(app, message), None
            with reading(app.engine) as connection:
                to_verify = _credentials(connection, app, pending, clock())
            credentials = verify(to_verify, app.hasher)
            with writing(app.engine) as connection:
                if inbox.claim(connection, message.id, clock()) is None:
                    return True
                if not still_holds(connection, pending.reads):
                    raise ChangedMeanwhile
                done = process_mail(connection, app, pending, credentials, clock())
        _committed(app, pending, done)
        decided.append(done)
        return True

    try:
        found = run_again(once, also=ChangedMeanwhile)
        for done in decided:
            write_now(app, done.letters, clock(), done.boards)
    except Exception as error:
        if message is None or is_database_away(error):
            raise
        if is_database_trouble(error):
            set_back(app, message.id, trace(error), clock())
        else:
            failed(app, message, error, clock())
        return True
    if isolate is not None and message is not None and is_suspect(message):
        process_isolated(app, message, isolate, clock)
    return found


def _opened(app: App, message: InboxMessage) -> PendingMail:
    """Reads a mail on a snapshot."""
    with recording(app.engine) as (connection, recorded):
        pending = open_mail(connection, app, message)
    return replace(pending, reads=recorded.reads)


def _credentials(connection: Connection, app: App, pending: PendingMail, now: datetime) -> CredentialsToVerify:
    """What to verify and to hash: nothing for a mail that gets a short answer or none."""
    if not has_secrets(pending.runnable):
        return CredentialsToVerify()
    standing = bans.standing(connection, pending.mail.content_key, pending.mail.possible_senders)
    if standing.is_known or standing.is_banned:
        return CredentialsToVerify()
    is_proven = pending.identity.proof != "none"
    return credentials_to_verify(
        pending.runnable,
        lambda userid: players.password_hash(connection, userid),
        too_many_guesses(connection, claimed_userids(pending.runnable), pending, now),
        is_proven,
        not is_proven and not is_processed(connection, app, pending, now),
    )


def _committed(app: App, pending: PendingMail, done: ProcessedMail) -> None:
    app.recent.remember(done.boards)
    message = pending.message
    for quota in done.used_up:
        log.warning("new accounts have used up a limit of the day %s", pairs(mail=message.id, limit=quota))
    log.info(
        "handled %s",
        pairs(
            mail=message.id,
            fate=done.fate,
            from_="" if done.is_forgotten else message.sender,
            commands=len(pending.runnable.lines),
            board=tuple(board.match.number for board in done.boards),
        ),
    )
