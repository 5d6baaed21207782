"""Conditional moves, and moves that wait for confirmation."""

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select

from pbmserv.commands.changes import DroppedConditionalPlan, NewConditionalPlan
from pbmserv.games.game import Seat
from pbmserv.matches.conditional_moves import ConditionalPlan, PlanKind
from pbmserv.matches.replay import GameState
from pbmserv.store.tables import conditional_moves


def find(connection: Connection, board: int, seat: Seat, kind: PlanKind) -> ConditionalPlan | None:
    """A seat's plan of that kind; None if it has none."""
    row = connection.execute(_FIND, {"board": board, "of_seat": seat, "of_kind": kind}).one_or_none()
    return None if row is None else ConditionalPlan(row.plies, row.content)


def follow(connection: Connection, board: GameState) -> None:
    """Deletes the plans of everybody who is no longer playing on a board."""
    playing = board.state.seats_in if board.state.status == "active" else ()
    if len(playing) < len(board.match.userids):
        connection.execute(_DROP_ALL_BUT, {"board": board.match.number, "playing": [*playing]})


def write(connection: Connection, change: NewConditionalPlan | DroppedConditionalPlan, now: datetime) -> None:
    """Replaces or deletes a seat's plan of that kind."""
    key = {"match": change.board, "seat": change.seat, "kind": change.kind}
    connection.execute(delete(conditional_moves).filter_by(**key))
    if isinstance(change, NewConditionalPlan):
        row = {**key, "plies": change.plies, "content": dict(change.content), "made_at": now}
        connection.execute(insert(conditional_moves).values(row))


_DROP_ALL_BUT: Final = delete(conditional_moves).where(
    conditional_moves.c.match == bindparam("board"),
    conditional_moves.c.seat.not_in(bindparam("playing", expanding=True)),
)
_FIND: Final = select(conditional_moves.c.plies, conditional_moves.c.content).where(
    conditional_moves.c.match == bindparam("board"),
    conditional_moves.c.seat == bindparam("of_seat"),
    conditional_moves.c.kind == bindparam("of_kind"),
)
