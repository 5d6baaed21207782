"""What deleted mails leave: whose answer comes to them, about which board and ply.

A mail about a board leaves two rows, one for the token in its address and one for the word in its Message-ID. They
stay as long as the board is played on, or an answer may prove who wrote it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Row,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
)

from pbmserv.store.tables import matches, old_tokens, outbox, players

BYTES: Final = 12
"""As many as a token has at random."""

IN_ADDRESS, IN_MESSAGE_ID, IN_BOTH = 0, 1, 2


def shortened(digest: str) -> bytes:
    """What is stored of a digest in hex."""
    return bytes.fromhex(digest)[:BYTES]


@dataclass(frozen=True, slots=True)
class OldMail:
    """A deleted mail to a player: where it was looked for first, and what it was about."""

    place: int
    """The index among the digests looked for."""
    match: int
    ply: int | None
    """After which it showed the board; None if it did not."""
    written: datetime
    is_of_050: bool
    """Written by 0.5.0 or earlier, when one token stood in address and Message-ID."""
    is_revoked: bool


def find(
    connection: Connection, player_id: int, addressed: Sequence[str], threaded: Sequence[str]
) -> OldMail | None:
    """The deleted mail to that player that has the first of these digests: tokens in addresses, then words."""
    tokens, words = [*map(shortened, addressed)], [*map(shortened, threaded)]
    rows = connection.execute(_FIND, {"player_id": player_id, "addressed": tokens, "threaded": words}).all()
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


def owner_of(connection: Connection, digests: Sequence[str]) -> int | None:
    """The id of the player whose deleted mail came from an address with the first of these tokens' digests."""
    wanted = [*map(shortened, digests)]
    rows = connection.execute(_OWNERS, {"digests": wanted}).all()
    first = min(rows, key=lambda row: wanted.index(bytes(row.digest)), default=None)
    return None if first is None else first.player_id


def owners_of(connection: Connection, digests: Sequence[str]) -> dict[str, int]:
    """The ids of the players whose deleted mails had these tokens in their addresses, by digest; none revoked."""
    wanted = {shortened(each): each for each in digests}
    rows = connection.execute(_UNREVOKED, {"digests": [*wanted]})
    return {wanted[bytes(row.digest)]: row.player_id for row in rows}


def keep(connection: Connection, mail_ids: Sequence[int], proving_since: datetime) -> None:
    """Writes what these mails leave: nothing if their board is over and they prove nothing any more.

    The newest mail of the outbox is left out, since it stays there.
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


def expired(connection: Connection, after: bytes, proving_since: datetime, most: int) -> tuple[list[bytes], bytes]:
    """Of the next `most` rows behind a digest, those that may go; and the last digest, empty if there is none."""
    rows = connection.execute(_NEXT, {"after": after, "most": most}).all()
    before = proving_since.timestamp()
    gone = [bytes(row.digest) for row in rows if row.written < before and row.status != "active"]
    return gone, bytes(rows[-1].digest) if rows else b""


def forget(connection: Connection, digests: Sequence[bytes]) -> None:
    """Deletes these rows."""
    connection.execute(delete(old_tokens).where(old_tokens.c.digest.in_(digests)))


def forget_player(connection: Connection, player_id: int) -> None:
    """Deletes what the mails to a player have left."""
    connection.execute(delete(old_tokens).where(old_tokens.c.player_id == player_id))


_FIND: Final = (
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
_NEXT: Final = (
    select(old_tokens.c.digest, old_tokens.c.written, matches.c.status)
    .outerjoin(matches, matches.c.number == old_tokens.c.match)
    .where(old_tokens.c.digest > bindparam("after"))
    .order_by(old_tokens.c.digest)
    .limit(bindparam("most"))
)
