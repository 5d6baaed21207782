"""Players: accounts, addresses, settings, confirmations, and what rate limits count."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    false,
    text,
    true,
)

from pbmserv.store.tables.columns import RowId, UtcDateTime, metadata

_IS_ROBOT = text("robot IS NOT NULL")
_HAS_OWNER = text("owner_digest IS NOT NULL")

players = Table(
    "players",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("userid", String(20), nullable=False),
    Column("userid_lower", String(20), nullable=False, unique=True),
    # The same for userids that look alike (`commands.vocabulary`); empty for deleted accounts.
    Column("skeleton", String(20), nullable=False, server_default=text("''"), index=True),
    Column("password_hash", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("html", Boolean, nullable=False, server_default=true()),
    Column("accessible_text", Boolean, nullable=False, server_default=false()),
    Column("takes_challenges", Boolean, nullable=False, server_default=true()),
    Column("broadcast", Boolean, nullable=False, server_default=false()),
    # Who may send them messages: "on" everybody, "known" people they have played with, "off" nobody.
    Column("messages", String(5), nullable=False, server_default="on"),
    # Whether moves by mail are acknowledged: "on" each, "daily" once a day, "off" never.
    Column("receipts", String(5), nullable=False, server_default="daily"),
    # How many of their first moves by mail were acknowledged.
    Column("moves_acknowledged", Integer, nullable=False, server_default=text("0")),
    # Which changes of boards with three or more players are mailed: "turns" when it is their turn, or "all".
    Column("board_mail", String(5), nullable=False, server_default="turns"),
    # Since when they get nothing but the ends of games; NULL if they get their mail.
    Column("mail_off_at", UtcDateTime),
    # When a play link was first used more than a day after its mail; NULL once the player was told.
    Column("late_link_at", UtcDateTime),
    # Which robot it is; NULL for people.
    Column("robot", String(20)),
    # When boards come in one mail ("daily 07:30"), and when the next one is due.
    Column("digest", String(20)),
    Column("digest_at", UtcDateTime, index=True),
    # When the next puzzle of the week is due; NULL if they want none.
    Column("puzzle_at", UtcDateTime, index=True),
    Column("banned_at", UtcDateTime),
    # The id of the newest mail in the outbox whose address and links are revoked; 0 if none is.
    Column("revoked_up_to", RowId, nullable=False, server_default=text("0")),
    # Several hosts that start together create each robot once. And robots are found without reading all players.
    Index("uq_players_robot", "robot", unique=True, sqlite_where=_IS_ROBOT, postgresql_where=_IS_ROBOT),
)

addresses = Table(
    "addresses",
    metadata,
    Column("address", String(320), primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    Column("is_first", Boolean, nullable=False),
    Column("confirmed_at", UtcDateTime),
    Column("suspended_at", UtcDateTime),
    # When the last mail went there of those that say so.
    Column("last_mail_at", UtcDateTime),
    # When its player last showed that mail arrives there: what was sent before has not come back, whatever a
    # report says.
    Column("arrived_at", UtcDateTime),
)

blocks = Table(
    "blocks",
    metadata,
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("blocked_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
)

# Addresses that a player has said are somebody else's: nobody asks again.
denied_addresses = Table(
    "denied_addresses",
    metadata,
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("address_digest", String(40), primary_key=True),
)

confirmations = Table(
    "confirmations",
    metadata,
    # What mails in the outbox name it by that ask it.
    Column("id", String(40), primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    # Where it was mailed, and from where it can be answered.
    Column("address", String(320), nullable=False),
    # A question may be asked again, each time as of then: one answer closes all about the same thing.
    Column("about", String(400), nullable=False, index=True),
    Column("lines", JSON, nullable=False),
    Column("shown", JSON, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
)

# Addresses, and domains with an @ before them, whose mail has no effect and gets no answer.
bans = Table(
    "bans",
    metadata,
    Column("pattern", String(320), primary_key=True),
    Column("banned_at", UtcDateTime, nullable=False),
    # For the operator alone.
    Column("reason", Text, nullable=False),
)

# Whole days, in UTC, on which a player's clocks stop.
vacations = Table(
    "vacations",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    Column("first_day", Date, nullable=False),
    Column("last_day", Date, nullable=False),
)

# When a player's clocks stop because their mail bounces.
standstills = Table(
    "standstills",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    Column("began_at", UtcDateTime, nullable=False),
    Column("until_at", UtcDateTime, nullable=False),
    # When opponents were notified that the clocks run again although mail still bounces.
    Column("notified_at", UtcDateTime),
)

# What limits count (`commands.policy`). Digests alone: who it was, or what was said, is not stored.
counts = Table(
    "counts",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("name", String(80), nullable=False),
    # Of the address, userid or whatever it is counted by; empty where all counts are one.
    Column("of_digest", String(40), nullable=False),
    # Of the address that it can be released for; NULL if it cannot.
    Column("owner_digest", String(40)),
    Column("amount", BigInteger, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Index("ix_counts_of_digest_name_at", "of_digest", "name", "at"),
    Index("ix_counts_owner_digest", "owner_digest", sqlite_where=_HAS_OWNER, postgresql_where=_HAS_OWNER),
)
