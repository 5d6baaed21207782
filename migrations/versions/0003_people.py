"""People's mail: what players have set, whom they block, what waits for a `yes`, tokens by their digest only.

Revision ID: 0003
Revises: 0002
"""

import hashlib
import re

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BOARD_AND_PLY = re.compile(r"<b(?P<board>[0-9]+)\.(?P<ply>[0-9]+)\.")
OUTBOX = sa.table(
    "outbox",
    sa.column("id", RowId),
    sa.column("token_digest", sa.String(40)),
    sa.column("match", sa.Integer),
    sa.column("message_id", sa.Text),
    sa.column("shown", sa.JSON(none_as_null=True)),
)
SETTINGS = (("html", sa.true()), ("words", sa.false()), ("takes_challenges", sa.true()))


def upgrade() -> None:
    """Adds them, puts each mail's digest in its token's place, and notes the ply that it shows."""
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
        sa.Column("shown", sa.JSON(), nullable=False),
        sa.Column("asked_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_confirmations_player_id_players")),
        sa.PrimaryKeyConstraint("token_digest", name=op.f("pk_confirmations")),
    )
    op.create_index("ix_confirmations_about", "confirmations", ["about"], unique=False)
    op.create_index("ix_confirmations_player_id", "confirmations", ["player_id"], unique=False)
    op.create_table(
        "false_claims",
        sa.Column("id", RowId, nullable=False),
        sa.Column("userid_lower", sa.String(length=20), nullable=False),
        sa.Column("sender", sa.String(length=320), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_false_claims")),
    )
    op.create_index("ix_false_claims_userid_lower_at", "false_claims", ["userid_lower", "at"], unique=False)
    op.create_index("ix_false_claims_sender_at", "false_claims", ["sender", "at"], unique=False)
    op.add_column("outbox", sa.Column("shown", sa.JSON(none_as_null=True), nullable=True))
    op.execute("ALTER TABLE outbox RENAME COLUMN token TO token_digest")
    _renew_mails(op.get_bind())


def downgrade() -> None:
    """Takes them away; tokens do not come back, so mails sent so far can then neither be answered nor bounce."""
    op.execute("ALTER TABLE outbox RENAME COLUMN token_digest TO token")
    op.drop_column("outbox", "shown")
    op.drop_table("false_claims")
    op.drop_table("confirmations")
    op.drop_table("blocks")
    for name, _ in reversed(SETTINGS):
        op.drop_column("players", name)


def _renew_mails(connection: sa.Connection) -> None:
    renew = (
        sa.update(OUTBOX)
        .where(OUTBOX.c.id == sa.bindparam("mail_id"))
        .values(token_digest=sa.bindparam("digest"), shown=sa.bindparam("plies"))
    )
    last = 0
    while rows := connection.execute(
        sa.select(OUTBOX).where(OUTBOX.c.id > last).order_by(OUTBOX.c.id).limit(1000)
    ).all():
        renewed = [
            {"mail_id": row.id, "digest": _digest(row.token_digest), "plies": _shown(row.match, row.message_id)}
            for row in rows
        ]
        connection.execute(renew, renewed)
        last = rows[-1].id


def _digest(token: str) -> str:
    return hashlib.sha256(token.lower().encode()).hexdigest()[:40]


def _shown(match: int | None, message_id: str) -> list[list[int]] | None:
    """The board of a mail with its ply, from a Message-ID such as `<b101.7.w4hz@club.example>`.

    A mail whose Message-ID does not tell is taken for one of the start: an answer to it plays nothing on a later
    board.
    """
    if match is None:
        return None
    told = BOARD_AND_PLY.match(message_id)
    return [[match, int(told["ply"]) if told and int(told["board"]) == match else 0]]
