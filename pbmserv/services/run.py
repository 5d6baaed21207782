"""Runs the commands of one mail, in order, inside one transaction: identify, decide, keep, and on to the next."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands.decision import Decision
from pbmserv.commands.language import Reading
from pbmserv.commands.message import Actor, IncomingMail, Parsed, Unparsed
from pbmserv.commands.permission import decide
from pbmserv.commands.server import Server
from pbmserv.matches.match import Replayed
from pbmserv.matches.refusals import Refused
from pbmserv.services.identify import Proofs, identify
from pbmserv.store import matches, players
from pbmserv.store.records import TransactionRecords


@dataclass(frozen=True, slots=True)
class NotRun:
    """An earlier line was refused: on `board`, or (None) about who the sender is."""

    board: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one line, and who gave it (None where nobody got so far)."""

    line: Parsed | Unparsed
    outcome: Decision | Refused | NotRun
    actor: Actor | None

    @property
    def boards(self) -> tuple[int, ...]:
        """The boards that it is about."""
        if isinstance(self.outcome, Decision):
            return (*self.outcome.touched, *(ref.number for ref in self.outcome.shows))
        return () if self.outcome.board is None else (self.outcome.board,)


def touched(results: Iterable[Result]) -> dict[int, Replayed]:
    """The boards on which something happened, by number, as they stand after all of these lines."""
    decisions = [result.outcome for result in results if isinstance(result.outcome, Decision)]
    return {board.match.number: board for decision in decisions for board in decision.boards}


def run_all(
    connection: Connection,
    records: TransactionRecords,
    mail: IncomingMail,
    reading: Reading,
    proofs: Proofs,
    server: Server,
    now: datetime,
) -> tuple[Result, ...]:
    """Carries the lines out; what they change is written. `now` is when the mail was kept."""
    matches.lock(connection, _bound_boards(reading.lines))
    results: list[Result] = []
    refused_boards: set[int] = set()
    nobody = False
    for line in reading.lines:
        boards = _boards_of(line)
        if nobody or boards & refused_boards:
            board = None if nobody else min(boards & refused_boards)
            results.append(Result(line, NotRun(board), None))
            continue
        result = _run(connection, records, line, mail, reading, proofs, server, now)
        results.append(result)
        if isinstance(result.outcome, Refused):
            nobody = result.outcome.about_identity
            refused_boards |= boards
    return tuple(results)


def _run(
    connection: Connection,
    records: TransactionRecords,
    line: Parsed | Unparsed,
    mail: IncomingMail,
    reading: Reading,
    proofs: Proofs,
    server: Server,
    now: datetime,
) -> Result:
    if isinstance(line, Unparsed):
        return Result(line, line.refused, None)

    def look_up(userid: str) -> str | None:
        return players.password_hash(connection, userid)

    request = identify(line, reading, mail, proofs, records, look_up, server)
    if isinstance(request, Refused):
        return Result(line, request, None)
    outcome = decide(request, records, now)
    if isinstance(outcome, Decision):
        if outcome.account is not None:
            players.keep(connection, outcome.account, now)
            records.forget_players()
        matches.keep(connection, outcome)
        records.know(outcome.boards)
    return Result(line, outcome, request.actor)


def _boards_of(line: Parsed | Unparsed) -> set[int]:
    """The boards that a line names, as far as it could be read."""
    if isinstance(line, Parsed):
        return {ref.number for ref in line.arguments.boards}
    return set() if line.refused.board is None else {line.refused.board}


def _bound_boards(lines: Iterable[Parsed | Unparsed]) -> set[int]:
    return {
        ref.number
        for line in lines
        if isinstance(line, Parsed) and line.command.kind == "binding"
        for ref in line.arguments.boards
    }
