"""What an operator is told: what troubles the parts, what lasts, and what was done when.

Revision ID: 0016
Revises: 0015
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import UtcDateTime

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the tables; the running parts fill them."""
    op.create_table(
        "part_troubles",
        sa.Column("part", sa.String(80), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("began_at", UtcDateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("part", name=op.f("pk_part_troubles")),
    )
    op.create_table(
        "alarms",
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("began_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("said_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("mailed_at", UtcDateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_alarms")),
    )
    op.create_table(
        "milestones",
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_milestones")),
    )


def downgrade() -> None:
    """Takes them away."""
    op.drop_table("milestones")
    op.drop_table("alarms")
    op.drop_table("part_troubles")
