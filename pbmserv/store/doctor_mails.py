"""Mails that `doctor` sends to the server itself: known by a one-time word, of which only a digest is stored."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from pbmserv.store.tables import doctor_mails

KEPT_FOR: Final = timedelta(days=1)
"""How long one is recognised."""

LONGEST_HEAD: Final = 65_536
"""Bytes of a head that are stored."""


@dataclass(frozen=True, slots=True)
class ReturnedMail:
    """What came back of a mail to ourselves."""

    came_at: datetime
    is_report: bool
    """It came in its place: a report that it was not delivered."""
    head: bytes = field(repr=False)
    """Of a report its reason alone."""


def expect(connection: Connection, word: str, now: datetime) -> None:
    """A mail with this word is about to be sent. Those of more than a day ago are forgotten."""
    purge(connection, now)
    connection.execute(insert(doctor_mails).values(digest=_digest(word), sent_at=now, is_report=False))


def note(connection: Connection, words: Iterable[str], now: datetime, is_report: bool, head: bytes) -> bool:
    """A mail with one of these words has come; False if it is none of ours. What came first is kept."""
    for word in words:
        key = {"the_digest": _digest(word)}
        row = connection.execute(_FIND, key).one_or_none()
        if row is None:
            continue
        if row.came_at is None:
            values = {"came": now, "report": is_report, "the_head": head[:LONGEST_HEAD]}
            connection.execute(_NOTE, key | values)
        return True
    return False


def find(connection: Connection, word: str) -> ReturnedMail | None:
    """What came back with this word; None if nothing has yet."""
    row = connection.execute(_FIND, {"the_digest": _digest(word)}).one_or_none()
    return (
        None if row is None or row.came_at is None else ReturnedMail(row.came_at, row.is_report, row.head or b"")
    )


def purge(connection: Connection, now: datetime) -> None:
    """Forgets those of more than a day ago."""
    connection.execute(delete(doctor_mails).where(doctor_mails.c.sent_at < now - KEPT_FOR))


def _digest(word: str) -> bytes:
    return hashlib.sha256(word.encode()).digest()


_FIND: Final = select(doctor_mails.c.came_at, doctor_mails.c.is_report, doctor_mails.c.head).where(
    doctor_mails.c.digest == bindparam("the_digest")
)
_NOTE: Final = (
    update(doctor_mails)
    .where(doctor_mails.c.digest == bindparam("the_digest"))
    .values(came_at=bindparam("came"), is_report=bindparam("report"), head=bindparam("the_head"))
)
