"""Tokens in our mails, which identify answers, play links and unsubscribe links.

Only digests are stored. When a mail about a board is deleted, two rows stay: one for the token in its address, one
for the word in its Message-ID. They are kept while the board is played on, or an answer may still prove who wrote
it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    LargeBinary,
    Row,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)

from pbmserv.store.tables import addresses, matches, old_tokens, outbox, players

TOKEN_BYTES: Final = 12
"""Random bytes in a token."""

IN_ADDRESS, IN_MESSAGE_ID, IN_BOTH = 0, 1, 2


def shortened(digest: str) -> bytes:
    """The part of a hex digest that is stored."""
    return bytes.fromhex(digest)[:TOKEN_BYTES]


@dataclass(frozen=True, slots=True)
class OldMail:
    """A deleted mail to a player."""

    place: int
    """The index of its digest among those searched for."""
    match: int
    ply: int | None
    """The ply after which it showed the board; None if it did not."""
    written: datetime
    is_of_050: bool
    """Written by 0.5.0 or earlier, when one token stood in address and Message-ID."""
    is_revoked: bool


def find_old_mail(
    connection: Connection, player_id: int, addressed: Sequence[str], threaded: Sequence[str]
) -> OldMail | None:
    """The deleted mail to that player with the first matching digest: tokens first, then Message-ID words."""
    tokens, words = [*map(shortened, addressed)], [*map(shortened, threaded)]
    rows = connection.execute(_FIND_OLD, {"player_id": player_id, "addressed": tokens, "threaded": words}).all()
    return min((_old_mail(row, tokens, words) for row in rows), key=lambda each: each.place, default=None)


def _old_mail(row: Row[Any], tokens: Sequence[bytes], words: Sequence[bytes]) -> OldMail:
    digest = bytes(row.digest)
    is_addressed = row.place != IN_MESSAGE_ID and digest in tokens
    return OldMail(
        place=tokens.index(digest) if is_addressed else len(tokens) + words.index(digest),
        match=row.match,
        ply=row.ply,
        written=datetime.fromtimestamp(row.written, UTC),
        is_of_050=row.place == IN_BOTH,
        is_revoked=row.is_revoked,
    )


def owner_of_old(connection: Connection, digests: Sequence[str]) -> int | None:
    """The id of the player whose deleted mail had the first known one of these token digests in From."""
    wanted = [*map(shortened, digests)]
    rows = connection.execute(_OWNERS, {"digests": wanted}).all()
    first = min(rows, key=lambda row: wanted.index(bytes(row.digest)), default=None)
    return None if first is None else first.player_id


def owners_of_old(connection: Connection, digests: Sequence[str]) -> dict[str, int]:
    """The players' ids, by digest, of deleted mails with these tokens in From, without revoked ones."""
    wanted = {shortened(each): each for each in digests}
    rows = connection.execute(_UNREVOKED, {"digests": [*wanted]})
    return {wanted[bytes(row.digest)]: row.player_id for row in rows}


def keep_tokens(connection: Connection, mail_ids: Sequence[int], proving_since: datetime) -> None:
    """Saves the tokens of these mails, except where the board is over and the mail no longer proves anything.

    Skips the newest mail in the outbox, since that one is not deleted.
    """
    if not mail_ids:
        return
    rows = connection.execute(_TO_KEEP, {"mails": mail_ids, "since": proving_since})
    kept = [kept for row in rows for kept in _rows_of(row)]
    if kept:
        connection.execute(insert(old_tokens), kept)


def _rows_of(mail: Any) -> list[dict[str, object]]:
    about = {
        "outbox_id": mail.id,
        "player_id": mail.player_id,
        "match": mail.match,
        "ply": next((ply for board, ply in mail.shown or () if board == mail.match), None),
        "written": int(mail.created_at.timestamp()),
    }
    if mail.thread_digest is None:
        return [{"digest": shortened(mail.token_digest), "place": IN_BOTH, **about}]
    return [
        {"digest": shortened(mail.token_digest), "place": IN_ADDRESS, **about},
        {"digest": shortened(mail.thread_digest), "place": IN_MESSAGE_ID, **about},
    ]


def expired_tokens(
    connection: Connection, after: bytes, proving_since: datetime, most: int
) -> tuple[list[bytes], bytes]:
    """Scans up to `most` rows after a digest; returns those to delete and the last digest ("" at the end)."""
    rows = connection.execute(_NEXT_TOKENS, {"after": after, "most": most}).all()
    before = proving_since.timestamp()
    gone = [bytes(row.digest) for row in rows if row.written < before and row.status != "active"]
    return gone, bytes(rows[-1].digest) if rows else b""


def forget_tokens(connection: Connection, digests: Sequence[bytes]) -> None:
    """Deletes these rows."""
    connection.execute(delete(old_tokens).where(old_tokens.c.digest.in_(digests)))


def forget_tokens_of(connection: Connection, player_id: int) -> None:
    """Deletes the rows left by mails to a player."""
    connection.execute(delete(old_tokens).where(old_tokens.c.player_id == player_id))


_FIND_OLD: Final = (
    select(old_tokens, (old_tokens.c.outbox_id <= players.c.revoked_up_to).label("is_revoked"))
    .join(players, players.c.id == old_tokens.c.player_id)
    .where(
        or_(
            and_(
                old_tokens.c.digest.in_(bindparam("addressed", expanding=True)),
                old_tokens.c.place != IN_MESSAGE_ID,
            ),
            and_(old_tokens.c.digest.in_(bindparam("threaded", expanding=True)), old_tokens.c.place != IN_ADDRESS),
        ),
        old_tokens.c.player_id == bindparam("player_id"),
    )
)
_OWNERS: Final = (
    select(old_tokens.c.digest, old_tokens.c.player_id)
    .select_from(old_tokens)
    .where(old_tokens.c.digest.in_(bindparam("digests", expanding=True)), old_tokens.c.place != IN_MESSAGE_ID)
)
_UNREVOKED: Final = _OWNERS.join(players, players.c.id == old_tokens.c.player_id).where(
    old_tokens.c.outbox_id > players.c.revoked_up_to
)
_RUNS: Final = matches.c.status == literal_column("'active'")
_TO_KEEP: Final = (
    select(
        outbox.c.id,
        outbox.c.token_digest,
        outbox.c.thread_digest,
        outbox.c.player_id,
        outbox.c.match,
        outbox.c.shown,
        outbox.c.created_at,
    )
    .join(matches, matches.c.number == outbox.c.match)
    .where(
        outbox.c.id.in_(bindparam("mails", expanding=True)),
        outbox.c.id < select(func.max(outbox.alias().c.id)).scalar_subquery(),
        outbox.c.player_id.is_not(None),
        or_(_RUNS, outbox.c.created_at > bindparam("since")),
    )
)
_NEXT_TOKENS: Final = (
    select(old_tokens.c.digest, old_tokens.c.written, matches.c.status)
    .outerjoin(matches, matches.c.number == old_tokens.c.match)
    .where(old_tokens.c.digest > bindparam("after"))
    .order_by(old_tokens.c.digest)
    .limit(bindparam("most"))
)


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

    Address tokens are tried first, then the words in Message-IDs, each in order.
    """
    if not tokens and not thread_words:
        return None
    addressed, threaded = [digest(token) for token in tokens], [digest(word) for word in thread_words]
    values = {"player_id": player_id, "addressed": addressed, "threaded": threaded}
    rows = connection.execute(_ANSWERED, values).all()
    places = [_place(row, addressed, threaded) for row in rows]
    # No deleted mail comes before the first of all.
    old = None if 0 in places else find_old_mail(connection, player_id, addressed, threaded)
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
    """The index of a mail's digest among those searched for, tokens first."""
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
    """SQL: whether the word in a mail's Message-ID has one of these digests."""
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
    """A mail to a player with a link to unsubscribe from `kind`; `board` is its board, if any."""

    player_id: int
    recipient: str
    kind: str
    board: int | None
    written: datetime


def find_leave_link(connection: Connection, key: str) -> LeaveLinkMail | None:
    """The mail whose unsubscribe link has that key; None if there is none, or it was redacted or revoked."""
    row = connection.execute(_FIND_LEAVING, {"digest": digest(key)}).one_or_none()
    return None if row is None else LeaveLinkMail(*row)


_FIND_LEAVING: Final = (
    select(outbox.c.player_id, outbox.c.recipient, outbox.c.leave_kind, outbox.c.match, outbox.c.created_at)
    .join(players, players.c.id == outbox.c.player_id)
    .where(outbox.c.leave_digest == bindparam("digest"), outbox.c.id > players.c.revoked_up_to)
)


@dataclass(frozen=True, slots=True)
class PlayLinkMail:
    """A mail to a player with play links; `shown` are its boards, each with its ply."""

    id: int
    player_id: int
    recipient: str
    message_id: str = field(repr=False)
    raw: bytes = field(repr=False)
    shown: tuple[tuple[int, int], ...]
    written: datetime
    # When somebody first played by one of its links.
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class LateUse:
    """A play link was first used long after its mail was sent."""

    used: datetime
    # When its mail was written; None if that mail is gone.
    written: datetime | None


def find_play_link(connection: Connection, key: str) -> PlayLinkMail | None:
    """The mail whose play links have that key; None if there is none, or it was redacted or revoked."""
    row = connection.execute(_FIND_PLAY_LINK, {"digest": digest(key)}).one_or_none()
    if row is None or row.player_id is None:
        return None
    shown = tuple(map(tuple, row.shown or ()))
    return PlayLinkMail(
        row.id,
        row.player_id,
        row.recipient,
        row.message_id,
        row.raw,
        shown,
        row.created_at,
        row.key_used_at,
    )


def replaced_by(connection: Connection, mail: PlayLinkMail, by: datetime) -> frozenset[int]:
    """The boards of a mail for which the same player had been sent a newer mail with links by then."""
    values = {"mail_id": mail.id, "recipient": mail.recipient, "since": mail.written - SKEW, "by": by}
    newer = connection.execute(_NEWER, values).scalars()
    return frozenset(number for shown in newer for number, _ in shown or ()) & dict(mail.shown).keys()


def note_use(connection: Connection, mail: PlayLinkMail, now: datetime, is_late: bool) -> None:
    """Records the first use of a mail's links. The player's next mail mentions a late use."""
    first = connection.execute(_USED, {"mail_id": mail.id, "now": now}).rowcount == 1
    if first and is_late:
        connection.execute(_LATE, {"player": mail.player_id, "now": now})


def take_late_use(connection: Connection, player_id: int) -> LateUse | None:
    """Returns a late first use that the player has not been told of, and marks it as told."""
    used = connection.execute(_LATE_OF, {"player": player_id}).scalar()
    if used is None:
        return None
    connection.execute(_LATE, {"player": player_id, "now": None})
    return LateUse(used, connection.execute(_MAIL_USED, {"player": player_id, "used": used}).scalar())


_FIND_PLAY_LINK: Final = (
    select(
        outbox.c.id,
        outbox.c.player_id,
        outbox.c.recipient,
        outbox.c.message_id,
        outbox.c.raw,
        outbox.c.shown,
        outbox.c.created_at,
        outbox.c.key_used_at,
    )
    .join(players, players.c.id == outbox.c.player_id)
    .where(outbox.c.key_digest == bindparam("digest"), outbox.c.id > players.c.revoked_up_to)
)
SKEW: Final = timedelta(days=1)
"""The most that two hosts' clocks may differ. Times narrow the index search; ids decide what is newer."""

_NEWER: Final = select(outbox.c.shown).where(
    outbox.c.recipient == bindparam("recipient"),
    outbox.c.created_at >= bindparam("since"),
    outbox.c.created_at <= bindparam("by"),
    outbox.c.id > bindparam("mail_id"),
    outbox.c.key_digest.is_not(None),
    outbox.c.sent_at <= bindparam("by"),
)
_USED: Final = (
    update(outbox)
    .where(outbox.c.id == bindparam("mail_id"), outbox.c.key_used_at.is_(None))
    .values(key_used_at=bindparam("now"))
)
_LATE: Final = update(players).where(players.c.id == bindparam("player")).values(late_link_at=bindparam("now"))
_LATE_OF: Final = select(players.c.late_link_at).where(players.c.id == bindparam("player"))
_THEIRS: Final = select(addresses.c.address).where(addresses.c.player_id == bindparam("player"))
_MAIL_USED: Final = select(outbox.c.created_at).where(
    outbox.c.recipient.in_(_THEIRS), outbox.c.key_used_at == bindparam("used")
)
