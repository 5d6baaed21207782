"""Mails: received, to be sent, and bounced."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from pbmserv.store.tables.columns import RowId, UtcDateTime, metadata

_ZERO = text("0")
_WAITING = text("status = 'waiting'")
_HANDLED = text("handled_at IS NOT NULL")
_DONE = text("status <> 'waiting'")

_HAS_KEY = text("key_digest IS NOT NULL")
_HAS_LEAVE = text("leave_digest IS NOT NULL")
_HAS_WORD = text("thread_digest IS NOT NULL")
_BOUNCES = text("bounce_digest IS NOT NULL")

inbox = Table(
    "inbox",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("received_at", UtcDateTime, nullable=False),
    Column("envelope_sender", Text, nullable=False),
    Column("recipients", JSON, nullable=False),
    Column("sender", String(320), nullable=False),
    Column("raw", LargeBinary, nullable=False),
    # Bytes of the whole mail, if only its head was stored.
    Column("full_size", BigInteger),
    # Bytes stored, before secrets were masked.
    Column("size", BigInteger, nullable=False, server_default=_ZERO),
    # 0 is the highest priority; the position within it is a time in seconds (`store.inbox`).
    Column("priority", SmallInteger, nullable=False, server_default=_ZERO),
    Column("queue_position", BigInteger, nullable=False, server_default=_ZERO),
    # The host that delivered it to our listener, if that is outside our own network.
    Column("host", String(45)),
    Column("status", String(12), nullable=False),
    Column("tries", Integer, nullable=False),
    # How many isolated processes were killed over it while their worker lived on.
    Column("kills", Integer, nullable=False),
    # Failures that are not its fault: its worker ended, or the database refused this statement.
    Column("setbacks", Integer, nullable=False, server_default="0"),
    Column("not_before", UtcDateTime, nullable=False),
    # What became of it, in sentences. NULL for mails handled by 0.7.0 and earlier.
    Column("outcome", Text),
    Column("error", Text),
    Column("handled_at", UtcDateTime),
    Column("redacted_at", UtcDateTime),
    Index("ix_inbox_retention", "handled_at", sqlite_where=_HANDLED, postgresql_where=_HANDLED),
    Index(
        "ix_inbox_waiting_priority",
        "priority",
        "queue_position",
        "id",
        sqlite_where=_WAITING,
        postgresql_where=_WAITING,
    ),
    Index(
        "ix_inbox_waiting_sender",
        "sender",
        "priority",
        "id",
        sqlite_where=_WAITING,
        postgresql_where=_WAITING,
    ),
)

# What every handled mail leaves for good, so that a second copy of it can never be handled too.
content_keys = Table(
    "content_keys",
    metadata,
    Column("digest", LargeBinary(16), primary_key=True),
    # The mail itself is deleted after a while; its id is never given again.
    Column("inbox_id", RowId, nullable=False),
    sqlite_with_rowid=False,
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", RowId, primary_key=True),
    # Of the token in its From address: a reply to that address comes from its reader.
    Column("token_digest", String(40), nullable=False),
    # Of the word in its Message-ID, which identifies a reply and proves nothing. NULL for mails of 0.5.0 and
    # earlier: they have the token there too.
    Column("thread_digest", String(40)),
    # Of the word in its envelope sender, which names the mail that a report is about. NULL where there is none,
    # and for mails of 0.13.0 and earlier: they have the word of the Message-ID there too.
    Column("bounce_digest", LargeBinary(12)),
    # Of the key in its play links; NULL if it has none.
    Column("key_digest", String(40)),
    # When a play link of it was first used.
    Column("key_used_at", UtcDateTime),
    # Of the word in its unsubscribe link, and what that link stops; NULL if it has none.
    Column("leave_digest", String(40)),
    Column("leave_kind", String(12)),
    # The confirmation that a `yes` to it answers, which is deleted once it is answered; NULL if it asks nothing.
    Column("asks", String(40)),
    Column("inbox_id", RowId, index=True),
    Column("player_id", RowId),
    Column("match", Integer),
    # Pairs: a board in it, and the ply after which it is shown. NULL if it shows none.
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
    Column("redacted_at", UtcDateTime),
    # What the relay called it when it took it; NULL if it did not say.
    Column("queue_id", String(100)),
    UniqueConstraint("token_digest", name="uq_outbox_token"),
    Index("uq_outbox_thread", "thread_digest", unique=True, sqlite_where=_HAS_WORD, postgresql_where=_HAS_WORD),
    Index("uq_outbox_bounce", "bounce_digest", unique=True, sqlite_where=_BOUNCES, postgresql_where=_BOUNCES),
    Index("uq_outbox_key", "key_digest", unique=True, sqlite_where=_HAS_KEY, postgresql_where=_HAS_KEY),
    Index("uq_outbox_leave", "leave_digest", unique=True, sqlite_where=_HAS_LEAVE, postgresql_where=_HAS_LEAVE),
    Index("ix_outbox_retention", "created_at", sqlite_where=_DONE, postgresql_where=_DONE),
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

# What is to be said to somebody: inserted when it is decided, deleted when it is written.
letters = Table(
    "letters",
    metadata,
    # At random, so that it is known before the row is written.
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    # The player's; empty for an address that is nobody's.
    Column("userid", String(20), nullable=False),
    Column("recipient", String(320), nullable=False),
    # The board that it is about; NULL if it is about none or several.
    Column("match", Integer),
    Column("due_at", UtcDateTime, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("kind", String(12), nullable=False),
    # What is said (`store.codec`).
    Column("said", Text, nullable=False),
    # The mail that caused it, its Message-ID if it is answered, its size, and whether its sender was proven.
    Column("inbox_id", RowId, index=True),
    Column("in_reply_to", Text),
    Column("size", BigInteger, nullable=False),
    Column("proven", Boolean, nullable=False),
    # The account that a sign-up is about, and the open question that a `yes` to it answers; may be empty.
    Column("owner", String(20), nullable=False),
    Column("asks", String(40), nullable=False),
    Column("tries", Integer, nullable=False),
    # Why it could not be written.
    Column("error", Text),
    Index("ix_letters_due_at", "due_at"),
    Index("ix_letters_userid_match", "userid", "match"),
)

# What a mail about a board leaves when it is deleted: an answer to it is still recognised.
old_tokens = Table(
    "old_tokens",
    metadata,
    Column("digest", LargeBinary(12), primary_key=True),
    # 0: of the token in its address; 1: of the word in its Message-ID; 2: of the one token of a mail of 0.5.0.
    Column("place", SmallInteger, nullable=False),
    Column("outbox_id", RowId, nullable=False),
    Column("player_id", RowId, nullable=False),
    Column("match", Integer, nullable=False),
    # After which the board was shown; NULL if it was not.
    Column("ply", Integer),
    # When the mail was written, in seconds.
    Column("written", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

bounces = Table(
    "bounces",
    metadata,
    # A mail counts as one bounce, however many reports come.
    Column("outbox_id", RowId, primary_key=True, autoincrement=False),
    Column("address", String(320), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("is_hard", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    # The mail that reported it; NULL if our own relay refused the recipient.
    Column("inbox_id", RowId),
    Index("ix_bounces_address_at", "address", "at"),
)
