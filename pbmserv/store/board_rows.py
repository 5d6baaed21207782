"""The lines of listings: the facts of boards without their logs, with the ends of their turns."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from sqlalchemy import BindParameter, Connection, Row, bindparam, select

from pbmserv.matches.queries import BoardRow
from pbmserv.store import clocks
from pbmserv.store.matches import options_of, summary_of, userids_at
from pbmserv.store.tables import matches

_AT_ONCE: Final = 500


def lines_of(connection: Connection, numbers: Sequence[int]) -> tuple[BoardRow, ...]:
    """The lines of a listing, in the order of these numbers."""
    left, lines = iter(numbers), []
    # A statement has so many parameters and no more.
    while some := list(islice(left, _AT_ONCE)):
        rows = {row.number: row for row in connection.execute(_FACTS, {"numbers": some})}
        userids = userids_at(connection, some)
        lines += [_listed(rows[number], userids[number]) for number in some]
    return tuple(lines)


def _listed(row: Row[Any], userids: tuple[str, ...]) -> BoardRow:
    return BoardRow(
        number=row.number,
        game=row.game,
        options=options_of(row),
        userids=userids,
        started=row.started_at,
        summary=summary_of(row),
        rated=row.rated,
        clock=clocks.from_json(row.clock),
        deadline=clocks.deadline_of(row),
    )


_NUMBERS: Final[BindParameter[Any]] = bindparam("numbers", expanding=True)
_FACTS: Final = clocks.with_deadline(select(matches), matches.c.number).where(matches.c.number.in_(_NUMBERS))
