"""How many mails a second one sender hands to a relay over one connection, ten noted for good before the next ten.

Every measured round is preceded by one in which bare smtplib brings the same mails to the same relay, so that the
share of that rate comes from one run. SQLite is a file with synchronous=FULL, as in service; the PostgreSQL of the
tests does not wait for its disk. The relay is a process of its own on the same machine, and forgets what it takes:
aiosmtpd, which is slow itself and offers no PIPELINING, and Postfix's smtp-sink, which does.
"""

import os
import shutil
import smtplib
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from statistics import median

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbmserv.mail.sending.destination import open_transport
from pbmserv.services.app import App, utc_now
from pbmserv.services.deliver import Sender
from pbmserv.services.views import list_outbox
from pbmserv.store.outbox import OutboxMessage
from tests.bench.conftest import measure, rounds_of
from tests.cli.processes import wait_for
from tests.free_port import free_port
from tests.roads.sending.letters import letter, queue

pytestmark = pytest.mark.benchmark(group="mails sent over one connection")

ROUNDS = 7


def aiosmtpd(address: str) -> list[str]:
    """The command of a relay that takes everything."""
    return [sys.executable, "-m", "aiosmtpd", "-n", "-c", "aiosmtpd.handlers.Sink", "-l", address]


def smtp_sink(address: str) -> list[str]:
    """The command of another one."""
    program = shutil.which("smtp-sink", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("smtp-sink comes with Postfix, which is not installed")
    return [program, *(("-u", "nobody") if os.getuid() == 0 else ()), address, "100"]


@pytest.fixture(params=[aiosmtpd, smtp_sink])
def relay(request: pytest.FixtureRequest) -> Iterator[int]:
    """A relay that takes everything; its port."""
    port = free_port()
    with subprocess.Popen(request.param(f"127.0.0.1:{port}"), stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: is_up(port))
            yield port
        finally:
            process.terminate()


def is_up(port: int) -> bool:
    """Whether somebody greets there."""
    try:
        with smtplib.SMTP("127.0.0.1", port, "club.test"):
            return True
    except OSError:
        return False


def send_bare(port: int, letters: list[OutboxMessage]) -> None:
    """The same without an outbox."""
    with smtplib.SMTP("127.0.0.1", port, "club.test") as link:
        for each in letters:
            link.sendmail(each.envelope_sender, [each.recipient], each.raw)


def test_sending(benchmark: BenchmarkFixture, house: App, relay: int) -> None:
    mails, rounds = rounds_of(benchmark, 500), rounds_of(benchmark, ROUNDS)
    times: list[float] = []
    tokens = count()
    sender = Sender(house, lambda: open_transport(f"smtp://127.0.0.1:{relay}"), utc_now)

    def send_bare_and_queue() -> None:
        letters = [letter(f"n{next(tokens)}", "ann@example.org") for _ in range(mails)]
        started = time.perf_counter()
        send_bare(relay, letters)
        times.append(time.perf_counter() - started)
        queue(house, letters)

    def drain() -> None:
        while sender.send_due():
            pass

    measure(benchmark, drain, send_bare_and_queue, rounds)
    sender.close()
    rows = list_outbox(house, None, mails * rounds + 1)
    assert [(row.status, row.tries) for row in rows] == [("sent", 1)] * mails * rounds
    benchmark.extra_info["mails"] = mails
    if benchmark.stats is not None:
        shares = [bare / ours for bare, ours in zip(times, benchmark.stats.stats.data, strict=True)]
        benchmark.extra_info["remark"] = f", {median(shares):.2f} of those that bare smtplib sends"
