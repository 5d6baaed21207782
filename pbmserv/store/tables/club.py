"""Open offers and ratings."""

from sqlalchemy import JSON, Boolean, Column, Double, ForeignKey, Index, Integer, String, Table, text

from pbmserv.store.tables.columns import RowId, UtcDateTime, metadata

_OPEN = text("status = 'open'")
_ESTABLISHED = text("sigma <= 6.25")
_PROVISIONAL = text("sigma > 6.25")

# Open offers of a game. People type `number`, which is reused after a while.
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
    # Whether its maker moves last instead of first.
    Column("moves_last", Boolean, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    Column("status", String(10), nullable=False),
    Column("match", Integer),
    # Two made at the same time cannot get one number: the later transaction retries.
    Index("uq_offers_open_number", "number", unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN),
)

# Who has joined an offer that still needs players.
offer_players = Table(
    "offer_players",
    metadata,
    Column("offer_id", RowId, ForeignKey("offers.id"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False),
)

# Derived from the finished matches, in the order in which they ended. `services.admin.check` recomputes it.
ratings = Table(
    "ratings",
    metadata,
    # The name of a `matches.ratings.Pool`.
    Column("pool", String(40), primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("counted", Integer, nullable=False),
    Column("won", Integer, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    # The parts of the standings, each in its order.
    Index("ix_ratings_established", "pool", "mu", sqlite_where=_ESTABLISHED, postgresql_where=_ESTABLISHED),
    Index("ix_ratings_provisional", "pool", "counted", sqlite_where=_PROVISIONAL, postgresql_where=_PROVISIONAL),
    # Whose last match ended on a day. It begins with the time, so that no page of the standings takes it.
    Index("ix_ratings_last_at_pool", "last_at", "pool", "sigma"),
    Index("ix_ratings_player_id", "player_id"),
)

# Derived from `ratings`: of how many players the last match ended on a day (as an ordinal; 0: on any).
rating_counts = Table(
    "rating_counts",
    metadata,
    Column("pool", String(40), primary_key=True),
    Column("is_established", Boolean, primary_key=True),
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("players", Integer, nullable=False),
    sqlite_with_rowid=False,
)

rating_changes = Table(
    "rating_changes",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("pool", String(40), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("mu_before", Double, nullable=False),
    Column("sigma_before", Double, nullable=False),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    # Including this match: how many have counted, and how many of those were won.
    Column("counted", Integer, nullable=False),
    Column("won", Integer, nullable=False),
    Index("ix_rating_changes_pool_at_match", "pool", "at", "match"),
    Index("ix_rating_changes_player_id_at_match", "player_id", "at", "match"),
    Index("ix_rating_changes_player_id_pool_at_match", "player_id", "pool", "at", "match"),
)

# For each pool whose ratings are being recalculated: the match from which that is still to be done.
recounts = Table(
    "recounts",
    metadata,
    Column("pool", String(40), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("match", Integer, nullable=False),
)
