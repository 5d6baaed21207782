"""The worker's step: one waiting mail becomes log entries and answers, in one transaction, exactly once."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from types import MappingProxyType
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.letter import Letter
from pbmserv.mail.log_words import pairs
from pbmserv.matches.replay import GameState
from pbmserv.services.app import App
from pbmserv.services.authenticate import (
    ChangedMeanwhile,
    CredentialsToVerify,
    VerifiedCredentials,
    claimed_userids,
    credentials_to_verify,
    has_secrets,
    verify,
)
from pbmserv.services.failures import (
    Isolate,
    failed,
    is_suspect,
    process_isolated,
    set_back,
)
from pbmserv.services.limits import too_many_guesses
from pbmserv.services.opening import grounds_of, open_mail
from pbmserv.services.pending import PendingMail
from pbmserv.services.process import ProcessedMail, is_processed, process_mail
from pbmserv.services.unit_of_work import unit_of_work
from pbmserv.services.writer import write_due, write_now
from pbmserv.store import abuse, inbox, letters, players
from pbmserv.store.engine import (
    is_database_away,
    is_database_trouble,
    locks_rows,
    reading,
    run_again,
    trace,
    writing,
)
from pbmserv.store.inbox import ANSWERS, PLAYERS, PRIORITIES, UNKNOWN_SENDERS, InboxMessage

MOST_TURNS: Final = 10
TURNS: Final[Mapping[int, Sequence[int]]] = MappingProxyType(
    {4: (PLAYERS, UNKNOWN_SENDERS, ANSWERS), 9: (UNKNOWN_SENDERS, PLAYERS, ANSWERS)}
)
"""Which of MOST_TURNS turns serve a slower lane first, so that nobody waits for ever."""

NOTHING_VERIFIED: Final = VerifiedCredentials({}, (), {})

MOST_TOGETHER: Final = 10
"""The most mails of one round: the first answer waits for the last."""

LONGEST_READING: Final = 0.05
"""Seconds after which no further mail is read before the others are decided."""

LONGEST_DECISION: Final = 0.01
"""Seconds of processor time of one writing transaction after which no further mail is decided in it."""

MOST_SEEN: Final = 40
"""How many waiting mails are looked at for some that no other worker has in hand."""

ClaimMail = Callable[[int], bool]
"""Takes a mail in hand for a round; False if another worker has it. A courtesy, which saves work: that no mail is
done twice is seen to under the write lock."""

MarkInFlight = Callable[[int], None]
"""Called with the number of a mail before anything is done with it, in case the worker dies of it."""


@dataclass(frozen=True, slots=True)
class Safeguards:
    """What a worker does since a mail may end its process, and since others may work on the same file."""

    mark_in_flight: MarkInFlight = lambda _: None
    isolate: Isolate | None = None
    """Processes a mail that has already ended a process."""
    claim: ClaimMail = lambda _: True


ALONE: Final = Safeguards()
"""Those of the only worker, which no mail ends."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReadMail:
    """A mail as it was read, with what its passwords prove."""

    pending: PendingMail
    credentials: VerifiedCredentials


def process_some(
    app: App,
    clock: Callable[[], datetime],
    guards: Safeguards = ALONE,
) -> bool:
    """Processes the next waiting mails, on SQLite a few together; without any, writes letters that are due.

    False if there was neither.

    With row locks each mail has a transaction of its own: the rows of several would be locked in no fixed order.
    Raises what `process_next` raises.
    """
    turn = next(app.turns) % MOST_TURNS
    lanes = TURNS.get(turn, PRIORITIES)
    if locks_rows(app.engine):
        is_found = process_next(app, clock, guards, lanes)
    else:
        is_found = _process_few(app, clock, guards, lanes)
    return ((not is_found or turn == 0) and write_due(app, clock())) or is_found


def _process_few(
    app: App,
    clock: Callable[[], datetime],
    guards: Safeguards,
    lanes: Sequence[int],
) -> bool:
    """On SQLite: reads a few waiting mails, then decides them, under its write lock for some milliseconds."""
    read: list[ReadMail] = []
    apart: list[int] = []
    until = time.monotonic() + LONGEST_READING
    for mail_id in _claimed(app, clock(), guards.claim, lanes):
        guards.mark_in_flight(mail_id)
        try:
            with reading(app.engine) as connection:
                message = inbox.claim(connection, mail_id, clock())
            if message is None:
                continue
            found = None if message.is_held_up else _read_open(app, message)
            # Each wrong password counts before the next is verified.
            if found is None or has_secrets(found.runnable):
                apart.append(mail_id)
            else:
                read.append(ReadMail(found, NOTHING_VERIFIED))
        except Exception as error:
            if is_database_away(error):
                raise
            # It will fail again by itself, where that is counted.
            apart.append(mail_id)
        if len(read) + len(apart) == MOST_TOGETHER or time.monotonic() > until:
            break
    is_found = bool(read or apart)
    while read:
        try:
            done = decide_mails(app, read, clock)
        except Exception as error:
            if is_database_away(error):
                raise
            # Nothing was written. One at a time will show which of them fails.
            apart += [each.pending.message.id for each in read]
            break
        apart += [each.pending.message.id for each, done in zip(read, done, strict=False) if done is None]
        read = read[len(done) :]
    for mail_id in apart:
        _process(app, clock, _claim(mail_id), guards)
    return is_found


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


def read_mail(app: App, message: InboxMessage, clock: Callable[[], datetime]) -> ReadMail:
    """Reads a mail on a snapshot, and verifies its passwords."""
    pending = _read_open(app, message)
    with reading(app.engine) as connection:
        to_verify = _credentials(connection, app, pending, clock())
    return ReadMail(pending, verify(to_verify, app.hasher))


def _read_open(app: App, message: InboxMessage) -> PendingMail:
    with reading(app.engine, snapshot=True) as connection:
        return open_mail(connection, app, message)


def decide_mails(app: App, read: Sequence[ReadMail], clock: Callable[[], datetime]) -> list[ProcessedMail | None]:
    """What became of the first of these mails, as many as fit into a short transaction; None where that failed."""
    decided: list[ProcessedMail | None] = []
    now = clock()
    with writing(app.engine) as connection:
        until = time.thread_time() + LONGEST_DECISION
        for each in read:
            decided.append(_decided_by_itself(connection, app, each, now))
            if time.thread_time() > until:
                break
    _follow_up(app, [(each.pending, done) for each, done in zip(read, decided, strict=False)], now)
    return decided


def _decided_by_itself(connection: Connection, app: App, read: ReadMail, now: datetime) -> ProcessedMail | None:
    """What became of a mail; None, and nothing written, where that fails or what it was read by has changed."""
    try:
        with connection.begin_nested():
            return _decided(connection, app, read, now)
    except Exception as error:
        if is_database_trouble(error):
            raise
        return None


def _decided(connection: Connection, app: App, read: ReadMail, now: datetime) -> ProcessedMail:
    """Decides a mail that was read before this transaction. Raises ChangedMeanwhile."""
    pending = read.pending
    waits = inbox.claim(connection, pending.message.id, now) is not None
    if not waits or grounds_of(connection, app, pending) != pending.grounds:
        raise ChangedMeanwhile
    return process_mail(unit_of_work(connection, app, now), pending, read.credentials)


def seconds_until_due(app: App, now: datetime) -> float:
    """How long it is until a mail is due that has failed, or a letter that waits; `inf` where there is none."""
    with reading(app.engine) as connection:
        due = [each for each in (inbox.next_retry(connection), letters.next_due(connection)) if each is not None]
    return min(((each - now).total_seconds() for each in due), default=inf)


def process_next(
    app: App,
    clock: Callable[[], datetime],
    guards: Safeguards = ALONE,
    lanes: Sequence[int] = PRIORITIES,
) -> bool:
    """Processes the next waiting mail, from the first of these lanes that has one; False if there was none.

    Trouble with the whole database is raised, and the mail goes on waiting; any other fault is counted against the
    mail.
    """
    return _process(app, clock, lambda connection, now: inbox.take(connection, now, lanes), guards)


def process_one(app: App, mail_id: int, clock: Callable[[], datetime]) -> bool:
    """Processes one given mail, in this process; False if that is not possible now."""
    return _process(app, clock, _claim(mail_id))


def _claim(mail_id: int) -> Callable[[Connection, datetime], InboxMessage | None]:
    return lambda connection, now: inbox.claim(connection, mail_id, now)


def _process(
    app: App,
    clock: Callable[[], datetime],
    take: Callable[[Connection, datetime], InboxMessage | None],
    guards: Safeguards = ALONE,
) -> bool:
    message: InboxMessage | None = None
    # Reading and verifying are slow. Meanwhile a lock on a row keeps nobody waiting; one on the whole file would.
    is_locked = locks_rows(app.engine)

    def once() -> bool:
        nonlocal message
        now = clock()
        with writing(app.engine) if is_locked else reading(app.engine) as connection:
            message = take(connection, now)
            if message is None:
                return False
            guards.mark_in_flight(message.id)
            if guards.isolate is not None and is_suspect(message):
                return True
            if is_locked:
                pending = open_mail(connection, app, message)
                credentials = verify(_credentials(connection, app, pending, now), app.hasher)
                done = process_mail(unit_of_work(connection, app, clock()), pending, credentials)
        if not is_locked:
            read = read_mail(app, message, clock)
            pending = read.pending
            with writing(app.engine) as connection:
                done = _decided(connection, app, read, clock())
        _follow_up(app, [(pending, done)], clock())
        return True

    try:
        found = run_again(once, also=ChangedMeanwhile)
    except Exception as error:
        if message is None or is_database_away(error):
            raise
        if is_database_trouble(error):
            set_back(app, message.id, trace(error), clock())
        else:
            failed(app, message, error, clock())
        return True
    if guards.isolate is not None and message is not None and is_suspect(message):
        process_isolated(app, message, guards.isolate, clock)
    return found


def _credentials(connection: Connection, app: App, pending: PendingMail, now: datetime) -> CredentialsToVerify:
    """What to verify and to hash: nothing for a mail that gets a short answer or none."""
    if not has_secrets(pending.runnable):
        return CredentialsToVerify()
    standing = abuse.standing(connection, pending.mail.content_key, pending.mail.possible_senders)
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


def _follow_up(app: App, done: Sequence[tuple[PendingMail, ProcessedMail | None]], now: datetime) -> None:
    """After the commit: what was decided is remembered and told."""
    decided: list[Letter] = []
    boards: list[GameState] = []
    for pending, processed in done:
        if processed is not None:
            _remember(app, pending, processed)
            decided += processed.letters
            boards += processed.boards
    write_now(app, decided, now, boards)


def _remember(app: App, pending: PendingMail, done: ProcessedMail) -> None:
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
