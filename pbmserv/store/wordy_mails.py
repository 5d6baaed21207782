"""Mails with words and no command, which the limits of services.wordy count. Their words are not stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Connection, bindparam, delete, exists, func, insert, select, update

from pbmserv.store.tables import outbox, wordy_mails

RETENTION: Final = timedelta(days=2)
"""No limit looks further back; a mail may wait a while until it is handled."""


@dataclass(frozen=True, slots=True)
class WordyMail:
    """A mail with words and no command."""

    # Where its answer goes.
    address: str
    # Whether anything but its From address shows who wrote it. Those that do are counted apart.
    is_proven: bool
    # What it asks about, and on which board.
    topic: str
    # Of its words without digits.
    words_digest: str
    # Whether it came within seconds of a mail of ours.
    is_quick: bool


def add(connection: Connection, mail: WordyMail, is_answered: bool, now: datetime) -> None:
    """Notes a mail, and whether it is answered."""
    values = {
        "address": mail.address,
        "at": now,
        "topic": mail.topic,
        "is_answered": is_answered,
        "is_proven": mail.is_proven,
        "words_digest": mail.words_digest,
        "is_quick": mail.is_quick,
    }
    connection.execute(insert(wordy_mails).values(values))


def answered_since(connection: Connection, mail: WordyMail, since: datetime) -> int:
    """How many such mails from the same address were answered."""
    query = select(func.count()).where(*_like(mail, since), wordy_mails.c.is_answered)
    return connection.execute(query).scalar_one()


def topics_since(connection: Connection, mail: WordyMail, since: datetime) -> int:
    """How many of them asked about the same."""
    query = select(func.count()).where(
        *_like(mail, since), wordy_mails.c.is_answered, wordy_mails.c.topic == mail.topic
    )
    return connection.execute(query).scalar_one()


def has_said_since(connection: Connection, mail: WordyMail, since: datetime) -> bool:
    """Whether one of them, with no command after it, said the same but for digits."""
    said = exists().where(*_like(mail, since), wordy_mails.c.words_digest == mail.words_digest)
    return connection.execute(select(said)).scalar_one()


def quick_ones_running(connection: Connection, mail: WordyMail, most: int) -> int:
    """How many of the last `most` that were answered came within seconds of a mail of ours, without a break."""
    query = (
        select(wordy_mails.c.is_quick)
        .where(wordy_mails.c.address == mail.address, wordy_mails.c.is_proven == mail.is_proven)
        .where(wordy_mails.c.is_answered)
        .order_by(wordy_mails.c.id.desc())
        .limit(most)
    )
    flags = list(connection.execute(query).scalars())
    return flags.index(False) if False in flags else len(flags)


def forgive(connection: Connection, address: str) -> None:
    """After a command: what was said before it, and how quickly, no longer counts against an address."""
    if connection.execute(_COUNTS_AGAINST, {"of_address": address}).scalar_one():
        connection.execute(_FORGIVE, {"of_address": address})


def was_mailed_between(connection: Connection, address: str, since: datetime, until: datetime) -> bool:
    """Whether a mail of ours went to an address in that time."""
    values = {"address": address, "since": since, "until": until}
    return connection.execute(_WAS_MAILED, values).scalar_one()


def forget(connection: Connection, addresses: Sequence[str]) -> None:
    """Deletes all that is noted of these addresses."""
    connection.execute(delete(wordy_mails).where(wordy_mails.c.address.in_(addresses)))


def purge(connection: Connection, now: datetime) -> None:
    """Deletes those that no limit counts any more."""
    connection.execute(delete(wordy_mails).where(wordy_mails.c.at < now - RETENTION))


def _like(mail: WordyMail, since: datetime) -> tuple[ColumnElement[bool], ...]:
    theirs = wordy_mails.c.address == mail.address, wordy_mails.c.is_proven == mail.is_proven
    return (*theirs, wordy_mails.c.at > since)


_AGAINST: Final = (
    (wordy_mails.c.address == bindparam("of_address"))
    & wordy_mails.c.is_proven
    & (wordy_mails.c.is_quick | (wordy_mails.c.words_digest != ""))
)
_COUNTS_AGAINST: Final = select(exists().where(_AGAINST))
_FORGIVE: Final = update(wordy_mails).where(_AGAINST).values(is_quick=False, words_digest="")
_SENT_AT: Final = func.coalesce(outbox.c.sent_at, outbox.c.created_at)
_WAS_MAILED: Final = select(
    exists().where(
        outbox.c.recipient == bindparam("address"), _SENT_AT.between(bindparam("since"), bindparam("until"))
    )
)
