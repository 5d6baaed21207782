"""What becomes of a mail that cannot be handled: tried again, handled in a process of its own, set aside.

A fault of ours and the death of a process of the mail's own are counted against the mail, five of either set it
aside. What cannot be blamed on it never does: a worker that ended with it in hand (whoever killed that may have
killed everything), and a database that refused it though not the note of that. Such a mail is handled apart, then
waits longer and longer, and is tried for ever; its sender's later mails wait behind it.
"""

import logging
import traceback
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, Literal

from sqlalchemy import Connection

from pbmserv.services.house import House
from pbmserv.services.incoming import read_kept
from pbmserv.services.letters import Answering, plain_answer
from pbmserv.services.limits import may_be_told
from pbmserv.store import mishaps, outbox, players
from pbmserv.store.engine import is_about_one_statement, is_database_trouble, writing
from pbmserv.store.inbox import Kept
from pbmserv.store.outbox import Letter

WAITS_BETWEEN_TRIES: Final = tuple(timedelta(seconds=seconds) for seconds in (0, 1, 10, 60, 600))
"""A mail that makes the code raise, or that kills processes of its own, is tried this often, then set aside."""

APART_FROM: Final = 2
"""Setbacks after which a mail is handled in a process of its own. The first so many keep it waiting no longer."""

FIRST_REST: Final = timedelta(minutes=1)
LONGEST_REST: Final = timedelta(hours=6)
"""So long waits, for ever, what is not to blame: at first, then twice as long each time, at most."""

Ended = Literal["well", "killed", "broken off", "stopped"]
"""How a process of a mail's own ended: only being "killed" is blamed on the mail. "stopped": with its worker."""

Apart = Callable[[Literal["handle", "tell"], int], Ended]
"""Runs `handle_one` or `tell_set_aside` for a mail in a process of its own."""

log = logging.getLogger(__name__)


def is_suspect(kept: Kept) -> bool:
    """Whether it is to be handled in a process of its own."""
    return kept.setbacks >= APART_FROM


def is_database_away(error: Exception) -> bool:
    """Whether an exception is trouble with the whole database, and not with what was asked of it."""
    return is_database_trouble(error) and not is_about_one_statement(error)


def handle_apart(house: House, kept: Kept, apart: Apart, clock: Callable[[], datetime]) -> None:
    """Has a mail handled in a process of its own, and counts how that ended."""
    log.info("mail %d is handled in a process of its own", kept.id)
    match apart("handle", kept.id):
        case "killed":
            _killed(house, kept, apart, clock())
        case "broken off":
            set_back(house, kept.id, "a process of its own did not come to its end", clock())


def _killed(house: House, kept: Kept, apart: Apart, now: datetime) -> None:
    kills = kept.kills + 1
    log.error("mail %d: process %d of its own was killed", kept.id, kills)
    error = f"{kills} {'process' if kills == 1 else 'processes'} of its own were killed over it"
    with writing(house.engine) as connection:
        aside = mishaps.count_kill(connection, kept.id, kept.kills, error, _again_at(kills, now))
    if aside is not None:
        log.error("mail %d is set aside; see `pbmserv admin inbox`", kept.id)
        # Reading it once more, to tell its sender, may kill too.
        if apart("tell", kept.id) != "well":
            log.error("mail %d: its sender cannot be told", kept.id)


def failed(house: House, kept: Kept, error: Exception, now: datetime) -> None:
    """Counts an exception of ours against a mail."""
    tried = kept.tries + 1
    again_at = _again_at(tried, now)
    log.error("mail %d: try %d failed: %s", kept.id, tried, type(error).__name__)
    with writing(house.engine) as connection:
        if mishaps.fail(connection, kept.id, trace(error), again_at) and again_at is None:
            log.error("mail %d is set aside; see `pbmserv admin inbox`", kept.id)
            _apologise(connection, house, kept, now)


def _again_at(tried: int, now: datetime) -> datetime | None:
    return now + WAITS_BETWEEN_TRIES[tried] if tried < len(WAITS_BETWEEN_TRIES) else None


def set_back(house: House, mail_id: int, error: str, now: datetime) -> None:
    """Notes that handling a mail was broken off by what cannot be blamed on it. It is tried again, for ever."""

    def again_at(setbacks: int) -> datetime:
        rests = setbacks - APART_FROM
        return now + min(FIRST_REST * (1 << min(rests - 1, 16)), LONGEST_REST) if rests > 0 else now

    with writing(house.engine) as connection:
        setbacks = mishaps.set_back(connection, mail_id, error, again_at)
    if setbacks:
        reason, again = error.rpartition("\n")[2], again_at(setbacks).isoformat(timespec="seconds")
        log.warning("mail %d: %s; setback %d, tried again at %s", mail_id, reason, setbacks, again)


def tell_set_aside(house: House, mail_id: int, now: datetime) -> None:
    """Tells the sender of a mail that it was set aside."""
    with writing(house.engine) as connection:
        kept = mishaps.find_set_aside(connection, mail_id)
        if kept is not None:
            _apologise(connection, house, kept, now)


def _apologise(connection: Connection, house: House, kept: Kept, now: datetime) -> None:
    letter = _apology(connection, house, kept, now)
    if letter is not None:
        outbox.queue(connection, [letter], now)


def _apology(connection: Connection, house: House, kept: Kept, now: datetime) -> Letter | None:
    """The one fixed sentence for its sender; None where nobody is to be told, or it cannot be written either."""
    try:
        mail = read_kept(house, kept)
        if mail.sender is None or mail.automatic is not None or not _may_be_told(connection, mail.sender, now):
            return None
        to = Answering(kept.id, mail, mail.sender, None, "answer", proven=False, now=now)
        return plain_answer(house, to, "mail/set_aside.txt", "your mail", "answer")
    except Exception as error:
        log.error("mail %d: its sender cannot be told: %s", kept.id, type(error).__name__)
        return None


def _may_be_told(connection: Connection, address: str, now: datetime) -> bool:
    owner = players.owner_of(connection, address)
    return (owner is None or owner.is_confirmed) and may_be_told(connection, address, now)


def trace(error: Exception) -> str:
    """Where it was raised, without the message and the values: they may quote a secret."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return "\n".join([*lines, type(error).__name__])
