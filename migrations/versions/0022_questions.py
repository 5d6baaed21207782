"""Questions apart from the tokens in mails: mails name the question that they ask.

Revision ID: 0022
Revises: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """An open question keeps the digest of its mail's token as its id, and that mail names it."""
    op.execute("ALTER TABLE confirmations RENAME COLUMN token_digest TO id")
    op.add_column("outbox", sa.Column("asks", sa.String(length=40), nullable=True))
    op.execute("UPDATE outbox SET asks = token_digest WHERE token_digest IN (SELECT id FROM confirmations)")


def downgrade() -> None:
    """A question gets back the digest of the token in the newest mail that asks it; without one it is closed."""
    op.execute("DELETE FROM confirmations WHERE id NOT IN (SELECT asks FROM outbox WHERE asks IS NOT NULL)")
    op.execute("""
        UPDATE confirmations SET id =
            (SELECT token_digest FROM outbox WHERE asks = confirmations.id ORDER BY outbox.id DESC LIMIT 1)
    """)
    op.drop_column("outbox", "asks")
    op.execute("ALTER TABLE confirmations RENAME COLUMN id TO token_digest")
