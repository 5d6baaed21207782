"""Mails: those taken in, those to be sent, and those that came back."""

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
_HANDLED_AND_WHOLE = text("handled_at IS NOT NULL AND tidied_at IS NULL")
_DONE_AND_WHOLE = text("status <> 'waiting' AND tidied_at IS NULL")

_HAS_KEY = text("key_digest IS NOT NULL")
_HAS_WORD = text("thread_digest IS NOT NULL")

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
    # Of what was kept, in bytes, before anything was blotted out.
    Column("size", BigInteger, nullable=False, server_default=_ZERO),
    # How much it is known by (`lanes`), and its place in that lane, in seconds.
    Column("lane", SmallInteger, nullable=False, server_default=_ZERO),
    Column("place", BigInteger, nullable=False, server_default=_ZERO),
    # Who brought it to our own listener, where that is out in the net.
    Column("host", String(45)),
    Column("status", String(12), nullable=False),
    Column("tries", Integer, nullable=False),
    # Of processes of its own, killed over it while the worker that had begun them lived on.
    Column("kills", Integer, nullable=False),
    # What cannot be blamed on it: a worker that ended with it in hand, a database that refused it alone.
    Column("setbacks", Integer, nullable=False, server_default="0"),
    Column("not_before", UtcDateTime, nullable=False),
    Column("content_key", String(64)),
    Column("error", Text),
    Column("handled_at", UtcDateTime),
    # When what it said was let go of.
    Column("tidied_at", UtcDateTime),
    Index("ix_inbox_tidy", "handled_at", sqlite_where=_HANDLED_AND_WHOLE, postgresql_where=_HANDLED_AND_WHOLE),
    Index(
        "ix_inbox_waiting_lane",
        "lane",
        "place",
        "id",
        sqlite_where=_WAITING,
        postgresql_where=_WAITING,
    ),
    Index(
        "ix_inbox_waiting_sender",
        "sender",
        "lane",
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
    # Of the token in the address that it comes from: an answer to that address is its reader's.
    Column("token_digest", String(40), nullable=False),
    # Of the word in its Message-ID and envelope sender, which tells which mail is answered, or comes back, and
    # proves nothing. NULL for mails of 0.5.0 and before: there the token stood in all three places.
    Column("thread_digest", String(40)),
    # Of the key in its links to the pages, by which its reader may play there; NULL where it has none.
    Column("key_digest", String(40)),
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
    Index("uq_outbox_thread", "thread_digest", unique=True, sqlite_where=_HAS_WORD, postgresql_where=_HAS_WORD),
    Index("uq_outbox_key", "key_digest", unique=True, sqlite_where=_HAS_KEY, postgresql_where=_HAS_KEY),
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
