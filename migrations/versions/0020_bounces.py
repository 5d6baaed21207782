"""Bounces: a word of their own, when mail was last seen to arrive, and the last mail to a suspended address. And
addresses that players have said are not theirs.

Revision ID: 0020
Revises: 0019
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_BOUNCES = sa.text("bounce_digest IS NOT NULL")


def upgrade() -> None:
    """Adds them. Of mails that are out the word of the Message-ID still names them, and no more than that."""
    op.add_column("outbox", sa.Column("bounce_digest", sa.LargeBinary(length=12), nullable=True))
    op.create_index(
        "uq_outbox_bounce",
        "outbox",
        ["bounce_digest"],
        unique=True,
        sqlite_where=_BOUNCES,
        postgresql_where=_BOUNCES,
    )
    op.add_column("addresses", sa.Column("last_mail_at", UtcDateTime(timezone=True), nullable=True))
    op.add_column("addresses", sa.Column("arrived_at", UtcDateTime(timezone=True), nullable=True))
    op.create_table(
        "denied_addresses",
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("address_digest", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_denied_addresses_player_id_players")),
        sa.PrimaryKeyConstraint("player_id", "address_digest", name=op.f("pk_denied_addresses")),
    )


def downgrade() -> None:
    """Takes them away."""
    op.drop_table("denied_addresses")
    op.drop_column("addresses", "arrived_at")
    op.drop_column("addresses", "last_mail_at")
    op.drop_index("uq_outbox_bounce", table_name="outbox")
    op.drop_column("outbox", "bounce_digest")
