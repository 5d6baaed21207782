"""Evaluations: what robots make of positions, and who has asked for an analysis that is still to be made.

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the tables; boards are evaluated while robots have nothing else to do."""
    op.create_table(
        "evaluations",
        sa.Column("match", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("evaluated_at", UtcDateTime(timezone=True), nullable=True),
        sa.Column("plies", sa.Integer(), nullable=True),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_evaluations_match_matches")),
        sa.PrimaryKeyConstraint("match", name=op.f("pk_evaluations")),
    )
    op.create_table(
        "analysis_requests",
        sa.Column("match", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", RowId, autoincrement=False, nullable=False),
        sa.Column("proven", sa.Boolean(), nullable=False),
        sa.Column("asked_at", UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_analysis_requests_match_matches")),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name=op.f("fk_analysis_requests_player_id_players")
        ),
        sa.PrimaryKeyConstraint("match", "player_id", name=op.f("pk_analysis_requests")),
    )
    op.create_index("ix_analysis_requests_asked_at", "analysis_requests", ["asked_at"])


def downgrade() -> None:
    """Takes them away."""
    op.drop_table("analysis_requests")
    op.drop_table("evaluations")
