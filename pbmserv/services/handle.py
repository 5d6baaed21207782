"""Handling: one waiting mail becomes log entries and answers, in one transaction, exactly once."""

import logging
import traceback
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.language import Reading, as_kept, understand
from pbmserv.commands.message import Actor, IncomingMail, Unparsed
from pbmserv.commands.refusals import Forwarded, NoCommand
from pbmserv.mail.read import read
from pbmserv.mail.write import write_masked
from pbmserv.services.answer import Answering, answer, notices, plain_answer
from pbmserv.services.house import House
from pbmserv.services.identify import ChangedMeanwhile, Proofs, prove
from pbmserv.services.limits import UNPROVEN_AN_HOUR, Allowance, allowance
from pbmserv.services.run import Result, run_all
from pbmserv.store import inbox, outbox, players
from pbmserv.store.engine import is_database_trouble, reading, run_again, writing
from pbmserv.store.inbox import Fate, Kept
from pbmserv.store.outbox import Letter

WAITS_BETWEEN_TRIES: Final = tuple(timedelta(seconds=seconds) for seconds in (0, 1, 10, 60, 600))
"""A mail that makes the code raise is tried this often, then set aside."""

MOST_KILLS: Final = len(WAITS_BETWEEN_TRIES)

log = logging.getLogger(__name__)


def handle_next(
    house: House, clock: Callable[[], datetime], in_hand: Callable[[int], None] = lambda _: None
) -> bool:
    """Handles the oldest mail that waits; False when there was none.

    `in_hand` is told which mail it is before anything is done with it. Trouble with the database is raised, and
    the mail waits on; any other fault is counted against the mail and kept here.
    """
    with reading(house.engine) as connection:
        kept = inbox.first_waiting(connection, clock())
    if kept is None:
        return False
    in_hand(kept.id)
    try:
        _handle(house, kept, clock)
    except Exception as error:
        if is_database_trouble(error):
            raise
        _failed(house, kept, error, clock())
    return True


def _handle(house: House, kept: Kept, clock: Callable[[], datetime]) -> None:
    mail = read(kept.raw, kept.envelope_sender, house.server.address, house.server.delimiter)
    understood = understand(mail)
    asked = understood if mail.automatic is None else Reading()

    def once() -> None:
        with reading(house.engine) as connection:
            proofs = prove(asked, lambda userid: players.password_hash(connection, userid), house.hasher)
        with writing(house.engine) as connection:
            if inbox.claim(connection, kept.id, clock()) is not None:
                fate = _carry_out(connection, house, kept, mail, understood, proofs, clock())
                log.info("mail %d: %s, %d commands", kept.id, fate, len(asked.lines))

    run_again(once, also=ChangedMeanwhile)


def _carry_out(
    connection: Connection,
    house: House,
    kept: Kept,
    mail: IncomingMail,
    understood: Reading,
    proofs: Proofs,
    now: datetime,
) -> Fate:
    """One mail's handling; what it decides counts from when the mail was kept, what is sent from now."""

    def done(fate: Fate) -> Fate:
        key = mail.content_key if fate == "handled" else None
        inbox.finish(connection, kept.id, fate, now, key, write_masked(mail, as_kept(understood)))
        return fate

    if mail.automatic is not None:
        return done("silent")
    if inbox.is_known(connection, mail.content_key):
        return done("duplicate")
    known = players.find_at(connection, mail.sender) if mail.sender else None
    claimant = next((players.find(connection, claim.userid) for claim in proofs.true_claims), None)
    # A password proves who wrote, not that the From address is theirs: an answer there could be a bomb.
    recipient = claimant.address if claimant is not None else mail.sender
    if recipient is None:
        return done("silent")
    proven = claimant is not None or (known is not None and house.server.confirm == "from")
    is_stranger = known is None and claimant is None
    to = Answering(kept.id, mail, recipient, "stranger" if is_stranger else "answer", proven, now)
    allowed = allowance(connection, to, understood)
    if allowed == Allowance.SILENCE:
        return done("silent")
    if allowed == Allowance.LAST_NOTICE:
        text = ("mail/limit.txt", "limit")
        outbox.queue(connection, plain_answer(house, to.of_kind("limit"), *text, limit=UNPROVEN_AN_HOUR), now)
        return done("silent")
    if allowed == Allowance.SHORT:
        outbox.queue(connection, plain_answer(house, to.of_kind("short"), "mail/stranger.txt", "your mail"), now)
    else:
        results = run_all(connection, mail, understood, proofs, house.server, kept.kept_at)
        if not results:
            actor = Actor(known or claimant, mail.sender, "none")
            refused = Forwarded() if understood.forwarded else NoCommand(board=understood.board)
            results = (Result(Unparsed("", refused), refused, actor),)
        letters = [answer(connection, house, to, results)]
        letters += notices(connection, house, to, results, understood.comment)
        for letter in letters:
            outbox.queue(connection, letter, now)
    return done("handled")


def _failed(house: House, kept: Kept, error: Exception, now: datetime) -> None:
    tried = kept.tries + 1
    again_at = now + WAITS_BETWEEN_TRIES[tried] if tried < len(WAITS_BETWEEN_TRIES) else None
    log.error("mail %d: try %d failed: %s", kept.id, tried, type(error).__name__)
    with writing(house.engine) as connection:
        if inbox.fail(connection, kept.id, _trace(error), again_at) and again_at is None:
            _set_aside(connection, house, kept, now)


def count_kill(house: House, mail_id: int, now: datetime) -> None:
    """Notes that a process ended while it had the mail in hand; one that goes on killing is set aside."""
    with writing(house.engine) as connection:
        kept = inbox.count_kill(connection, mail_id, MOST_KILLS)
    if kept is not None:
        # Only now: reading it once more may kill again, and must not undo the count.
        with writing(house.engine) as connection:
            _set_aside(connection, house, kept, now)


def _set_aside(connection: Connection, house: House, kept: Kept, now: datetime) -> None:
    log.error("mail %d is set aside; see `pbmserv admin inbox`", kept.id)
    letter = _apology(house, kept, now)
    if letter is not None:
        outbox.queue(connection, letter, now)


def _apology(house: House, kept: Kept, now: datetime) -> Letter | None:
    """The one fixed sentence for its sender; None where nobody is to be told, or it cannot be written either."""
    try:
        mail = read(kept.raw, kept.envelope_sender, house.server.address, house.server.delimiter)
        if mail.sender is None or mail.automatic is not None:
            return None
        to = Answering(kept.id, mail, mail.sender, "answer", proven=False, now=now)
        return plain_answer(house, to, "mail/set_aside.txt", "your mail")
    except Exception as error:
        log.error("mail %d: its sender cannot be told: %s", kept.id, type(error).__name__)
        return None


def _trace(error: Exception) -> str:
    """Where it was raised, without the message and the values: they may quote a secret."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return "\n".join([*lines, type(error).__name__])
