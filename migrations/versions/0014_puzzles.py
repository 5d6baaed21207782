"""Puzzles: those found in finished games, who has tried which, and who gets one a week.

Revision ID: 0014
Revises: 0013
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the tables and the column."""
    op.create_table(
        "puzzles",
        sa.Column("id", RowId, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("moves", sa.JSON(), nullable=False),
        sa.Column("best", sa.String(length=200), nullable=False),
        sa.Column("line", sa.JSON(), nullable=False),
        sa.Column("replies", sa.JSON(), nullable=False),
        sa.Column("wins", sa.Boolean(), nullable=False),
        sa.Column("found_at", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_puzzles")),
    )
    op.create_index("ix_puzzles_game", "puzzles", ["game"])
    op.create_table(
        "puzzle_tries",
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sent_at", UtcDateTime, nullable=False),
        sa.Column("by_week", sa.Boolean(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("solved_at", UtcDateTime, nullable=True),
        sa.Column("shown_at", UtcDateTime, nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_puzzle_tries_player_id_players")),
        sa.PrimaryKeyConstraint("player_id", "number", name=op.f("pk_puzzle_tries")),
    )
    op.create_table(
        "puzzle_search",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_puzzle_search")),
    )
    op.add_column("players", sa.Column("puzzle_at", UtcDateTime, nullable=True))
    op.create_index("ix_players_puzzle_at", "players", ["puzzle_at"])


def downgrade() -> None:
    """Takes them away, with all that was found and tried."""
    op.drop_index("ix_players_puzzle_at", table_name="players")
    op.drop_column("players", "puzzle_at")
    op.drop_table("puzzle_search")
    op.drop_table("puzzle_tries")
    op.drop_index("ix_puzzles_game", table_name="puzzles")
    op.drop_table("puzzles")
