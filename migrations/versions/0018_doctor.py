"""What `doctor` mails to itself is recognised when it comes back.

Revision ID: 0018
Revises: 0017
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import UtcDateTime

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table."""
    op.create_table(
        "doctor_mails",
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("sent_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("came_at", UtcDateTime(timezone=True), nullable=True),
        sa.Column("is_report", sa.Boolean(), nullable=False),
        sa.Column("head", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_doctor_mails")),
    )


def downgrade() -> None:
    """Takes it away."""
    op.drop_table("doctor_mails")
