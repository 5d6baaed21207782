"""The tables, as SQLAlchemy Core sees them. `migrations/` makes them; a test holds the two together."""

from pbmserv.store.tables.boards import clocks, entries, matches, plans, seats, subscriptions
from pbmserv.store.tables.club import beats, offer_players, offers, outages, rating_changes, ratings, recounts
from pbmserv.store.tables.columns import RowId, UtcDateTime, metadata
from pbmserv.store.tables.mails import bounces, inbox, outbox
from pbmserv.store.tables.people import (
    addresses,
    blocks,
    confirmations,
    false_claims,
    players,
    said,
    standstills,
    vacations,
)

__all__ = [
    "RowId",
    "UtcDateTime",
    "addresses",
    "beats",
    "blocks",
    "bounces",
    "clocks",
    "confirmations",
    "entries",
    "false_claims",
    "inbox",
    "matches",
    "metadata",
    "offer_players",
    "offers",
    "outages",
    "outbox",
    "plans",
    "players",
    "rating_changes",
    "ratings",
    "recounts",
    "said",
    "seats",
    "standstills",
    "subscriptions",
    "vacations",
]
