"""Pages of boards, at a cost that does not grow with the number of boards.

Each query scans one index in the wanted order, and stops when a page is full. A player's finished boards are
ordered by `seats.ended_at`; the running ones (NULL) are few, and are sorted. Conditions on the status are
literals, so that partial indexes can be used. Without statistics SQLite takes any equality as selective;
`_plainly` hides a column from the planner where it is not.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    exists,
    func,
    literal,
    select,
    tuple_,
)
from sqlalchemy import literal_column as literally

from pbmserv.matches.queries import (
    MOST_COUNTED,
    BoardRow,
    BoardSearch,
    Cursor,
    Filter,
    Listing,
    ListingQuery,
    Queries,
    SearchPage,
    Sort,
)
from pbmserv.store import clocks
from pbmserv.store.matches import options_of, summary_of, userids_at
from pbmserv.store.rankings import winners_of
from pbmserv.store.tables import UtcDateTime, matches, players, seats
from pbmserv.store.tables import clocks as clock_table

_AT_ONCE: Final = 500


def lines_of(connection: Connection, numbers: Sequence[int]) -> tuple[BoardRow, ...]:
    """The rows of a listing, in the order of these numbers."""
    left, lines = iter(numbers), []
    # The number of parameters in a statement is limited.
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


MOST_SORTED: Final = 1000
"""The most running boards of a player that are sorted. For more, all running boards are read in their order."""

_MOST_COMPARED: Final = 10_000

_STATUS: Final[dict[Filter, tuple[ColumnElement[bool], ...]]] = {
    "all": (),
    "active": (literally("matches.status = 'active'"),),
    "next": (literally("matches.status = 'active'"),),
    "inactive": (literally("matches.status <> 'active'"),),
    "finished": (literally("matches.status = 'finished'"),),
}


@dataclass(frozen=True, slots=True)
class _Way:
    """A query for boards, and the columns it is ordered by; the last one is the board's number."""

    query: Select[Any]
    along: tuple[ColumnElement[Any], ...]
    is_ascending: bool = False

    def places(
        self, connection: Connection, after: Cursor | None, before: Cursor | None, count: int
    ) -> list[Cursor]:
        """The places of the first boards; before a given place, of the last ones in reversed order."""
        query, is_ascending = self.query, self.is_ascending
        place = after or before
        if place is not None:
            is_ascending ^= after is None
            here, there = tuple_(*self.along), tuple_(*_values(place))
            query = query.where(here > there if is_ascending else here < there)
        order = (column.asc() if is_ascending else column.desc() for column in self.along)
        rows = connection.execute(
            query.with_only_columns(*self.along, maintain_column_froms=True).order_by(*order).limit(count)
        )
        return [Cursor(row[-1], row[0] if len(row) > 1 else None) for row in rows]


@dataclass(frozen=True, slots=True)
class _Among:
    """The boards of a status and a game at which all of these players sit, the one with fewest boards first."""

    which: Filter
    game: str | None
    ids: Sequence[int]
    with_practice: bool = False

    def of_everybody(self) -> Select[Any]:
        """The boards, with any players."""
        query = select(matches).where(*_STATUS[self.which], *_is_of(self.game))
        return query if self.with_practice else query.where(_COUNTS)

    def of_players(self, with_matches: bool = False) -> Select[Any]:
        """The boards, found among those of the first player."""
        query = select(seats).where(seats.c.player_id == self.ids[0], *_sit_at(self.ids[1:], seats.c.match))
        if not self.with_practice:
            query = query.where(~exists().where(_match.c.number == seats.c.match, _match.c.practice))
        if self.which != "all":
            query = query.where(_is_on_or_over(self.which in ("active", "next")))
        if self.game is None and self.which != "finished" and not with_matches:
            return query
        query = query.join(matches, matches.c.number == seats.c.match).where(*_is_of(self.game, plainly=True))
        return query.where(_plainly(matches.c.status) == "finished") if self.which == "finished" else query


class ListingQueries(Queries):
    """Queries for pages of boards, within one transaction."""

    _connection: Connection

    def boards(self, wanted: ListingQuery) -> Listing:
        # The number of all is exact, which takes longer the more there are.
        connection = self._connection
        ids = _ids(connection, wanted.userids, is_running=wanted.filter in ("active", "next"))
        if ids is None:
            return Listing((), 0)
        among = _Among(wanted.filter, wanted.game, ids, wanted.with_practice)
        if wanted.filter == "next":
            every = _waiting(connection, among)
            return Listing(lines_of(connection, every[wanted.first :][: wanted.count]), len(every))
        total = _count(connection, among)
        end = min(wanted.first + wanted.count, total)
        if wanted.first >= end:
            return Listing((), total)
        ways = _by_last_move(connection, among)
        places = _merged([way.places(connection, None, None, end) for way in ways], is_backward=False)
        return Listing(lines_of(connection, [place.number for place in places[wanted.first : end]]), total)


def search(connection: Connection, wanted: BoardSearch) -> SearchPage:
    """A page of the boards that match; its cost does not grow with the number of boards."""
    ids = _ids(connection, wanted.userids, is_running=wanted.boards == "active")
    if ids is None:
        return SearchPage((), 0)
    among = _Among(wanted.boards, wanted.game, ids)
    places = _places(connection, wanted, among)
    if wanted.before is not None and len(places) <= wanted.count:
        # So few go before it that they are the first page, which may be longer.
        wanted = replace(wanted, before=None)
        places = _places(connection, wanted, among)
    numbers = [place.number for place in places[: wanted.count]]
    lines = lines_of(connection, numbers if wanted.before is None else numbers[::-1])
    return SearchPage(
        lines,
        _count(connection, among, wanted.sort == "time", MOST_COUNTED + 1),
        has_earlier=wanted.before is not None or wanted.after is not None,
        has_later=wanted.before is not None or len(places) > wanted.count,
        winners=winners_of(connection, [line.number for line in lines if line.summary.status == "finished"]),
    )


def running_of(connection: Connection, userids: Iterable[str]) -> Sequence[int]:
    """The numbers of the active matches in which one of these players has a seat."""
    lowered = [userid.lower() for userid in userids]
    if not lowered:
        return ()
    theirs = seats.join(players, players.c.id == seats.c.player_id)
    query = select(seats.c.match).distinct().select_from(theirs)
    query = query.where(players.c.userid_lower.in_(lowered), seats.c.ended_at.is_(None))
    return connection.execute(query).scalars().all()


def _ids(connection: Connection, userids: Sequence[str], is_running: bool) -> list[int] | None:
    """The ids of players, the one with the fewest boards first; None if one does not exist."""
    lowered = {userid.lower() for userid in userids}
    if not lowered:
        return []
    found = list(connection.execute(select(players.c.id).where(players.c.userid_lower.in_(lowered))).scalars())
    if len(found) < len(lowered):
        return None
    return sorted(found, key=lambda each: _boards_of(connection, each, is_running)) if len(found) > 1 else found


def _boards_of(connection: Connection, player_id: int, is_running: bool) -> int:
    """How many boards of a player are running, or over; counted only up to a limit."""
    query = select(literal(1)).where(seats.c.player_id == player_id, _is_on_or_over(is_running))
    counted = select(func.count()).select_from(query.limit(_MOST_COMPARED).subquery())
    return connection.execute(counted).scalar_one()


def _places(connection: Connection, wanted: BoardSearch, among: _Among) -> list[Cursor]:
    ways = _ways(connection, wanted.sort, among)
    found = [way.places(connection, wanted.after, wanted.before, wanted.count + 1) for way in ways]
    return _merged(found, is_backward=wanted.before is not None)[: wanted.count + 1]


def _merged(found: Sequence[list[Cursor]], is_backward: bool) -> list[Cursor]:
    """Merges the places of several queries, ordered by last move if there is more than one."""
    if len(found) == 1:
        return found[0]
    places = (place for places in found for place in places)
    return sorted(places, key=lambda place: (place.at, place.number), reverse=not is_backward)


def _ways(connection: Connection, sort: Sort, among: _Among) -> list[_Way]:
    if sort == "last":
        return _by_last_move(connection, among)
    if sort == "time":
        return [_by_deadline(connection, among)]
    if among.ids:
        return [_Way(among.of_players(), (seats.c.match,))]
    # Boards of a game that run are few among those of the game, and more among those that run.
    is_of_game = _is_of(among.game, plainly=among.which == "active")
    return [_Way(select(matches).where(*_STATUS[among.which], *is_of_game, _COUNTS), (matches.c.number,))]


def _by_last_move(connection: Connection, among: _Among) -> list[_Way]:
    along = (matches.c.last_at, matches.c.number)
    if not among.ids:
        return [_Way(among.of_everybody(), along)]
    if among.which == "all":
        on, over = replace(among, which="active"), replace(among, which="inactive")
        return [*_by_last_move(connection, on), *_by_last_move(connection, over)]
    if among.which != "active":
        return [_Way(among.of_players(), (seats.c.ended_at, seats.c.match))]
    if _boards_of(connection, among.ids[0], is_running=True) > MOST_SORTED:
        return [_Way(among.of_everybody().where(*_sit_at(among.ids, matches.c.number)), along)]
    return [_Way(among.of_players(with_matches=True), along)]


def _by_deadline(connection: Connection, among: _Among) -> _Way:
    along = (clock_table.c.deadline_at, clock_table.c.match)
    if among.ids and _boards_of(connection, among.ids[0], is_running=True) <= MOST_SORTED:
        theirs = replace(among, which="active").of_players()
        theirs = theirs.join(clock_table, clock_table.c.match == seats.c.match)
        return _Way(theirs.where(_RUNS_OUT), along, is_ascending=True)
    every = select(clock_table).where(_RUNS_OUT, *_sit_at(among.ids, clock_table.c.match))
    if among.game is not None:
        is_of_game = _is_of(among.game, plainly=True)
        every = every.join(matches, matches.c.number == clock_table.c.match).where(*is_of_game)
    return _Way(every, along, is_ascending=True)


def _waiting(connection: Connection, among: _Among) -> Sequence[int]:
    """The numbers of the boards on which one of these players is to move, the most urgent first."""
    if among.ids:
        query = among.of_players(with_matches=True)
        on_turn = _seat.c.player_id.in_(among.ids), _seat.c.seat == matches.c.to_move
        query = query.where(exists().where(_seat.c.match == matches.c.number, *on_turn))
    else:
        query = among.of_everybody()
    query = query.outerjoin(clock_table, clock_table.c.match == matches.c.number)
    urgency = (clocks.DEADLINE.is_(None), clocks.DEADLINE, matches.c.last_at, matches.c.number)
    numbers = query.with_only_columns(matches.c.number, maintain_column_froms=True).order_by(*urgency)
    return connection.execute(numbers).scalars().all()


def _count(connection: Connection, among: _Among, runs_out: bool = False, most: int | None = None) -> int:
    """How many boards match, optionally only those whose clock runs; at most `most`."""
    query = among.of_players() if among.ids else among.of_everybody()
    if runs_out:
        number = seats.c.match if among.ids else matches.c.number
        query = query.join(clock_table, clock_table.c.match == number).where(_RUNS_OUT)
    fitting = query.with_only_columns(literal(1), maintain_column_froms=True).limit(most).subquery()
    return connection.execute(select(func.count()).select_from(fitting)).scalar_one()


def _sit_at(ids: Sequence[int], number: ColumnElement[int]) -> list[ColumnElement[bool]]:
    return [exists().where(_seat.c.match == number, _seat.c.player_id == each) for each in ids]


def _is_on_or_over(is_running: bool) -> ColumnElement[bool]:
    return seats.c.ended_at.is_(None) if is_running else seats.c.ended_at.is_not(None)


def _is_of(game: str | None, plainly: bool = False) -> list[ColumnElement[bool]]:
    """The condition that boards are of a game, if any; `plainly` keeps the planner from using an index for it."""
    if game is None:
        return []
    return [(_plainly(matches.c.game) if plainly else matches.c.game) == game]


def _plainly(column: ColumnElement[str]) -> ColumnElement[str]:
    """An expression equal to the column that no index covers."""
    return column.concat("")


def _values(place: Cursor) -> Iterator[ColumnElement[Any]]:
    if place.at is not None:
        yield literal(place.at, UtcDateTime())
    yield literal(place.number)


_RUNS_OUT: Final = clocks.DEADLINE.is_not(None)
_seat: Final = seats.alias("seat_too")
_match: Final = matches.alias("match_too")
_COUNTS: Final = matches.c.practice.is_(False)
