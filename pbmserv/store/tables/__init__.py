"""The tables, for SQLAlchemy Core. `migrations/` creates them; a test shows that the two agree."""

from pbmserv.store.tables.boards import clocks, conditional_moves, entries, matches, receipts, seats, subscriptions
from pbmserv.store.tables.club import (
    heartbeats,
    offer_players,
    offers,
    outages,
    rating_changes,
    rating_counts,
    ratings,
    recounts,
)
from pbmserv.store.tables.columns import RowId, UtcDateTime, metadata
from pbmserv.store.tables.mails import bounces, content_keys, inbox, old_tokens, outbox
from pbmserv.store.tables.people import (
    addresses,
    blocks,
    confirmations,
    failed_logins,
    players,
    standstills,
    talk_counts,
    vacations,
    web_sign_ups,
    wordy_mails,
)

__all__ = [
    "RowId",
    "UtcDateTime",
    "addresses",
    "blocks",
    "bounces",
    "clocks",
    "conditional_moves",
    "confirmations",
    "content_keys",
    "entries",
    "failed_logins",
    "heartbeats",
    "inbox",
    "matches",
    "metadata",
    "offer_players",
    "offers",
    "old_tokens",
    "outages",
    "outbox",
    "players",
    "rating_changes",
    "rating_counts",
    "ratings",
    "receipts",
    "recounts",
    "seats",
    "standstills",
    "subscriptions",
    "talk_counts",
    "vacations",
    "web_sign_ups",
    "wordy_mails",
]
