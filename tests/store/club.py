"""Players and boards put straight into a database, and what listings must say of them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from pbmserv.commands.changes import NewPlayer
from pbmserv.commands.command import Decision
from pbmserv.commands.move import MovePlayed
from pbmserv.matches.log import Entry, EntryKind, Match
from pbmserv.matches.queries import BoardRow, Listing, ListingQuery
from pbmserv.matches.replay import fold, replay
from pbmserv.matches.state import summarise
from pbmserv.store import accounts, matches

NOON = datetime(2026, 1, 1, 12, 0, 0, 654321, tzinfo=UTC)
WHOLE_GAME = [
    *("C3", "B1", "B2", "C1", "C2xB2,C1,C3", "C3", "C1xB1,C2", "A2", "A3", "B2", "C2xB2,C1,C3", "B2", "C1"),
    *("B1xB2,C1", "B2xA2,B1", "B1", "B3xA3,B2", "A1", "A2", "B2xA2,B1,B3", "A2", "B1", "A3", "B3", "C3", "C1"),
]
"""A whole game of two on 3x3, in stored notation."""


def add_players(connection: Connection, *userids: str) -> None:
    """Opens accounts, each at userid@example.org."""
    for userid in userids:
        accounts.write_account_change(connection, NewPlayer(userid, f"{userid}@example.org", "hash"), NOON)


def new_match(number: int, *userids: str, started: datetime = NOON) -> Match:
    """A match on 3x3 that the first of them starts."""
    return Match(
        number=number,
        game="cephalopod",
        rules="cephalopod/1",
        options=(("size", "3x3"),),
        rated=True,
        userids=userids,
        started_by=userids[0],
        started=started,
    )


def played(match: Match, plies: int, then: EntryKind | None = None, seat: int = 0) -> tuple[Entry, ...]:
    """The log of the first plies of the whole game, a minute each, and perhaps one entry more."""
    kinds: list[tuple[EntryKind, int, str]] = [
        ("played", ply % 2, move) for ply, move in enumerate(WHOLE_GAME[:plies])
    ]
    if then is not None:
        kinds.append((then, seat, ""))
    return tuple(
        Entry(match.number, seq, match.started + timedelta(minutes=seq), kind, each, text)
        for seq, (kind, each, text) in enumerate(kinds, 1)
    )


def keep(connection: Connection, match: Match, entries: tuple[Entry, ...] = ()) -> Match:
    """Writes a match with its log, as a command would, and gives it whole."""
    matches.write(connection, Decision(MovePlayed(match.number, ""), opened=match, boards=(replay(match),)))
    if entries:
        matches.write(
            connection,
            Decision(MovePlayed(match.number, ""), entries=entries, boards=(replay(match.with_entries(entries)),)),
        )
    return match.with_entries(entries)


@dataclass(frozen=True)
class Club:
    """Boards that are in a database."""

    boards: tuple[Match, ...]

    def listing(self, wanted: ListingQuery) -> Listing:
        """What the database must say, found by looking at each board."""
        names = [userid.lower() for userid in wanted.userids]
        fitting = [line for line in map(listed, self.boards) if fits(line, wanted, names)]
        fitting.sort(key=lambda line: (line.summary.last_at, line.number), reverse=wanted.filter != "next")
        return Listing(tuple(fitting[wanted.first : wanted.first + wanted.count]), len(fitting))


def listed(match: Match) -> BoardRow:
    """The line of a listing for a board."""
    facts = (match.number, match.game, match.options, match.userids, match.started)
    return BoardRow(*facts, summarise(fold(match)), match.rated, match.clock)


def fits(line: BoardRow, wanted: ListingQuery, names: Sequence[str]) -> bool:
    """Whether a line belongs into a listing."""
    status = line.summary.status
    if wanted.game not in (None, line.game):
        return False
    if wanted.filter == "inactive" and status == "active":
        return False
    if wanted.filter == "finished" and status != "finished":
        return False
    if wanted.filter in ("active", "next") and status != "active":
        return False
    seated = {userid.lower() for userid in line.userids}
    on_turn = not names or (line.to_move or "").lower() in names
    return set(names) <= seated and (wanted.filter != "next" or on_turn)


def make_club(connection: Connection, count: int = 40) -> Club:
    """A club of five with boards in every state; many of them last changed at the same moment."""
    chance = random.Random(7)
    members = ["Ann", "bob", "CARL", "dora", "Eve"]
    add_players(connection, *members)
    boards = []
    for number in range(101, 101 + count):
        userids = chance.sample(members, chance.choice([2, 2, 2, 3]))
        start = NOON + timedelta(minutes=chance.randrange(5))
        match = replace(new_match(number, *userids, started=start), rated=chance.random() < 0.5)
        if len(userids) == 3:
            entries: tuple[Entry, ...] = ()
        else:
            plies = chance.choice([0, 1, 2, 5, len(WHOLE_GAME)])
            ending: EntryKind | None = chance.choice([None, None, "resigned", "declined"])
            over = plies == len(WHOLE_GAME)
            entries = played(match, plies, None if over else ending, chance.randrange(2))
        boards.append(keep(connection, match, entries))
    return Club(tuple(boards))
