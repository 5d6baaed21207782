"""How many mails a second the listener takes over ten connections, each stored for good before its 250.

Every measured round is preceded by one with the same listener, the same mails and a store that forgets them: the
share of that rate comes from one run. SQLite is a file with synchronous=FULL, as in service; the PostgreSQL of the
tests does not wait for its disk. The clients are a process of their own on the same machine.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest
from argon2 import PasswordHasher
from pytest_benchmark.fixture import BenchmarkFixture

from pbmserv.commands.server import Server
from pbmserv.mail.receiving.smtp_handler import IncomingEnvelope, StoreMails
from pbmserv.server.listener import Listener
from pbmserv.services.app import App
from pbmserv.services.receive import receive_mails
from pbmserv.services.views import list_inbox
from tests.bench import ten_clients
from tests.bench.club import Club, move_mail
from tests.bench.conftest import measure, rounds_of
from tests.conftest import ADDRESS, NOON, make_house
from tests.mail.keeping import keep_nothing

pytestmark = pytest.mark.benchmark(group="mails accepted over ten connections")

ROUNDS = 7


@dataclass
class Clients:
    """The process with the clients."""

    process: "subprocess.Popen[str]"

    def feed(self, port: int, mails: int) -> None:
        """Comes back when so many mails have been taken."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{port} {mails}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"


@contextmanager
def clients(raw: bytes, folder: Path) -> Iterator[Clients]:
    """Clients that bring this mail."""
    (folder / "mail").write_bytes(raw)
    command = [sys.executable, ten_clients.__file__, str(folder / "mail")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Clients(process)
        finally:
            process.kill()


@contextmanager
def taking(keep: StoreMails) -> Iterator[int]:
    """A listener; its port."""
    listener = Listener("smtp://127.0.0.1:0", Server(ADDRESS, variants=True), keep)
    listener.start()
    try:
        yield listener.port
    finally:
        listener.stop()


def together(house: App) -> StoreMails:
    """What arrives together is committed together, as in service."""
    return lambda mails: receive_mails(house, mails, NOON)


def one_by_one(house: App) -> StoreMails:
    """A commit a mail, for comparison."""

    def keep(mails: Sequence[IncomingEnvelope]) -> list[int | Exception]:
        return [outcome for mail in mails for outcome in receive_mails(house, [mail], NOON)]

    return keep


@pytest.mark.parametrize("manner", [together, one_by_one])
def test_accepting(
    benchmark: BenchmarkFixture,
    manner: Callable[[App], StoreMails],
    database_url: str,
    quick_hasher: PasswordHasher,
    tmp_path: Path,
) -> None:
    house = make_house(database_url, quick_hasher, Server(ADDRESS, variants=True))
    mails = rounds_of(benchmark, 1000)
    rounds = rounds_of(benchmark, ROUNDS)
    times: list[float] = []
    club = Club(house)
    raw = move_mail(house, club.open_board())
    with clients(raw, tmp_path) as bringing, taking(keep_nothing) as idle, taking(manner(house)) as durable:

        def store_nothing() -> None:
            started = time.perf_counter()
            bringing.feed(idle, mails)
            times.append(time.perf_counter() - started)

        measure(benchmark, lambda: bringing.feed(durable, mails), store_nothing, rounds)
    kept = list_inbox(house, None, mails * rounds + 1)
    assert len(kept) == mails * rounds
    assert {mail.raw for mail in kept} == {raw}
    benchmark.extra_info["mails"] = mails
    if benchmark.stats is not None:
        shares = [nothing / stored for nothing, stored in zip(times, benchmark.stats.stats.data, strict=True)]
        benchmark.extra_info["remark"] = f", {median(shares):.2f} of those taken where nothing is stored"
    house.engine.dispose()
