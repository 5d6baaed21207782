"""Robots that think: which rung plays on a board, and which process thinks about which board.

What was called `robot` and took whatever gains most at once now plays as strong as fits its opponent.

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import UtcDateTime

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds two tables, and gives `robot` its new program."""
    op.create_table(
        "robot_rungs",
        sa.Column("match", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rung", sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_robot_rungs_match_matches")),
        sa.PrimaryKeyConstraint("match", name=op.f("pk_robot_rungs")),
    )
    op.create_table(
        "robot_claims",
        sa.Column("holder", sa.String(length=80), nullable=False),
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("until_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_robot_claims_match_matches")),
        sa.PrimaryKeyConstraint("holder", name=op.f("pk_robot_claims")),
        sa.UniqueConstraint("match", name=op.f("uq_robot_claims_match")),
    )
    _rename("greedy", "fitting")


def downgrade() -> None:
    """Takes them away. The rungs stay as players; a program that does not know them leaves their boards alone."""
    _rename("fitting", "greedy")
    op.drop_table("robot_claims")
    op.drop_table("robot_rungs")


def _rename(old: str, new: str) -> None:
    players = sa.table("players", sa.column("robot", sa.String))
    op.execute(sa.update(players).where(players.c.robot == old).values(robot=new))
