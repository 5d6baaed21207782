"""Matches with their logs, and what is stored beside them while they run."""

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    false,
    text,
)

from pbmserv.store.tables.columns import RowId, UtcDateTime, metadata

_OVER = text("status <> 'active'")

matches = Table(
    "matches",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("game", String(40), nullable=False),
    Column("rules", String(60), nullable=False),
    Column("options", JSON, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("started_by", RowId, ForeignKey("players.id"), nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    # The time control in seconds; NULL if there is none.
    Column("clock", JSON(none_as_null=True)),
    # The board that it is a rematch of.
    Column("after", Integer, index=True),
    # A newcomer's first game against a robot: it is in no list and counts for nothing.
    Column("practice", Boolean, nullable=False, server_default=false()),
    # The rest is derived: written with the log, and rebuilt from it by `services.admin.check`.
    Column("status", String(10), nullable=False),
    Column("to_move", Integer),
    Column("plies", Integer, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Column("last_move", Text, nullable=False),
    CheckConstraint("number >= 101", name="numbers_start_at_101"),
    Index("ix_matches_status_last_at", "status", "last_at"),
    Index("ix_matches_status_number", "status", "number"),
    Index("ix_matches_game_number", "game", "number"),
    Index("ix_matches_last_at_number", "last_at", "number"),
    Index("ix_matches_game_last_at_number", "game", "last_at", "number"),
    Index("ix_matches_over", "last_at", "number", sqlite_where=_OVER, postgresql_where=_OVER),
    Index("ix_matches_game_over", "game", "last_at", "number", sqlite_where=_OVER, postgresql_where=_OVER),
    Index("ix_matches_game_status_last_at", "game", "status", "last_at"),
    Index("ix_matches_started_by_started_at", "started_by", "started_at"),
)

seats = Table(
    "seats",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False),
    # Derived: when the match ended; NULL while it runs. It puts a player's boards in order.
    Column("ended_at", UtcDateTime),
    Index("ix_seats_player_id_match", "player_id", "match"),
    Index("ix_seats_player_id_ended_at_match", "player_id", "ended_at", "match"),
)

entries = Table(
    "entries",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("kind", String(20), nullable=False),
    # NULL if no seat did it.
    Column("seat", Integer),
    Column("text", Text, nullable=False),
    # Seconds of the seat's time that it took.
    Column("used", Integer, nullable=False, server_default="0"),
)

# How far each player knows the log of a board; no row: up to their own last turn.
cursors = Table(
    "cursors",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    # The number of the last entry that was told.
    Column("entry", Integer, nullable=False),
    # When they moved on a page, if that was their last move on a board with a robot.
    Column("on_page_at", UtcDateTime),
    Index("ix_cursors_player_id", "player_id"),
)

# As which rung the robot plays that picks the one that fits: from its first move on a board to the end.
robot_rungs = Table(
    "robot_rungs",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("rung", String(20), nullable=False),
)

# The board that each process of robots thinks about, and until when no other one does; then it may have died.
robot_claims = Table(
    "robot_claims",
    metadata,
    # A word that belongs to one living process (thread) of one host.
    Column("holder", String(80), primary_key=True),
    Column("match", Integer, ForeignKey("matches.number"), nullable=False, unique=True),
    Column("until_at", UtcDateTime, nullable=False),
)

# For each running board: whose turn it is, since when that player can know, and when to check the clock again.
clocks = Table(
    "clocks",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    # The number of the entry that began the turn, and the plies played by then.
    Column("turn", Integer, nullable=False),
    Column("plies", Integer, nullable=False),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False),
    # When the board was delivered; NULL until it was.
    Column("started_at", UtcDateTime),
    Column("next_at", UtcDateTime),
    Column("deadline_at", UtcDateTime),
    # Seconds that the turn may take; NULL if there is no limit.
    Column("lasts", Integer),
    Column("reminders", Integer, nullable=False),
    Index("ix_clocks_next_at", "next_at"),
    Index("ix_clocks_deadline_at_match", "deadline_at", "match"),
    Index("ix_clocks_player_id", "player_id"),
)

# Conditional moves, and moves that wait for confirmation. Only their player may see them.
conditional_moves = Table(
    "conditional_moves",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(10), primary_key=True),
    # The plies played when it was made, or when part of it was last played.
    Column("plies", Integer, nullable=False),
    Column("content", JSON, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
)

# Who watches other people's boards.
subscriptions = Table(
    "subscriptions",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Index("ix_subscriptions_player_id", "player_id"),
)

# What robots make of a board's positions, for teaching; it can be rebuilt from the log.
evaluations = Table(
    "evaluations",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    # `matches.last_at` and `plies` when all its positions were evaluated; NULL until they are.
    Column("evaluated_at", UtcDateTime),
    Column("plies", Integer),
    Column("content", LargeBinary, nullable=False),
)

# Analyses that are to be mailed once they are made.
analysis_requests = Table(
    "analysis_requests",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    # Whether it is proven who has asked.
    Column("proven", Boolean, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False, index=True),
)
