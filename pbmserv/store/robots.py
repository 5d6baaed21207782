"""Robots as players, the boards that wait for them, and stored evaluations of positions.

Evaluations are stored in one packed row a board. People may wait for the analysis of a board.
"""

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Select, and_, bindparam, delete, exists, func, insert, or_, select
from sqlalchemy.exc import IntegrityError

from pbmserv.commands.changes import AnalysisRequest
from pbmserv.commands.vocabulary import skeleton
from pbmserv.matches.evaluations import Evaluation, valid
from pbmserv.matches.log import EntryKind
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState
from pbmserv.robots.robot import FITTING
from pbmserv.store.matches import options_of
from pbmserv.store.players import NO_HASH
from pbmserv.store.tables import (
    analysis_requests,
    entries,
    evaluations,
    matches,
    players,
    robot_claims,
    robot_rungs,
    seats,
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A board where a robot must move or answer an offer. `userid` is its account, `robot` the program."""

    board: int
    userid: str
    robot: str
    game: str
    options: tuple[tuple[str, str], ...]
    seats: int
    since: datetime
    """When something last happened there."""

    starter: int = 0
    """The player who started the game."""

    is_proven: bool = True
    """Whether a person has moved there, which takes proof; starting a game in somebody's name does not."""

    rung: str | None = None
    """The rung the robot plays as there, if not its own."""

    holder: str | None = None
    """The process that has claimed it, if its claim has not expired."""


def names(connection: Connection) -> frozenset[str]:
    """The robots that are players, by program."""
    return frozenset(connection.execute(_NAMES).scalars())


def add(connection: Connection, robot: str, userids: Iterable[str], now: datetime) -> str:
    """Creates an account for a robot under the first free one of these userids; returns that userid.

    The account has no address and no working password. If two processes do this at once, a unique index makes
    one of them retry.
    """
    taken = select(players.c.id)
    userid = next(
        each
        for each in userids
        if connection.execute(taken.where(players.c.userid_lower == each.lower())).one_or_none() is None
    )
    row = {"userid": userid, "userid_lower": userid.lower(), "skeleton": skeleton(userid), "created_at": now}
    connection.execute(insert(players).values(**row, password_hash=NO_HASH, robot=robot, html=False))
    return userid


def ensure(connection: Connection, robot: str, userids: Iterable[str], now: datetime) -> None:
    """Creates a robot's account, unless it has one."""
    if robot not in names(connection):
        add(connection, robot, userids, now)


def waiting(connection: Connection, now: datetime) -> Sequence[Waiting]:
    """The boards that wait for robots, the longest-waiting first, once for each robot."""
    return [
        Waiting(
            board=row.number,
            userid=row.userid,
            robot=row.robot,
            game=row.game,
            options=options_of(row),
            seats=row.seats,
            since=row.last_at,
            starter=row.started_by,
            is_proven=row.has_moved,
            rung=row.rung,
            holder=row.holder,
        )
        for row in connection.execute(_WAITING, {"now": now})
    ]


def claim(connection: Connection, board: int, holder: str, now: datetime, until: datetime) -> bool:
    """Claims a board for a process that is about to think about it; releases its previous claim.

    Returns False if another process has claimed it. The claim holds until that time or the next claim.
    """
    connection.execute(_GIVE_UP, {"who": holder, "now": now})
    try:
        with connection.begin_nested():
            connection.execute(insert(robot_claims), {"holder": holder, "match": board, "until_at": until})
    except IntegrityError:
        return False
    return True


def note_rung(connection: Connection, board: int, rung: str) -> str:
    """Records the rung that a robot plays as on a board, unless one is recorded; returns the recorded one."""
    found: str | None = connection.execute(_RUNG, {"board": board}).scalar_one_or_none()
    if found is None:
        connection.execute(insert(robot_rungs), {"match": board, "rung": rung})
    return found or rung


def played_before(connection: Connection, player_id: int, game: str, count: int) -> Sequence[tuple[int, str, str]]:
    """A player's last finished games against robots, at most `count`, the latest first.

    Each is its board, the robot's userid, and its program or the rung it played as.
    """
    values = {"player": player_id, "game": game, "count": count}
    return [(row.number, row.userid, row.rung or row.robot) for row in connection.execute(_PLAYED, values)]


_NAMES: Final = select(players.c.robot).where(players.c.robot.is_not(None))
_GIVE_UP: Final = delete(robot_claims).where(
    or_(robot_claims.c.holder == bindparam("who"), robot_claims.c.until_at <= bindparam("now"))
)
_RUNG: Final = select(robot_rungs.c.rung).where(robot_rungs.c.match == bindparam("board"))

_OFFERS: Final[tuple[EntryKind, ...]] = ("proposed", "asked")
_ENDS_AN_OFFER: Final[tuple[EntryKind, ...]] = (
    *("played", "resigned", "forfeited", "removed"),
    *("rejected", "rewound"),
)
_later = entries.alias()
_is_offered = exists().where(
    entries.c.match == matches.c.number,
    entries.c.kind.in_(_OFFERS),
    entries.c.seat != seats.c.seat,
    ~exists().where(
        _later.c.match == entries.c.match, _later.c.seq > entries.c.seq, _later.c.kind.in_(_ENDS_AN_OFFER)
    ),
)
_IS_RUNG: Final = and_(robot_rungs.c.match == matches.c.number, players.c.robot == FITTING)
_all_seats = seats.alias()
_people = players.alias()
_has_moved = exists().where(
    _all_seats.c.match == matches.c.number,
    _people.c.id == _all_seats.c.player_id,
    _people.c.robot.is_(None),
    entries.c.match == matches.c.number,
    entries.c.seat == _all_seats.c.seat,
    entries.c.kind == "played",
)
_WAITING: Final[Select[Any]] = (
    select(
        *(matches.c.number, matches.c.game, matches.c.options, matches.c.last_at, matches.c.started_by),
        _has_moved.label("has_moved"),
        *(players.c.userid, players.c.robot, robot_rungs.c.rung, robot_claims.c.holder),
        select(func.count()).where(_all_seats.c.match == matches.c.number).scalar_subquery().label("seats"),
    )
    .join(seats, seats.c.match == matches.c.number)
    .join(players, and_(players.c.id == seats.c.player_id, players.c.robot.is_not(None)))
    .outerjoin(robot_rungs, _IS_RUNG)
    .outerjoin(
        robot_claims,
        and_(robot_claims.c.match == matches.c.number, robot_claims.c.until_at > bindparam("now")),
    )
    .where(
        matches.c.status == "active",
        players.c.banned_at.is_(None),
        or_(seats.c.seat == matches.c.to_move, _is_offered),
    )
    .order_by(matches.c.last_at, matches.c.number, seats.c.seat)
)
_theirs = seats.alias()
_PLAYED: Final = (
    select(matches.c.number, players.c.userid, players.c.robot, robot_rungs.c.rung)
    .select_from(seats)
    .join(matches, matches.c.number == seats.c.match)
    .join(_theirs, _theirs.c.match == matches.c.number)
    .join(players, and_(players.c.id == _theirs.c.player_id, players.c.robot.is_not(None)))
    .outerjoin(robot_rungs, _IS_RUNG)
    .where(
        seats.c.player_id == bindparam("player"),
        matches.c.game == bindparam("game"),
        matches.c.status == "finished",
        ~matches.c.practice,
    )
    .order_by(matches.c.last_at.desc(), matches.c.number.desc())
    .limit(bindparam("count"))
)


_SEEN: Final = ("evaluated_at", "plies")
_WHOLE: Final = 1000
"""Chances are stored in thousandths."""


@dataclass(frozen=True, slots=True)
class AskedAnalysis:
    """A player waiting for the analysis of a board."""

    userid: str
    proven: bool


class EvaluationQueries(Queries):
    """Queries for evaluations, within one transaction."""

    _connection: Connection

    def evaluations(self, board: GameState) -> Sequence[Evaluation]:
        content = self._connection.execute(_FIND_EVALUATIONS, {"board": board.match.number}).scalar_one_or_none()
        return valid(_unpacked(content), board) if content is not None else ()


def store_evaluations(
    connection: Connection, board: GameState, known: Sequence[Evaluation], is_whole: bool
) -> None:
    """Replaces the evaluations of a board; `is_whole` if they are complete until it changes."""
    number = board.match.number
    connection.execute(_FORGET_EVALUATIONS, {"board": number})
    state = board.state
    seen = {"evaluated_at": state.last_at, "plies": state.plies} if is_whole else dict.fromkeys(_SEEN)
    connection.execute(_STORE_EVALUATIONS, {"match": number, "content": _packed(known), **seen})


def newest_lacking(connection: Connection, since: datetime, but: Sequence[int]) -> int | None:
    """The last changed board, at `since` or later, with incomplete evaluations; None if there is none."""
    return connection.execute(_LACKING, {"since": since, "but": [*but]}).scalar_one_or_none()


def last_change(connection: Connection) -> datetime | None:
    """When a board changed last."""
    return connection.execute(_LAST_CHANGE).scalar_one_or_none()


def request_analysis(connection: Connection, asked: AnalysisRequest, now: datetime) -> None:
    """Records a request for an analysis, unless the player has one already."""
    one = {"board": asked.board, "who": asked.player_id}
    if connection.execute(_IS_ASKED, one).one_or_none() is None:
        row = {"match": asked.board, "player_id": asked.player_id, "proven": asked.proven, "asked_at": now}
        connection.execute(_ASK, row)


def requested_analysis(connection: Connection, but: Sequence[int]) -> int | None:
    """The board with the oldest request for an analysis; None if there is none."""
    return connection.execute(_REQUESTED, {"but": [*but]}).scalars().first()


def take_requests(connection: Connection, board: int) -> Sequence[AskedAnalysis]:
    """Deletes and returns the requests for the analysis of a board."""
    rows = connection.execute(_WAITING_FOR_ANALYSIS, {"board": board}).all()
    connection.execute(_TAKE_REQUESTS, {"board": board})
    return [AskedAnalysis(row.userid, row.proven) for row in rows]


def _packed(known: Sequence[Evaluation]) -> bytes:
    rows = [
        (
            each.seat,
            [*map(_thousandths, each.chances)],
            each.best,
            _thousandths(each.best_value),
            each.gone,
            each.played,
            None if each.played_value is None else _thousandths(each.played_value),
        )
        for each in known
    ]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode())


def _unpacked(content: bytes) -> tuple[Evaluation, ...]:
    rows: list[Any] = json.loads(zlib.decompress(content))
    return tuple(
        Evaluation(
            seat,
            tuple(each / _WHOLE for each in chances),
            best,
            best_value / _WHOLE,
            tuple(gone),
            played,
            None if played_value is None else played_value / _WHOLE,
        )
        for seat, chances, best, best_value, gone, played, played_value in rows
    )


def _thousandths(chance: float) -> int:
    return round(chance * _WHOLE)


_OF_BOARD: Final = evaluations.c.match == bindparam("board")
_FIND_EVALUATIONS: Final = select(evaluations.c.content).where(_OF_BOARD)
_FORGET_EVALUATIONS: Final = delete(evaluations).where(_OF_BOARD)
_STORE_EVALUATIONS: Final = insert(evaluations)
_LACKING: Final = (
    select(matches.c.number)
    .outerjoin(evaluations, evaluations.c.match == matches.c.number)
    .where(
        matches.c.last_at >= bindparam("since"),
        matches.c.number.not_in(bindparam("but", expanding=True)),
        matches.c.status.in_(("active", "finished")),
        or_(
            evaluations.c.evaluated_at.is_(None),
            evaluations.c.evaluated_at != matches.c.last_at,
            evaluations.c.plies != matches.c.plies,
        ),
    )
    .order_by(matches.c.last_at.desc(), matches.c.number.desc())
    .limit(1)
)
_LAST_CHANGE: Final = select(func.max(matches.c.last_at))
_OF_REQUEST: Final = analysis_requests.c.match == bindparam("board")
_IS_ASKED: Final = select(analysis_requests.c.match).where(
    _OF_REQUEST, analysis_requests.c.player_id == bindparam("who")
)
_ASK: Final = insert(analysis_requests)
_REQUESTED: Final = (
    select(analysis_requests.c.match)
    .where(analysis_requests.c.match.not_in(bindparam("but", expanding=True)))
    .order_by(analysis_requests.c.asked_at, analysis_requests.c.match)
    .limit(1)
)
_WAITING_FOR_ANALYSIS: Final = (
    select(players.c.userid, analysis_requests.c.proven)
    .join(analysis_requests, analysis_requests.c.player_id == players.c.id)
    .where(_OF_REQUEST)
    .order_by(players.c.userid_lower)
)
_TAKE_REQUESTS: Final = delete(analysis_requests).where(_OF_REQUEST)
