"""How long a move waits for its answer while fifty hostile mails a second come in: less than a second."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbmserv.commands.server import Server
from pbmserv.services.app import password_hasher
from pbmserv.services.receive import receive_mail
from pbmserv.services.worker import process_some
from pbmserv.store.engine import reading
from pbmserv.store.mail_history import replies_to
from tests.bench.club import PLIES, Club, address, answer_to
from tests.bench.conftest import measure, rounds_of
from tests.conftest import ADDRESS, NOON, Clock, make_house

A_SECOND = 50
MOST = 1.0
"""Seconds that a move may wait."""

WAITING = 200
"""Hostile mails that wait when the first move comes."""

ROUNDS = 15


def hostile(number: int, sender: str) -> bytes:
    """A mail that costs much for its size: sign-ups with passwords, claims of six userids, many commands."""
    texts = (
        f"signup made{number} sesame{number}\nsignup more{number} sesame",
        "\n".join(f"set alice{each} guess{number}{each} html off" for each in range(6)),
        "\n".join(f"show {101 + each}" for each in range(20)),
    )
    head = f"From: {sender.format(number)}\r\nTo: {ADDRESS}\r\nMessage-ID: <{number}@evil.example>\r\n\r\n"
    return (head + texts[number % 3].replace("\n", "\r\n") + "\r\n").encode()


@contextmanager
def busy(club: Club, clock: Clock, sender: str) -> Iterator[None]:
    """A worker at work, while hostile mails come in."""
    stop, numbers = threading.Event(), count()

    def flood() -> None:
        raw = hostile(next(numbers), sender)
        receive_mail(club.house, raw, "somebody@evil.example", [ADDRESS], NOON)

    def feed() -> None:
        while not stop.wait(1 / A_SECOND):
            flood()

    def work() -> None:
        while not stop.is_set():
            if not process_some(club.house, clock):
                stop.wait(0.01)
            time.sleep(0.002)

    for _ in range(WAITING):
        flood()
    threads = [threading.Thread(target=each) for each in (feed, work)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.benchmark(group="a move while 50 hostile mails a second come in")
@pytest.mark.parametrize("sender", ["m{}@evil.example", address("alice0")], ids=["strangers", "in its own name"])
def test_flood(benchmark: BenchmarkFixture, tmp_path: Path, clock: Clock, sender: str) -> None:
    """From when the move is kept until its answer waits to be sent; passwords are as slow as ever."""
    house = make_house(
        f"sqlite:///{tmp_path / 'club.db'}", password_hasher(), Server(ADDRESS, variants=True, confirm="ask")
    )
    club = Club(house)
    moves: list[int] = []
    waits: list[float] = []

    def bring() -> None:
        board = club.open_board()
        moves.append(club.take_in(answer_to(club.board_mail(board), board, PLIES + 1)))

    def wait_for_answer() -> None:
        begun = time.monotonic()
        while not answered():
            time.sleep(0.005)
        waits.append(time.monotonic() - begun)

    def answered() -> bool:
        with reading(house.engine) as connection:
            return any(each.recipient == address("alice0") for each in replies_to(connection, moves[-1]))

    with busy(club, clock, sender):
        measure(benchmark, wait_for_answer, bring, rounds_of(benchmark, ROUNDS))
    assert len(waits) == rounds_of(benchmark, ROUNDS)
    if benchmark.enabled:
        assert max(waits) < MOST
    house.engine.dispose()
