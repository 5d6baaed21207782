"""Faults: setbacks of mails are counted apart from what is blamed on them; ratings are counted anew in steps.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import UtcDateTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds them. Whatever was killed over a mail before, the mail was not proven to have done it."""
    op.add_column("inbox", sa.Column("setbacks", sa.Integer(), server_default="0", nullable=False))
    op.execute("UPDATE inbox SET setbacks = kills, kills = 0 WHERE status = 'waiting'")
    op.create_table(
        "recounts",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("match", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("game", name=op.f("pk_recounts")),
    )


def downgrade() -> None:
    """Takes them away."""
    op.drop_table("recounts")
    op.drop_column("inbox", "setbacks")
