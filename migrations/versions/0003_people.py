"""People's mail: what players have set, whom they block, what waits for a `yes`, tokens by their digest only.

Revision ID: 0003
Revises: 0002
"""

import hashlib

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

SETTINGS = (("html", sa.true()), ("words", sa.false()), ("takes_challenges", sa.true()))


def upgrade() -> None:
    """Adds them, and puts each mail's digest in its token's place."""
    for name, default in SETTINGS:
        op.add_column("players", sa.Column(name, sa.Boolean(), server_default=default, nullable=False))
    op.create_table(
        "blocks",
        sa.Column("player_id", RowId, autoincrement=False, nullable=False),
        sa.Column("blocked_id", RowId, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_blocks_player_id_players")),
        sa.ForeignKeyConstraint(["blocked_id"], ["players.id"], name=op.f("fk_blocks_blocked_id_players")),
        sa.PrimaryKeyConstraint("player_id", "blocked_id", name=op.f("pk_blocks")),
    )
    op.create_table(
        "confirmations",
        sa.Column("token_digest", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("address", sa.String(length=320), nullable=False),
        sa.Column("about", sa.String(length=400), nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("shown", sa.JSON(), nullable=False),
        sa.Column("asked_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_confirmations_player_id_players")),
        sa.PrimaryKeyConstraint("token_digest", name=op.f("pk_confirmations")),
        sa.UniqueConstraint("about", name=op.f("uq_confirmations_about")),
    )
    op.create_index("ix_confirmations_player_id", "confirmations", ["player_id"], unique=False)
    op.add_column("outbox", sa.Column("shown", sa.JSON(none_as_null=True), nullable=True))
    op.execute("ALTER TABLE outbox RENAME COLUMN token TO token_digest")
    outbox = sa.table("outbox", sa.column("id", RowId), sa.column("token_digest", sa.String(40)))
    rename = (
        sa.update(outbox).where(outbox.c.id == sa.bindparam("mail_id")).values(token_digest=sa.bindparam("digest"))
    )
    connection, last = op.get_bind(), 0
    while rows := connection.execute(
        sa.select(outbox).where(outbox.c.id > last).order_by(outbox.c.id).limit(1000)
    ).all():
        connection.execute(rename, [{"mail_id": row.id, "digest": _digest(row.token_digest)} for row in rows])
        last = rows[-1].id


def downgrade() -> None:
    """Takes them away; tokens do not come back, so mails sent so far can then neither be answered nor bounce."""
    op.execute("ALTER TABLE outbox RENAME COLUMN token_digest TO token")
    op.drop_column("outbox", "shown")
    op.drop_table("confirmations")
    op.drop_table("blocks")
    for name, _ in reversed(SETTINGS):
        op.drop_column("players", name)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()[:40]
