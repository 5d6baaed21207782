"""What is stored about one player, for that player: no hash, no token, nothing about others."""

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection, Select, func, literal, select, union_all

from pbmserv.commands.policy import BROADCASTS, MESSAGES_A_DAY, VACATIONS
from pbmserv.matches.player import (
    PersonalAddress,
    PersonalBounce,
    PersonalData,
    PersonalMail,
    PersonalPlan,
    PersonalQuestion,
)
from pbmserv.store import counts, puzzle_tries
from pbmserv.store.players import signed_up
from pbmserv.store.tables import (
    addresses,
    bounces,
    conditional_moves,
    confirmations,
    inbox,
    letters,
    offer_players,
    offers,
    outbox,
    seats,
)

MOST_MAILS: Final = 200

_SAID: Final = (MESSAGES_A_DAY, BROADCASTS, VACATIONS)
_EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


def about(connection: Connection, player_id: int) -> PersonalData:
    """Everything about a player except boards, settings and blocks; only the newest mails."""
    mails = _mails(player_id).subquery()
    newest = select(mails).order_by(mails.c.at.desc(), mails.c.way.desc(), mails.c.id.desc()).limit(MOST_MAILS)
    return PersonalData(
        signed_up=signed_up(connection, player_id),
        addresses=_addresses(connection, player_id),
        questions=questions(connection, player_id),
        mails=tuple(
            PersonalMail(row.way, row.address, row.at, row.fate) for row in connection.execute(newest).all()
        ),
        mails_total=connection.execute(select(func.count()).select_from(mails)).scalar_one(),
        returns=_returns(connection, player_id),
        plans=_plans(connection, player_id),
        offers=_offers(connection, player_id),
        puzzles=tuple(puzzle_tries.of_player(connection, player_id).values()),
        said=sum(counts.total(connection, each.name, str(player_id), _EVER) for each in _SAID),
    )


def _plans(connection: Connection, player_id: int) -> tuple[PersonalPlan, ...]:
    query = (
        select(conditional_moves.c.match, conditional_moves.c.kind, conditional_moves.c.made_at)
        .join(seats, (seats.c.match == conditional_moves.c.match) & (seats.c.seat == conditional_moves.c.seat))
        .where(seats.c.player_id == player_id)
        .order_by(conditional_moves.c.match, conditional_moves.c.kind)
    )
    return tuple(PersonalPlan(row.match, row.kind, row.made_at) for row in connection.execute(query))


def _offers(connection: Connection, player_id: int) -> tuple[int, ...]:
    joined = select(offer_players.c.offer_id).where(offer_players.c.player_id == player_id)
    mine = (offers.c.player_id == player_id) | offers.c.id.in_(joined)
    query = select(offers.c.number).where(mine, offers.c.status == "open").order_by(offers.c.number)
    return tuple(connection.execute(query).scalars())


def _addresses(connection: Connection, player_id: int) -> tuple[PersonalAddress, ...]:
    query = (
        select(addresses)
        .where(addresses.c.player_id == player_id)
        .order_by(addresses.c.is_first.desc(), addresses.c.address)
    )
    return tuple(
        PersonalAddress(row.address, row.is_first, row.confirmed_at, row.suspended_at)
        for row in connection.execute(query)
    )


def questions(connection: Connection, player_id: int) -> tuple[PersonalQuestion, ...]:
    """The confirmations that a player has not answered, the oldest first."""
    query = (
        select(confirmations)
        .where(confirmations.c.player_id == player_id)
        .order_by(confirmations.c.asked_at, confirmations.c.about)
    )
    return tuple(
        PersonalQuestion(row.kind, row.address, tuple(row.lines), row.asked_at)
        for row in connection.execute(query)
    )


def _returns(connection: Connection, player_id: int) -> tuple[PersonalBounce, ...]:
    query = (
        select(bounces)
        .where(bounces.c.address.in_(_theirs(player_id)))
        .order_by(bounces.c.at.desc(), bounces.c.outbox_id.desc())
        .limit(MOST_MAILS)
    )
    return tuple(PersonalBounce(row.address, row.at, row.is_hard) for row in connection.execute(query))


def _mails(player_id: int) -> Any:
    """Every mail from or to an address of the player: direction, id, address, time and status."""
    taken_in = select(
        literal("from").label("way"),
        inbox.c.id,
        inbox.c.sender.label("address"),
        inbox.c.received_at.label("at"),
        inbox.c.status.label("fate"),
    ).where(inbox.c.sender.in_(_theirs(player_id)))
    sent = select(
        literal("to").label("way"),
        outbox.c.id,
        outbox.c.recipient.label("address"),
        outbox.c.created_at.label("at"),
        outbox.c.status.label("fate"),
    ).where(outbox.c.recipient.in_(_theirs(player_id)))
    unwritten = select(
        literal("to").label("way"),
        letters.c.id,
        letters.c.recipient.label("address"),
        letters.c.created_at.label("at"),
        literal("waiting").label("fate"),
    ).where(letters.c.recipient.in_(_theirs(player_id)))
    return union_all(taken_in, sent, unwritten)


def _theirs(player_id: int) -> Select[tuple[str]]:
    return select(addresses.c.address).where(addresses.c.player_id == player_id)
