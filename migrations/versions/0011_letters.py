"""Letters: which mail a player gets, what waits for a robot's move, and the words that need no second answer.

Ratings move into pools: each size of a game has its own. The rows are told apart here, and recounted after it.

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.matches.ratings import pools_of
from pbmserv.store.ratings import read_pool
from pbmserv.store.tables import RowId, UtcDateTime

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_HAS_LEAVE = sa.text("leave_digest IS NOT NULL")
_HELD = sa.text("held_for IS NOT NULL")

_FOUR = 4
"""One more move of everybody who plays already is acknowledged, with a line about what has changed."""


def upgrade() -> None:
    """Adds columns, and tables for what was answered to words and for moves not acknowledged yet."""
    op.add_column("players", sa.Column("receipts", sa.String(length=5), nullable=False, server_default="daily"))
    op.add_column(
        "players", sa.Column("moves_acknowledged", sa.Integer(), nullable=False, server_default=sa.text("0"))
    )
    op.add_column("players", sa.Column("board_mail", sa.String(length=5), nullable=False, server_default="turns"))
    op.add_column("players", sa.Column("mail_off_at", UtcDateTime(), nullable=True))
    op.add_column("players", sa.Column("late_link_at", UtcDateTime(), nullable=True))
    players = sa.table("players", sa.column("moves_acknowledged"))
    op.execute(sa.update(players).values(moves_acknowledged=_FOUR))
    op.add_column("matches", sa.Column("practice", sa.Boolean(), nullable=False, server_default=sa.false()))
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
    op.add_column("inbox", sa.Column("outcome", sa.Text(), nullable=True))
    op.add_column("outbox", sa.Column("key_used_at", UtcDateTime(), nullable=True))
    op.add_column("outbox", sa.Column("leave_digest", sa.String(length=40), nullable=True))
    op.add_column("outbox", sa.Column("leave_kind", sa.String(length=12), nullable=True))
    op.add_column("outbox", sa.Column("held_for", sa.Integer(), nullable=True))
    op.create_index(
        "uq_outbox_leave",
        "outbox",
        ["leave_digest"],
        unique=True,
        sqlite_where=_HAS_LEAVE,
        postgresql_where=_HAS_LEAVE,
    )
    op.create_index("ix_outbox_held_for", "outbox", ["held_for"], sqlite_where=_HELD, postgresql_where=_HELD)
    op.create_table(
        "wordy_mails",
        sa.Column("id", RowId, nullable=False),
        sa.Column("address", sa.String(length=320), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("topic", sa.String(length=40), nullable=False),
        sa.Column("is_answered", sa.Boolean(), nullable=False),
        sa.Column("is_proven", sa.Boolean(), nullable=False),
        sa.Column("words_digest", sa.String(length=40), nullable=False),
        sa.Column("is_quick", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wordy_mails")),
    )
    op.create_index("ix_wordy_mails_address_at", "wordy_mails", ["address", "at"])
    op.create_index("ix_wordy_mails_at", "wordy_mails", ["at"])
    _ratings_by("pool", "game", ["mu", "last_at", "sigma", "counted", "player_id"])
    _into_pools(op.get_bind())
    op.create_table(
        "web_sign_ups",
        sa.Column("id", RowId, nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("address_digest", sa.String(length=40), nullable=False),
        sa.Column("host", sa.String(length=45), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_web_sign_ups")),
    )
    op.create_index("ix_web_sign_ups_at", "web_sign_ups", ["at"])


def downgrade() -> None:
    """Takes them away again. Ratings are left empty: a program without pools makes them anew when it starts."""
    op.drop_table("web_sign_ups")
    for table in ("recounts", "rating_changes", "ratings"):
        op.execute(f"DELETE FROM {table}")  # noqa: S608
    _ratings_by("game", "pool", ["mu", "last_at", "sigma", "player_id"])
    op.drop_table("wordy_mails")
    op.drop_index("ix_outbox_held_for", table_name="outbox")
    op.drop_index("uq_outbox_leave", table_name="outbox")
    for column in ("held_for", "leave_kind", "leave_digest", "key_used_at"):
        op.drop_column("outbox", column)
    op.drop_column("inbox", "outcome")
    op.drop_table("receipts")
    op.drop_column("matches", "practice")
    for column in ("late_link_at", "mail_off_at", "board_mail", "moves_acknowledged", "receipts"):
        op.drop_column("players", column)


def _ratings_by(new: str, old: str, standings: list[str]) -> None:
    """Renames the column that ratings are kept by, with the indexes that begin with it."""
    op.drop_index("ix_ratings_standings", table_name="ratings")
    op.drop_index(f"ix_rating_changes_{old}_at_match", table_name="rating_changes")
    op.drop_index(f"ix_rating_changes_player_id_{old}_at_match", table_name="rating_changes")
    for table in ("ratings", "rating_changes", "recounts"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    op.create_index("ix_ratings_standings", "ratings", [new, *standings])
    op.create_index(f"ix_rating_changes_{new}_at_match", "rating_changes", [new, "at", "match"])
    op.create_index(
        f"ix_rating_changes_player_id_{new}_at_match", "rating_changes", ["player_id", new, "at", "match"]
    )


def _into_pools(connection: sa.Connection) -> None:
    """Puts each rated match into its pool. Games that have another pool than the plain one are to be recounted."""
    matches = sa.table("matches", *map(sa.column, ("number", "game", "options")))
    changes = sa.table("rating_changes", *map(sa.column, ("match", "pool")))
    options = sa.cast(matches.c.options, sa.Text)
    moved: set[str] = set()
    for game, found in connection.execute(sa.select(matches.c.game, options).distinct()).all():
        pool = read_pool(game, found)
        if pool is not None and pool.options:
            theirs = sa.select(matches.c.number).where(matches.c.game == game, options == found)
            update = sa.update(changes).where(changes.c.match.in_(theirs)).values(pool=pool.name)
            if connection.execute(update).rowcount:
                moved.add(game)
    for game in sorted(moved):
        _recount_all_of(connection, game)


def _recount_all_of(connection: sa.Connection, game: str) -> None:
    """Marks every pool of a game for a recount from its first match on.

    Until then, a tally is what the player's last match in the pool has left.
    """
    pools = [pool.name for pool in pools_of(game)]
    for table in ("ratings", "recounts"):
        stored = sa.table(table, sa.column("pool"))
        connection.execute(sa.delete(stored).where(stored.c.pool.in_(pools)))
    names: sa.BindParameter[list[str]] = sa.bindparam("pools", pools, expanding=True)
    connection.execute(sa.text(_LAST_OF_EACH).bindparams(names))
    connection.execute(sa.text(_FIRST_OF_ALL).bindparams(names))


_LAST_OF_EACH = """
    INSERT INTO ratings (pool, player_id, mu, sigma, counted, won, last_at)
    SELECT pool, player_id, mu, sigma, counted, won, at FROM (
        SELECT rating_changes.*,
            row_number() OVER (PARTITION BY pool, player_id ORDER BY at DESC, "match" DESC) AS place
        FROM rating_changes WHERE pool IN :pools
    ) AS numbered WHERE place = 1
"""
_FIRST_OF_ALL = """
    INSERT INTO recounts (pool, at, "match")
    SELECT pool, at, "match" FROM (
        SELECT DISTINCT pool, at, "match", dense_rank() OVER (PARTITION BY pool ORDER BY at, "match") AS place
        FROM rating_changes WHERE pool IN :pools
    ) AS numbered WHERE place = 1
"""
