"""Letters waiting to be written, and how far into a board's log each player has been told.

A row is inserted when a letter is decided. The transaction that queues the letter as a mail deletes the row, so
each letter is written exactly once, by the process that takes the row.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from time import time_ns
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Row,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from pbmserv.commands.letter import AT_ONCE, BoardNews, Letter, MailCause, UnknownSaid
from pbmserv.store.codec import UnknownValue, decode, encode
from pbmserv.store.tables import UtcDateTime, addresses, cursors, letters, outbox, players

SET_ASIDE: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""The due time of a letter that could not be written."""

WITHHELD_UNTIL: Final = datetime(9999, 2, 1, tzinfo=UTC)
"""The due time of a letter to a player whose mail comes back."""

LEFT_ALONE: Final = timedelta(seconds=3)
"""How long a letter that is due at once is left to the process that decided it."""


@dataclass(frozen=True, slots=True)
class WaitingLetter:
    """A letter, how often writing it was tried, and whether the present try is counted already."""

    letter: Letter
    tries: int = 0
    is_in_hand: bool = False

    @property
    def key(self) -> int:
        """The key of its row."""
        return self.letter.key

    @property
    def has_waited(self) -> bool:
        """Whether it is tried for the first time, after waiting until it was due."""
        return self.is_in_hand and self.tries == 1 and self.letter.due_at > AT_ONCE


def with_keys(decided: Iterable[Letter]) -> list[Letter]:
    """The letters that have a recipient, in order, each with a key for its row."""
    to_somebody = [each for each in decided if each.recipient]
    return [replace(each, key=key) for key, each in enumerate(to_somebody, time_ns())]


def add(connection: Connection, decided: Sequence[Letter], now: datetime) -> None:
    """Stores letters, which have their keys, until they are written."""
    rows = [
        {
            "id": each.key,
            "userid": each.userid.lower(),
            "recipient": each.recipient,
            "match": each.board,
            "due_at": each.due_at,
            "created_at": now,
            "kind": each.kind,
            "said": encode(each.said),
            "inbox_id": each.cause.inbox_id,
            "in_reply_to": each.cause.in_reply_to,
            "size": each.size,
            "proven": each.cause.proven,
            "owner": each.owner,
            "asks": each.asks,
            "tries": 0,
        }
        for each in decided
    ]
    if rows:
        connection.execute(_ADD, rows)


def take(connection: Connection, keys: Collection[int]) -> frozenset[int]:
    """Deletes the given letters that still exist; returns their keys. The caller writes those."""
    return frozenset(connection.execute(_TAKE, {"keys": [*keys]}).scalars()) if keys else frozenset()


Readers = Mapping[str, tuple[Any, ...]]
"""By userid (lower case): what decides whether letters to players go, and where."""


def readers(connection: Connection, userids: Iterable[str], is_locked: bool = False) -> Readers:
    """Those of these userids who get mail; `is_locked`: they stay as they are until the transaction ends."""
    wanted = {each.lower() for each in userids if each}
    query = _LOCKED_READERS if is_locked else _READERS
    rows = connection.execute(query, {"userids": [*wanted]}) if wanted else ()
    return {userid: (*settings,) for userid, *settings in rows}


def withhold(connection: Connection, keys: Sequence[int]) -> None:
    """Lets letters wait until mail reaches their reader again."""
    if keys:
        connection.execute(_WITHHOLD, {"keys": keys, "until": WITHHELD_UNTIL})


def release(connection: Connection, player_id: int, now: datetime) -> list[Letter]:
    """Takes out the letters that were withheld from a player, the earliest first; the caller has them written."""
    rows = connection.execute(_RELEASE, {"player": player_id, "until": WITHHELD_UNTIL}).all()
    return [replace(_letter(row), due_at=now) for row in sorted(rows, key=lambda row: (row.created_at, row.id))]


def drop(connection: Connection, userid: str, board: int) -> None:
    """Deletes a player's letters about a board that wait for their time, but not what others say in them: a newer
    letter or a page tells the rest.
    """
    waiting = (each.letter for each in waiting_for(connection, userid) if each.letter.board == board)
    told = [each.key for each in waiting if not (isinstance(each.said, BoardNews) and each.said.words)]
    if told:
        take(connection, told)


def waiting_for(connection: Connection, userid: str) -> list[WaitingLetter]:
    """A player's waiting letters, the earliest first."""
    return _waiting(connection.execute(_OF_READER, {"userid": userid.lower()}))


def due(connection: Connection, now: datetime, most: int) -> list[WaitingLetter]:
    """The due letters, the longest overdue first; those that their own process is about to write are left out."""
    return _waiting(connection.execute(_DUE, {"now": now, "before": now - LEFT_ALONE, "most": most}))


def next_due(connection: Connection) -> datetime | None:
    """When the next letter is due, which may be past; None if none waits."""
    decided: datetime | None = connection.execute(_NEXT_LEFT).scalar_one()
    later: datetime | None = connection.execute(_NEXT_LATER).scalar_one()
    return min((each for each in (decided and decided + LEFT_ALONE, later) if each is not None), default=None)


def caused_by(connection: Connection, inbox_id: int) -> list[datetime]:
    """The due times of the unwritten letters that a mail has caused."""
    return [*connection.execute(_CAUSED, {"inbox_id": inbox_id}).scalars()]


def take_in_hand(connection: Connection, waiting: WaitingLetter, again_at: datetime) -> WaitingLetter | None:
    """Counts a try before it begins, in case the process ends over it; None where somebody else was quicker."""
    tries = waiting.tries + 1
    taken = mark_failed(connection, waiting, tries, "a process ended over it", again_at)
    return WaitingLetter(waiting.letter, tries, is_in_hand=True) if taken else None


def mark_failed(connection: Connection, failed: WaitingLetter, tries: int, error: str, again_at: datetime) -> bool:
    """Records that a letter could not be written, and when to try again; False if another process was quicker."""
    values = {"key": failed.key, "tried": failed.tries, "new": tries, "error": error, "again_at": again_at}
    return connection.execute(_FAILED, values).rowcount == 1


def purge(connection: Connection, before: datetime) -> None:
    """Deletes letters that were set aside and are older than that."""
    connection.execute(delete(letters).where(letters.c.due_at == SET_ASIDE, letters.c.created_at < before))


def delete_of(connection: Connection, userid: str) -> None:
    """Deletes all letters to a player who has left."""
    connection.execute(_DELETE, {"userid": userid.lower()})


@dataclass(frozen=True, slots=True)
class LogCursor:
    """The last entry of a board's log that one of its players has been told."""

    board: int
    player_id: int
    entry: int
    is_over: bool = False
    """Whether that entry is the end of the game."""


def known_up_to(connection: Connection, board: int, player_id: int) -> int | None:
    """The last entry that a player of a board has been told; None means that of their own last turn."""
    return connection.execute(_CURSOR, {"board": board, "who": player_id}).scalar_one_or_none()


def move_cursors(connection: Connection, told: Collection[LogCursor], on_page_at: datetime | None = None) -> None:
    """Records what players were told, or saw on a page where they moved at that time, until a game is over."""
    moved = [each for each in told if not each.is_over]
    if moved:
        rows = [
            {"board": each.board, "who": each.player_id, "told": each.entry, "at": on_page_at} for each in moved
        ]
        connection.execute(_MOVE, rows)
        connection.execute(_BEGIN, rows)
    if ended := [{"board": each.board, "who": each.player_id} for each in told if each.is_over]:
        connection.execute(_FORGET, ended)


def forget_page_move(connection: Connection, board: int, player_id: int) -> None:
    """Records that a player's last move on a board came by mail."""
    connection.execute(_OFF_PAGE, {"board": board, "who": player_id})


def set_back(connection: Connection, outbox_id: int) -> None:
    """Deletes the reader's cursors for the boards in a mail that bounced."""
    row = connection.execute(_SHOWN, {"mail": outbox_id}).one_or_none()
    if row is not None and row.player_id is not None:
        shown = [{"board": board, "who": row.player_id} for board, _ in row.shown or ()]
        if shown:
            connection.execute(_FORGET, shown)


def moved_on_page(connection: Connection, board: int) -> Mapping[str, datetime]:
    """When players of a board last moved on a page, by userid; those whose last move came by mail are left out."""
    return {row.userid: row.on_page_at for row in connection.execute(_ON_PAGE, {"board": board})}


def _waiting(rows: Iterable[Row[Any]]) -> list[WaitingLetter]:
    return [WaitingLetter(_letter(row), row.tries) for row in rows]


def _letter(row: Row[Any]) -> Letter:
    try:
        said = decode(row.said)
    except UnknownValue:
        said = UnknownSaid()
    return Letter(
        said,
        row.kind,
        row.recipient,
        row.userid,
        row.match,
        MailCause(row.inbox_id, row.in_reply_to, row.proven),
        row.due_at,
        row.size,
        row.owner,
        row.asks,
        row.id,
    )


_IS_READERS: Final = letters.c.userid == bindparam("userid")
_IS_TRIED: Final = letters.c.due_at < SET_ASIDE
# One that could not be written at first is not waiting for its time.
_WAITS: Final = (letters.c.due_at > AT_ONCE) & letters.c.error.is_(None)
_IN_ORDER: Final = select(letters).order_by(letters.c.due_at, letters.c.created_at, letters.c.id)
_ADD: Final = insert(letters)
_TAKE: Final = delete(letters).where(letters.c.id.in_(bindparam("keys", expanding=True))).returning(letters.c.id)
_READERS: Final = (
    select(
        players.c.userid_lower,
        addresses.c.address,
        addresses.c.suspended_at,
        players.c.banned_at,
        players.c.mail_off_at,
        players.c.revoked_up_to,
    )
    .join(addresses, (addresses.c.player_id == players.c.id) & addresses.c.is_first)
    .where(players.c.userid_lower.in_(bindparam("userids", expanding=True)))
)
_LOCKED_READERS: Final = _READERS.order_by(players.c.id).with_for_update(read=True)
_WITHHOLD: Final = (
    update(letters)
    .where(letters.c.id.in_(bindparam("keys", expanding=True)))
    .values(due_at=bindparam("until"), tries=0, error=None)
)
_RELEASE: Final = (
    delete(letters)
    .where(
        letters.c.userid
        == select(players.c.userid_lower).where(players.c.id == bindparam("player")).scalar_subquery(),
        letters.c.due_at == bindparam("until"),
    )
    .returning(letters)
)
_OF_READER: Final = _IN_ORDER.where(_IS_READERS, _WAITS)
_DUE: Final = _IN_ORDER.where(
    letters.c.due_at <= bindparam("now"),
    or_(letters.c.due_at > AT_ONCE, letters.c.created_at <= bindparam("before")),
).limit(bindparam("most"))
_NEXT_LEFT: Final = select(func.min(letters.c.created_at)).where(letters.c.due_at == AT_ONCE)
_NEXT_LATER: Final = select(func.min(letters.c.due_at)).where(letters.c.due_at > AT_ONCE, _IS_TRIED)
_CAUSED: Final = select(letters.c.due_at).where(letters.c.inbox_id == bindparam("inbox_id"), _IS_TRIED)
_FAILED: Final = (
    update(letters)
    .where(letters.c.id == bindparam("key"), letters.c.tries == bindparam("tried"))
    .values(tries=bindparam("new"), error=bindparam("error"), due_at=bindparam("again_at"))
)
_DELETE: Final = delete(letters).where(_IS_READERS)
_OF_CURSOR: Final = (cursors.c.match == bindparam("board")) & (cursors.c.player_id == bindparam("who"))
_CURSOR: Final = select(cursors.c.entry).where(_OF_CURSOR)
_OFF_PAGE: Final = update(cursors).where(_OF_CURSOR, cursors.c.on_page_at.is_not(None)).values(on_page_at=None)
_MOVE: Final = (
    update(cursors)
    .where(_OF_CURSOR)
    .values(
        # What was written on an older snapshot does not take back what a newer letter has told.
        entry=case((cursors.c.entry > bindparam("told"), cursors.c.entry), else_=bindparam("told")),
        on_page_at=func.coalesce(bindparam("at"), cursors.c.on_page_at),
    )
)
_BEGIN: Final = insert(cursors).from_select(
    ["match", "player_id", "entry", "on_page_at"],
    select(
        bindparam("board", type_=Integer),
        bindparam("who", type_=BigInteger),
        bindparam("told", type_=Integer),
        bindparam("at", type_=UtcDateTime),
    ).where(~exists().where(_OF_CURSOR)),
)
_FORGET: Final = delete(cursors).where(_OF_CURSOR)
_SHOWN: Final = select(outbox.c.player_id, outbox.c.shown).where(outbox.c.id == bindparam("mail"))
_ON_PAGE: Final = (
    select(players.c.userid, cursors.c.on_page_at)
    .join(players, players.c.id == cursors.c.player_id)
    .where(cursors.c.match == bindparam("board"), cursors.c.on_page_at.is_not(None))
)
