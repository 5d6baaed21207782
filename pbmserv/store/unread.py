"""Mails that were kept, but not yet understood: any of them may hold a move that came in time."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, and_, literal_column, or_, select

from pbmserv.store.inbox import SET_ASIDE, is_untroubled
from pbmserv.store.tables import addresses, inbox

MENDED_WITHIN: Final = timedelta(days=7)
"""So long a mail from another address that we fail to handle is waited for: a password in it may tell whose it
is."""


def may_hold_a_move(
    connection: Connection, player_id: int, since: datetime, until: datetime, now: datetime
) -> bool:
    """Whether a move of that player in a turn that lasts from `since` to `until` may be among them.

    That is, whether any mail kept until then still waits, or one from an address of theirs, whenever it came; or
    whether one from there was set aside since the turn began, or of late one from anywhere that was kept in time.
    One that waits after trouble, and may do so for ever, counts like one that was set aside.
    """
    theirs = inbox.c.sender.in_(select(addresses.c.address).where(addresses.c.player_id == player_id))
    is_fresh = and_(inbox.c.kept_at <= until, inbox.c.kept_at > now - MENDED_WITHIN)
    in_time = and_(inbox.c.kept_at <= until, is_untroubled())
    waits = and_(inbox.c.status == literal_column("'waiting'"), or_(in_time, is_fresh, theirs))
    was_set_aside = and_(inbox.c.status == SET_ASIDE, inbox.c.kept_at >= since, or_(theirs, is_fresh))
    return any(
        connection.execute(select(inbox.c.id).where(condition).limit(1)).one_or_none() is not None
        for condition in (waits, was_set_aside)
    )
