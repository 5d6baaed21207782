"""What is known of the positions of boards, one packed row a board; and who waits for an analysis."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select

from pbmserv.commands.changes import AnalysisRequest
from pbmserv.matches.evaluations import Evaluation, valid
from pbmserv.matches.replay import GameState
from pbmserv.store.tables import analysis_requests, evaluations, matches, players

_SEEN: Final = ("evaluated_at", "plies")
_WHOLE: Final = 1000
"""Chances are stored in thousandths."""


@dataclass(frozen=True, slots=True)
class AskedAnalysis:
    """Somebody who waits for the analysis of a board."""

    userid: str
    proven: bool


def find(connection: Connection, board: GameState) -> tuple[Evaluation, ...]:
    """What is known of the line that is played on, from its start."""
    content = connection.execute(_FIND, {"board": board.match.number}).scalar_one_or_none()
    return valid(_unpacked(content), board) if content is not None else ()


def store(connection: Connection, board: GameState, known: Sequence[Evaluation], is_whole: bool) -> None:
    """Replaces what is known of a board; `is_whole`: nothing lacks until it changes."""
    number = board.match.number
    connection.execute(_FORGET, {"board": number})
    state = board.state
    seen = {"evaluated_at": state.last_at, "plies": state.plies} if is_whole else dict.fromkeys(_SEEN)
    connection.execute(_STORE, {"match": number, "content": _packed(known), **seen})


def newest_lacking(connection: Connection, since: datetime, but: Sequence[int]) -> int | None:
    """The board changed last, at `since` or later, of which not all is known yet; None if there is none."""
    return connection.execute(_LACKING, {"since": since, "but": [*but]}).scalar_one_or_none()


def last_change(connection: Connection) -> datetime | None:
    """When a board changed last."""
    return connection.execute(_LAST_CHANGE).scalar_one_or_none()


def request(connection: Connection, asked: AnalysisRequest, now: datetime) -> None:
    """Notes who waits for an analysis; who has asked before is not noted again."""
    one = {"board": asked.board, "who": asked.player_id}
    if connection.execute(_IS_ASKED, one).one_or_none() is None:
        row = {"match": asked.board, "player_id": asked.player_id, "proven": asked.proven, "asked_at": now}
        connection.execute(_ASK, row)


def requested(connection: Connection, but: Sequence[int]) -> int | None:
    """The board whose analysis somebody has waited for longest; None if nobody waits."""
    return connection.execute(_REQUESTED, {"but": [*but]}).scalars().first()


def take_requests(connection: Connection, board: int) -> Sequence[AskedAnalysis]:
    """Those who wait for the analysis of a board; they wait no more."""
    rows = connection.execute(_WAITING, {"board": board}).all()
    connection.execute(_TAKE, {"board": board})
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
_FIND: Final = select(evaluations.c.content).where(_OF_BOARD)
_FORGET: Final = delete(evaluations).where(_OF_BOARD)
_STORE: Final = insert(evaluations)
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
_WAITING: Final = (
    select(players.c.userid, analysis_requests.c.proven)
    .join(analysis_requests, analysis_requests.c.player_id == players.c.id)
    .where(_OF_REQUEST)
    .order_by(players.c.userid_lower)
)
_TAKE: Final = delete(analysis_requests).where(_OF_REQUEST)
