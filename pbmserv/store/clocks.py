"""The clocks of running boards: whose turn it is, since when its player can know, when to look again.

A row follows its match (`follow`); that a board was handed over is noted by whoever sends (`handed_over`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from pbmserv.matches.clock import TimeControl
from pbmserv.matches.replay import Replayed
from pbmserv.store.tables import clocks, players

_TERMS: Final = ("nag", "forfeit", "total", "increment")


@dataclass(frozen=True, slots=True)
class Clock:
    """A row. `turn` is the number of the entry that began the turn; `reminders` were sent in it."""

    match: int
    turn: int
    player_id: int
    started: datetime | None
    next_at: datetime | None
    deadline: datetime | None
    reminders: int


def as_json(terms: TimeControl | None) -> dict[str, float | None] | None:
    """The terms of a match as they are stored, in seconds."""
    if terms is None:
        return None
    lengths = {name: getattr(terms, name) for name in _TERMS}
    return {name: None if length is None else length.total_seconds() for name, length in lengths.items()}


def from_json(stored: Mapping[str, float | None] | None) -> TimeControl | None:
    """The same read back."""
    if stored is None:
        return None
    lengths: dict[str, Any] = {
        name: None if stored[name] is None else timedelta(seconds=stored[name] or 0) for name in _TERMS
    }
    return TimeControl(**lengths)


def find(connection: Connection, board: int) -> Clock | None:
    """The clock of a board; None when nobody is to move there, or it has no clock."""
    row = connection.execute(_FIND, {"board": board}).one_or_none()
    if row is None:
        return None
    return Clock(row.match, row.turn, row.player_id, row.started_at, row.next_at, row.deadline_at, row.reminders)


def follow(connection: Connection, board: Replayed) -> None:
    """After something has happened on a board: a turn that goes on keeps its clock, which is looked at again."""
    match, state = board.match, board.state
    if match.clock is None:
        return
    place = {"board": match.number}
    if board.on_turn is None:
        connection.execute(_STOP, place)
        return
    if connection.execute(_LOOK_AGAIN, {**place, "same_turn": state.turn}).rowcount:
        return
    connection.execute(_STOP, place)
    row = {"match": match.number, "turn": state.turn, "plies": state.plies, "userid": board.on_turn.lower()}
    connection.execute(_BEGIN, row)


def handed_over(
    connection: Connection, player_id: int | None, shown: Iterable[tuple[int, int]], now: datetime
) -> None:
    """A mail with these boards, each after a ply, has gone to a player: turns that nobody could know of begin."""
    rows = [{"board": board, "ply": ply, "to_player": player_id, "now": now} for board, ply in shown]
    if rows and player_id is not None:
        connection.execute(_START, rows)


def set_back(connection: Connection, player_id: int) -> None:
    """Mail does not reach a player: the turns that wait for them begin when it does again."""
    stopped = update(clocks).where(clocks.c.player_id == player_id)
    connection.execute(stopped.values(started_at=None, next_at=None, deadline_at=None))


_FIND: Final = select(clocks).where(clocks.c.match == bindparam("board"))
_STOP: Final = delete(clocks).where(clocks.c.match == bindparam("board"))
_LOOK_AGAIN: Final = (
    update(clocks)
    .where(clocks.c.match == bindparam("board"), clocks.c.turn == bindparam("same_turn"))
    .values(next_at=clocks.c.started_at)
)
_BEGIN: Final = insert(clocks).from_select(
    ["match", "turn", "plies", "player_id", "reminders"],
    select(
        bindparam("match", type_=clocks.c.match.type),
        bindparam("turn", type_=clocks.c.turn.type),
        bindparam("plies", type_=clocks.c.plies.type),
        players.c.id,
        bindparam("none_yet", 0, type_=clocks.c.reminders.type),
    ).where(players.c.userid_lower == bindparam("userid")),
)
_START: Final = (
    update(clocks)
    .where(
        clocks.c.match == bindparam("board"),
        clocks.c.plies == bindparam("ply"),
        clocks.c.player_id == bindparam("to_player"),
        clocks.c.started_at.is_(None),
    )
    .values(started_at=bindparam("now"), next_at=bindparam("now"))
)
