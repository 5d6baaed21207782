"""One move mail in the middle of a 5x5 game: each of its parts, and all together.

It is an answer to the personal address of a board mail, which alone tells who writes (`confirm` is "ask"), and
quotes that mail in a text and an HTML part; both players are sent text and HTML. SQLite is a file with
synchronous=FULL, as in service; the PostgreSQL of the tests does not wait for its disk. The shares printed at the
end are of one run.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from pytest_benchmark.fixture import BenchmarkFixture
from sqlalchemy import Connection

from pbmserv.commands.changes import NewSetting
from pbmserv.commands.command import Decision, Request
from pbmserv.commands.letter import Letter
from pbmserv.commands.permission import decide
from pbmserv.commands.server import Server
from pbmserv.mail.reading.our_copies import our_words
from pbmserv.mail.reading.read import read
from pbmserv.mail.sending.message import Envelope, write
from pbmserv.matches.queries import ListingQuery
from pbmserv.parser.parse import parse_mail
from pbmserv.parser.parsed import IncomingMail, Parsed
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.html_mail import Content, html_part
from pbmserv.rendering.markup import document_of, laid_out
from pbmserv.rendering.templates import render
from pbmserv.services.app import App, password_hasher
from pbmserv.services.authenticate import VerifiedCredentials, authenticate
from pbmserv.services.compose import ReplyContext
from pbmserv.services.letters import AnswerContent, write_letter
from pbmserv.services.opening import open_mail
from pbmserv.services.pending import PendingMail
from pbmserv.services.respond import answer_to as answer
from pbmserv.services.respond import letters_to_others
from pbmserv.services.run import CommandResult, run_all, touched
from pbmserv.services.sender import identify_sender
from pbmserv.services.unit_of_work import UnitOfWork, unit_of_work
from pbmserv.services.worker import process_next
from pbmserv.store import abuse, accounts, inbox, matches, outbox, players
from pbmserv.store.engine import reading, writing
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries
from tests.bench.club import PLIES, Board, Club, address, answer_to
from tests.bench.conftest import PARTS, measure, rounds_of
from tests.conftest import ADDRESS, NOON, Clock, make_house

pytestmark = pytest.mark.benchmark(group=PARTS)

BOARDS = 20
NO_PROOFS = VerifiedCredentials({}, (), {})


@dataclass(frozen=True)
class Taken:
    """A move mail that waits in the inbox, what is known of it, and the bytes as they came."""

    board: Board
    raw: bytes
    pending: PendingMail

    @property
    def mail(self) -> IncomingMail:
        """The mail as it was read."""
        return self.pending.mail

    @property
    def answering(self) -> ReplyContext:
        """How it is answered."""
        assert self.mail.sender is not None
        player, inbox_id = self.pending.identity.player, self.pending.message.id
        return ReplyContext(inbox_id, self.mail, self.mail.sender, player, "answer", proven=True, now=NOON)


def take(club: Club, with_password: bool = False) -> Taken:
    """Takes in a move mail for a board of its own."""
    board = club.open_board()
    raw = answer_to(club.board_mail(board), board, with_password=with_password)
    inbox_id = club.take_in(raw)
    with reading(club.house.engine) as connection:
        (message,) = [each for each in inbox.listing(connection, None, 1) if each.id == inbox_id]
        return Taken(board, raw, open_mail(connection, club.house, message))


def raw_answer(club: Club, html_alone: bool = False) -> bytes:
    """The bytes of a move mail."""
    board = club.open_board()
    return answer_to(club.board_mail(board), board, html_alone=html_alone)


def read_raw(raw: bytes) -> IncomingMail:
    """The mail that a listener was given."""
    return read(raw, address("alice0"), ADDRESS, recipients=[ADDRESS])


def as_request(work: UnitOfWork, taken: Taken) -> Request:
    """The mail's one line with who it is from."""
    (line,) = taken.pending.parsed.lines
    assert isinstance(line, Parsed)
    request = authenticate(work, line, taken.pending, NO_PROOFS)
    assert isinstance(request, Request)
    return request


@dataclass(frozen=True)
class Played:
    """A move mail that was carried out, and the work that did it."""

    taken: Taken
    work: UnitOfWork
    results: tuple[CommandResult, ...]

    @property
    def views(self) -> list[BoardView]:
        """The board as the mover and as the opponent see it."""
        (board,) = touched(self.results).values()
        mover = self.taken.board.mover(PLIES + 1)
        return [
            view_board(board, userid) for userid in sorted(board.match.userids, key=lambda each: each != mover)
        ]


def play(house: App, connection: Connection, taken: Taken) -> Played:
    """Plays the move in an open transaction."""
    work = unit_of_work(connection, house, NOON)
    return Played(taken, work, run_all(work, taken.pending, NO_PROOFS))


def letters_for(house: App, played: Played) -> list[OutboxMessage]:
    """The answer, and the board for the opponent."""
    to, records, results = played.taken.answering, played.work.records, played.results
    userid = to.player.userid if to.player else ""
    own = Letter(answer(records, to, results), to.kind, to.recipient, userid, cause=to.cause)
    return [write_letter(played.work, each) for each in (own, *letters_to_others(records, to, results))]


def htmls_for(house: App, played: Played) -> list[str | None]:
    """The HTML parts of the two, from boards as they are seen."""
    address = house.server.tagged("abcdefghijklmnopqrst")
    said = (document_of(f"Your move is played on board {played.taken.board.match.number}."), document_of(""))
    return [
        html_part(Content(each, (view,)), "Cephalopod Board", address, house.server)
        for each, view in zip(said, played.views, strict=True)
    ]


def texts_for(house: App, played: Played) -> list[str]:
    """Their text parts."""
    views = played.views
    own = AnswerContent(reports=(), left_out=(), views=views[:1], unshown=()).text(house)
    notice = render("mail/notice.txt", view=views[1], alone=True, server=house.server)
    return [laid_out(own), laid_out(notice)]


def test_keeping(benchmark: BenchmarkFixture, club: Club) -> None:
    """A listener's part: done before the sender is told that the mail was taken."""
    assert benchmark(club.take_in, raw_answer(club)) >= 1


def test_finding(benchmark: BenchmarkFixture, club: Club) -> None:
    """Which mail is next, holding it, whether it came before, holding the board."""
    taken = take(club)

    def find() -> bool:
        with club.house.engine.connect() as connection:
            matches.lock(connection, [taken.board.match.number])
            mail = taken.mail
            standing = abuse.standing(connection, mail.content_key, mail.possible_senders)
            return inbox.take(connection, NOON) is not None and not standing.is_known

    assert benchmark(find)


def test_standing(benchmark: BenchmarkFixture, club: Club) -> None:
    """Whose address it is, and which of our mails it answers: the token among those of the outbox."""
    taken = [take(club) for _ in range(BOARDS)][-1]
    with reading(club.house.engine) as connection:
        identity = benchmark(lambda: identify_sender(connection, taken.mail, club.house.server, NOON))
        assert identity == taken.pending.identity
        assert as_request(unit_of_work(connection, club.house, NOON), taken).actor.proven
    assert (identity.proof, identity.board) == ("personal", taken.board.match.number)


def test_reading(benchmark: BenchmarkFixture, club: Club) -> None:
    """Bytes to an IncomingMail, with the token that it bears."""
    mail = benchmark(read_raw, raw_answer(club))
    assert (mail.sender, len(mail.tokens)) == (address("alice0"), 1)


def test_reading_html_alone(benchmark: BenchmarkFixture, club: Club) -> None:
    """The same of a mail without a text part."""
    mail = benchmark(read_raw, raw_answer(club, html_alone=True))
    assert len(parse_mail(mail, 101).lines) == 1


def test_unechoing(benchmark: BenchmarkFixture, club: Club) -> None:
    """Looking for a copy of the mail that it answers, as programs make that mark no quotes."""
    board = club.open_board()
    message = club.board_mail(board)
    mail = read_raw(answer_to(message, board))

    def unecho() -> int | None:
        return our_words([message.raw]).begin(mail.text)

    assert benchmark(unecho) is None


def test_understanding(benchmark: BenchmarkFixture, club: Club) -> None:
    """An IncomingMail to its lines."""
    mail = read_raw(raw_answer(club))
    assert len(benchmark(parse_mail, mail, 101).lines) == 1


def test_deciding(benchmark: BenchmarkFixture, club: Club) -> None:
    """A request to a Decision: the log is read and folded, as of a board not remembered, and the move checked."""
    taken = [take(club) for _ in range(BOARDS)]
    with reading(club.house.engine) as connection:
        work = unit_of_work(connection, club.house, NOON)
        requests = cycle([as_request(work, each) for each in taken])
        decision = benchmark(lambda: decide(next(requests), TransactionQueries(connection), NOON))
    assert isinstance(decision, Decision)
    assert len(decision.entries) == 1


def test_rendering(benchmark: BenchmarkFixture, club: Club) -> None:
    """What was decided to the bytes of two mails, each with text and HTML."""
    taken = [take(club) for _ in range(BOARDS)]
    with club.house.engine.connect() as connection:
        played = cycle([play(club.house, connection, each) for each in taken])
        messages = benchmark(lambda: letters_for(club.house, next(played)))
    assert [message.raw.count(b"\nContent-Type: text/html") for message in messages] == [1, 1]


@pytest.mark.parametrize("parts", [texts_for, htmls_for], ids=["text", "HTML"])
def test_rendering_alone(
    benchmark: BenchmarkFixture, club: Club, parts: Callable[[App, Played], Sequence[str | None]]
) -> None:
    """Of this, the two texts, or the two HTML parts: seeing the board and filling in the templates."""
    taken = [take(club) for _ in range(BOARDS)]
    with club.house.engine.connect() as connection:
        played = cycle([play(club.house, connection, each) for each in taken])
        found = benchmark(lambda: parts(club.house, next(played)))
    assert all(part and "D" in part for part in found)


def test_writing(benchmark: BenchmarkFixture, club: Club) -> None:
    """Of this, what makes two mails of the parts."""
    taken, server = take(club), club.house.server
    with club.house.engine.connect() as connection:
        played = play(club.house, connection, taken)
        texts, htmls = texts_for(club.house, played), htmls_for(club.house, played)
    number = taken.board.match.number
    envelope = Envelope(
        address("bob0"),
        f"Cephalopod Board {number}",
        "abcdefghijklmnopqrst",
        number,
        PLIES + 1,
        thread_word="tsrqponmlkjihgfedcba",
    )

    def write_both() -> list[bytes]:
        both = zip(texts, htmls, strict=True)
        return [write(envelope, text, server, NOON, html) for text, html in both]

    assert all(b"multipart/alternative" in raw for raw in benchmark(write_both))


def test_storing(benchmark: BenchmarkFixture, club: Club) -> None:
    """The entry, the summary, two mails into the outbox, the end of the mail in the inbox, and the commit."""
    house = club.house
    prepared: list[tuple[Taken, Decision, list[OutboxMessage]]] = []
    for taken in [take(club) for _ in range(rounds_of(benchmark))]:
        with house.engine.connect() as connection:  # and rolls back
            played = play(house, connection, taken)
            outcome = played.results[0].outcome
            assert isinstance(outcome, Decision)
            prepared.append((taken, outcome, letters_for(house, played)))
    each = iter(prepared)

    def set_up() -> tuple[tuple[object, ...], dict[str, object]]:
        connection = house.engine.connect()
        connection.begin()
        return (connection, *next(each)), {}

    def store(connection: Connection, taken: Taken, decision: Decision, messages: Sequence[OutboxMessage]) -> None:
        with connection:
            matches.write(connection, decision)
            outbox.queue(connection, messages, NOON)
            key = taken.mail.content_key
            inbox.finish(connection, taken.pending.message.id, "handled", NOON, key, masked=taken.raw[:500])
            connection.commit()

    measure(benchmark, store, set_up)
    assert_all_handled(house)


def test_whole(benchmark: BenchmarkFixture, club: Club, clock: Clock) -> None:
    """All of these but keeping, as the worker does them."""
    whole(benchmark, club, clock)


def test_whole_with_password(benchmark: BenchmarkFixture, tmp_path: Path, clock: Clock) -> None:
    """The same with a first line `as userid password`, and argon2 as it is in service."""
    server = Server(ADDRESS, variants=True, confirm="ask")
    house = make_house(f"sqlite:///{tmp_path / 'club.db'}", password_hasher(), server)
    whole(benchmark, Club(house), clock, with_password=True)
    house.engine.dispose()


def test_whole_in_text_alone(benchmark: BenchmarkFixture, club: Club, clock: Clock) -> None:
    """The same for players who have turned HTML off since."""
    whole(benchmark, club, clock, with_html=False)


def test_whole_on_postgresql(
    benchmark: BenchmarkFixture, new_postgresql: Callable[[], str], quick_hasher: PasswordHasher, clock: Clock
) -> None:
    """The same as `test_whole` through a socket; this PostgreSQL does not wait for its disk."""
    house = make_house(new_postgresql(), quick_hasher, Server(ADDRESS, variants=True, confirm="ask"))
    whole(benchmark, Club(house), clock)
    house.engine.dispose()


def whole(
    benchmark: BenchmarkFixture, club: Club, clock: Clock, with_password: bool = False, with_html: bool = True
) -> None:
    """Measures how mails are handled that wait already, by players who have every move acknowledged."""
    for _ in range(rounds_of(benchmark)):
        take(club, with_password)
    with writing(club.house.engine) as connection:
        for player in players.everybody(connection):
            for setting in (NewSetting(player.id, "html", with_html), NewSetting(player.id, "receipts", "on")):
                accounts.write_account_change(connection, setting, NOON)
    measure(benchmark, process_next, lambda: ((club.house, clock), {}))
    assert_all_handled(club.house)


def assert_all_handled(house: App) -> None:
    """Every mail was a move that was played, answered, and told to the opponent."""
    with reading(house.engine) as connection:
        message, sent = inbox.listing(connection, None, 1000), outbox.listing(connection, None, 1000)
        boards = TransactionQueries(connection).boards(ListingQuery(count=1000)).lines
    assert message
    assert {mail.status for mail in message} == {"handled"}
    assert Counter(mail.kind for mail in sent) == {"answer": len(message), "board": 2 * len(message)}
    assert {board.summary.plies for board in boards} == {PLIES + 1}
