"""Floods: mails wait in lanes, and it is known how large they were and which host brought them.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_ZERO = sa.text("0")
_WAITING = sa.text("status = 'waiting'")


def upgrade() -> None:
    """Adds them. What waits already is in the first lane: whatever comes later of a sender stays behind it.

    Sizes count for an hour only, so those of older mails are not looked up.
    """
    op.add_column("inbox", sa.Column("size", sa.BigInteger(), nullable=False, server_default=_ZERO))
    op.add_column("inbox", sa.Column("lane", sa.SmallInteger(), nullable=False, server_default=_ZERO))
    op.add_column("inbox", sa.Column("place", sa.BigInteger(), nullable=False, server_default=_ZERO))
    op.add_column("inbox", sa.Column("host", sa.String(length=45), nullable=True))
    op.drop_index("ix_inbox_waiting", table_name="inbox", sqlite_where=_WAITING, postgresql_where=_WAITING)
    op.drop_index("ix_inbox_waiting_sender", table_name="inbox", sqlite_where=_WAITING, postgresql_where=_WAITING)
    op.create_index(
        "ix_inbox_waiting_sender",
        "inbox",
        ["sender", "lane", "id"],
        sqlite_where=_WAITING,
        postgresql_where=_WAITING,
    )
    op.create_index(
        "ix_inbox_waiting_lane",
        "inbox",
        ["lane", "place", "id"],
        sqlite_where=_WAITING,
        postgresql_where=_WAITING,
    )
    op.create_index("ix_false_claims_at", "false_claims", ["at"])


def downgrade() -> None:
    """Takes them away."""
    op.drop_index("ix_false_claims_at", table_name="false_claims")
    op.drop_index("ix_inbox_waiting_lane", table_name="inbox", sqlite_where=_WAITING, postgresql_where=_WAITING)
    op.drop_index("ix_inbox_waiting_sender", table_name="inbox", sqlite_where=_WAITING, postgresql_where=_WAITING)
    op.create_index(
        "ix_inbox_waiting_sender",
        "inbox",
        ["sender", "id"],
        sqlite_where=_WAITING,
        postgresql_where=_WAITING,
    )
    op.create_index("ix_inbox_waiting", "inbox", ["id"], sqlite_where=_WAITING, postgresql_where=_WAITING)
    for column in ("host", "place", "lane", "size"):
        op.drop_column("inbox", column)
