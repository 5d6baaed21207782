"""The outbox: every mail that is to be sent, with a Message-ID that never changes, until long after it was sent.

A row is "waiting", then "sent" or "failed", and "withheld" as long as mail to its address comes back (`bounces`).
Whoever takes rows to send leases them for a while: a sender that dies loses nothing, and sends at most again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from sqlalchemy import (
    Connection,
    Row,
    bindparam,
    func,
    insert,
    literal,
    select,
    text,
    update,
)

from pbmserv.store.tables import addresses, outbox
from pbmserv.store.tokens import digest

AT_ONCE: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""When a mail may be sent that waits for nothing: who queued it may have another clock than who sends it."""

LONGEST_WAIT: Final = timedelta(hours=7)
"""No mail waits longer than that between two tries; a wait that does was set by a clock that ran ahead."""

Kind = Literal[
    "answer",
    "fruitless",
    "puzzled",
    "stranger",
    "sign-up",
    "short",
    "limit",
    "no room",
    "not theirs",
    "invitation",
    "question",
    "board",
    "notice",
    "goodbye",
]
"""An answer to a player, to proven commands that changed nothing, to a mail without any command, to a stranger, to
a stranger's sign-up, a short one to a stranger, the notice of a limit, that there is no room for a newcomer, that
a mail does not seem to be a player's; the operator's invitation; what waits for a `yes`, where that is no answer;
unasked: a board, or news; the last answer to whoever is forgotten, which is emptied as soon as it is sent."""

TO_STRANGERS: Final[tuple[Kind, ...]] = ("stranger", "sign-up")

UNASKED: Final[tuple[Kind, ...]] = ("board", "notice")


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail to be queued. `token` stands in the address that it comes from, `thread_word` in its Message-ID and
    its envelope sender; `proven` tells whether a proof brought it about.

    `shown` are the boards in it, each with the ply after which it is shown. `key` stands in its links to the pages
    where its reader may play (`keys`); empty: it has none.
    """

    token: str = field(repr=False)
    thread_word: str = field(repr=False, kw_only=True)
    kind: Kind
    proven: bool
    recipient: str
    envelope_sender: str
    message_id: str
    raw: bytes = field(repr=False)
    inbox_id: int | None = None
    player_id: int | None = None
    match: int | None = None
    shown: tuple[tuple[int, int], ...] = ()
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Shown:
    """The player whom a mail went to, None for anybody else, and the boards in it, each with its ply."""

    player_id: int | None
    boards: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Queued:
    """A row of the outbox."""

    id: int
    kind: Kind
    recipient: str
    envelope_sender: str
    message_id: str
    raw: bytes = field(repr=False)
    match: int | None
    status: str
    tries: int
    created_at: datetime
    not_before: datetime
    error: str | None


def queue(connection: Connection, letters: Sequence[Letter], now: datetime) -> None:
    """Adds mails to those that wait; what nobody asked for is withheld where mail to the address comes back.

    Whoever has no address, as robots, is mailed nothing.
    """
    rows = [
        {
            "token_digest": digest(letter.token),
            "thread_digest": digest(letter.thread_word),
            "key_digest": digest(letter.key) if letter.key else None,
            "inbox_id": letter.inbox_id,
            "player_id": letter.player_id,
            "match": letter.match,
            "shown": [[*pair] for pair in letter.shown] or None,
            "recipient": letter.recipient,
            "envelope_sender": letter.envelope_sender,
            "message_id": letter.message_id,
            "raw": letter.raw,
            "proven": letter.proven,
            "kind": letter.kind,
            "created_at": now,
            "unasked_to": letter.recipient if letter.kind in UNASKED else "",
            "tries": 0,
            "not_before": AT_ONCE,
        }
        for letter in letters
        if letter.recipient
    ]
    if rows:
        connection.execute(_QUEUE, rows)


def lease(connection: Connection, now: datetime, until: datetime, elsewhere: Sequence[str] = ()) -> Queued | None:
    """Takes the oldest mail that is due, to no address of `elsewhere`; nobody else gets it before `until`."""
    due = _DUE_BUT if elsewhere else _DUE
    for after, by in ((AT_ONCE, now), (now + LONGEST_WAIT, _NEVER)):
        found = connection.execute(due, {"after": after, "by": by, "elsewhere": [*elsewhere]}).one_or_none()
        if found is not None:
            renew(connection, found.id, until)
            return _queued(found)
    return None


def renew(connection: Connection, mail_id: int, until: datetime) -> None:
    """Whoever has leased a mail keeps it longer."""
    connection.execute(_WAIT, {"mail_id": mail_id, "until": until})


def put_back(connection: Connection, mail: Queued, reason: str) -> None:
    """A leased mail was not tried; it takes its old place again."""
    connection.execute(_PUT_BACK, {"mail_id": mail.id, "until": mail.not_before, "reason": reason})


def sent(connection: Connection, mail_id: int, now: datetime) -> Shown:
    """The mail was handed over; what it shows to whom."""
    row = connection.execute(_SENT, {"mail_id": mail_id, "now": now}).one_or_none()
    return Shown(None, ()) if row is None else Shown(row.player_id, tuple(map(tuple, row.shown or ())))


def deferred(connection: Connection, mail_id: int, reason: str, again_at: datetime) -> None:
    """The mail was not taken, and is tried again."""
    connection.execute(_DEFERRED, {"mail_id": mail_id, "until": again_at, "reason": reason})


def failed(connection: Connection, mail_id: int, reason: str) -> None:
    """The mail will not be taken."""
    connection.execute(_FAILED, {"mail_id": mail_id, "reason": reason})


def is_on_its_way(connection: Connection, address: str, board: int) -> bool:
    """Whether any mail to an address that shows a board waits to be sent."""
    query = select(outbox.c.shown).where(outbox.c.recipient == address, outbox.c.status == "waiting")
    return any(board == each for shown in connection.execute(query).scalars() for each, _ in shown or ())


def unproven_since(connection: Connection, address: str, since: datetime) -> int:
    """How many answers an address was sent that no proof was given for."""
    return connection.execute(_UNPROVEN_SINCE, {"address": address, "since": since}).scalar_one()


def count_since(connection: Connection, kinds: Sequence[Kind], since: datetime, address: str | None = None) -> int:
    """How many mails of these kinds were queued, for all addresses or for one."""
    query = _COUNT_SINCE if address is None else _COUNT_SINCE_TO
    return connection.execute(query, {"kinds": [*kinds], "since": since, "address": address}).scalar_one()


def times_sent(connection: Connection, board: int, since: datetime) -> int:
    """How many mails have had a board sent to its players."""
    return connection.execute(_TIMES_SENT, {"board": board, "since": since}).scalar_one()


def listing(connection: Connection, status: str | None, count: int) -> list[Queued]:
    """The newest mails of a status, or of any."""
    query = select(outbox).order_by(outbox.c.id.desc()).limit(count)
    rows = connection.execute(query if status is None else query.where(outbox.c.status == status))
    return [_queued(row) for row in rows]


def _queued(row: Row[Any]) -> Queued:
    return Queued(
        row.id,
        row.kind,
        row.recipient,
        row.envelope_sender,
        row.message_id,
        row.raw,
        row.match,
        row.status,
        row.tries,
        row.created_at,
        row.not_before,
        row.error,
    )


# The lock makes this wait for whoever is just lifting a suspension: what is withheld too late would stay so.
_HELD_BACK: Final = (
    select(literal("withheld"))
    .where(addresses.c.address == bindparam("unasked_to"), addresses.c.suspended_at.is_not(None))
    .with_for_update(read=True)
    .scalar_subquery()
)
_QUEUE: Final = insert(outbox).values(status=func.coalesce(_HELD_BACK, "waiting"))

# In the very words of the index ix_outbox_waiting, by which a range of times is found at once: "or" would not be.
_IS_WAITING: Final = text("status = 'waiting'")
_DUE: Final = (
    select(outbox)
    .where(
        _IS_WAITING,
        outbox.c.not_before >= bindparam("after"),
        outbox.c.not_before <= bindparam("by"),
    )
    .order_by(outbox.c.not_before, outbox.c.id)
    .limit(1)
    .with_for_update(skip_locked=True)
)
_DUE_BUT: Final = _DUE.where(outbox.c.recipient.not_in(bindparam("elsewhere", expanding=True)))
_NEVER: Final = datetime(9999, 12, 31, tzinfo=UTC)

_IS_SINCE: Final = outbox.c.created_at > bindparam("since")
_IS_TO: Final = outbox.c.recipient == bindparam("address")
_COUNT_SINCE: Final = (
    select(func.count())
    .select_from(outbox)
    .where(outbox.c.kind.in_(bindparam("kinds", expanding=True)), _IS_SINCE)
)
_COUNT_SINCE_TO: Final = _COUNT_SINCE.where(_IS_TO)
_UNPROVEN_SINCE: Final = (
    select(func.count()).select_from(outbox).where(_IS_TO, _IS_SINCE, ~outbox.c.proven, outbox.c.kind != "board")
)
_TIMES_SENT: Final = select(func.count(outbox.c.inbox_id.distinct())).where(
    outbox.c.kind == "board", _IS_SINCE, outbox.c.match == bindparam("board")
)

_ONE: Final = update(outbox).where(outbox.c.id == bindparam("mail_id"))
_STILL_WAITING: Final = _ONE.where(_IS_WAITING)
_WAIT: Final = _STILL_WAITING.values(not_before=bindparam("until"))
_PUT_BACK: Final = _WAIT.values(error=bindparam("reason"))
_DEFERRED: Final = _PUT_BACK.values(tries=outbox.c.tries + 1)
# Another sender may have had it in hand too, where one was thought to be dead: what is sent stays sent.
_SENT: Final = _ONE.values(
    status="sent", sent_at=bindparam("now"), error=None, tries=outbox.c.tries + 1
).returning(outbox.c.player_id, outbox.c.shown)
_FAILED: Final = _ONE.where(outbox.c.status != "sent").values(
    status="failed", error=bindparam("reason"), tries=outbox.c.tries + 1
)
