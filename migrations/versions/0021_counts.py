"""Counts: one table for all that limits count, by digests alone, in the place of four and of rows of the outbox.

Invitations, open sign-ups, and that a player was asked for an address count on. All else begins at nothing.

Revision ID: 0021
Revises: 0020
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from alembic import op

from pbmserv.commands.policy import PROVIDERS, domain_of
from pbmserv.store.mail_tokens import digest
from pbmserv.store.tables import RowId, UtcDateTime

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_HAS_OWNER = sa.text("owner_digest IS NOT NULL")
_KEPT = {
    "invitation": timedelta(days=14),
    "address": timedelta(days=7),
    "sign-up": timedelta(days=1),
}


def upgrade() -> None:
    """Adds it, copies into it what counts for longer than an hour and matters, and drops what it replaces."""
    counts = op.create_table(
        "counts",
        sa.Column("id", RowId, nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("of_digest", sa.String(length=40), nullable=False),
        sa.Column("owner_digest", sa.String(length=40), nullable=True),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_counts")),
    )
    op.create_index("ix_counts_of_digest_name_at", "counts", ["of_digest", "name", "at"])
    op.create_index(
        "ix_counts_owner_digest", "counts", ["owner_digest"], sqlite_where=_HAS_OWNER, postgresql_where=_HAS_OWNER
    )
    rows = list(_counted(op.get_bind()))
    if rows:
        op.bulk_insert(counts, rows)
    for table in ("wordy_mails", "web_sign_ups", "talk_counts", "failed_logins"):
        op.drop_table(table)


def _counted(connection: sa.Connection) -> Iterator[dict[str, Any]]:
    now = datetime.now(UTC)
    outbox = sa.table("outbox", *(sa.column(name) for name in ("kind", "recipient", "inbox_id")))
    outbox.append_column(sa.column("created_at", UtcDateTime()))
    inbox = sa.table("inbox", sa.column("id"), sa.column("host"))
    addresses = sa.table("addresses", sa.column("address"), sa.column("confirmed_at"))
    is_confirmed = sa.exists().where(
        addresses.c.address == outbox.c.recipient, addresses.c.confirmed_at.is_not(None)
    )
    query = (
        sa.select(outbox.c.kind, outbox.c.recipient, outbox.c.created_at, inbox.c.host)
        .select_from(outbox.outerjoin(inbox, inbox.c.id == outbox.c.inbox_id))
        .where(outbox.c.kind.in_([*_KEPT]), sa.or_(outbox.c.kind != "sign-up", ~is_confirmed))
    )
    for row in connection.execute(query.where(outbox.c.created_at > now - max(_KEPT.values()))):
        if row.created_at > now - _KEPT[row.kind] and row.recipient:
            for name, of in _names(row.kind, row.recipient, row.host):
                yield {
                    "name": name,
                    "of_digest": digest(of) if of else "",
                    "owner_digest": digest(row.recipient) if row.kind == "sign-up" else None,
                    "amount": 1,
                    "at": row.created_at,
                }


def _names(kind: str, address: str, host: str | None) -> Iterator[tuple[str, str]]:
    """What such a mail counts as, and of what."""
    if kind == "invitation":
        yield "invitations by address", address
    elif kind == "address":
        yield "questions whether an address is theirs by address", address
    else:
        domain = domain_of(address)
        yield "sign-ups by all", ""
        yield "sign-ups by address", address
        yield f"sign-ups by {'large mail provider' if domain in PROVIDERS else 'mail domain'}", domain
        if host:
            yield "sign-ups by host", host


def downgrade() -> None:
    """Takes it away, and makes the others anew, empty."""
    op.drop_table("counts")
    op.create_table(
        "failed_logins",
        sa.Column("id", RowId, nullable=False),
        sa.Column("userid_lower", sa.String(length=20), nullable=False),
        sa.Column("sender", sa.String(length=320), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_failed_logins")),
    )
    op.create_index("ix_failed_logins_userid_lower_at", "failed_logins", ["userid_lower", "at"])
    op.create_index("ix_failed_logins_sender_at", "failed_logins", ["sender", "at"])
    op.create_index("ix_failed_logins_at", "failed_logins", ["at"])
    op.create_table(
        "talk_counts",
        sa.Column("id", RowId, nullable=False),
        sa.Column("player_id", RowId, nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("stranger_id", RowId, nullable=True),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_talk_counts_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_talk_counts")),
    )
    op.create_index("ix_talk_counts_player_id_kind_at", "talk_counts", ["player_id", "kind", "at"])
    op.create_index("ix_talk_counts_stranger_id_at", "talk_counts", ["stranger_id", "at"])
    op.create_table(
        "web_sign_ups",
        sa.Column("id", RowId, nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("address_digest", sa.String(length=40), nullable=False),
        sa.Column("host", sa.String(length=45), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_web_sign_ups")),
    )
    op.create_index("ix_web_sign_ups_at", "web_sign_ups", ["at"])
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
