"""One move mail in the middle of a 5x5 game: each of its parts, and all together.

The mail has a text and an HTML part that both quote the board. SQLite is a file with synchronous=FULL, as in
service; the PostgreSQL of the tests does not wait for its disk. The shares printed at the end are of one run.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from pytest_benchmark.fixture import BenchmarkFixture
from sqlalchemy import Connection

from pbmserv.commands.decision import Decision
from pbmserv.commands.language import Reading, understand
from pbmserv.commands.message import IncomingMail, Parsed, Request
from pbmserv.commands.permission import decide
from pbmserv.commands.server import Server
from pbmserv.mail.read import envelope_sender_of, read
from pbmserv.matches.records import Wanted
from pbmserv.services.answer import Answering, answer, notices
from pbmserv.services.handle import handle_next
from pbmserv.services.house import House
from pbmserv.services.identify import Proofs, identify, password_hasher
from pbmserv.services.run import Result, run_all
from pbmserv.store import inbox, matches, outbox, players
from pbmserv.store.engine import reading
from pbmserv.store.outbox import Letter
from pbmserv.store.records import TransactionRecords
from tests.bench.club import PLIES, Board, Club, address, move_mail
from tests.bench.conftest import PARTS, measure, rounds_of
from tests.conftest import ADDRESS, NOON, Clock, make_house

pytestmark = pytest.mark.benchmark(group=PARTS)

BOARDS = 20
NO_PROOFS = Proofs({}, (), {})


@dataclass(frozen=True)
class Taken:
    """A move mail that waits in the inbox, and what it says."""

    board: Board
    inbox_id: int
    raw: bytes
    mail: IncomingMail
    understood: Reading

    @property
    def answering(self) -> Answering:
        """How it is answered."""
        assert self.mail.sender is not None
        return Answering(self.inbox_id, self.mail, self.mail.sender, "answer", True, NOON)


def take(club: Club, with_password: bool = False) -> Taken:
    """Takes in a move mail for a board of its own."""
    board = club.open_board()
    raw = move_mail(club.house, board, with_password=with_password)
    mail = read_raw(raw)
    return Taken(board, club.take_in(raw), raw, mail, understand(mail))


def read_raw(raw: bytes) -> IncomingMail:
    """The mail that a listener was given."""
    return read(raw, envelope_sender_of(raw), ADDRESS)


def as_request(connection: Connection, taken: Taken, server: Server) -> Request:
    """The mail's one line with who it is from."""
    (line,) = taken.understood.lines
    assert isinstance(line, Parsed)
    records = TransactionRecords(connection)
    request = identify(line, taken.understood, taken.mail, NO_PROOFS, records, lambda userid: None, server)
    assert isinstance(request, Request)
    return request


@dataclass(frozen=True)
class Played:
    """A move mail that was carried out, and the records as they know it."""

    taken: Taken
    records: TransactionRecords
    results: tuple[Result, ...]


def play(connection: Connection, taken: Taken, server: Server) -> Played:
    """Plays the move in an open transaction."""
    records = TransactionRecords(connection)
    results = run_all(connection, records, taken.mail, taken.understood, NO_PROOFS, server, NOON)
    return Played(taken, records, results)


def letters_for(house: House, played: Played) -> list[Letter]:
    """The answer, and the board for the opponent."""
    to, records, results = played.taken.answering, played.records, played.results
    return [answer(records, house, to, results), *notices(records, house, to, results, "")]


def test_keeping(benchmark: BenchmarkFixture, club: Club) -> None:
    """A listener's part: done before the sender is told that the mail was taken."""
    raw = move_mail(club.house, club.open_board())
    assert benchmark(club.take_in, raw) >= 1


def test_finding(benchmark: BenchmarkFixture, club: Club) -> None:
    """Which mail is next, holding it, whether it came before, who wrote it, holding the board."""
    taken = take(club)

    def find() -> Request:
        with club.house.engine.connect() as connection:
            assert inbox.take(connection, NOON) is not None
            assert not inbox.is_known(connection, taken.mail.content_key)
            assert players.find_at(connection, taken.mail.sender or "") is not None
            matches.lock(connection, [taken.board.match.number])
            return as_request(connection, taken, club.house.server)

    assert benchmark(find).actor.proven


def test_reading(benchmark: BenchmarkFixture, club: Club) -> None:
    """Bytes to an IncomingMail."""
    raw = move_mail(club.house, club.open_board())
    assert benchmark(read_raw, raw).sender == address("alice0")


def test_understanding(benchmark: BenchmarkFixture, club: Club) -> None:
    """An IncomingMail to its lines."""
    mail = read_raw(move_mail(club.house, club.open_board()))
    assert len(benchmark(understand, mail).lines) == 1


def test_deciding(benchmark: BenchmarkFixture, club: Club) -> None:
    """A request to a Decision: the log is read and folded, as of a board not remembered, and the move checked."""
    taken = [take(club) for _ in range(BOARDS)]
    with reading(club.house.engine) as connection:
        requests = cycle([as_request(connection, each, club.house.server) for each in taken])
        decision = benchmark(lambda: decide(next(requests), TransactionRecords(connection), NOON))
    assert isinstance(decision, Decision)
    assert len(decision.entries) == 1


def test_rendering(benchmark: BenchmarkFixture, club: Club) -> None:
    """What was decided to the bytes of two mails."""
    taken = [take(club) for _ in range(BOARDS)]
    with club.house.engine.connect() as connection:
        played = cycle([play(connection, each, club.house.server) for each in taken])
        letters = benchmark(lambda: letters_for(club.house, next(played)))
    assert len(letters) == 2


def test_storing(benchmark: BenchmarkFixture, club: Club) -> None:
    """The entry, the summary, two mails into the outbox, the end of the mail in the inbox, and the commit."""
    house = club.house
    prepared: list[tuple[Taken, Decision, list[Letter]]] = []
    for taken in [take(club) for _ in range(rounds_of(benchmark))]:
        with house.engine.connect() as connection:  # and rolls back
            played = play(connection, taken, house.server)
            outcome = played.results[0].outcome
            assert isinstance(outcome, Decision)
            prepared.append((taken, outcome, letters_for(house, played)))
    each = iter(prepared)

    def set_up() -> tuple[tuple[object, ...], dict[str, object]]:
        connection = house.engine.connect()
        connection.begin()
        return (connection, *next(each)), {}

    def store(connection: Connection, taken: Taken, decision: Decision, letters: Sequence[Letter]) -> None:
        with connection:
            matches.keep(connection, decision)
            outbox.queue(connection, letters, NOON)
            inbox.finish(
                connection, taken.inbox_id, "handled", NOON, taken.mail.content_key, masked=taken.raw[:500]
            )
            connection.commit()

    measure(benchmark, store, set_up)
    assert_all_handled(house)


def test_whole(benchmark: BenchmarkFixture, club: Club, clock: Clock) -> None:
    """All of these but keeping, as the worker does them."""
    whole(benchmark, club, clock)


def test_whole_with_password(benchmark: BenchmarkFixture, tmp_path: Path, clock: Clock) -> None:
    """The same where a From address is no proof, with argon2 as it is in service."""
    server = Server(ADDRESS, confirm="ask")
    house = make_house(f"sqlite:///{tmp_path / 'club.db'}", password_hasher(), server)
    whole(benchmark, Club(house), clock, with_password=True)
    house.engine.dispose()


def test_whole_on_postgresql(
    benchmark: BenchmarkFixture, new_postgresql: Callable[[], str], quick_hasher: PasswordHasher, clock: Clock
) -> None:
    """The same as `test_whole` through a socket; this PostgreSQL does not wait for its disk."""
    house = make_house(new_postgresql(), quick_hasher, Server(ADDRESS, confirm="from"))
    whole(benchmark, Club(house), clock)
    house.engine.dispose()


def whole(benchmark: BenchmarkFixture, club: Club, clock: Clock, with_password: bool = False) -> None:
    """Measures how mails are handled that wait already."""
    for _ in range(rounds_of(benchmark)):
        take(club, with_password)
    measure(benchmark, handle_next, lambda: ((club.house, clock), {}))
    assert_all_handled(club.house)


def assert_all_handled(house: House) -> None:
    """Every mail was a move that was played, answered, and told to the opponent."""
    with reading(house.engine) as connection:
        kept, sent = inbox.listing(connection, None, 1000), outbox.listing(connection, None, 1000)
        boards = TransactionRecords(connection).boards(Wanted(count=1000)).lines
    assert kept
    assert {mail.status for mail in kept} == {"handled"}
    assert len(sent) == 2 * len(kept)
    assert {board.summary.plies for board in boards} == {PLIES + 1}
