"""Writes players and their addresses (nothing else does), and exports what is stored about a player.

The export is for the player: it holds no hash, no token and nothing about others.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    union_all,
    update,
)

from pbmserv.commands.changes import (
    Barred,
    BelievedAddress,
    BlockChange,
    Change,
    DeniedAddress,
    Erased,
    MailStopped,
    NewAddress,
    NewDigest,
    NewPassword,
    NewPlayer,
    NewSetting,
    RestoredAddress,
    RevokedWords,
    WeeklyPuzzle,
)
from pbmserv.commands.policy import (
    BROADCASTS,
    MESSAGES_A_DAY,
    SIGN_UPS,
    SIGN_UPS_A_DOMAIN,
    SIGN_UPS_A_HOST,
    SIGN_UPS_A_PROVIDER,
    VACATIONS,
)
from pbmserv.commands.vocabulary import skeleton
from pbmserv.matches.player import (
    PersonalAddress,
    PersonalBounce,
    PersonalData,
    PersonalMail,
    PersonalPlan,
    PersonalQuestion,
    Player,
)
from pbmserv.matches.queries import Queries
from pbmserv.store import clocks, counts, letters, retention, tables
from pbmserv.store.bounces import WITHHELD
from pbmserv.store.confirmations import VALID_FOR
from pbmserv.store.mail_tokens import digest
from pbmserv.store.players import NO_HASH
from pbmserv.store.tables import (
    addresses,
    blocks,
    bounces,
    conditional_moves,
    confirmations,
    cursors,
    denied_addresses,
    inbox,
    matches,
    offer_players,
    offers,
    outbox,
    players,
    puzzle_tries,
    seats,
    standstills,
    subscriptions,
    vacations,
)

FORMER: Final = "former player"
"""The name on the boards of a deleted account; no userid contains a space."""

_COLUMNS: Final[Mapping[str, str]] = MappingProxyType({"words": "accessible_text", "boards": "board_mail"})
"""Settings whose columns are named differently."""

RECENTLY: Final = timedelta(days=7)
"""If a player's mail bounced within this time, a new address gets the boards again."""

MOST_AT_ONCE: Final = 100
"""Accounts deleted in one transaction."""


def write_account_change(connection: Connection, change: Change, now: datetime) -> None:
    """Writes one change."""
    match change:
        case NewPlayer():
            _open(connection, change, now)
        case NewPassword(player_id, password_hash):
            _change(connection, player_id, password_hash=password_hash)
        case NewSetting(player_id, key, value):
            _change(connection, player_id, **{_COLUMNS.get(key, key): value})
        case MailStopped(player_id, is_lifted):
            _change(connection, player_id, mail_off_at=None if is_lifted else now)
            clocks.check_again(connection, player_id)
        case NewDigest(player_id, schedule, due):
            _change(connection, player_id, digest=schedule, digest_at=due)
        case WeeklyPuzzle(player_id, due):
            _change(connection, player_id, puzzle_at=due)
        case BelievedAddress(address):
            theirs = update(addresses).where(addresses.c.address == address.lower())
            connection.execute(theirs.values(confirmed_at=now))
            _give_back_places(connection, address)
        case NewAddress():
            _add_address(connection, change, now)
        case DeniedAddress(player_id, address):
            if not has_denied(connection, player_id, address):
                row = {"player_id": player_id, "address_digest": digest(address)}
                connection.execute(insert(denied_addresses).values(row))
        case RestoredAddress():
            _restore_address(connection, change, now)
        case RevokedWords(player_id):
            _revoke(connection, player_id)
        case BlockChange():
            _block(connection, change)
        case Erased(player_id):
            _erase(connection, player_id, now)
        case Barred(player_id, is_lifted):
            _change(connection, player_id, banned_at=None if is_lifted else now)


def has_denied(connection: Connection, player_id: int, address: str) -> bool:
    """Whether a player has said that an address is not theirs."""
    row = {"player_id": player_id, "address_digest": digest(address)}
    return connection.execute(select(exists(select(denied_addresses).filter_by(**row)))).scalar_one()


def delete_unconfirmed(connection: Connection, now: datetime) -> int:
    """Deletes accounts not confirmed within a week; returns their number."""
    query = (
        select(players.c.id)
        .join(addresses, addresses.c.player_id == players.c.id)
        .where(addresses.c.is_first, addresses.c.confirmed_at.is_(None), players.c.created_at <= now - VALID_FOR)
        .limit(MOST_AT_ONCE)
    )
    old = list(connection.execute(query.with_for_update(skip_locked=True)).scalars())
    for player_id in old:
        _erase(connection, player_id, now)
    return len(old)


def _open(connection: Connection, account: NewPlayer, now: datetime) -> None:
    for player_id in account.replaced:
        _erase(connection, player_id, now)
    row = {
        "userid": account.userid,
        "userid_lower": account.userid.lower(),
        "skeleton": skeleton(account.userid),
        "password_hash": account.password_hash or NO_HASH,
        "created_at": now,
    }
    player_id = connection.execute(insert(players).values(row).returning(players.c.id)).scalar_one()
    first = {
        "address": account.address.lower(),
        "player_id": player_id,
        "is_first": True,
        "confirmed_at": now if account.is_confirmed else None,
    }
    connection.execute(insert(addresses).values(first))


def _add_address(connection: Connection, new: NewAddress, now: datetime) -> None:
    for player_id in new.replaced:
        _erase(connection, player_id, now)
    address = new.address.lower()
    mine = and_(addresses.c.player_id == new.player_id, addresses.c.address == address)
    if new.is_first:
        _remove_addresses(
            connection, new.player_id, or_(addresses.c.is_first, addresses.c.address == address), now
        )
    elif connection.execute(select(exists().where(mine))).scalar_one():
        # It was asked twice, and has answered twice.
        return
    row = {"address": address, "player_id": new.player_id, "is_first": new.is_first, "confirmed_at": now}
    connection.execute(insert(addresses).values(row))
    _give_back_places(connection, address)


def _give_back_places(connection: Connection, address: str) -> None:
    """Releases the sign-up counts of an address that has confirmed, which makes room for other newcomers."""
    places = (SIGN_UPS, SIGN_UPS_A_DOMAIN, SIGN_UPS_A_PROVIDER, SIGN_UPS_A_HOST)
    counts.release(connection, address.lower(), *places)


def _restore_address(connection: Connection, restored: RestoredAddress, now: datetime) -> None:
    for player_id in restored.replaced:
        _erase(connection, player_id, now)
    address, whose = restored.address.lower(), {"player_id": restored.player_id}
    others = [each for each in restored.stay if each != address]
    _remove_addresses(connection, restored.player_id, addresses.c.address.not_in(others), now)
    theirs = update(addresses).where(addresses.c.player_id == restored.player_id)
    connection.execute(theirs.values(is_first=False))
    row = {"address": address, **whose, "is_first": True, "confirmed_at": now}
    connection.execute(insert(addresses).values(row))
    _change(connection, restored.player_id, password_hash=NO_HASH)
    later = delete(confirmations).filter_by(**whose)
    if restored.since is not None:
        later = later.filter_by(kind="take back").where(confirmations.c.asked_at >= restored.since)
    connection.execute(later)


def _remove_addresses(connection: Connection, player_id: int, which: ColumnElement[bool], now: datetime) -> None:
    leaving = and_(addresses.c.player_id == player_id, which)
    # Withheld mail to an address without an owner would wait forever.
    owed = outbox.c.recipient.in_(select(addresses.c.address).where(leaving)) & (outbox.c.status == WITHHELD)
    connection.execute(update(outbox).where(owed).values(status="failed"))
    was_suspended = select(exists().where(leaving, addresses.c.suspended_at.is_not(None)))
    was_out_of_reach = clocks.standstills_in_force(connection, player_id, now - RECENTLY)
    if was_out_of_reach or connection.execute(was_suspended).scalar_one():
        clocks.end_standstill(connection, player_id, now)
        clocks.resend_boards(connection, player_id)
        letters.add(connection, letters.release(connection, player_id, now), now)
    connection.execute(delete(addresses).where(leaving))


def _revoke(connection: Connection, player_id: int) -> None:
    newest = select(func.coalesce(func.max(outbox.c.id), 0)).scalar_subquery()
    _change(connection, player_id, revoked_up_to=newest)
    # These two stay: a thief may be using the account, and must not be able to close them.
    others = confirmations.c.kind.not_in(("take back", "given address"))
    connection.execute(delete(confirmations).where(confirmations.c.player_id == player_id, others))


def _block(connection: Connection, block: BlockChange) -> None:
    pair = {"player_id": block.player_id, "blocked_id": block.blocked_id}
    connection.execute(delete(blocks).filter_by(**pair))
    if not block.is_lifted:
        connection.execute(insert(blocks).values(pair))


def _erase(connection: Connection, player_id: int, now: datetime) -> None:
    theirs = select(addresses.c.address).where(addresses.c.player_id == player_id)
    retention.redact_player(connection, player_id, connection.execute(theirs).scalars().all(), now)
    _forget_belongings(connection, player_id)
    # The newest row stays: SQLite would reuse its id, and mails to the former holder would prove an identity.
    newest = select(func.max(players.c.id)).scalar_subquery()
    sat = exists().where(seats.c.player_id == player_id)
    started = exists().where(matches.c.started_by == player_id)
    connection.execute(delete(players).where(players.c.id == player_id, players.c.id < newest, ~sat, ~started))
    _change(connection, player_id, userid=FORMER, userid_lower=f"former {player_id}", skeleton="")
    _change(connection, player_id, password_hash=NO_HASH, digest=None, digest_at=None, broadcast=False)
    _change(connection, player_id, puzzle_at=None)


def _forget_belongings(connection: Connection, player_id: int) -> None:
    userid = select(players.c.userid_lower).where(players.c.id == player_id)
    letters.delete_of(connection, connection.execute(userid).scalar_one())
    connection.execute(delete(addresses).where(addresses.c.player_id == player_id))
    for table in (
        confirmations,
        cursors,
        subscriptions,
        vacations,
        standstills,
        offer_players,
        puzzle_tries,
        denied_addresses,
    ):
        connection.execute(delete(table).where(table.c.player_id == player_id))
    theirs = select(offers.c.id).where(offers.c.player_id == player_id)
    connection.execute(delete(offer_players).where(offer_players.c.offer_id.in_(theirs)))
    connection.execute(delete(offers).where(offers.c.player_id == player_id))
    connection.execute(
        delete(blocks).where(or_(blocks.c.player_id == player_id, blocks.c.blocked_id == player_id))
    )


def _change(connection: Connection, player_id: int, **values: Any) -> None:
    connection.execute(update(players).where(players.c.id == player_id).values(values))


def count_acknowledged(connection: Connection, player_id: int, moves: int) -> None:
    """Adds to the number of a player's acknowledged moves."""
    more = update(players).where(players.c.id == player_id)
    connection.execute(more.values(moves_acknowledged=players.c.moves_acknowledged + moves))


MOST_MAILS: Final = 200

_SAID: Final = (MESSAGES_A_DAY, BROADCASTS, VACATIONS)
_EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


class AccountQueries(Queries):
    """Queries for what is stored about one player, within one transaction."""

    _connection: Connection

    def questions(self, player: Player) -> Sequence[PersonalQuestion]:
        theirs = select(confirmations).where(confirmations.c.player_id == player.id)
        rows = self._connection.execute(theirs.order_by(confirmations.c.asked_at, confirmations.c.about))
        return [PersonalQuestion(row.kind, row.address, tuple(row.lines), row.asked_at) for row in rows]

    def kept_about(self, player: Player) -> PersonalData:
        connection, player_id = self._connection, player.id
        mails = _mails(player_id).subquery()
        newest = select(mails).order_by(mails.c.at.desc(), mails.c.way.desc(), mails.c.id.desc())
        return PersonalData(
            signed_up=self.signed_up(player),
            addresses=_addresses(connection, player_id),
            # Not those asked just now: they are not stored yet.
            questions=tuple(AccountQueries.questions(self, player)),
            mails=tuple(
                PersonalMail(row.way, row.address, row.at, row.fate)
                for row in connection.execute(newest.limit(MOST_MAILS)).all()
            ),
            mails_total=connection.execute(select(func.count()).select_from(mails)).scalar_one(),
            returns=_returns(connection, player_id),
            plans=_plans(connection, player_id),
            told=_told(connection, player_id),
            offers=_offers(connection, player_id),
            puzzles=tuple(self.puzzle_tries(player).values()),
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


def _told(connection: Connection, player_id: int) -> tuple[tuple[int, int, datetime | None], ...]:
    theirs = select(cursors).where(cursors.c.player_id == player_id).order_by(cursors.c.match)
    return tuple((row.match, row.entry, row.on_page_at) for row in connection.execute(theirs))


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


def _returns(connection: Connection, player_id: int) -> tuple[PersonalBounce, ...]:
    query = (
        select(bounces)
        .where(bounces.c.address.in_(_theirs(player_id)))
        .order_by(bounces.c.at.desc(), bounces.c.outbox_id.desc())
        .limit(MOST_MAILS)
    )
    return tuple(PersonalBounce(row.address, row.at, row.is_hard) for row in connection.execute(query))


def _mails(player_id: int) -> Any:
    """All mails from or to the player's addresses: direction, id, address, time and status."""
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
        tables.letters.c.id,
        tables.letters.c.recipient.label("address"),
        tables.letters.c.created_at.label("at"),
        literal("waiting").label("fate"),
    ).where(tables.letters.c.recipient.in_(_theirs(player_id)))
    return union_all(taken_in, sent, unwritten)


def _theirs(player_id: int) -> Select[tuple[str]]:
    return select(addresses.c.address).where(addresses.c.player_id == player_id)
