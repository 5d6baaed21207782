"""Accounts: names that look alike are found; who takes messages from whom, and how many came from strangers.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.commands.vocabulary import skeleton
from pbmserv.store.tables import RowId

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_FORMER = "former %"
_MOST_TOGETHER = 1000


def upgrade() -> None:
    """Adds them. Whoever has a name keeps it, though it may look like another's."""
    op.add_column(
        "players", sa.Column("skeleton", sa.String(length=20), nullable=False, server_default=sa.text("''"))
    )
    op.add_column("players", sa.Column("messages", sa.String(length=5), nullable=False, server_default="on"))
    op.add_column("said", sa.Column("stranger_id", RowId, nullable=True))
    players = sa.table("players", sa.column("id"), sa.column("userid_lower"), sa.column("skeleton"))
    here = sa.select(players.c.id, players.c.userid_lower).where(players.c.userid_lower.not_like(_FORMER))
    rows = [{"player": row.id, "name": skeleton(row.userid_lower)} for row in op.get_bind().execute(here)]
    change = sa.update(players).where(players.c.id == sa.bindparam("player")).values(skeleton=sa.bindparam("name"))
    for first in range(0, len(rows), _MOST_TOGETHER):
        op.get_bind().execute(change, rows[first : first + _MOST_TOGETHER])
    op.create_index("ix_players_skeleton", "players", ["skeleton"])
    op.create_index("ix_said_stranger_id_at", "said", ["stranger_id", "at"])


def downgrade() -> None:
    """Takes them away again."""
    op.drop_index("ix_said_stranger_id_at", table_name="said")
    op.drop_index("ix_players_skeleton", table_name="players")
    op.drop_column("said", "stranger_id")
    op.drop_column("players", "messages")
    op.drop_column("players", "skeleton")
