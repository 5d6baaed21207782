"""Light on disk: old mails are deleted, and leave what must be recognised in small tables; standings are counted.

Content keys are moved here, in their order, so that the new table is written from front to end. Rows of mails
whose text is gone are deleted by the next retention runs, in small batches, while the server works.

Revision ID: 0012
Revises: 0011
"""

import logging

import sqlalchemy as sa
from alembic import op

from pbmserv.store import rankings
from pbmserv.store.inbox import key_digest
from pbmserv.store.tables import RowId

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

log = logging.getLogger(__name__)

_AT_ONCE = 10_000
_TOLD_AFTER = 1_000_000
_DONE = (("inbox", "handled_at", "handled_at IS NOT NULL"), ("outbox", "created_at", "status <> 'waiting'"))

_RATINGS = (
    ("established", ["pool", "mu"], "sigma <= 6.25"),
    ("provisional", ["pool", "counted"], "sigma > 6.25"),
    ("last_at_pool", ["last_at", "pool", "sigma"], ""),
    ("player_id", ["player_id"], ""),
)

_keys = sa.table("content_keys", sa.column("digest", sa.LargeBinary), sa.column("inbox_id", RowId))
_inbox = sa.table("inbox", sa.column("id", RowId), sa.column("content_key", sa.String))


def upgrade() -> None:
    """Adds the tables and moves the content keys."""
    op.create_table(
        "content_keys",
        sa.Column("digest", sa.LargeBinary(length=16), nullable=False),
        sa.Column("inbox_id", RowId, nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_content_keys")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "old_tokens",
        sa.Column("digest", sa.LargeBinary(length=12), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("outbox_id", RowId, nullable=False),
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=True),
        sa.Column("written", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_old_tokens")),
        sqlite_with_rowid=False,
    )
    _move_keys(op.get_bind())
    op.drop_index("uq_inbox_content_key", table_name="inbox")
    op.drop_column("inbox", "content_key")
    _retention_indexes("{}")
    op.drop_index("ix_ratings_standings", table_name="ratings")
    for name, columns, condition in _RATINGS:
        where = sa.text(condition) if condition else None
        op.create_index(f"ix_ratings_{name}", "ratings", columns, sqlite_where=where, postgresql_where=where)
    op.create_table(
        "rating_counts",
        sa.Column("pool", sa.String(length=40), nullable=False),
        sa.Column("is_established", sa.Boolean(), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("pool", "is_established", "day", name=op.f("pk_rating_counts")),
        sqlite_with_rowid=False,
    )
    connection = op.get_bind()
    for pool in connection.execute(sa.text("SELECT DISTINCT pool FROM ratings")).scalars().all():
        rankings.renew_counts(connection, pool)


def downgrade() -> None:
    """Takes them away. Second copies of deleted mails are forgotten, and answers to them."""
    op.drop_table("rating_counts")
    for name, _, _ in _RATINGS:
        op.drop_index(f"ix_ratings_{name}", table_name="ratings")
    columns = ["pool", "mu", "last_at", "sigma", "counted", "player_id"]
    op.create_index("ix_ratings_standings", "ratings", columns)
    op.add_column("inbox", sa.Column("content_key", sa.String(length=64), nullable=True))
    connection = op.get_bind()
    rows = connection.execute(sa.select(_keys)).all()
    for row in rows:
        mine = sa.update(_inbox).where(_inbox.c.id == row.inbox_id)
        connection.execute(mine.values(content_key=bytes(row.digest).hex()))
    op.create_index("uq_inbox_content_key", "inbox", ["content_key"], unique=True)
    op.drop_table("old_tokens")
    op.drop_table("content_keys")
    _retention_indexes("{} AND redacted_at IS NULL")


def _move_keys(connection: sa.Connection) -> None:
    last, done = "", 0
    query = sa.select(_inbox.c.content_key, _inbox.c.id).order_by(_inbox.c.content_key).limit(_AT_ONCE)
    while rows := connection.execute(query.where(_inbox.c.content_key > last)).all():
        keys = [{"digest": key_digest(row.content_key), "inbox_id": row.id} for row in rows]
        connection.execute(sa.insert(_keys), keys)
        last, done = rows[-1].content_key, done + len(rows)
        if done % _TOLD_AFTER == 0:
            log.info("schema 0012: %d content keys are moved", done)


def _retention_indexes(condition: str) -> None:
    for table, column, done in _DONE:
        where = sa.text(condition.format(done))
        op.drop_index(f"ix_{table}_retention", table_name=table)
        op.create_index(f"ix_{table}_retention", table, [column], sqlite_where=where, postgresql_where=where)
