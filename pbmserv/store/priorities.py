"""The order in which mails are handled: three priorities, and a queue position within each.

The next mail is the one with the lowest position in the highest priority. A mail's position is the time it was
received, or a while behind the last mail of its sender: so a flood from one sender delays nobody else of that
priority. Mails of one sender stay in order, except that those of a higher priority overtake. A priority proves
nothing: a mail that got a wrong one is found out when it is handled.
"""

from collections.abc import Sequence
from itertools import chain
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
    func,
    literal_column,
    or_,
    select,
    union_all,
)

from pbmserv.store.mail_tokens import digest
from pbmserv.store.old_tokens import owners_of
from pbmserv.store.tables import addresses, inbox, outbox, players

ANSWERS: Final = 0
"""Replies to a personal address, sent from the address of the player who was given it."""

PLAYERS: Final = 1
"""Mails whose From is the address of a player."""

UNKNOWN_SENDERS: Final = 2

PRIORITIES: Final = (ANSWERS, PLAYERS, UNKNOWN_SENDERS)
"""The highest first."""

SPACING: Final = 60
"""Seconds between the positions of two mails of one sender, as long as the first one waits."""


def priorities_of(connection: Connection, mails: Sequence[tuple[str, Sequence[str]]]) -> list[int]:
    """The priorities of mails, each given by its sender and the tokens in the addresses that it was sent to."""
    senders = {sender for sender, _ in mails}
    owners = {row.address: row.player_id for row in connection.execute(_OWNERS, {"senders": [*senders]})}
    digests = [[digest(word) for word in words] for _, words in mails]
    asked = list(chain.from_iterable(digests))
    rows = connection.execute(_ANSWERED, {"digests": asked}) if asked else ()
    # Who may answer each of our mails: its player, or who has its address.
    answered = {row.token_digest: {row.player_id, row.recipient} - {None} for row in rows}
    deleted = [each for each in asked if each not in answered]
    if deleted:
        answered |= {each: {owner} for each, owner in owners_of(connection, deleted).items()}
    found: list[int] = []
    for (sender, _), tokens in zip(mails, digests, strict=True):
        owner = owners.get(sender)
        is_reply = any(not answered.get(token, set()).isdisjoint((owner, sender)) for token in tokens)
        found.append(ANSWERS if is_reply else UNKNOWN_SENDERS if owner is None else PLAYERS)
    return found


def is_next_of_sender(priority: int | None = None) -> ColumnElement[bool]:
    """SQL: whether a mail is the first of its sender in its own priority and all higher ones."""
    if priority is not None:
        return inbox.c.id <= _first_of_its_sender(priority)
    return or_(*((inbox.c.priority == each) & (inbox.c.id <= _first_of_its_sender(each)) for each in PRIORITIES))


def next_position() -> ColumnElement[int]:
    """SQL: the position of a new mail; needs the parameters `of_sender`, `in_priority` and `came_at` (seconds)."""
    before = inbox.alias("before")
    theirs = (before.c.sender == bindparam("of_sender")) & (before.c.priority == bindparam("in_priority"))
    last = select(before.c.queue_position).where(is_waiting(before), theirs).order_by(before.c.id.desc()).limit(1)
    behind = func.coalesce(last.scalar_subquery() + SPACING, 0)
    came_at = bindparam("came_at", type_=BigInteger)
    return case((behind > came_at, behind), else_=came_at)


def is_waiting(table: FromClause) -> ColumnElement[bool]:
    """SQL: whether a mail waits to be handled."""
    # Literal, as in the indexes ix_inbox_waiting...: with a parameter they would not be used.
    return table.c.status == literal_column("'waiting'")


def _first_of_its_sender(slowest: int) -> ScalarSelect[int]:
    # "<=" means the same here as "=" or "not exists", but not to PostgreSQL's planner. With "=" it expects so few
    # rows that it sorts all waiting mails. It turns "exists" into a join that may read all of them for each. One
    # condition per priority makes it expect too few as well. And asking for "this priority or a higher one" in one
    # step reads all mails.
    firsts = union_all(*(_first_in(priority) for priority in PRIORITIES if priority <= slowest)).subquery()
    return select(func.min(firsts.c.id)).scalar_subquery()


def _first_in(priority: int) -> Select[tuple[int]]:
    waiting = inbox.alias("waiting")
    theirs = (waiting.c.sender == inbox.c.sender) & (waiting.c.priority == literal_column(str(priority)))
    return select(func.min(waiting.c.id).label("id")).where(is_waiting(waiting), theirs).correlate(inbox)


_OWNERS: Final = select(addresses.c.address, addresses.c.player_id).where(
    addresses.c.address.in_(bindparam("senders", expanding=True)), addresses.c.confirmed_at.is_not(None)
)
_REVOKED: Final = (
    select(players.c.revoked_up_to).where(players.c.id == outbox.c.player_id).correlate(outbox).scalar_subquery()
)
_ANSWERED: Final = select(outbox.c.token_digest, outbox.c.player_id, outbox.c.recipient).where(
    outbox.c.token_digest.in_(bindparam("digests", expanding=True)),
    outbox.c.id > func.coalesce(_REVOKED, 0),
)
