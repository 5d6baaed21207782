"""Questions waiting for a `yes`: opened when decided, found by the tokens of the mails that ask them."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, Row, bindparam, delete, exists, insert, or_, select

from pbmserv.commands.command import Confirmation
from pbmserv.store.inbox import asked_key, key_digest
from pbmserv.store.mail_tokens import DIGITS, digest
from pbmserv.store.tables import confirmations, content_keys, letters, outbox, players

VALID_FOR: Final = timedelta(days=7)
"""How long a question can be answered."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that was opened."""

    id: str
    newcomer_id: int | None
    """Of a sign-up: the player, whom the first mail already belongs to. A later question may have been caused by
    somebody else."""


def ask(connection: Connection, asked: Confirmation, now: datetime, again: bool = False) -> OpenQuestion | None:
    """Opens a question and closes earlier ones about the same. Asked `again`, it leaves them open: any of them
    can be answered, and one answer closes all.

    Mails queued with its id ask it (`OutboxMessage.asks`). Returns None, and opens nothing, if the player is
    gone.
    """
    who = select(players.c.id).where(players.c.userid_lower == asked.userid.lower())
    player_id: int | None = connection.execute(who).scalar_one_or_none()
    if player_id is None:
        return None
    if not again:
        forget(connection, asked.about)
    # By chance: an old mail still holds the id of a deleted row, and SQLite would give a number again.
    question_id = secrets.token_hex(DIGITS // 2)
    row = {
        "id": question_id,
        "kind": asked.kind,
        "address": asked.address.lower(),
        "about": asked.about,
        "lines": [*asked.lines],
        "shown": [[*pair] for pair in asked.shown],
        "asked_at": now,
    }
    connection.execute(insert(confirmations).values(player_id=player_id, **row))
    return OpenQuestion(question_id, player_id if asked.kind == "sign-up" else None)


def find(connection: Connection, tokens: Sequence[str], now: datetime) -> Confirmation | None:
    """The first open question of these tokens, locked until the transaction ends; None if none is open."""
    digests = [digest(token) for token in tokens]
    if not digests:
        return None
    rows = connection.execute(_FIND, {"digests": digests, "since": now - VALID_FOR}).all()
    found = min(rows, key=lambda row: digests.index(row.token_digest), default=None)
    return None if found is None else _confirmation(found)


def find_threaded(connection: Connection, thread_words: Sequence[str], now: datetime) -> Confirmation | None:
    """The newest open question asked by mails with these words in their Message-IDs; None if none is open."""
    digests = [digest(word) for word in thread_words]
    if not digests:
        return None
    row = connection.execute(_FIND_THREADED, {"digests": digests, "since": now - VALID_FOR}).first()
    return None if row is None else _confirmation(row)


def was_asked_since(connection: Connection, about: str, since: datetime) -> bool:
    """Whether a question about this was asked after then and is still unanswered."""
    query = select(exists().where(confirmations.c.about == about, confirmations.c.asked_at > since))
    return connection.execute(query).scalar_one()


def forget(connection: Connection, about: str) -> None:
    """Closes the open questions about this, if any."""
    connection.execute(_FORGET, {"closed": about})


def forget_copy(connection: Connection, content_key: str) -> None:
    """Closes the questions that were asked about an unproven copy of a mail."""
    connection.execute(_FORGET_COPY, {"key": key_digest(asked_key(content_key))})


def purge(connection: Connection, now: datetime) -> int:
    """Deletes expired questions; returns their number."""
    return connection.execute(delete(confirmations).where(confirmations.c.asked_at <= now - VALID_FOR)).rowcount


def _confirmation(row: Row[tuple[object, ...]]) -> Confirmation:
    return Confirmation(
        kind=row.kind,
        userid=row.userid,
        address=row.address,
        about=row.about,
        lines=tuple(row.lines),
        shown=tuple((board, ply) for board, ply in row.shown),
    )


_OPEN: Final = (
    select(confirmations, players.c.userid)
    .join(players, players.c.id == confirmations.c.player_id)
    .join(outbox, outbox.c.asks == confirmations.c.id)
    .where(confirmations.c.asked_at > bindparam("since"))
)
_FIND: Final = (
    _OPEN.add_columns(outbox.c.token_digest)
    .where(outbox.c.token_digest.in_(bindparam("digests", expanding=True)))
    .with_for_update(of=confirmations)
)
_FIND_THREADED: Final = (
    _OPEN.where(outbox.c.thread_digest.in_(bindparam("digests", expanding=True)))
    .order_by(confirmations.c.asked_at.desc())
    .limit(1)
    .with_for_update(of=confirmations)
)
_COPY: Final = select(content_keys.c.inbox_id).where(content_keys.c.digest == bindparam("key"))
# Their mails may not be written yet.
_FORGET_COPY: Final = delete(confirmations).where(
    or_(
        confirmations.c.id.in_(select(outbox.c.asks).where(outbox.c.inbox_id.in_(_COPY))),
        confirmations.c.id.in_(select(letters.c.asks).where(letters.c.inbox_id.in_(_COPY))),
    )
)
_FORGET: Final = delete(confirmations).where(confirmations.c.about == bindparam("closed"))
