"""Reads players and their addresses, and locks them. `accounts` writes them."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, and_, bindparam, delete, exists, func, insert, or_, select, update

from pbmserv.commands.base.changes import NewVacations
from pbmserv.matches.player import MailSettings, Player
from pbmserv.store import clocks
from pbmserv.store.mail_tokens import digest
from pbmserv.store.tables import addresses, blocks, inbox, outbox, players, vacations

_MOST_COMPARED = 2000


def find(connection: Connection, userid: str) -> Player | None:
    """The player with that userid, in any case."""
    return _one(connection, _FIND, {"userid": userid.lower()})


def find_at(connection: Connection, address: str) -> Player | None:
    """The player with that confirmed address."""
    return _one(connection, _FIND_AT, {"address": address.lower()})


def owner_of(connection: Connection, address: str) -> Player | None:
    """The player with that address, confirmed or not."""
    return _one(connection, _OWNER_OF, {"address": address.lower()})


def find_robot(connection: Connection, robot: str) -> Player | None:
    """The player for whom the robot of that name plays."""
    return _one(connection, _FIND_ROBOT, {"robot": robot})


def addressed_by(connection: Connection, tokens: Sequence[str]) -> Player | None:
    """The player who got the mail with the first known one of these tokens; None if there is none."""
    digests = [digest(token) for token in tokens]
    rows = connection.execute(_ADDRESSED_BY, {"digests": digests}).all() if digests else []
    found = min(rows, key=lambda row: digests.index(row.token_digest), default=None)
    return None if found is None else _player(found)


def known_among(connection: Connection, userids: Iterable[str]) -> frozenset[str]:
    """Those of these userids, in lower case, that somebody has."""
    wanted = [*userids]
    if not wanted:
        return frozenset()
    return frozenset(
        connection.execute(select(players.c.userid_lower).where(players.c.userid_lower.in_(wanted))).scalars()
    )


def named_like(connection: Connection, skeleton: str) -> list[Player]:
    """The players whose userids have that skeleton, by userid."""
    query = _players().where(players.c.skeleton == skeleton).order_by(players.c.userid_lower)
    return [_player(row) for row in connection.execute(query)]


def everybody(connection: Connection) -> list[Player]:
    """All players, by userid."""
    rows = connection.execute(_players().order_by(players.c.userid_lower))
    return [_player(row) for row in rows]


def take_digest_due(connection: Connection, now: datetime) -> Player | None:
    """The player whose digest is due longest and who is not locked; locked until the transaction ends."""
    due = connection.execute(_DIGEST_DUE, {"now": now}).scalar_one_or_none()
    return None if due is None else find(connection, due)


def lock(connection: Connection, userids: Iterable[str], alone: bool) -> None:
    """Locks players until the transaction ends; with `alone` exclusively. Ascending, to avoid deadlocks."""
    wanted = {userid.lower() for userid in userids}
    # On SQLite a writing transaction has locked the whole file already.
    if wanted and connection.dialect.name != "sqlite":
        query = select(players.c.id).where(players.c.userid_lower.in_(wanted)).order_by(players.c.id)
        connection.execute(query.with_for_update(read=not alone))


def similar(connection: Connection, userid: str) -> list[str]:
    """At most three userids that `userid` may be a typo of, best first."""
    has_address = exists().where(addresses.c.player_id == players.c.id)
    query = select(players.c.userid_lower, players.c.userid).where(has_address)
    rows = connection.execute(query.order_by(players.c.id.desc()).limit(_MOST_COMPARED))
    known = {row.userid_lower: row.userid for row in rows}
    return [known[found] for found in get_close_matches(userid.lower(), known, n=3, cutoff=0.6)]


def password_hash(connection: Connection, userid: str) -> str | None:
    """The stored hash; None if nobody has the userid."""
    return connection.execute(_PASSWORD_HASH, {"userid": userid.lower()}).scalar_one_or_none()


def signed_up(connection: Connection, player_id: int) -> datetime:
    """When an account was opened."""
    opened: datetime = connection.execute(
        select(players.c.created_at).where(players.c.id == player_id)
    ).scalar_one()
    return opened


def addresses_of(connection: Connection, player_id: int) -> Sequence[str]:
    """Every address of a player, the first one first."""
    query = select(addresses.c.address).where(addresses.c.player_id == player_id)
    return connection.execute(query.order_by(addresses.c.is_first.desc(), addresses.c.address)).scalars().all()


def is_blocked(connection: Connection, userid: str, by: str) -> bool:
    """Whether the player `by` ignores the player `userid`."""
    return connection.execute(_IS_BLOCKED, {"userid": userid.lower(), "by": by.lower()}).scalar_one()


def blocked_by(connection: Connection, userid: str) -> Sequence[str]:
    """The userids of those whom a player ignores."""
    query = select(players.c.userid).join(blocks, blocks.c.blocked_id == players.c.id)
    blocking = query.where(blocks.c.player_id == _id_of("by")).order_by(players.c.userid_lower)
    return connection.execute(blocking, {"by": userid.lower()}).scalars().all()


def _players() -> Select[Any]:
    return (
        select(
            players.c.id,
            players.c.userid,
            func.coalesce(addresses.c.address, "").label("address"),
            addresses.c.suspended_at.is_not(None).label("is_suspended"),
            or_(addresses.c.confirmed_at.is_not(None), players.c.robot.is_not(None)).label("is_confirmed"),
            players.c.html,
            players.c.accessible_text,
            players.c.takes_challenges,
            players.c.broadcast,
            players.c.messages,
            players.c.receipts,
            players.c.board_mail,
            players.c.mail_off_at.is_not(None).label("is_mail_off"),
            players.c.moves_acknowledged,
            players.c.robot,
            players.c.digest,
            players.c.banned_at.is_not(None).label("is_banned"),
        )
        .outerjoin(addresses, and_(addresses.c.player_id == players.c.id, addresses.c.is_first))
        .where(or_(addresses.c.address.is_not(None), players.c.robot.is_not(None)))
    )


def _one(connection: Connection, query: Select[Any], values: dict[str, str]) -> Player | None:
    row = connection.execute(query, values).one_or_none()
    return None if row is None else _player(row)


def _player(row: Row[Any]) -> Player:
    return Player(
        id=row.id,
        userid=row.userid,
        address=row.address,
        is_suspended=row.is_suspended,
        is_confirmed=row.is_confirmed,
        takes_challenges=row.takes_challenges,
        robot=row.robot,
        is_banned=row.is_banned,
        mail=MailSettings(
            html=row.html,
            words=row.accessible_text,
            broadcast=row.broadcast,
            messages=row.messages,
            receipts=row.receipts,
            boards=row.board_mail,
            digest=row.digest,
            is_off=row.is_mail_off,
            acknowledged=row.moves_acknowledged,
        ),
    )


def _id_of(name: str) -> Any:
    return select(players.c.id).where(players.c.userid_lower == bindparam(name)).scalar_subquery()


_FIND: Final = _players().where(players.c.userid_lower == bindparam("userid"))
_FIND_ROBOT: Final = _players().where(players.c.robot == bindparam("robot"))
_HAS_ADDRESS: Final = select(addresses.c.player_id).where(addresses.c.address == bindparam("address"))
_OWNER_OF: Final = _players().where(players.c.id == _HAS_ADDRESS.scalar_subquery())
_FIND_AT: Final = _players().where(
    players.c.id == _HAS_ADDRESS.where(addresses.c.confirmed_at.is_not(None)).scalar_subquery()
)
_ADDRESSED_BY: Final = (
    _players()
    .add_columns(outbox.c.token_digest)
    .join(outbox, outbox.c.player_id == players.c.id)
    .where(outbox.c.token_digest.in_(bindparam("digests", expanding=True)))
)
_PASSWORD_HASH: Final = select(players.c.password_hash).where(players.c.userid_lower == bindparam("userid"))
_DIGEST_DUE: Final = (
    select(players.c.userid_lower)
    .where(players.c.digest_at <= bindparam("now"))
    .order_by(players.c.digest_at)
    .limit(1)
    .with_for_update(skip_locked=True, key_share=True)
)
_IS_BLOCKED: Final = select(
    exists().where(blocks.c.player_id == _id_of("by"), blocks.c.blocked_id == _id_of("userid"))
)


def vacations_of(connection: Connection, userids: Sequence[str], since: date) -> Sequence[tuple[str, date, date]]:
    """Userid, first and last day of every holiday of these players that goes on or begins from that day on."""
    lowered = [userid.lower() for userid in userids]
    rows = connection.execute(_OF, {"lowered": lowered, "since": since})
    return [(row.userid, row.first_day, row.last_day) for row in rows]


def write_vacations(connection: Connection, change: NewVacations) -> None:
    """Puts these holidays in the place of all days from `since` on; what was before stays."""
    theirs = vacations.c.player_id == change.player_id
    ended = theirs & (vacations.c.first_day < change.since) & (vacations.c.last_day >= change.since)
    connection.execute(update(vacations).where(ended).values(last_day=_day_before(change.since)))
    connection.execute(delete(vacations).where(theirs, vacations.c.first_day >= change.since))
    rows = [{"player_id": change.player_id, "first_day": first, "last_day": last} for first, last in change.days]
    if rows:
        connection.execute(insert(vacations), rows)
    clocks.check_again(connection, change.player_id)


def _day_before(day: date) -> date:
    return date.fromordinal(day.toordinal() - 1)


_OF: Final = (
    select(players.c.userid, vacations.c.first_day, vacations.c.last_day)
    .join(vacations, vacations.c.player_id == players.c.id)
    .where(
        players.c.userid_lower.in_(bindparam("lowered", expanding=True)),
        vacations.c.last_day >= bindparam("since"),
    )
    .order_by(vacations.c.first_day, players.c.userid_lower)
)


def count_sign_ups(connection: Connection, since: datetime, domain: str = "", host: str = "") -> int:
    """How many sign-ups from addresses that have not confirmed were answered; of a domain with all below it."""
    query = _OPEN
    if domain:
        theirs = (outbox.c.recipient.endswith(sign + domain, autoescape=True) for sign in "@.")
        query = query.where(or_(*theirs))
    if host:
        query = query.join(inbox, inbox.c.id == outbox.c.inbox_id).where(inbox.c.host == host)
    return connection.execute(query, {"since": since}).scalar_one()


def is_invited(connection: Connection, address: str, since: datetime) -> bool:
    """Whether an address was mailed an invitation."""
    return connection.execute(_IS_INVITED, {"address": address, "since": since}).scalar_one()


_IS_CONFIRMED: Final = exists().where(
    addresses.c.address == outbox.c.recipient, addresses.c.confirmed_at.is_not(None)
)
_OPEN: Final = (
    select(func.count())
    .select_from(outbox)
    .where(outbox.c.kind == "sign-up", outbox.c.created_at > bindparam("since"), ~_IS_CONFIRMED)
)
_IS_INVITED: Final = select(
    exists().where(
        outbox.c.recipient == bindparam("address"),
        outbox.c.created_at > bindparam("since"),
        outbox.c.kind == "invitation",
    )
)
