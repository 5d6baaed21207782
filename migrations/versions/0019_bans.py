"""Addresses and domains whose mail has no effect and gets no answer.

Revision ID: 0019
Revises: 0018
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import UtcDateTime

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table; nobody is on it yet."""
    op.create_table(
        "bans",
        sa.Column("pattern", sa.String(length=320), nullable=False),
        sa.Column("banned_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("pattern", name=op.f("pk_bans")),
    )


def downgrade() -> None:
    """Takes it away."""
    op.drop_table("bans")
