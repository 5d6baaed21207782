"""Players: accounts, addresses, settings, and what waits for their `yes`."""

from sqlalchemy import JSON, Boolean, Column, Date, ForeignKey, Index, String, Table, Text, false, text, true

from pbmserv.store.tables.columns import RowId, UtcDateTime, metadata

_IS_ROBOT = text("robot IS NOT NULL")

players = Table(
    "players",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("userid", String(20), nullable=False),
    Column("userid_lower", String(20), nullable=False, unique=True),
    # What userids have in common that look alike (`commands.names`); empty for whoever has left.
    Column("skeleton", String(20), nullable=False, server_default=text("''"), index=True),
    Column("password_hash", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("html", Boolean, nullable=False, server_default=true()),
    Column("words", Boolean, nullable=False, server_default=false()),
    Column("takes_challenges", Boolean, nullable=False, server_default=true()),
    Column("broadcast", Boolean, nullable=False, server_default=false()),
    # From whom messages come: "on" from all, "known" from whom they have played with, "off" from nobody.
    Column("messages", String(5), nullable=False, server_default="on"),
    # Which robot it is; NULL for people.
    Column("robot", String(20)),
    # When the boards come in one mail ("daily 07:30"), and when that is due next.
    Column("digest", String(20)),
    Column("digest_at", UtcDateTime, index=True),
    Column("banned_at", UtcDateTime),
    # The newest mail (its number in the outbox) whose address and links prove nothing any more; 0: all are good.
    Column("revoked_up_to", RowId, nullable=False, server_default=text("0")),
    # Several hosts that start at once make each robot once; and robots are found without looking at people.
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
)

blocks = Table(
    "blocks",
    metadata,
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("blocked_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
)

confirmations = Table(
    "confirmations",
    metadata,
    # Of the token that was mailed; the token itself is kept nowhere but in that mail.
    Column("token_digest", String(40), primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    # Where it was mailed, and from where it may be answered.
    Column("address", String(320), nullable=False),
    # One question about the same is open at a time, though several mails may bear it.
    Column("about", String(400), nullable=False, index=True),
    Column("lines", JSON, nullable=False),
    Column("shown", JSON, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
)

# Wrong passwords in mails, for a day: they are counted, whoever is meant and whoever sent them.
false_claims = Table(
    "false_claims",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("userid_lower", String(20), nullable=False),
    Column("sender", String(320), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Index("ix_false_claims_userid_lower_at", "userid_lower", "at"),
    Index("ix_false_claims_sender_at", "sender", "at"),
    Index("ix_false_claims_at", "at"),
)

# Whole days, in UTC, on which a player's clocks stand still.
vacations = Table(
    "vacations",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    Column("first_day", Date, nullable=False),
    Column("last_day", Date, nullable=False),
)

# When a player's clocks stand still since mail to them comes back; `told_at` is when the opponents were told that
# they run on, though it still does.
standstills = Table(
    "standstills",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    Column("began_at", UtcDateTime, nullable=False),
    Column("until_at", UtcDateTime, nullable=False),
    Column("told_at", UtcDateTime),
)

# That somebody has spoken to others, never what: talk has limits.
said = Table(
    "said",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False),
    Column("kind", String(12), nullable=False),
    # To whom, where the two had never played; else NULL: it is nobody's business who writes to whom.
    Column("stranger_id", RowId),
    Column("at", UtcDateTime, nullable=False),
    Index("ix_said_player_id_kind_at", "player_id", "kind", "at"),
    Index("ix_said_stranger_id_at", "stranger_id", "at"),
)
