"""Counts for rate limits. Addresses, userids and words are stored only as digests."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select

from pbmserv.commands.policy import Counted, Limit, kept_for
from pbmserv.store.mail_tokens import digest
from pbmserv.store.tables import counts


def add(connection: Connection, counted: Iterable[Counted], now: datetime) -> None:
    """Stores counts."""
    rows = [
        {
            "name": each.name,
            "of_digest": _of(each.of),
            "owner_digest": digest(each.owner) if each.owner else None,
            "amount": each.amount,
            "at": now,
        }
        for each in counted
    ]
    if rows:
        connection.execute(_ADD, rows)


def total(connection: Connection, name: str, of: str, since: datetime) -> int:
    """The total counted under a name since then for one subject."""
    found = connection.execute(_TOTAL, {"counted": name, "whose": _of(of), "since": since}).scalar_one()
    return int(found)


def totals(connection: Connection, name: str, since: datetime) -> Mapping[str, int]:
    """The totals of all subjects, by digest (`mail_tokens.digest`)."""
    return {row[0]: int(row[1]) for row in connection.execute(_TOTALS, {"counted": name, "since": since})}


def release(connection: Connection, owner: str, *limits: Limit) -> None:
    """Deletes the counts of that owner towards these limits."""
    names = [limit.name for limit in limits]
    connection.execute(_RELEASE, {"owner": digest(owner), "names": names})


def forget(connection: Connection, whose: Iterable[str]) -> None:
    """Deletes all counts for these subjects, or owned by them."""
    digests = [*map(digest, whose)]
    theirs = or_(counts.c.of_digest.in_(digests), counts.c.owner_digest.in_(digests))
    connection.execute(delete(counts).where(theirs))


def purge(connection: Connection, now: datetime) -> None:
    """Deletes counts older than any limit's time span."""
    kept = kept_for()
    for span in {*kept.values()}:
        names = [name for name, kept_span in kept.items() if kept_span == span]
        connection.execute(delete(counts).where(counts.c.name.in_(names), counts.c.at < now - span))
    connection.execute(delete(counts).where(counts.c.name.not_in(kept)))


def _of(whose: str) -> str:
    return digest(whose) if whose else ""


_ADD: Final = insert(counts)
_IS_COUNTED: Final = (counts.c.name == bindparam("counted"), counts.c.at > bindparam("since"))
_AMOUNT: Final = func.coalesce(func.sum(counts.c.amount), 0)
_TOTAL: Final = select(_AMOUNT).where(*_IS_COUNTED, counts.c.of_digest == bindparam("whose"))
_TOTALS: Final = select(counts.c.of_digest, _AMOUNT).where(*_IS_COUNTED).group_by(counts.c.of_digest)
_RELEASE: Final = delete(counts).where(
    counts.c.owner_digest == bindparam("owner"), counts.c.name.in_(bindparam("names", expanding=True))
)
