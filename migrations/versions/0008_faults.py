"""Faults: setbacks of mails are counted apart from what is blamed on them; ratings are counted anew in steps; for
mail that comes back clocks stand still for a while, and no more.

Revision ID: 0008
Revises: 0007
"""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision = "0008"
down_revision = "0007"
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
    op.create_table(
        "standstills",
        sa.Column("id", RowId, nullable=False),
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("began_at", UtcDateTime(), nullable=False),
        sa.Column("until_at", UtcDateTime(), nullable=False),
        sa.Column("told_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_standstills_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_standstills")),
    )
    op.create_index("ix_standstills_player_id", "standstills", ["player_id"])
    # Whom no mail reaches has the whole time from now on; until now such clocks were not looked at.
    now = datetime.now(UTC)
    addresses = sa.table(
        "addresses", sa.column("player_id"), sa.column("is_first", sa.Boolean()), sa.column("suspended_at")
    )
    unreached = sa.select(addresses.c.player_id).where(addresses.c.is_first, addresses.c.suspended_at.is_not(None))
    standstills = sa.table(
        "standstills",
        sa.column("player_id"),
        sa.column("began_at", UtcDateTime()),
        sa.column("until_at", UtcDateTime()),
    )
    clocks = sa.table("clocks", sa.column("player_id"), sa.column("next_at", UtcDateTime()))
    until = sa.literal(now + timedelta(days=30), UtcDateTime())
    rows = unreached.add_columns(sa.literal(now, UtcDateTime()), until)
    op.execute(sa.insert(standstills).from_select(["player_id", "began_at", "until_at"], rows))
    op.execute(sa.update(clocks).where(clocks.c.player_id.in_(unreached)).values(next_at=now))


def downgrade() -> None:
    """Takes them away."""
    op.drop_table("standstills")
    op.drop_table("recounts")
    op.drop_column("inbox", "setbacks")
