"""Which of our mails another mail answers, found by the words in them: one stands in the address that ours came
from, one in its Message-ID. Only their digests are stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
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

from pbmserv.store.tables import outbox, players
from pbmserv.store.tokens import digest


@dataclass(frozen=True, slots=True)
class Answered:
    """A mail of ours to a player that another mail answers: the board that it is about, and what it shows.

    `written` is when. `by_address`: the answer went to the address that it came from; else it is only named by a
    Message-ID. `is_old`: it is of 0.5.0 or before, when one token stood in both. `is_revoked`: its player has
    ended all that it proved.
    """

    match: int | None
    shown: tuple[tuple[int, int], ...]
    written: datetime
    by_address: bool
    is_old: bool
    is_revoked: bool


def find_answered(
    connection: Connection, player_id: int, tokens: Sequence[str], thread_words: Sequence[str]
) -> Answered | None:
    """The mail to that player that is answered, None where none is: the first that a token belongs to, else the
    first that a word of a Message-ID does."""
    if not tokens and not thread_words:
        return None
    addressed, threaded = [digest(token) for token in tokens], [digest(word) for word in thread_words]
    values = {"player_id": player_id, "addressed": addressed, "threaded": threaded}
    rows = connection.execute(_ANSWERED, values).all()
    places = [_place(row, addressed, threaded) for row in rows]
    if not places:
        return None
    place, found = min(zip(places, rows, strict=True), key=lambda each: each[0])
    return Answered(
        found.match,
        tuple((board, ply) for board, ply in found.shown or ()),
        found.created_at,
        by_address=place < len(addressed),
        is_old=found.thread_digest is None,
        is_revoked=found.is_revoked,
    )


def _place(row: Row[Any], addressed: Sequence[str], threaded: Sequence[str]) -> int:
    """Where a mail stands among those that are looked for, tokens first."""
    if row.token_digest in addressed:
        return addressed.index(row.token_digest)
    return len(addressed) + threaded.index(row.thread_digest or row.token_digest)


def beginnings_of(
    connection: Connection, tokens: Sequence[str], thread_words: Sequence[str], size: int
) -> Sequence[bytes]:
    """The first `size` bytes of the mails with these words; those that were let go of have none."""
    if not tokens and not thread_words:
        return []
    addressed, threaded = [digest(token) for token in tokens], [digest(word) for word in thread_words]
    values = {"addressed": addressed, "threaded": threaded, "size": size}
    return connection.execute(_BEGINNINGS, values).scalars().all()


def is_threaded(digests: BindParameter[Any]) -> ColumnElement[bool]:
    """Of a row of the outbox: whether one of these digests is that of the word in its Message-ID."""
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
        (outbox.c.id <= players.c.revoked_up_to).label("is_revoked"),
    )
    .join(players, players.c.id == outbox.c.player_id)
    .where(_IS_NAMED, outbox.c.player_id == bindparam("player_id"))
)

_BEGINNINGS: Final = select(func.substr(outbox.c.raw, 1, bindparam("size"), type_=LargeBinary)).where(
    _IS_NAMED,
    func.length(outbox.c.raw) > 0,  # SQLite's substr of nothing is NULL
)
