"""Letters: which mail a player gets, what waits for a robot's move, and the words that need no second answer.

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_HAS_RECEIPT = sa.text("receipt_at IS NOT NULL")
_HAS_LEAVE = sa.text("leave_digest IS NOT NULL")
_HELD = sa.text("held_for IS NOT NULL")

_FOUR = 4
"""One more move of everybody who plays already is acknowledged, with a line about what has changed."""


def upgrade() -> None:
    """Adds columns, and a table for what was answered to words."""
    op.add_column("players", sa.Column("receipts", sa.String(length=5), nullable=False, server_default="daily"))
    op.add_column(
        "players", sa.Column("moves_acknowledged", sa.Integer(), nullable=False, server_default=sa.text("0"))
    )
    op.add_column("players", sa.Column("board_mail", sa.String(length=5), nullable=False, server_default="turns"))
    op.add_column("players", sa.Column("mail_off_at", UtcDateTime(), nullable=True))
    op.add_column("players", sa.Column("late_link_at", UtcDateTime(), nullable=True))
    players = sa.table("players", sa.column("moves_acknowledged"))
    op.execute(sa.update(players).values(moves_acknowledged=_FOUR))
    op.add_column("matches", sa.Column("practice", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("seats", sa.Column("receipt_at", UtcDateTime(), nullable=True))
    op.create_index(
        "ix_seats_receipt_at", "seats", ["receipt_at"], sqlite_where=_HAS_RECEIPT, postgresql_where=_HAS_RECEIPT
    )
    op.add_column("outbox", sa.Column("key_used_at", UtcDateTime(), nullable=True))
    op.add_column("outbox", sa.Column("leave_digest", sa.String(length=40), nullable=True))
    op.add_column("outbox", sa.Column("leave_kind", sa.String(length=12), nullable=True))
    op.add_column("outbox", sa.Column("held_for", sa.Integer(), nullable=True))
    op.create_index(
        "uq_outbox_leave",
        "outbox",
        ["leave_digest"],
        unique=True,
        sqlite_where=_HAS_LEAVE,
        postgresql_where=_HAS_LEAVE,
    )
    op.create_index("ix_outbox_held_for", "outbox", ["held_for"], sqlite_where=_HELD, postgresql_where=_HELD)
    op.create_table(
        "wordy_mails",
        sa.Column("id", RowId, nullable=False),
        sa.Column("address", sa.String(length=320), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("topic", sa.String(length=40), nullable=False),
        sa.Column("is_answered", sa.Boolean(), nullable=False),
        sa.Column("is_proven", sa.Boolean(), nullable=False),
        sa.Column("words_digest", sa.String(length=40), nullable=False),
        sa.Column("is_quick", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wordy_mails")),
    )
    op.create_index("ix_wordy_mails_address_at", "wordy_mails", ["address", "at"])
    op.create_index("ix_wordy_mails_at", "wordy_mails", ["at"])


def downgrade() -> None:
    """Takes them away again."""
    op.drop_table("wordy_mails")
    op.drop_index("ix_outbox_held_for", table_name="outbox")
    op.drop_index("uq_outbox_leave", table_name="outbox")
    for column in ("held_for", "leave_kind", "leave_digest", "key_used_at"):
        op.drop_column("outbox", column)
    op.drop_index("ix_seats_receipt_at", table_name="seats")
    op.drop_column("seats", "receipt_at")
    op.drop_column("matches", "practice")
    for column in ("late_link_at", "mail_off_at", "board_mail", "moves_acknowledged", "receipts"):
        op.drop_column("players", column)
