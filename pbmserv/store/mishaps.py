"""Mails that could not be handled: how often and why, when they are tried again, which are set aside.

What is counted blames a mail (`fail`, `count_kill`), or does not (`set_back`): only what blames sets it aside.
"""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection, select, update

from pbmserv.store.inbox import SET_ASIDE, Kept, as_kept, is_untroubled
from pbmserv.store.lanes import is_waiting
from pbmserv.store.tables import inbox


def fail(connection: Connection, mail_id: int, error: str, again_at: datetime | None) -> bool:
    """Counts a failed try; the mail waits until `again_at`, or is set aside when that is None.

    False when it waits no more: another worker was luckier with it.
    """
    changed: dict[str, object] = {"tries": inbox.c.tries + 1, "error": error}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == "waiting")
    return connection.execute(query.values(changed | _next(again_at))).rowcount == 1


def count_kill(
    connection: Connection, mail_id: int, kills: int, error: str, again_at: datetime | None
) -> Kept | None:
    """Notes that a process of a mail's own, the one after `kills` others, was killed over it.

    The mail waits until `again_at`, or is set aside when that is None, which gives it. None too when it waits no
    more, or another worker's process was counted already.
    """
    changed: dict[str, object] = {"kills": kills + 1, "error": error}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == "waiting", inbox.c.kills == kills)
    row = connection.execute(query.values(changed | _next(again_at)).returning(inbox)).one_or_none()
    return None if row is None or again_at is not None else as_kept(row)


def set_back(connection: Connection, mail_id: int, error: str, again_at: Callable[[int], datetime]) -> int:
    """Notes that handling a mail was broken off by what cannot be blamed on it; how often that was so by now.

    `again_at` gives from that number when it is tried again. 0 when the mail waits no more.
    """
    is_it = (inbox.c.id == mail_id) & (inbox.c.status == "waiting")
    counted = update(inbox).where(is_it).values(setbacks=inbox.c.setbacks + 1, error=error)
    setbacks: int | None = connection.execute(counted.returning(inbox.c.setbacks)).scalar_one_or_none()
    if setbacks is None:
        return 0
    connection.execute(update(inbox).where(is_it).values(not_before=again_at(setbacks)))
    return setbacks


def retry(connection: Connection, mail_id: int, now: datetime) -> bool:
    """Lets a mail that was set aside wait again, its failures forgotten; False when there is no such mail."""
    changed = {"status": "waiting", "tries": 0, "kills": 0, "setbacks": 0, "not_before": now}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == SET_ASIDE).values(changed)
    return connection.execute(query).rowcount == 1


def find_set_aside(connection: Connection, mail_id: int) -> Kept | None:
    """A mail that was set aside; None when there is no such mail."""
    row = connection.execute(select(inbox).where(inbox.c.id == mail_id, inbox.c.status == SET_ASIDE)).one_or_none()
    return None if row is None else as_kept(row)


def in_trouble(connection: Connection, count: int) -> list[Kept]:
    """The newest mails that were set aside, or wait since they could not be handled."""
    waits = is_waiting(inbox) & ~is_untroubled()
    query = select(inbox).where((inbox.c.status == SET_ASIDE) | waits).order_by(inbox.c.id.desc()).limit(count)
    return [as_kept(row) for row in connection.execute(query)]


def _next(again_at: datetime | None) -> dict[str, object]:
    return {"status": SET_ASIDE} if again_at is None else {"not_before": again_at}
