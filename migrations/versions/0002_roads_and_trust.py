"""Roads and trust: bounces, suspended addresses, mails of which only the head was kept, mails that were tidied.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TIDIED = (
    ("inbox", "handled_at", "handled_at IS NOT NULL"),
    ("outbox", "created_at", "status <> 'waiting'"),
)


def upgrade() -> None:
    """Adds them."""
    op.add_column("addresses", sa.Column("suspended_at", UtcDateTime(), nullable=True))
    op.add_column("inbox", sa.Column("full_size", sa.BigInteger(), nullable=True))
    op.create_table(
        "bounces",
        sa.Column("outbox_id", RowId, autoincrement=False, nullable=False),
        sa.Column("address", sa.String(length=320), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("is_hard", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("outbox_id", name=op.f("pk_bounces")),
    )
    op.create_index("ix_bounces_address_at", "bounces", ["address", "at"], unique=False)
    for table, column, done in TIDIED:
        op.add_column(table, sa.Column("tidied_at", UtcDateTime(), nullable=True))
        where = sa.text(f"{done} AND tidied_at IS NULL")
        op.create_index(f"ix_{table}_tidy", table, [column], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    """Takes them away."""
    for table, _, _ in reversed(TIDIED):
        op.drop_index(f"ix_{table}_tidy", table_name=table)
        op.drop_column(table, "tidied_at")
    op.drop_index("ix_bounces_address_at", table_name="bounces")
    op.drop_table("bounces")
    op.drop_column("inbox", "full_size")
    op.drop_column("addresses", "suspended_at")
