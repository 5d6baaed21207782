"""A table to play at without mail, its records in a database in memory."""

from datetime import UTC, datetime, timedelta
from functools import cache
from sqlite3 import Connection as DriverConnection
from typing import cast

from sqlalchemy import Connection, Engine, create_engine, update
from sqlalchemy.pool import NullPool

from pbmserv.commands.changes import Change
from pbmserv.commands.command import Actor, Decision, Proof, Reply, Request
from pbmserv.commands.move import MovePlayed
from pbmserv.commands.permission import decide
from pbmserv.commands.server import Server
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import Match
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import replay
from pbmserv.parser.line import parse_line
from pbmserv.parser.words import normalised
from pbmserv.store import matches
from pbmserv.store.queries import TransactionQueries, write_change
from pbmserv.store.tables import addresses, metadata, players
from tests.conftest import ADDRESS, with_shared_statements

NOON = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


@cache
def _engine() -> Engine:
    return with_shared_statements(create_engine("sqlite://", poolclass=NullPool))


@cache
def _club(*userids: str) -> bytes:
    """A database where these have signed up: a copy is made in no time, signing up takes some."""
    with _engine().connect() as connection:
        metadata.create_all(connection)
        table = Table.__new__(Table)
        table.sit_down(connection)
        for userid in userids:
            table.give(f"signup {userid} sesame", f"{userid}@example.org".lower())
        connection.commit()
        return _driver(connection).serialize()


def _driver(connection: Connection) -> DriverConnection:
    return cast(DriverConnection, connection.connection.driver_connection)


class Table:
    """Takes lines from players and keeps what comes of them. The clock goes a minute on with each.

    A test of a setting puts another `server` in the place of this one.
    """

    def __init__(self, *userids: str) -> None:
        connection = _engine().connect()
        _driver(connection).deserialize(_club(*userids))
        self.sit_down(connection)
        self.now += timedelta(minutes=len(userids))

    def sit_down(self, connection: Connection) -> None:
        """Begins at noon, on these records."""
        self.connection = connection
        self.records = TransactionQueries(connection)
        self.server = Server(ADDRESS, confirm="from", variants=True)
        self.now = NOON

    def give(
        self, line: str, sender: str | None, proof: Proof = "from", board: int | None = None, comment: str = ""
    ) -> Reply | CommandError:
        """What a line of that userid, or from that address, is answered with."""
        decided = self.decide(line, sender, proof, board, comment)
        return decided if isinstance(decided, CommandError) else decided.reply

    def decide(
        self, line: str, sender: str | None, proof: Proof = "from", board: int | None = None, comment: str = ""
    ) -> Decision | CommandError:
        """What comes of it; it is kept."""
        self.now += timedelta(minutes=1)
        records: Queries = self.records
        parsed = parse_line(normalised(line), board).parsed
        assert parsed is not None, f"{line!r} cannot be read"
        player = records.player(sender) or records.player_at(sender) if sender else None
        address = sender if sender and "@" in sender else player.address if player else None
        actor = Actor(player, address, proof if player else "none", is_believed=proof == "from")
        hashed = "hashed" if parsed.new_password else None
        request = Request(
            parsed.line,
            parsed.command,
            parsed.arguments,
            actor,
            hashed,
            comment=comment,
            server=self.server,
        )
        try:
            decided = decide(request, records, self.now)
        except CommandError as error:
            return error
        matches.write(self.connection, decided)
        self.records.update_boards(decided.boards)
        self.change(*decided.changes)
        return decided

    def change(self, *changes: Change) -> None:
        """Writes changes."""
        for change in changes:
            write_change(self.connection, change, self.now)
        self.records.forget_players()

    def keep(self, match: Match) -> None:
        """Writes a new match with its log, or what a log has more than the one that is known."""
        known, board = self.records.board(match.number), replay(match)
        opened, seen = (match, 0) if known is None else (None, len(known.match.entries))
        more = match.entries[seen:]
        kept = Decision(MovePlayed(match.number, ""), opened=opened, entries=more, boards=(board,))
        matches.write(self.connection, kept)
        self.records.update_boards([board])

    def match(self, number: int) -> Match:
        """A match as it stands."""
        board = self.records.board(number)
        assert board is not None
        return board.match

    def player(self, userid: str) -> Player:
        """A player as they are known."""
        player = self.records.player(userid)
        assert player is not None
        return player

    def doubt(self, userid: str) -> None:
        """Nobody has answered from a player's address yet."""
        theirs = addresses.c.player_id == self.player(userid).id
        self.connection.execute(update(addresses).where(theirs).values(confirmed_at=None))
        self.records.forget_players()

    def make_robot(self, userid: str, robot: str) -> None:
        """The program of that name plays for a player; none plays for two."""
        theirs = players.c.id == self.player(userid).id
        self.connection.execute(update(players).where(theirs).values(robot=robot))
        self.records.forget_players()
