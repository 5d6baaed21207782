"""Letters and cursors: what is to be said waits in a table of its own, and no longer as mails or as receipts.

A move that the mail of the day was to name becomes a letter. Mails that were held go at their time.

Revision ID: 0023
Revises: 0022
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_HELD = sa.text("held_for IS NOT NULL")


def upgrade() -> None:
    """Adds both, moves what waits, and drops what they replace."""
    op.create_table(
        "letters",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("userid", sa.String(length=20), nullable=False),
        sa.Column("recipient", sa.String(length=320), nullable=False),
        sa.Column("match", sa.Integer(), nullable=True),
        sa.Column("due_at", UtcDateTime(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("inbox_id", RowId, nullable=True),
        sa.Column("in_reply_to", sa.Text(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("proven", sa.Boolean(), nullable=False),
        sa.Column("owner", sa.String(length=20), nullable=False),
        sa.Column("asks", sa.String(length=40), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_letters")),
    )
    op.create_index("ix_letters_due_at", "letters", ["due_at"])
    op.create_index("ix_letters_inbox_id", "letters", ["inbox_id"])
    op.create_index("ix_letters_userid_match", "letters", ["userid", "match"])
    op.create_table(
        "cursors",
        sa.Column("match", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", RowId, autoincrement=False, nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("on_page_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_cursors_match_matches")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_cursors_player_id_players")),
        sa.PrimaryKeyConstraint("match", "player_id", name=op.f("pk_cursors")),
    )
    op.create_index("ix_cursors_player_id", "cursors", ["player_id"])
    op.execute(
        "INSERT INTO letters (id, userid, recipient, match, due_at, created_at, kind, said, size, proven, owner,"
        " asks, tries)"
        " SELECT CAST(receipts.match AS BIGINT) * 1000000000 + receipts.player_id, players.userid_lower,"
        " addresses.address, receipts.match, receipts.due_at, receipts.due_at, 'notice',"
        """ '{"is":"MoveToTell"}', 0, TRUE, '', '', 0"""
        " FROM receipts JOIN players ON players.id = receipts.player_id"
        " JOIN addresses ON addresses.player_id = players.id AND addresses.is_first"
        " WHERE receipts.due_at IS NOT NULL"
    )
    op.execute(
        "INSERT INTO cursors (match, player_id, entry, on_page_at)"
        " SELECT receipts.match, receipts.player_id, (SELECT max(entries.seq) FROM entries"
        " WHERE entries.match = receipts.match AND entries.at <= receipts.on_page_at), receipts.on_page_at"
        " FROM receipts WHERE receipts.on_page_at IS NOT NULL AND EXISTS (SELECT * FROM entries"
        " WHERE entries.match = receipts.match AND entries.at <= receipts.on_page_at)"
    )
    op.drop_table("receipts")
    op.drop_index("ix_outbox_held_for", "outbox", sqlite_where=_HELD, postgresql_where=_HELD)
    op.drop_column("outbox", "held_for")


def downgrade() -> None:
    """Takes them away, and makes the others anew, empty."""
    op.add_column("outbox", sa.Column("held_for", sa.Integer(), nullable=True))
    op.create_index("ix_outbox_held_for", "outbox", ["held_for"], sqlite_where=_HELD, postgresql_where=_HELD)
    op.create_table(
        "receipts",
        sa.Column("match", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", RowId, autoincrement=False, nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("on_page_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_receipts_match_matches")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_receipts_player_id_players")),
        sa.PrimaryKeyConstraint("match", "player_id", name=op.f("pk_receipts")),
    )
    op.create_index("ix_receipts_due_at", "receipts", ["due_at"])
    op.create_index("ix_receipts_player_id", "receipts", ["player_id"])
    op.drop_table("cursors")
    op.drop_table("letters")
