"""The three lanes in which mails wait, and the place of each there.

The next mail is that of the quickest lane with the first place. A mail's place is the time at which it came, or a
while behind the last one of its sender: so many in one name keep nobody else of that lane waiting. Mails of one
sender stay in order, but for those in a quicker lane, which pass. Nothing is proven by a lane: who was let into
one wrongly is found out when the mail is handled.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    ScalarSelect,
    Select,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    or_,
    select,
    union_all,
)

from pbmserv.store.tables import addresses, inbox, outbox, players
from pbmserv.store.tokens import digest

ANSWERS: Final = 0
"""Sent to a personal address, from an address of whoever was told it."""

PLAYERS: Final = 1
"""From an address of a player, as far as its From tells."""

STRANGERS: Final = 2

LANES: Final = (ANSWERS, PLAYERS, STRANGERS)
"""The quickest first."""

APART: Final = 60
"""Seconds that each mail of a sender stands behind the one before it, as long as that waits."""


def lane_of(connection: Connection, sender: str, words: Sequence[str]) -> int:
    """Where a mail waits; `words` are those of the personal addresses that it was sent to."""
    owner = connection.execute(_OWNER, {"address": sender}).scalar_one_or_none()
    if words:
        asked = {"digests": [digest(word) for word in words], "address": sender, "owner": owner}
        if connection.execute(_IS_ANSWER, asked).scalar_one():
            return ANSWERS
    return STRANGERS if owner is None else PLAYERS


def in_turn(lane: int | None = None) -> ColumnElement[bool]:
    """Whether a mail, of that lane or of any, waits for none of its sender's: in its own lane or a quicker one."""
    if lane is not None:
        return inbox.c.id <= _first_of_its_sender(lane)
    return or_(*((inbox.c.lane == each) & (inbox.c.id <= _first_of_its_sender(each)) for each in LANES))


def place() -> ColumnElement[int]:
    """The place of a new mail; needs its values as `of_sender`, `in_lane` and `came_at` (in seconds)."""
    before = inbox.alias("before")
    theirs = (before.c.sender == bindparam("of_sender")) & (before.c.lane == bindparam("in_lane"))
    last = select(before.c.place).where(is_waiting(before), theirs).order_by(before.c.id.desc()).limit(1)
    behind = func.coalesce(last.scalar_subquery() + APART, 0)
    came_at = bindparam("came_at", type_=BigInteger)
    return case((behind > came_at, behind), else_=came_at)


def is_waiting(table: FromClause) -> ColumnElement[bool]:
    """Whether a mail waits to be handled."""
    # In the very words of the indexes ix_inbox_waiting...: a parameter could be anything.
    return table.c.status == literal_column("'waiting'")


def _first_of_its_sender(slowest: int) -> ScalarSelect[int]:
    # "Not above it" says as much as "equal to it", or as "none exists before". Of equal ones PostgreSQL expects so
    # few that it sorts all that wait; "exists" it turns into a join, which may read all of them for each; and a
    # condition for each lane makes it expect too few as well. Each lane is looked at for itself, in one step: of
    # "this one or a quicker one" all mails would be read.
    firsts = union_all(*(_first_in(lane) for lane in LANES if lane <= slowest)).subquery()
    return select(func.min(firsts.c.id)).scalar_subquery()


def _first_in(lane: int) -> Select[tuple[int]]:
    waiting = inbox.alias("waiting")
    theirs = (waiting.c.sender == inbox.c.sender) & (waiting.c.lane == literal_column(str(lane)))
    return select(func.min(waiting.c.id).label("id")).where(is_waiting(waiting), theirs).correlate(inbox)


_OWNER: Final = select(addresses.c.player_id).where(
    addresses.c.address == bindparam("address"), addresses.c.confirmed_at.is_not(None)
)
_REVOKED: Final = (
    select(players.c.revoked_up_to).where(players.c.id == outbox.c.player_id).correlate(outbox).scalar_subquery()
)
_IS_ANSWER: Final = select(
    exists().where(
        outbox.c.token_digest.in_(bindparam("digests", expanding=True)),
        or_(outbox.c.player_id == bindparam("owner"), outbox.c.recipient == bindparam("address")),
        outbox.c.id > func.coalesce(_REVOKED, 0),
    )
)
