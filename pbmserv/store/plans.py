"""What players have in mind for their boards: rows in, values out."""

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select

from pbmserv.commands.changes import DroppedPlan, NewPlan
from pbmserv.games.game import Seat
from pbmserv.matches.plan import Plan, PlanKind
from pbmserv.matches.replay import Replayed
from pbmserv.store.tables import plans


def find(connection: Connection, board: int, seat: Seat, kind: PlanKind) -> Plan | None:
    """What a seat has in mind of that kind."""
    row = connection.execute(_FIND, {"board": board, "of_seat": seat, "of_kind": kind}).one_or_none()
    return None if row is None else Plan(row.plies, row.content)


def follow(connection: Connection, board: Replayed) -> None:
    """After something has happened on a board: who has no part in it any more has nothing in mind for it."""
    state, of_board = board.state, delete(plans).filter_by(match=board.match.number)
    if state.status != "active":
        connection.execute(of_board)
    elif len(state.seats_in) < len(board.match.userids):
        connection.execute(of_board.where(plans.c.seat.not_in(state.seats_in)))


def keep(connection: Connection, change: NewPlan | DroppedPlan, now: datetime) -> None:
    """Puts a plan in the place of what the seat had in mind of that kind, or takes that away."""
    place = {"match": change.board, "seat": change.seat, "kind": change.kind}
    connection.execute(delete(plans).filter_by(**place))
    if isinstance(change, NewPlan):
        row = {**place, "plies": change.plies, "content": dict(change.content), "made_at": now}
        connection.execute(insert(plans).values(row))


_FIND: Final = select(plans.c.plies, plans.c.content).where(
    plans.c.match == bindparam("board"),
    plans.c.seat == bindparam("of_seat"),
    plans.c.kind == bindparam("of_kind"),
)
