"""The club: open offers, ratings, and when the server itself was away."""

from sqlalchemy import JSON, Boolean, Column, Double, ForeignKey, Index, Integer, String, Table, text

from pbmserv.store.tables.columns import RowId, UtcDateTime, metadata

_OPEN = text("status = 'open'")

# Offers of a game to whoever accepts; `number` is what people type, and is used again after a while.
offers = Table(
    "offers",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    Column("game", String(40), nullable=False),
    Column("options", JSON, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("clock", JSON(none_as_null=True)),
    Column("seats", Integer, nullable=False),
    # Whoever made it is first in the order of play, or last.
    Column("moves_last", Boolean, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    Column("status", String(10), nullable=False),
    Column("match", Integer),
    # Two that come at once cannot be given one number: the later one runs again.
    Index("uq_offers_open_number", "number", unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN),
)

# Who has accepted an offer that waits for more.
offer_players = Table(
    "offer_players",
    metadata,
    Column("offer_id", RowId, ForeignKey("offers.id"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False),
)

# Derived from the finished matches, in the order in which they ended; `services.operator.check` recomputes it.
ratings = Table(
    "ratings",
    metadata,
    Column("game", String(40), primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("counted", Integer, nullable=False),
    Column("won", Integer, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    # All that a page of the standings is chosen by: who is not on it is not read.
    Index("ix_ratings_standings", "game", "mu", "last_at", "sigma", "player_id"),
)

rating_changes = Table(
    "rating_changes",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("game", String(40), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("mu_before", Double, nullable=False),
    Column("sigma_before", Double, nullable=False),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    # With this match: how many have counted, and how many of them were won.
    Column("counted", Integer, nullable=False),
    Column("won", Integer, nullable=False),
    Index("ix_rating_changes_game_at_match", "game", "at", "match"),
    Index("ix_rating_changes_player_id_at_match", "player_id", "at", "match"),
    Index("ix_rating_changes_player_id_game_at_match", "player_id", "game", "at", "match"),
)

# Of each game whose ratings are being counted anew: the place from which that is still to be done.
recounts = Table(
    "recounts",
    metadata,
    Column("game", String(40), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("match", Integer, nullable=False),
)

# When a part of the server was last seen alive, and when it was not: such time is on nobody's clock.
beats = Table(
    "beats",
    metadata,
    Column("part", String(80), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
)

outages = Table(
    "outages",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("part", String(80), nullable=False),
    Column("began_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime, nullable=False),
    Index("ix_outages_ended_at", "ended_at"),
)
