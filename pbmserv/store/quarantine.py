"""Mails that could not be handled: how often, why, when to try again, and which are quarantined.

`fail` and `count_kill` blame the mail; `set_back` does not. Only blame leads to quarantine.
"""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection, select, update

from pbmserv.store.inbox import QUARANTINED, InboxMessage, inbox_message
from pbmserv.store.tables import inbox


def fail(connection: Connection, mail_id: int, error: str, again_at: datetime | None) -> bool:
    """Counts a failed try. The mail waits until `again_at`, or is quarantined if that is None.

    False if it no longer waits, because another worker succeeded.
    """
    changed: dict[str, object] = {"tries": inbox.c.tries + 1, "error": error}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == "waiting")
    return connection.execute(query.values(changed | _next(again_at))).rowcount == 1


def count_kill(
    connection: Connection, mail_id: int, kills: int, error: str, again_at: datetime | None
) -> InboxMessage | None:
    """Counts a killed isolated process; `kills` is the count before it.

    The mail waits until `again_at`; if that is None it is quarantined and returned. Returns None otherwise, also
    if the mail no longer waits or another worker has counted already.
    """
    changed: dict[str, object] = {"kills": kills + 1, "error": error}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == "waiting", inbox.c.kills == kills)
    row = connection.execute(query.values(changed | _next(again_at)).returning(inbox)).one_or_none()
    return None if row is None or again_at is not None else inbox_message(row)


def set_back(connection: Connection, mail_id: int, error: str, again_at: Callable[[int], datetime]) -> int:
    """Counts a try that failed for no fault of the mail, and gives the new count; 0 if the mail no longer waits.

    `again_at` computes the time of the next try from the count.
    """
    is_it = (inbox.c.id == mail_id) & (inbox.c.status == "waiting")
    counted = update(inbox).where(is_it).values(setbacks=inbox.c.setbacks + 1, error=error)
    setbacks: int | None = connection.execute(counted.returning(inbox.c.setbacks)).scalar_one_or_none()
    if setbacks is None:
        return 0
    connection.execute(update(inbox).where(is_it).values(not_before=again_at(setbacks)))
    return setbacks


def retry(connection: Connection, mail_id: int, now: datetime) -> bool:
    """Puts a quarantined mail back in the queue with its counts at zero; False if there is no such mail."""
    changed = {"status": "waiting", "tries": 0, "kills": 0, "setbacks": 0, "not_before": now}
    query = update(inbox).where(inbox.c.id == mail_id, inbox.c.status == QUARANTINED).values(changed)
    return connection.execute(query).rowcount == 1


def find_quarantined(connection: Connection, mail_id: int) -> InboxMessage | None:
    """A quarantined mail; None if there is no such mail."""
    row = connection.execute(
        select(inbox).where(inbox.c.id == mail_id, inbox.c.status == QUARANTINED)
    ).one_or_none()
    return None if row is None else inbox_message(row)


def _next(again_at: datetime | None) -> dict[str, object]:
    return {"status": QUARANTINED} if again_at is None else {"not_before": again_at}
