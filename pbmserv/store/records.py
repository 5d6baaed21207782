"""Answers what commands ask (`matches.records.Records`) from one open transaction."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, ScalarSelect, and_, exists, func, select

from pbmserv.commands.confirmation import Confirmation
from pbmserv.games.game import Seat
from pbmserv.matches.clock import Timing
from pbmserv.matches.kept import KeptAbout, KeptQuestion
from pbmserv.matches.plan import Plan, PlanKind
from pbmserv.matches.player import Player
from pbmserv.matches.records import Listing, Wanted
from pbmserv.matches.replay import Replayed
from pbmserv.store import kept, matches, plans, players, turn_timing, watching
from pbmserv.store.accounts import NO_HASH
from pbmserv.store.recent import RecentBoards
from pbmserv.store.tables import entries, seats
from pbmserv.store.tables import matches as match_table
from pbmserv.store.tables import players as player_table


class TransactionRecords:
    """The records as one transaction sees them; what was asked once is not read again.

    Whoever writes in the same transaction tells it: `know` boards as they stand now, `know_asked` what will be
    asked, `forget_players`.
    """

    def __init__(self, connection: Connection, recent: RecentBoards | None = None) -> None:
        self._connection = connection
        self._recent = recent or RecentBoards()
        self._boards: dict[int, Replayed | None] = {}
        self._players: dict[str, Player | None] = {}
        self._asked: list[tuple[str, KeptQuestion]] = []

    def know(self, boards: Iterable[Replayed]) -> None:
        """Boards as they stand after what was just written."""
        self._boards.update((board.match.number, board) for board in boards)

    def know_asked(self, asked: Confirmation, now: datetime) -> None:
        """A question that will be mailed at the transaction's end."""
        self._asked.append((asked.userid, KeptQuestion(asked.kind, asked.address, asked.lines, now)))

    def forget_players(self) -> None:
        """Players have changed since they were asked for, and are read anew."""
        self._players.clear()

    def player(self, userid: str) -> Player | None:
        """The player of a userid."""
        return self._player(userid.lower(), players.find)

    def player_at(self, address: str) -> Player | None:
        """The player whom an address belongs to."""
        return self._player(address.lower(), players.find_at)

    def owner_of(self, address: str) -> Player | None:
        """The player who has that address, believed or not."""
        return players.owner_of(self._connection, address)

    def signed_up(self, player: Player) -> datetime:
        """When that player's account was opened."""
        return players.signed_up(self._connection, player.id)

    def has_password(self, player: Player) -> bool:
        """Whether any password is in force for a player."""
        return players.password_hash(self._connection, player.userid) != NO_HASH

    def addresses(self, player: Player) -> Sequence[str]:
        """Every address of a player."""
        return players.addresses_of(self._connection, player.id)

    def is_blocked(self, userid: str, by: str) -> bool:
        """Whether one player wants nothing from another."""
        return players.is_blocked(self._connection, userid, by)

    def blocked_by(self, userid: str) -> Sequence[str]:
        """Those that a player wants nothing from."""
        return players.blocked_by(self._connection, userid)

    def questions(self, player: Player) -> Sequence[KeptQuestion]:
        """What waits for a `yes` about a player."""
        just_now = (question for userid, question in self._asked if userid == player.userid)
        return (*kept.questions(self._connection, player.id), *just_now)

    def kept_about(self, player: Player) -> KeptAbout:
        """What is kept about a player beside boards, settings and blocks."""
        return kept.about(self._connection, player.id)

    def similar_userids(self, userid: str) -> Sequence[str]:
        """Userids that are perhaps meant."""
        return players.similar(self._connection, userid)

    def board(self, number: int) -> Replayed | None:
        """A match with its whole log, and what that adds up to."""
        if number not in self._boards:
            self._boards[number] = matches.replayed(self._connection, number, self._recent.find(number))
        return self._boards[number]

    def timing(self, board: Replayed, now: datetime) -> Timing:
        """What is known of the present turn beside the log."""
        return turn_timing.timing(self._connection, board, now)

    def plan(self, board: int, seat: Seat, kind: PlanKind) -> Plan | None:
        """What a seat has in mind for a board."""
        return plans.find(self._connection, board, seat, kind)

    def watchers(self, board: int) -> Sequence[str]:
        """Who watches a board."""
        return watching.watchers(self._connection, board)

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

    def _player(self, key: str, find: Callable[[Connection, str], Player | None]) -> Player | None:
        # An address holds an @, which no userid does.
        if key not in self._players:
            self._players[key] = find(self._connection, key)
        return self._players[key]


def _id_of(userid: str) -> ScalarSelect[Any]:
    lowered = userid.lower()
    return select(player_table.c.id).where(player_table.c.userid_lower == lowered).scalar_subquery()
