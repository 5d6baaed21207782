"""One transaction that decides something, and the letters that tell of it, which are written after its commit."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands.command import Decision
from pbmserv.commands.letter import Letter
from pbmserv.matches.replay import GameState
from pbmserv.services.app import App
from pbmserv.store import letters as stored
from pbmserv.store import matches, queries
from pbmserv.store.queries import TransactionQueries


@dataclass(frozen=True)
class UnitOfWork:
    """A transaction as of `now`, with what it has read; one that writes letters only reads."""

    connection: Connection = field(repr=False)
    app: App = field(repr=False)
    now: datetime
    records: TransactionQueries = field(repr=False)
    letters: list[Letter] = field(default_factory=list, repr=False)
    """What it has decided to say."""

    boards: dict[int, GameState] = field(default_factory=dict, repr=False)
    """The boards that it has changed, as they stand."""

    def write(self, decision: Decision, at: datetime) -> None:
        """Writes a decision of that time, and has the records answer later queries accordingly."""
        matches.write(self.connection, decision)
        self.records.update_boards(decision.boards)
        self.boards.update((board.match.number, board) for board in decision.boards)
        for change in decision.changes:
            queries.write_change(self.connection, change, at)
        if decision.changes:
            self.records.forget_players()
        if decision.question is not None:
            self.records.add_question(decision.question.confirmation, at)

    def say(self, letters: Iterable[Letter]) -> None:
        """Has letters written after the commit. Those to nobody are dropped: robots have no address."""
        self.letters.extend(stored.with_keys(letters))

    def keep_letters(self) -> None:
        """Keeps what it has to say, as the last thing that the transaction does."""
        stored.add(self.connection, self.letters, self.now)


def unit_of_work(connection: Connection, app: App, now: datetime) -> UnitOfWork:
    """A unit of work in an open transaction. Who commits it has its letters written (`services.writer`)."""
    return UnitOfWork(connection, app, now, TransactionQueries(connection, app.recent))
