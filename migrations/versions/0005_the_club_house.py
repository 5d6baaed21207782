"""The club house: keys of personal links; boards are found in their order however many there are.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import UtcDateTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_OVER = sa.text("status <> 'active'")
_HAS_KEY = sa.text("key_digest IS NOT NULL")


def upgrade() -> None:
    """Adds them, and notes of each board that is over when it was."""
    op.add_column("outbox", sa.Column("key_digest", sa.String(length=40), nullable=True))
    op.create_index(
        "uq_outbox_key", "outbox", ["key_digest"], unique=True, sqlite_where=_HAS_KEY, postgresql_where=_HAS_KEY
    )
    op.add_column("seats", sa.Column("ended_at", UtcDateTime(), nullable=True))
    op.execute(
        "UPDATE seats SET ended_at = (SELECT last_at FROM matches "
        "WHERE matches.number = seats.match AND matches.status <> 'active')"
    )
    op.create_index("ix_seats_player_id_ended_at_match", "seats", ["player_id", "ended_at", "match"])
    op.create_index("ix_matches_status_number", "matches", ["status", "number"])
    op.create_index("ix_matches_game_number", "matches", ["game", "number"])
    op.create_index("ix_matches_last_at_number", "matches", ["last_at", "number"])
    op.create_index("ix_matches_game_last_at_number", "matches", ["game", "last_at", "number"])
    op.create_index(
        "ix_matches_over", "matches", ["last_at", "number"], sqlite_where=_OVER, postgresql_where=_OVER
    )
    op.create_index(
        "ix_matches_game_over",
        "matches",
        ["game", "last_at", "number"],
        sqlite_where=_OVER,
        postgresql_where=_OVER,
    )
    op.create_index("ix_clocks_deadline_at_match", "clocks", ["deadline_at", "match"])
    op.drop_index("ix_ratings_game_mu", table_name="ratings")
    op.create_index("ix_ratings_standings", "ratings", ["game", "mu", "last_at", "sigma", "player_id"])
    op.drop_index("ix_rating_changes_player_id_game_at", table_name="rating_changes")
    op.create_index("ix_rating_changes_player_id_at_match", "rating_changes", ["player_id", "at", "match"])
    op.create_index(
        "ix_rating_changes_player_id_game_at_match", "rating_changes", ["player_id", "game", "at", "match"]
    )


def downgrade() -> None:
    """Takes them away."""
    op.drop_index("ix_rating_changes_player_id_game_at_match", table_name="rating_changes")
    op.drop_index("ix_rating_changes_player_id_at_match", table_name="rating_changes")
    op.create_index("ix_rating_changes_player_id_game_at", "rating_changes", ["player_id", "game", "at"])
    op.drop_index("ix_ratings_standings", table_name="ratings")
    op.create_index("ix_ratings_game_mu", "ratings", ["game", "mu"])
    op.drop_index("ix_clocks_deadline_at_match", table_name="clocks")
    op.drop_index("ix_matches_game_over", table_name="matches", sqlite_where=_OVER, postgresql_where=_OVER)
    op.drop_index("ix_matches_over", table_name="matches", sqlite_where=_OVER, postgresql_where=_OVER)
    op.drop_index("ix_matches_game_last_at_number", table_name="matches")
    op.drop_index("ix_matches_last_at_number", table_name="matches")
    op.drop_index("ix_matches_game_number", table_name="matches")
    op.drop_index("ix_matches_status_number", table_name="matches")
    op.drop_index("ix_seats_player_id_ended_at_match", table_name="seats")
    op.drop_column("seats", "ended_at")
    op.drop_index("uq_outbox_key", table_name="outbox", sqlite_where=_HAS_KEY, postgresql_where=_HAS_KEY)
    op.drop_column("outbox", "key_digest")
