"""Retrying: the operator lets a mail that was set aside be handled again."""

from datetime import datetime

from pbmserv.services.house import House
from pbmserv.store import mishaps
from pbmserv.store.engine import writing


def retry(house: House, mail_id: int, now: datetime) -> bool:
    """Lets it wait again, its failures forgotten; False when no such mail is set aside."""
    with writing(house.engine) as connection:
        return mishaps.retry(connection, mail_id, now)
