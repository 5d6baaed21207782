"""Players: accounts, addresses, settings, confirmations, and what rate limits count."""

from sqlalchemy import (
    JSON,
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
    # Of the token that was mailed. The token itself is only in that mail.
    Column("token_digest", String(40), primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    # Where it was mailed, and from where it can be answered.
    Column("address", String(320), nullable=False),
    # Only one question about the same thing is open at a time, though several mails may ask it.
    Column("about", String(400), nullable=False, index=True),
    Column("lines", JSON, nullable=False),
    Column("shown", JSON, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
)

# Wrong passwords in mails, kept for a day and counted for every userid and sender.
failed_logins = Table(
    "failed_logins",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("userid_lower", String(20), nullable=False),
    Column("sender", String(320), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Index("ix_failed_logins_userid_lower_at", "userid_lower", "at"),
    Index("ix_failed_logins_sender_at", "sender", "at"),
    Index("ix_failed_logins_at", "at"),
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

# Sign-ups on the page, kept for a day.
web_sign_ups = Table(
    "web_sign_ups",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    # Of the address that a mail was to go to.
    Column("address_digest", String(40), nullable=False),
    # NULL if it is not known.
    Column("host", String(45)),
    Index("ix_web_sign_ups_at", "at"),
)

# Mails without a command, kept for a day: the same words, or the same topic, are not answered again soon.
wordy_mails = Table(
    "wordy_mails",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("address", String(320), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    # What it asks about, and on which board.
    Column("topic", String(40), nullable=False),
    # Whether it was answered.
    Column("is_answered", Boolean, nullable=False),
    # Whether anything but its From address shows who wrote it.
    Column("is_proven", Boolean, nullable=False),
    # Of its words without digits.
    Column("words_digest", String(40), nullable=False),
    # Whether it came within seconds of a mail of ours.
    Column("is_quick", Boolean, nullable=False),
    Index("ix_wordy_mails_address_at", "address", "at"),
    Index("ix_wordy_mails_at", "at"),
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

# That somebody has sent messages, never their text, because messages are limited.
talk_counts = Table(
    "talk_counts",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False),
    Column("kind", String(12), nullable=False),
    # The recipient, if the two had never played; otherwise NULL, to keep who writes to whom private.
    Column("stranger_id", RowId),
    Column("at", UtcDateTime, nullable=False),
    Index("ix_talk_counts_player_id_kind_at", "player_id", "kind", "at"),
    Index("ix_talk_counts_stranger_id_at", "stranger_id", "at"),
)
