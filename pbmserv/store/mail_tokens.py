"""Tokens in our mails. The database stores only their digests, and finds mails by them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    LargeBinary,
    Row,
    and_,
    bindparam,
    func,
    or_,
    select,
)

from pbmserv.store import old_tokens
from pbmserv.store.old_tokens import OldMail
from pbmserv.store.tables import outbox, players

DIGITS = 40
"""160 bits: enough for a token with 96 random bits."""


def digest(token: str) -> str:
    """What is stored instead of a token. Case does not matter, since mailboxes change it."""
    return hashlib.sha256(token.lower().encode()).hexdigest()[:DIGITS]


@dataclass(frozen=True, slots=True)
class AnsweredMail:
    """Our mail that a player's mail replies to."""

    match: int | None
    """The board that it is about."""
    shown: tuple[tuple[int, int], ...]
    """The boards in it, each with its ply."""
    written: datetime
    by_address: bool
    """The reply went to our mail's personal address; otherwise only a Message-ID names it."""
    is_old: bool
    """Written by 0.5.0 or earlier, when one token stood in both."""
    is_revoked: bool
    """The player has revoked what its address proved."""
    message_id: str = field(default="", repr=False)
    key_digest: str | None = field(default=None, repr=False)
    """Of the key in its play links; None if it has none."""


def find_answered_mail(
    connection: Connection, player_id: int, tokens: Sequence[str], thread_words: Sequence[str]
) -> AnsweredMail | None:
    """The mail to that player that a mail replies to; None if there is none.

    The first that a token belongs to, else the first that a word in a Message-ID belongs to.
    """
    if not tokens and not thread_words:
        return None
    addressed, threaded = [digest(token) for token in tokens], [digest(word) for word in thread_words]
    values = {"player_id": player_id, "addressed": addressed, "threaded": threaded}
    rows = connection.execute(_ANSWERED, values).all()
    places = [_place(row, addressed, threaded) for row in rows]
    # No deleted mail comes before the first of all.
    old = None if 0 in places else old_tokens.find(connection, player_id, addressed, threaded)
    if old is not None and old.place < min(places, default=old.place + 1):
        return _old_answered(old, by_address=old.place < len(addressed))
    if not places:
        return None
    place, found = min(zip(places, rows, strict=True), key=lambda each: each[0])
    return AnsweredMail(
        found.match,
        tuple((board, ply) for board, ply in found.shown or ()),
        found.created_at,
        by_address=place < len(addressed),
        is_old=found.thread_digest is None,
        is_revoked=found.is_revoked,
        message_id=found.message_id,
        key_digest=found.key_digest,
    )


def _old_answered(old: OldMail, by_address: bool) -> AnsweredMail:
    shown = () if old.ply is None else ((old.match, old.ply),)
    return AnsweredMail(old.match, shown, old.written, by_address, old.is_of_050, old.is_revoked)


def _place(row: Row[Any], addressed: Sequence[str], threaded: Sequence[str]) -> int:
    """The index of a mail among those looked for, tokens first."""
    if row.token_digest in addressed:
        return addressed.index(row.token_digest)
    return len(addressed) + threaded.index(row.thread_digest or row.token_digest)


def first_bytes_of(
    connection: Connection, tokens: Sequence[str], thread_words: Sequence[str], size: int
) -> Sequence[bytes]:
    """The first `size` bytes of the mails with these tokens or thread words; deleted ones are left out."""
    if not tokens and not thread_words:
        return []
    addressed, threaded = [digest(token) for token in tokens], [digest(word) for word in thread_words]
    values = {"addressed": addressed, "threaded": threaded, "size": size}
    return connection.execute(_BEGINNINGS, values).scalars().all()


def is_threaded(digests: BindParameter[Any]) -> ColumnElement[bool]:
    """SQL: whether one of these digests is that of the word in a mail's Message-ID."""
    is_old = and_(outbox.c.thread_digest.is_(None), outbox.c.token_digest.in_(digests))
    return or_(outbox.c.thread_digest.in_(digests), is_old)


_IS_NAMED: Final = or_(
    outbox.c.token_digest.in_(bindparam("addressed", expanding=True)),
    is_threaded(bindparam("threaded", expanding=True)),
)
_ANSWERED: Final = (
    select(
        outbox.c.token_digest,
        outbox.c.thread_digest,
        outbox.c.match,
        outbox.c.shown,
        outbox.c.created_at,
        outbox.c.message_id,
        outbox.c.key_digest,
        (outbox.c.id <= players.c.revoked_up_to).label("is_revoked"),
    )
    .join(players, players.c.id == outbox.c.player_id)
    .where(_IS_NAMED, outbox.c.player_id == bindparam("player_id"))
)

_BEGINNINGS: Final = select(func.substr(outbox.c.raw, 1, bindparam("size"), type_=LargeBinary)).where(
    _IS_NAMED,
    func.length(outbox.c.raw) > 0,  # SQLite's substr of nothing is NULL
)


@dataclass(frozen=True, slots=True)
class LeaveLinkMail:
    """A mail to a player with a link to unsubscribe from `kind`; `board` is the one that it is about, if any."""

    player_id: int
    recipient: str
    kind: str
    board: int | None
    written: datetime


def find_leave_link(connection: Connection, key: str) -> LeaveLinkMail | None:
    """The mail whose link to unsubscribe has that key; None if there is none, or it was redacted or revoked."""
    row = connection.execute(_FIND_LEAVING, {"digest": digest(key)}).one_or_none()
    return None if row is None else LeaveLinkMail(*row)


_FIND_LEAVING: Final = (
    select(outbox.c.player_id, outbox.c.recipient, outbox.c.leave_kind, outbox.c.match, outbox.c.created_at)
    .join(players, players.c.id == outbox.c.player_id)
    .where(outbox.c.leave_digest == bindparam("digest"), outbox.c.id > players.c.revoked_up_to)
)
