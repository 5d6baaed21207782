"""Writes the changes that a command decides on, other than entries in match logs."""

from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands.changes import (
    AnalysisRequest,
    Change,
    DroppedConditionalPlan,
    EndedOffer,
    JoinedOffer,
    LeftOffer,
    NewConditionalPlan,
    NewOffer,
    NewVacations,
    PuzzleAnswered,
    PuzzleSent,
    Subscription,
)
from pbmserv.commands.policy import Counted
from pbmserv.store import (
    accounts,
    conditional_moves,
    counts,
    evaluations,
    offers,
    puzzle_tries,
    subscriptions,
    vacations,
)


def write_change(connection: Connection, change: Change, now: datetime) -> None:
    """Writes one change."""
    match change:
        case NewConditionalPlan() | DroppedConditionalPlan():
            conditional_moves.write(connection, change, now)
        case NewOffer() | JoinedOffer() | LeftOffer() | EndedOffer():
            offers.write(connection, change, now)
        case Subscription():
            subscriptions.write(connection, change)
        case AnalysisRequest():
            evaluations.request(connection, change, now)
        case NewVacations():
            vacations.write(connection, change)
        case Counted():
            counts.add(connection, [change], now)
        case PuzzleSent() | PuzzleAnswered():
            puzzle_tries.write(connection, change, now)
        case _:
            accounts.write_account_change(connection, change, now)
