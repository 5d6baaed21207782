"""The spine: players, addresses, matches, seats, entries, inbox, outbox."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision: str = "0001"
down_revision: str | Sequence[str] | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Makes every table of the spine."""
    op.create_table(
        "inbox",
        sa.Column("id", RowId, nullable=False),
        sa.Column("kept_at", UtcDateTime(), nullable=False),
        sa.Column("envelope_sender", sa.Text(), nullable=False),
        sa.Column("recipients", sa.JSON(), nullable=False),
        sa.Column("sender", sa.String(length=320), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("kills", sa.Integer(), nullable=False),
        sa.Column("not_before", UtcDateTime(), nullable=False),
        sa.Column("content_key", sa.String(length=64), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("handled_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
    )
    op.create_index(
        "ix_inbox_waiting",
        "inbox",
        ["id"],
        unique=False,
        sqlite_where=sa.text("status = 'waiting'"),
        postgresql_where=sa.text("status = 'waiting'"),
    )
    op.create_index(
        "ix_inbox_waiting_sender",
        "inbox",
        ["sender", "id"],
        unique=False,
        sqlite_where=sa.text("status = 'waiting'"),
        postgresql_where=sa.text("status = 'waiting'"),
    )
    op.create_index("uq_inbox_content_key", "inbox", ["content_key"], unique=True)
    op.create_table(
        "outbox",
        sa.Column("id", RowId, nullable=False),
        sa.Column("token", sa.String(length=40), nullable=False),
        sa.Column("inbox_id", RowId, nullable=True),
        sa.Column("player_id", RowId, nullable=True),
        sa.Column("match", sa.Integer(), nullable=True),
        sa.Column("recipient", sa.String(length=320), nullable=False),
        sa.Column("envelope_sender", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("proven", sa.Boolean(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("not_before", UtcDateTime(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("sent_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("token", name=op.f("uq_outbox_token")),
    )
    op.create_index(op.f("ix_outbox_inbox_id"), "outbox", ["inbox_id"], unique=False)
    op.create_index("ix_outbox_kind_created_at", "outbox", ["kind", "created_at"], unique=False)
    op.create_index("ix_outbox_recipient_created_at", "outbox", ["recipient", "created_at"], unique=False)
    op.create_index(
        "ix_outbox_waiting",
        "outbox",
        ["not_before", "id"],
        unique=False,
        sqlite_where=sa.text("status = 'waiting'"),
        postgresql_where=sa.text("status = 'waiting'"),
    )
    op.create_table(
        "players",
        sa.Column("id", RowId, nullable=False),
        sa.Column("userid", sa.String(length=20), nullable=False),
        sa.Column("userid_lower", sa.String(length=20), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
        sa.UniqueConstraint("userid_lower", name=op.f("uq_players_userid_lower")),
    )
    op.create_table(
        "addresses",
        sa.Column("address", sa.String(length=320), nullable=False),
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("is_first", sa.Boolean(), nullable=False),
        sa.Column("confirmed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_addresses_player_id_players")),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_addresses")),
    )
    op.create_index(op.f("ix_addresses_player_id"), "addresses", ["player_id"], unique=False)
    op.create_table(
        "matches",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("rules", sa.String(length=60), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("started_by", RowId, nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("to_move", sa.Integer(), nullable=True),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("last_at", UtcDateTime(), nullable=False),
        sa.Column("last_move", sa.Text(), nullable=False),
        sa.CheckConstraint("number >= 101", name=op.f("ck_matches_numbers_start_at_101")),
        sa.ForeignKeyConstraint(["started_by"], ["players.id"], name=op.f("fk_matches_started_by_players")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_matches")),
    )
    op.create_index("ix_matches_game_status_last_at", "matches", ["game", "status", "last_at"], unique=False)
    op.create_index("ix_matches_started_by_started_at", "matches", ["started_by", "started_at"], unique=False)
    op.create_index("ix_matches_status_last_at", "matches", ["status", "last_at"], unique=False)
    op.create_table(
        "entries",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_entries_match_matches")),
        sa.PrimaryKeyConstraint("match", "seq", name=op.f("pk_entries")),
    )
    op.create_table(
        "seats",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", RowId, nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_seats_match_matches")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_seats_player_id_players")),
        sa.PrimaryKeyConstraint("match", "seat", name=op.f("pk_seats")),
    )
    op.create_index("ix_seats_player_id_match", "seats", ["player_id", "match"], unique=False)


def downgrade() -> None:
    """Drops them, with all they hold."""
    op.drop_index("ix_seats_player_id_match", table_name="seats")
    op.drop_table("seats")
    op.drop_table("entries")
    op.drop_index("ix_matches_status_last_at", table_name="matches")
    op.drop_index("ix_matches_started_by_started_at", table_name="matches")
    op.drop_index("ix_matches_game_status_last_at", table_name="matches")
    op.drop_table("matches")
    op.drop_index(op.f("ix_addresses_player_id"), table_name="addresses")
    op.drop_table("addresses")
    op.drop_table("players")
    op.drop_index(
        "ix_outbox_waiting",
        table_name="outbox",
        sqlite_where=sa.text("status = 'waiting'"),
        postgresql_where=sa.text("status = 'waiting'"),
    )
    op.drop_index("ix_outbox_recipient_created_at", table_name="outbox")
    op.drop_index("ix_outbox_kind_created_at", table_name="outbox")
    op.drop_index(op.f("ix_outbox_inbox_id"), table_name="outbox")
    op.drop_table("outbox")
    op.drop_index("uq_inbox_content_key", table_name="inbox")
    op.drop_index(
        "ix_inbox_waiting_sender",
        table_name="inbox",
        sqlite_where=sa.text("status = 'waiting'"),
        postgresql_where=sa.text("status = 'waiting'"),
    )
    op.drop_index(
        "ix_inbox_waiting",
        table_name="inbox",
        sqlite_where=sa.text("status = 'waiting'"),
        postgresql_where=sa.text("status = 'waiting'"),
    )
    op.drop_table("inbox")
