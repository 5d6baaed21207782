"""The tables, as SQLAlchemy Core sees them. `migrations/` makes them; a test holds the two together."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    text,
    true,
)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment, aware and in UTC on both sides; SQLite keeps it without the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuses a naive time rather than guess its zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone")
        return value.astimezone(UTC) if dialect.name != "sqlite" else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Gives the zone back."""
        if value is None:
            return None
        assert isinstance(value, datetime)
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_WAITING = text("status = 'waiting'")
_HANDLED_AND_WHOLE = text("handled_at IS NOT NULL AND tidied_at IS NULL")
_DONE_AND_WHOLE = text("status <> 'waiting' AND tidied_at IS NULL")

# SQLite counts up by itself only in a column whose type is exactly INTEGER.
RowId = BigInteger().with_variant(Integer(), "sqlite")

players = Table(
    "players",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("userid", String(20), nullable=False),
    Column("userid_lower", String(20), nullable=False, unique=True),
    Column("password_hash", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("html", Boolean, nullable=False, server_default=true()),
    Column("words", Boolean, nullable=False, server_default=false()),
    Column("takes_challenges", Boolean, nullable=False, server_default=true()),
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
)

bounces = Table(
    "bounces",
    metadata,
    # One mail bounces once, however many reports of it come.
    Column("outbox_id", RowId, primary_key=True, autoincrement=False),
    Column("address", String(320), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("is_hard", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Index("ix_bounces_address_at", "address", "at"),
)

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
    # From here on derived: written with the log, and rebuilt from it by `services.check`.
    Column("status", String(10), nullable=False),
    Column("to_move", Integer),
    Column("plies", Integer, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Column("last_move", Text, nullable=False),
    CheckConstraint("number >= 101", name="numbers_start_at_101"),
    Index("ix_matches_status_last_at", "status", "last_at"),
    Index("ix_matches_game_status_last_at", "game", "status", "last_at"),
    Index("ix_matches_started_by_started_at", "started_by", "started_at"),
)

seats = Table(
    "seats",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False),
    Index("ix_seats_player_id_match", "player_id", "match"),
)

entries = Table(
    "entries",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("text", Text, nullable=False),
)

inbox = Table(
    "inbox",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("kept_at", UtcDateTime, nullable=False),
    Column("envelope_sender", Text, nullable=False),
    Column("recipients", JSON, nullable=False),
    Column("sender", String(320), nullable=False),
    Column("raw", LargeBinary, nullable=False),
    # Of the whole mail, in bytes, where only its head was kept.
    Column("full_size", BigInteger),
    Column("status", String(12), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("kills", Integer, nullable=False),
    Column("not_before", UtcDateTime, nullable=False),
    Column("content_key", String(64)),
    Column("error", Text),
    Column("handled_at", UtcDateTime),
    # When what it said was let go of.
    Column("tidied_at", UtcDateTime),
    Index("ix_inbox_tidy", "handled_at", sqlite_where=_HANDLED_AND_WHOLE, postgresql_where=_HANDLED_AND_WHOLE),
    Index("ix_inbox_waiting", "id", sqlite_where=_WAITING, postgresql_where=_WAITING),
    Index(
        "ix_inbox_waiting_sender",
        "sender",
        "id",
        sqlite_where=_WAITING,
        postgresql_where=_WAITING,
    ),
    # Only the mail that was obeyed bears its key: a second copy can never be obeyed too.
    Index("uq_inbox_content_key", "content_key", unique=True),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", RowId, primary_key=True),
    # Of the token in its addresses and its Message-ID, by which it is found when it is answered or comes back.
    Column("token_digest", String(40), nullable=False),
    Column("inbox_id", RowId, index=True),
    Column("player_id", RowId),
    Column("match", Integer),
    # Of each board in it, the ply after which it is shown: pairs; NULL where it shows none.
    Column("shown", JSON(none_as_null=True)),
    Column("recipient", String(320), nullable=False),
    Column("envelope_sender", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Column("proven", Boolean, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("status", String(12), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("not_before", UtcDateTime, nullable=False),
    Column("error", Text),
    Column("sent_at", UtcDateTime),
    Column("tidied_at", UtcDateTime),
    UniqueConstraint("token_digest", name="uq_outbox_token"),
    Index("ix_outbox_tidy", "created_at", sqlite_where=_DONE_AND_WHOLE, postgresql_where=_DONE_AND_WHOLE),
    Index(
        "ix_outbox_waiting",
        "not_before",
        "id",
        sqlite_where=_WAITING,
        postgresql_where=_WAITING,
    ),
    Index("ix_outbox_recipient_created_at", "recipient", "created_at"),
    Index("ix_outbox_kind_created_at", "kind", "created_at"),
)
