"""Every change that a command decides on beside the logs of boards is written through this one door."""

from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands.changes import (
    Change,
    DroppedPlan,
    EndedOffer,
    JoinedOffer,
    LeftOffer,
    NewOffer,
    NewPlan,
    NewVacations,
    Said,
    Subscription,
)
from pbmserv.store import accounts, offers, plans, talk, vacations, watching


def keep(connection: Connection, change: Change, now: datetime) -> None:
    """Writes one change."""
    match change:
        case NewPlan() | DroppedPlan():
            plans.keep(connection, change, now)
        case NewOffer() | JoinedOffer() | LeftOffer() | EndedOffer():
            offers.keep(connection, change, now)
        case Subscription():
            watching.keep(connection, change)
        case NewVacations():
            vacations.keep(connection, change)
        case Said():
            talk.keep(connection, change, now)
        case _:
            accounts.keep(connection, change, now)
