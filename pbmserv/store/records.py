"""Answers what commands ask (`matches.records.Records`) from one open transaction."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, ScalarSelect, and_, exists, func, select

from pbmserv.matches.match import Match
from pbmserv.matches.player import Player
from pbmserv.matches.records import Listing, Wanted
from pbmserv.store import matches, players
from pbmserv.store.tables import entries, seats
from pbmserv.store.tables import matches as match_table
from pbmserv.store.tables import players as player_table


class TransactionRecords:
    """The records as one transaction sees them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._matches: dict[int, Match | None] = {}

    def forget(self, numbers: Iterable[int]) -> None:
        """Matches that have changed since they were asked for are read anew."""
        for number in numbers:
            self._matches.pop(number, None)

    def player(self, userid: str) -> Player | None:
        """The player of a userid."""
        return players.find(self._connection, userid)

    def player_at(self, address: str) -> Player | None:
        """The player whom an address belongs to."""
        return players.find_at(self._connection, address)

    def similar_userids(self, userid: str) -> Sequence[str]:
        """Userids that are perhaps meant."""
        return players.similar(self._connection, userid)

    def match(self, number: int) -> Match | None:
        """A match with its whole log."""
        if number not in self._matches:
            self._matches[number] = matches.load(self._connection, number)
        return self._matches[number]

    def next_number(self) -> int:
        """The number of a match started now."""
        return matches.next_number(self._connection)

    def boards(self, wanted: Wanted) -> Listing:
        """A page of the boards that fit."""
        return matches.listing(self._connection, wanted)

    def running(self) -> Sequence[tuple[str, int]]:
        """How many boards of each game are active."""
        return matches.running(self._connection)

    def started_since(self, userid: str, since: datetime) -> int:
        """How many matches a player started since then."""
        query = select(func.count()).select_from(match_table)
        started = query.where(match_table.c.started_by == _id_of(userid), match_table.c.started_at > since)
        return self._connection.execute(started).scalar_one()

    def unbegun(self, starter: str, opponent: str) -> int:
        """How many active matches of `starter` wait for a first move of `opponent`."""
        seated = and_(seats.c.match == match_table.c.number, seats.c.player_id == _id_of(opponent))
        moved = exists().where(
            entries.c.match == match_table.c.number, entries.c.seat == seats.c.seat, entries.c.kind == "played"
        )
        query = select(func.count()).select_from(match_table.join(seats, seated))
        waiting = query.where(
            match_table.c.started_by == _id_of(starter), match_table.c.status == "active", ~moved
        )
        return self._connection.execute(waiting).scalar_one()


def _id_of(userid: str) -> ScalarSelect[Any]:
    lowered = userid.lower()
    return select(player_table.c.id).where(player_table.c.userid_lower == lowered).scalar_subquery()
