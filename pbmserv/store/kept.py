"""What is kept about one player, for whoever asks what that is: no hash, no token, nothing of others."""

from typing import Any, Final

from sqlalchemy import Connection, Select, func, literal, select, union_all

from pbmserv.matches.kept import KeptAbout, KeptAddress, KeptMail, KeptPlan, KeptQuestion, KeptReturn
from pbmserv.store.players import signed_up
from pbmserv.store.tables import (
    addresses,
    bounces,
    confirmations,
    inbox,
    offer_players,
    offers,
    outbox,
    plans,
    said,
    seats,
)

MOST_MAILS: Final = 200


def about(connection: Connection, player_id: int) -> KeptAbout:
    """Everything about a player but boards, settings and blocks; of mails the newest."""
    mails = _mails(player_id).subquery()
    newest = select(mails).order_by(mails.c.at.desc(), mails.c.way.desc(), mails.c.id.desc()).limit(MOST_MAILS)
    return KeptAbout(
        signed_up=signed_up(connection, player_id),
        addresses=_addresses(connection, player_id),
        questions=questions(connection, player_id),
        mails=tuple(KeptMail(row.way, row.address, row.at, row.fate) for row in connection.execute(newest).all()),
        mails_total=connection.execute(select(func.count()).select_from(mails)).scalar_one(),
        returns=_returns(connection, player_id),
        plans=_plans(connection, player_id),
        offers=_offers(connection, player_id),
        said=connection.execute(select(func.count()).where(said.c.player_id == player_id)).scalar_one(),
    )


def _plans(connection: Connection, player_id: int) -> tuple[KeptPlan, ...]:
    query = (
        select(plans.c.match, plans.c.kind, plans.c.made_at)
        .join(seats, (seats.c.match == plans.c.match) & (seats.c.seat == plans.c.seat))
        .where(seats.c.player_id == player_id)
        .order_by(plans.c.match, plans.c.kind)
    )
    return tuple(KeptPlan(row.match, row.kind, row.made_at) for row in connection.execute(query))


def _offers(connection: Connection, player_id: int) -> tuple[int, ...]:
    joined = select(offer_players.c.offer_id).where(offer_players.c.player_id == player_id)
    mine = (offers.c.player_id == player_id) | offers.c.id.in_(joined)
    query = select(offers.c.number).where(mine, offers.c.status == "open").order_by(offers.c.number)
    return tuple(connection.execute(query).scalars())


def _addresses(connection: Connection, player_id: int) -> tuple[KeptAddress, ...]:
    query = (
        select(addresses)
        .where(addresses.c.player_id == player_id)
        .order_by(addresses.c.is_first.desc(), addresses.c.address)
    )
    return tuple(
        KeptAddress(row.address, row.is_first, row.confirmed_at, row.suspended_at)
        for row in connection.execute(query)
    )


def questions(connection: Connection, player_id: int) -> tuple[KeptQuestion, ...]:
    """What waits for a `yes` of a player, the oldest first."""
    query = (
        select(confirmations)
        .where(confirmations.c.player_id == player_id)
        .order_by(confirmations.c.asked_at, confirmations.c.about)
    )
    return tuple(
        KeptQuestion(row.kind, row.address, tuple(row.lines), row.asked_at) for row in connection.execute(query)
    )


def _returns(connection: Connection, player_id: int) -> tuple[KeptReturn, ...]:
    query = (
        select(bounces)
        .where(bounces.c.address.in_(_theirs(player_id)))
        .order_by(bounces.c.at.desc(), bounces.c.outbox_id.desc())
        .limit(MOST_MAILS)
    )
    return tuple(KeptReturn(row.address, row.at, row.is_hard) for row in connection.execute(query))


def _mails(player_id: int) -> Any:
    """Every mail that names an address of the player: its way, number, address, time and fate."""
    taken_in = select(
        literal("from").label("way"),
        inbox.c.id,
        inbox.c.sender.label("address"),
        inbox.c.kept_at.label("at"),
        inbox.c.status.label("fate"),
    ).where(inbox.c.sender.in_(_theirs(player_id)))
    sent = select(
        literal("to").label("way"),
        outbox.c.id,
        outbox.c.recipient.label("address"),
        outbox.c.created_at.label("at"),
        outbox.c.status.label("fate"),
    ).where(outbox.c.recipient.in_(_theirs(player_id)))
    return union_all(taken_in, sent)


def _theirs(player_id: int) -> Select[tuple[str]]:
    return select(addresses.c.address).where(addresses.c.player_id == player_id)
