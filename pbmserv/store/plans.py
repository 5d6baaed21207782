"""What players have in mind for their boards: rows in, values out."""

from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from pbmserv.commands.changes import DroppedPlan, NewPlan
from pbmserv.games.game import Seat
from pbmserv.matches.plan import Plan, PlanKind
from pbmserv.store.tables import plans


def find(connection: Connection, board: int, seat: Seat, kind: PlanKind) -> Plan | None:
    """What a seat has in mind of that kind."""
    query = select(plans.c.plies, plans.c.content).filter_by(match=board, seat=seat, kind=kind)
    row = connection.execute(query).one_or_none()
    return None if row is None else Plan(row.plies, row.content)


def keep(connection: Connection, change: NewPlan | DroppedPlan, now: datetime) -> None:
    """Puts a plan in the place of what the seat had in mind of that kind, or takes that away."""
    place = {"match": change.board, "seat": change.seat, "kind": change.kind}
    connection.execute(delete(plans).filter_by(**place))
    if isinstance(change, NewPlan):
        row = {**place, "plies": change.plies, "content": dict(change.content), "made_at": now}
        connection.execute(insert(plans).values(row))
