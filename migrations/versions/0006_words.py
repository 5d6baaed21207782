"""Words: one of its own for Message-IDs, which proves nothing; players end what older mails prove.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_HAS_WORD = sa.text("thread_digest IS NOT NULL")


def upgrade() -> None:
    """Adds them. Mails that were written before have no word of their own in their Message-IDs."""
    op.add_column("outbox", sa.Column("thread_digest", sa.String(length=40), nullable=True))
    op.create_index(
        "uq_outbox_thread",
        "outbox",
        ["thread_digest"],
        unique=True,
        sqlite_where=_HAS_WORD,
        postgresql_where=_HAS_WORD,
    )
    # The word that answers such a question stood in its Message-ID; whoever wants it asks anew.
    op.execute("DELETE FROM confirmations WHERE kind <> 'sign-up'")
    op.add_column("players", sa.Column("revoked_up_to", RowId, nullable=False, server_default=sa.text("0")))


def downgrade() -> None:
    """Takes them away again."""
    op.drop_column("players", "revoked_up_to")
    op.drop_index("uq_outbox_thread", "outbox")
    op.drop_column("outbox", "thread_digest")
