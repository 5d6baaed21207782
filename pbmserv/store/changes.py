"""Writes the changes that a command decides on, other than entries in match logs."""

from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands.base.changes import (
    Change,
    DroppedConditionalPlan,
    EndedOffer,
    JoinedOffer,
    LeftOffer,
    NewConditionalPlan,
    NewOffer,
    NewVacations,
    Subscription,
    TalkCounted,
)
from pbmserv.store import accounts, conditional_moves, offers, rate_limits, subscriptions, vacations


def write_change(connection: Connection, change: Change, now: datetime) -> None:
    """Writes one change."""
    match change:
        case NewConditionalPlan() | DroppedConditionalPlan():
            conditional_moves.write(connection, change, now)
        case NewOffer() | JoinedOffer() | LeftOffer() | EndedOffer():
            offers.write(connection, change, now)
        case Subscription():
            subscriptions.write(connection, change)
        case NewVacations():
            vacations.write(connection, change)
        case TalkCounted():
            rate_limits.count_talk(connection, change, now)
        case _:
            accounts.write_account_change(connection, change, now)
