"""Mails taken in and sent, looked at by the operator."""

from collections.abc import Sequence

from pbmserv.services.house import House
from pbmserv.store import inbox, mishaps, outbox
from pbmserv.store.engine import reading
from pbmserv.store.inbox import Kept
from pbmserv.store.outbox import Queued


def see_inbox(house: House, status: str | None, count: int) -> Sequence[Kept]:
    """The newest mails of a status, or of any."""
    with reading(house.engine) as connection:
        return inbox.listing(connection, status, count)


def see_trouble(house: House, count: int) -> Sequence[Kept]:
    """The newest mails that were set aside, or are held up."""
    with reading(house.engine) as connection:
        return mishaps.in_trouble(connection, count)


def see_outbox(house: House, status: str | None, count: int) -> Sequence[Queued]:
    """The newest outgoing mails of a status, or of any."""
    with reading(house.engine) as connection:
        return outbox.listing(connection, status, count)
