"""Club life: clocks, plans, offers, ratings, holidays, talk; entries that no seat made, and the time they took.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

from pbmserv.store.tables import RowId, UtcDateTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds them; boards that run already have no clock."""
    op.create_table(
        "beats",
        sa.Column("part", sa.String(length=80), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("part", name=op.f("pk_beats")),
    )
    op.create_table(
        "outages",
        sa.Column("id", RowId, nullable=False),
        sa.Column("part", sa.String(length=80), nullable=False),
        sa.Column("began_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outages")),
    )
    op.create_index("ix_outages_ended_at", "outages", ["ended_at"], unique=False)
    op.create_table(
        "offers",
        sa.Column("id", RowId, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("clock", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("moves_last", sa.Boolean(), nullable=False),
        sa.Column("made_at", UtcDateTime(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("match", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_offers_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_offers")),
    )
    op.create_index(op.f("ix_offers_player_id"), "offers", ["player_id"], unique=False)
    op.create_index(
        "uq_offers_open_number",
        "offers",
        ["number"],
        unique=True,
        sqlite_where=sa.text("status = 'open'"),
        postgresql_where=sa.text("status = 'open'"),
    )
    op.create_table(
        "ratings",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("player_id", RowId, autoincrement=False, nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("counted", sa.Integer(), nullable=False),
        sa.Column("won", sa.Integer(), nullable=False),
        sa.Column("last_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_ratings_player_id_players")),
        sa.PrimaryKeyConstraint("game", "player_id", name=op.f("pk_ratings")),
    )
    op.create_index("ix_ratings_game_mu", "ratings", ["game", "mu"], unique=False)
    op.create_table(
        "said",
        sa.Column("id", RowId, nullable=False),
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_said_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_said")),
    )
    op.create_index("ix_said_player_id_kind_at", "said", ["player_id", "kind", "at"], unique=False)
    op.create_table(
        "vacations",
        sa.Column("id", RowId, nullable=False),
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_vacations_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vacations")),
    )
    op.create_index(op.f("ix_vacations_player_id"), "vacations", ["player_id"], unique=False)
    op.create_table(
        "clocks",
        sa.Column("match", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("next_at", UtcDateTime(), nullable=True),
        sa.Column("deadline_at", UtcDateTime(), nullable=True),
        sa.Column("lasts", sa.Integer(), nullable=True),
        sa.Column("reminders", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_clocks_match_matches")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_clocks_player_id_players")),
        sa.PrimaryKeyConstraint("match", name=op.f("pk_clocks")),
    )
    op.create_index("ix_clocks_next_at", "clocks", ["next_at"], unique=False)
    op.create_index("ix_clocks_player_id", "clocks", ["player_id"], unique=False)
    op.create_table(
        "offer_players",
        sa.Column("offer_id", RowId, autoincrement=False, nullable=False),
        sa.Column("player_id", RowId, autoincrement=False, nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["offer_id"], ["offers.id"], name=op.f("fk_offer_players_offer_id_offers")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_offer_players_player_id_players")),
        sa.PrimaryKeyConstraint("offer_id", "player_id", name=op.f("pk_offer_players")),
    )
    op.create_table(
        "plans",
        sa.Column("match", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("made_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_plans_match_matches")),
        sa.PrimaryKeyConstraint("match", "seat", "kind", name=op.f("pk_plans")),
    )
    op.create_table(
        "rating_changes",
        sa.Column("match", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", RowId, autoincrement=False, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("mu_before", sa.Double(), nullable=False),
        sa.Column("sigma_before", sa.Double(), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("counted", sa.Integer(), nullable=False),
        sa.Column("won", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_rating_changes_match_matches")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_rating_changes_player_id_players")),
        sa.PrimaryKeyConstraint("match", "player_id", name=op.f("pk_rating_changes")),
    )
    op.create_index("ix_rating_changes_game_at_match", "rating_changes", ["game", "at", "match"], unique=False)
    op.create_index(
        "ix_rating_changes_player_id_game_at", "rating_changes", ["player_id", "game", "at"], unique=False
    )
    op.create_table(
        "subscriptions",
        sa.Column("match", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", RowId, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name=op.f("fk_subscriptions_match_matches")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_subscriptions_player_id_players")),
        sa.PrimaryKeyConstraint("match", "player_id", name=op.f("pk_subscriptions")),
    )
    op.create_index("ix_subscriptions_player_id", "subscriptions", ["player_id"], unique=False)
    with op.batch_alter_table("entries") as entries:
        entries.add_column(sa.Column("used", sa.Integer(), server_default="0", nullable=False))
        entries.alter_column("seat", existing_type=sa.Integer(), nullable=True)
    op.add_column("matches", sa.Column("clock", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("matches", sa.Column("after", sa.Integer(), nullable=True))
    op.create_index(op.f("ix_matches_after"), "matches", ["after"], unique=False)
    op.add_column("players", sa.Column("broadcast", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("players", sa.Column("robot", sa.String(length=20), nullable=True))
    op.add_column("players", sa.Column("digest", sa.String(length=20), nullable=True))
    op.add_column("players", sa.Column("digest_at", UtcDateTime(), nullable=True))
    op.add_column("players", sa.Column("banned_at", UtcDateTime(), nullable=True))
    op.create_index(op.f("ix_players_digest_at"), "players", ["digest_at"], unique=False)
    is_robot = sa.text("robot IS NOT NULL")
    op.create_index(
        "uq_players_robot", "players", ["robot"], unique=True, sqlite_where=is_robot, postgresql_where=is_robot
    )


def downgrade() -> None:
    """Takes them away, with what no seat did: boards that were ended so would run again."""
    is_robot = sa.text("robot IS NOT NULL")
    op.drop_index("uq_players_robot", table_name="players", sqlite_where=is_robot, postgresql_where=is_robot)
    op.drop_index(op.f("ix_players_digest_at"), table_name="players")
    op.drop_column("players", "banned_at")
    op.drop_column("players", "digest_at")
    op.drop_column("players", "digest")
    op.drop_column("players", "robot")
    op.drop_column("players", "broadcast")
    op.drop_index(op.f("ix_matches_after"), table_name="matches")
    op.drop_column("matches", "after")
    op.drop_column("matches", "clock")
    op.execute("DELETE FROM entries WHERE seat IS NULL")
    with op.batch_alter_table("entries") as entries:
        entries.alter_column("seat", existing_type=sa.Integer(), nullable=False)
        entries.drop_column("used")
    op.drop_index("ix_subscriptions_player_id", table_name="subscriptions")
    op.drop_table("subscriptions")
    op.drop_index("ix_rating_changes_player_id_game_at", table_name="rating_changes")
    op.drop_index("ix_rating_changes_game_at_match", table_name="rating_changes")
    op.drop_table("rating_changes")
    op.drop_table("plans")
    op.drop_table("offer_players")
    op.drop_index("ix_clocks_player_id", table_name="clocks")
    op.drop_index("ix_clocks_next_at", table_name="clocks")
    op.drop_table("clocks")
    op.drop_index(op.f("ix_vacations_player_id"), table_name="vacations")
    op.drop_table("vacations")
    op.drop_index("ix_said_player_id_kind_at", table_name="said")
    op.drop_table("said")
    op.drop_index("ix_ratings_game_mu", table_name="ratings")
    op.drop_table("ratings")
    op.drop_index(
        "uq_offers_open_number",
        table_name="offers",
        sqlite_where=sa.text("status = 'open'"),
        postgresql_where=sa.text("status = 'open'"),
    )
    op.drop_index(op.f("ix_offers_player_id"), table_name="offers")
    op.drop_table("offers")
    op.drop_index("ix_outages_ended_at", table_name="outages")
    op.drop_table("outages")
    op.drop_table("beats")
