"""Tables behind what the operator sees of a running server: heartbeats, outages, alarms and the like."""

from sqlalchemy import Boolean, Column, Index, LargeBinary, String, Table, Text

from pbmserv.store.tables.columns import RowId, UtcDateTime, metadata

# When each part of the server was last alive.
heartbeats = Table(
    "heartbeats",
    metadata,
    Column("part", String(80), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
)

# When parts were down without which nobody can answer: these times count on nobody's clock.
outages = Table(
    "outages",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("part", String(80), nullable=False),
    Column("began_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime, nullable=False),
    Index("ix_outages_ended_at", "ended_at"),
)

# What keeps a part from its work at present, as it told last. No row: nothing does.
part_troubles = Table(
    "part_troubles",
    metadata,
    Column("part", String(80), primary_key=True),
    Column("said", Text, nullable=False),
    Column("began_at", UtcDateTime, nullable=False),
)

# Findings that are not fine, as long as they last.
alarms = Table(
    "alarms",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("began_at", UtcDateTime, nullable=False),
    # When the log said so last.
    Column("said_at", UtcDateTime, nullable=False),
    # When the operator was mailed last. NULL as long as that was not worth a mail.
    Column("mailed_at", UtcDateTime),
)

# The last time that something was done, such as a backup.
milestones = Table(
    "milestones",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("said", Text, nullable=False),
)

# What `doctor` has mailed to itself, for a day. `digest` is of the one-time word in the mail's address.
doctor_mails = Table(
    "doctor_mails",
    metadata,
    Column("digest", LargeBinary(32), primary_key=True),
    Column("sent_at", UtcDateTime, nullable=False),
    # When it came back; null: not yet.
    Column("came_at", UtcDateTime),
    # Whether a report came in its place.
    Column("is_report", Boolean, nullable=False),
    # The head of what came; of a report its reason.
    Column("head", LargeBinary),
)
