"""How many have signed up of late, and who was invited to: both told by the mails that they were sent."""

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, exists, func, or_, select

from pbmserv.store.tables import addresses, inbox, outbox


def count(connection: Connection, since: datetime, domain: str = "", host: str = "") -> int:
    """How many sign-ups from addresses that have not confirmed were answered; of a domain with all below it."""
    query = _OPEN
    if domain:
        theirs = (outbox.c.recipient.endswith(sign + domain, autoescape=True) for sign in "@.")
        query = query.where(or_(*theirs))
    if host:
        query = query.join(inbox, inbox.c.id == outbox.c.inbox_id).where(inbox.c.host == host)
    return connection.execute(query, {"since": since}).scalar_one()


def is_invited(connection: Connection, address: str, since: datetime) -> bool:
    """Whether an address was mailed an invitation."""
    return connection.execute(_IS_INVITED, {"address": address, "since": since}).scalar_one()


_IS_CONFIRMED: Final = exists().where(
    addresses.c.address == outbox.c.recipient, addresses.c.confirmed_at.is_not(None)
)
_OPEN: Final = (
    select(func.count())
    .select_from(outbox)
    .where(outbox.c.kind == "sign-up", outbox.c.created_at > bindparam("since"), ~_IS_CONFIRMED)
)
_IS_INVITED: Final = select(
    exists().where(
        outbox.c.recipient == bindparam("address"),
        outbox.c.created_at > bindparam("since"),
        outbox.c.kind == "invitation",
    )
)
