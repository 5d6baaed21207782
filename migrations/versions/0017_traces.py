"""Traces: what the relay calls a mail, and that a mail has come back.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_outbox = sa.table("outbox", sa.column("id", RowId), sa.column("status", sa.String))
_bounces = sa.table("bounces", sa.column("outbox_id", RowId))


def upgrade() -> None:
    """Adds the columns; of what was sent, that is "bounced" which a report has named."""
    op.add_column("outbox", sa.Column("queue_id", sa.String(length=100), nullable=True))
    op.add_column("bounces", sa.Column("inbox_id", RowId, nullable=True))
    came_back = _outbox.c.id.in_(sa.select(_bounces.c.outbox_id))
    op.execute(sa.update(_outbox).where(_outbox.c.status == "sent", came_back).values(status="bounced"))


def downgrade() -> None:
    """Takes them away."""
    op.execute(sa.update(_outbox).where(_outbox.c.status == "bounced").values(status="sent"))
    op.drop_column("bounces", "inbox_id")
    op.drop_column("outbox", "queue_id")
