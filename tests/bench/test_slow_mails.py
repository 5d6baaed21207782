"""Mails that are made to be slow: what reading them takes, how long they hold SQLite's lock, whom that delays."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbmserv.commands.server import Server
from pbmserv.mail.reading.our_copies import OurWords
from pbmserv.mail.reading.read import read
from pbmserv.services.app import password_hasher
from pbmserv.services.receive import receive_mail
from pbmserv.services.reply_text import reply_text
from pbmserv.services.worker import process_some
from pbmserv.store.engine import reading
from pbmserv.store.mail_history import replies_to
from tests.bench.club import PLIES, Club, address, answer_to
from tests.bench.conftest import Report, measure, rounds_of
from tests.conftest import ADDRESS, NOON, Clock, make_house
from tests.held import is_rendering, watched
from tests.hostile.large_mails import LARGEST, MAILS

pytestmark = pytest.mark.benchmark(group="slow mails")

LONGEST_READING = 0.5
LONGEST_HELD = 0.05
"""Seconds of processor time, rendering apart."""

A_SECOND = 12
LONGEST_WAIT = 2.0
"""Seconds that a proven player waits for an answer while so many come in each second."""

STRANGERS_MAIL = 20_000
ROUNDS = 10
SMALL = 20_000


def from_somebody(raw: bytes, number: int) -> bytes:
    """The same mail from another stranger."""
    return raw.replace(b"stranger@elsewhere.example", b"m%d@elsewhere%d.example" % (number, number)).replace(
        b"<1@elsewhere.example>", b"<%d@elsewhere.example>" % number
    )


def size_of(benchmark: BenchmarkFixture) -> int:
    """How large mails are: small where nothing is measured."""
    return LARGEST if benchmark.enabled else SMALL


def test_reading(benchmark: BenchmarkFixture, report: Report) -> None:
    """From bytes to commands, in answer to a board."""
    times: dict[str, float] = {}

    def read_all() -> None:
        for name, made in MAILS.items():
            raw = made(size_of(benchmark))
            begun = time.process_time()
            mail = read(raw, "stranger@elsewhere.example", ADDRESS)
            reply_text(mail, OurWords(), 101, ADDRESS, frozenset())
            times[name] = time.process_time() - begun

    measure(benchmark, read_all, lambda: None, 1)
    slowest = max(times, key=lambda name: times[name])
    report(f"slowest reading of 1 MB: {slowest:34} {times[slowest] * 1000:7.1f} ms of processor time")
    if benchmark.enabled:
        assert times[slowest] < LONGEST_READING


def test_lock(benchmark: BenchmarkFixture, report: Report, club: Club, clock: Clock) -> None:
    """The longest write transaction while they are handled."""
    with watched(is_rendering) as locks:
        measure(benchmark, lambda: work_off(club, clock), lambda: flood(club, size_of(benchmark)), 1)
    longest = max(locks.all)
    report(f"longest write transaction: {longest.holder:43} {longest.seconds * 1000:7.1f} ms of processor time")
    if benchmark.enabled:
        assert longest.seconds < LONGEST_HELD


def flood(club: Club, size: int) -> None:
    """The mails wait, each from a stranger and in the name of a player."""
    for number, made in enumerate(MAILS.values()):
        raw = from_somebody(made(size), number)
        receive_mail(club.house, raw, f"m{number}@elsewhere{number}.example", [ADDRESS], NOON)
        mine = raw.replace(b"m%d@elsewhere%d.example" % (number, number), address("alice0").encode())
        receive_mail(club.house, mine, address("alice0"), [ADDRESS], NOON)


def work_off(club: Club, clock: Clock) -> None:
    """Until none waits."""
    while process_some(club.house, clock):
        pass


@contextmanager
def slow_mails(club: Club, clock: Clock) -> Iterator[None]:
    """A worker at work, while a stranger's mails come in."""
    stop, numbers = threading.Event(), count()
    raw = MAILS["marks of mood"](STRANGERS_MAIL)

    def feed() -> None:
        while not stop.wait(1 / A_SECOND):
            number = next(numbers)
            receive_mail(club.house, from_somebody(raw, number), "somebody@evil.example", [ADDRESS], NOON)

    def work() -> None:
        while not stop.is_set():
            if not process_some(club.house, clock):
                stop.wait(0.01)

    threads = [threading.Thread(target=each) for each in (feed, work)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_answer_meanwhile(benchmark: BenchmarkFixture, report: Report, tmp_path: Path, clock: Clock) -> None:
    """From when a player's move is kept until its answer waits to be sent, on the largest flood that was tried."""
    server = Server(ADDRESS, variants=True, confirm="ask")
    # Each round somebody else plays: who has moved a few times is acknowledged once a day.
    club = Club(make_house(f"sqlite:///{tmp_path / 'club.db'}", password_hasher(), server), pairs=ROUNDS + 1)
    moves: list[tuple[int, str]] = []
    waits: list[float] = []

    def bring() -> None:
        board = club.open_board()
        mail = club.take_in(answer_to(club.board_mail(board), board, PLIES + 1))
        moves.append((mail, address(board.mover(PLIES + 1))))

    def wait_for_answer() -> None:
        begun = time.monotonic()
        while not is_answered():
            time.sleep(0.005)
        waits.append(time.monotonic() - begun)

    def is_answered() -> bool:
        mail, player = moves[-1]
        with reading(club.house.engine) as connection:
            return any(each.recipient == player for each in replies_to(connection, mail))

    with slow_mails(club, clock):
        if benchmark.enabled:
            time.sleep(3)
        measure(benchmark, wait_for_answer, bring, rounds_of(benchmark, ROUNDS))
    report(f"longest wait for an answer while {A_SECOND} slow mails a second come in: {max(waits):5.2f} s")
    if benchmark.enabled:
        assert max(waits) < LONGEST_WAIT
    club.house.engine.dispose()
