"""From the `250` for a mail to the end of its answer at the relay, on a server that has nothing else to do."""

import smtplib
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from pytest_benchmark.fixture import BenchmarkFixture

from tests.bench.conftest import Report, measure, rounds_of
from tests.cli.processes import PATIENCE, running, wait_for
from tests.conftest import ADDRESS
from tests.free_port import free_port
from tests.servers.sink import Sink

pytestmark = pytest.mark.benchmark(group="from 250 to the answer at the relay")

ROUNDS = 30
ALL_PARTS = ("listen", "work", "send")


@dataclass
class Bell(Sink):
    """A sink that tells when a mail has come."""

    has_come: threading.Event = field(default_factory=threading.Event)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Takes a mail (aiosmtpd)."""
        reply = await super().handle_DATA(server, session, envelope)
        self.has_come.set()
        return reply


@pytest.mark.parametrize(
    ("parts", "processes"),
    [(("serve",), "2"), (("serve",), "1"), (ALL_PARTS, "1")],
    ids=["serve", "serve in one process", "parts started apart"],
)
def test_latency(
    benchmark: BenchmarkFixture, report: Report, parts: tuple[str, ...], processes: str, tmp_path: Path
) -> None:
    sink, port = Bell(free_port()), free_port()
    settings = {
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "from",
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{port}",
        "PBMSERV_OUT": f"smtp://127.0.0.1:{sink.port}",
        "PBMSERV_WEB": "",
        "PBMSERV_PROCESSES": processes,
    }
    numbers, pauses = count(), Random(0)
    with ExitStack() as stack:
        controller = Controller(sink, hostname="127.0.0.1", port=sink.port, server_hostname="sink.test")
        controller.start()
        stack.callback(controller.stop)
        if parts == ALL_PARTS:
            with running(settings, tmp_path, "migrate") as first:
                assert first.end() == 0
        for part in parts:
            stack.enter_context(running(settings, tmp_path, part))
        wait_for(lambda: is_up(port))

        def bring(command: str) -> None:
            number = next(numbers)
            sink.has_come.clear()
            raw = f"From: alice@example.org\r\nMessage-ID: <{number}@example.org>\r\nSubject: {command}\r\n\r\n"
            with smtplib.SMTP("127.0.0.1", port, "client.test") as link:
                link.sendmail("alice@example.org", [ADDRESS], raw)

        def wait_for_answer() -> None:
            assert sink.has_come.wait(PATIENCE)

        def idle_and_bring() -> None:
            time.sleep(
                0.3 + pauses.random() / 5
            )  # until all parts are at rest, at no fixed moment of their rounds
            bring("help")

        bring("signup alice sesame")
        wait_for_answer()
        measure(benchmark, wait_for_answer, idle_and_bring, rounds_of(benchmark, ROUNDS))
    if benchmark.stats is not None:
        what = f"answered by an idle {' + '.join(parts)}, {processes} workers"
        report(f"{what:58} {benchmark.stats.stats.median * 1000:7.1f} ms (median)")
    assert len(sink.mails) == 1 + rounds_of(benchmark, ROUNDS)


def is_up(port: int) -> bool:
    """Whether somebody greets there."""
    try:
        with smtplib.SMTP("127.0.0.1", port, "client.test"):
            return True
    except OSError:
        return False
