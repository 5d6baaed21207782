"""Names: tables, columns and indexes are called what others call such things. Their content stays.

Large tables only have columns renamed. Small ones are made anew and filled, so that their constraints have the new
names too.

Revision ID: 0010
Revises: 0009
"""

from collections.abc import Callable

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_COLUMNS = (
    ("inbox", "kept_at", "received_at"),
    ("inbox", "lane", "priority"),
    ("inbox", "place", "queue_position"),
    ("inbox", "tidied_at", "redacted_at"),
    ("outbox", "tidied_at", "redacted_at"),
    ("players", "words", "accessible_text"),
    ("standstills", "told_at", "notified_at"),
)


def upgrade() -> None:
    """Old names to new ones."""
    for index, table in (
        ("ix_inbox_tidy", "inbox"),
        ("ix_inbox_waiting_lane", "inbox"),
        ("ix_outbox_tidy", "outbox"),
    ):
        op.drop_index(index, table_name=table)
    for table, old, new in _COLUMNS:
        _rename(table, old, new)
    _waiting_index("ix_inbox_waiting_priority", "priority", "queue_position")
    _retention_indexes("ix_{}_retention", "redacted_at")
    _replace("beats", "heartbeats", _heartbeats, '"part", "at"')
    _replace("false_claims", "failed_logins", _failed_logins, '"userid_lower", "sender", "at"', order="id")
    _replace("said", "talk_counts", _talk_counts, '"player_id", "kind", "stranger_id", "at"', order="id")
    _replace(
        "plans", "conditional_moves", _conditional_moves, '"match", "seat", "kind", "plies", "content", "made_at"'
    )
    _rename_part("steward", "scheduler", "heartbeats")


def downgrade() -> None:
    """New names to old ones."""
    _rename_part("scheduler", "steward", "heartbeats")
    _replace(
        "conditional_moves", "plans", _conditional_moves, '"match", "seat", "kind", "plies", "content", "made_at"'
    )
    _replace("talk_counts", "said", _talk_counts, '"player_id", "kind", "stranger_id", "at"', order="id")
    _replace("failed_logins", "false_claims", _failed_logins, '"userid_lower", "sender", "at"', order="id")
    _replace("heartbeats", "beats", _heartbeats, '"part", "at"')
    op.drop_index("ix_inbox_retention", table_name="inbox")
    op.drop_index("ix_outbox_retention", table_name="outbox")
    op.drop_index("ix_inbox_waiting_priority", table_name="inbox")
    for table, old, new in _COLUMNS:
        _rename(table, new, old)
    _waiting_index("ix_inbox_waiting_lane", "lane", "place")
    _retention_indexes("ix_{}_tidy", "tidied_at")


def _rename(table: str, old: str, new: str) -> None:
    op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")


def _replace(old: str, new: str, make: Callable[[str], None], columns: str, order: str = "1") -> None:
    """Makes a table, fills it from another one, and drops that."""
    make(new)
    op.execute(f"INSERT INTO {new} ({columns}) SELECT {columns} FROM {old} ORDER BY {order}")  # noqa: S608
    op.drop_table(old)


def _rename_part(old: str, new: str, heartbeats: str) -> None:
    for table in (heartbeats, "outages"):
        op.execute(f"UPDATE {table} SET part = '{new}' WHERE part = '{old}'")  # noqa: S608


def _waiting_index(name: str, *columns: str) -> None:
    where = sa.text("status = 'waiting'")
    op.create_index(name, "inbox", [*columns, "id"], sqlite_where=where, postgresql_where=where)


def _retention_indexes(name: str, redacted_at: str) -> None:
    for table, column, done in (
        ("inbox", "handled_at", "handled_at IS NOT NULL"),
        ("outbox", "created_at", "status <> 'waiting'"),
    ):
        where = sa.text(f"{done} AND {redacted_at} IS NULL")
        op.create_index(name.format(table), table, [column], sqlite_where=where, postgresql_where=where)


def _heartbeats(name: str) -> None:
    op.create_table(
        name,
        sa.Column("part", sa.String(length=80), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("part", name=op.f(f"pk_{name}")),
    )


def _failed_logins(name: str) -> None:
    op.create_table(
        name,
        sa.Column("id", RowId, nullable=False),
        sa.Column("userid_lower", sa.String(length=20), nullable=False),
        sa.Column("sender", sa.String(length=320), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
    )
    op.create_index(f"ix_{name}_userid_lower_at", name, ["userid_lower", "at"])
    op.create_index(f"ix_{name}_sender_at", name, ["sender", "at"])
    op.create_index(f"ix_{name}_at", name, ["at"])


def _talk_counts(name: str) -> None:
    op.create_table(
        name,
        sa.Column("id", RowId, nullable=False),
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("stranger_id", RowId, nullable=True),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f(f"fk_{name}_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
    )
    op.create_index(f"ix_{name}_player_id_kind_at", name, ["player_id", "kind", "at"])
    op.create_index(f"ix_{name}_stranger_id_at", name, ["stranger_id", "at"])


def _conditional_moves(name: str) -> None:
    op.create_table(
        name,
        sa.Column("match", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("made_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f(f"fk_{name}_match_matches")),
        sa.PrimaryKeyConstraint("match", "seat", "kind", name=op.f(f"pk_{name}")),
    )
