"""Thousands of mails that wait, and one `pbmserv send`: all go out, in order, over few connections."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbmserv.services.app import App
from pbmserv.services.views import list_outbox
from tests.cli.processes import running, wait_for
from tests.free_port import free_port
from tests.roads.sending.letters import letter, queue
from tests.servers.sink import Sink

MAILS = 10_000 if os.environ.get("PBMSERV_SOAK") == "1" else 500
PEOPLE = 50
FEW = 4


@dataclass
class Counting(Sink):
    """A sink that counts connections, and may offer PIPELINING."""

    connections: int = 0
    pipelines: bool = False

    async def handle_EHLO(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        """Counts one (aiosmtpd)."""
        session.host_name = hostname
        self.connections += 1
        return [responses[0], *["250-PIPELINING"] * self.pipelines, *responses[1:]]


@contextmanager
def counting_sink(pipelines: bool) -> Iterator[Counting]:
    """A server on 127.0.0.1 that takes everything."""
    sink = Counting(free_port(), pipelines=pipelines)
    controller = Controller(sink, hostname="127.0.0.1", port=sink.port, server_hostname="sink.test")
    controller.start()
    try:
        yield sink
    finally:
        controller.stop()


@pytest.mark.parametrize("pipelines", [False, True], ids=["one by one", "pipelining"])
def test_all_go_out_in_order(house: App, tmp_path: Path, pipelines: bool) -> None:
    letters = [letter(f"n{number}", f"p{number % PEOPLE}@example.org") for number in range(MAILS)]
    queue(house, letters)
    with counting_sink(pipelines) as sink:
        settings = {
            "PBMSERV_DATABASE": house.engine.url.render_as_string(hide_password=False),
            "PBMSERV_OUT": f"smtp://127.0.0.1:{sink.port}",
        }
        with running(settings, tmp_path, "send") as sender:
            progress = 0
            while progress < MAILS:
                before = progress
                wait_for(lambda: len(sink.mails) > before)  # noqa: B023
                progress = len(sink.mails)
            assert sender.stop() == 0
            assert sender.log.count(": sent out=") == MAILS
            assert sender.log.count("\n") == MAILS + 2
    assert 1 <= sink.connections <= FEW
    came = [mail.message["Message-ID"] for mail in sink.mails]
    if sink.connections == 1:
        assert came == [each.message_id for each in letters]
    for person in range(PEOPLE):
        to_them = [mail.raw for mail in sink.mails if mail.recipients == (f"p{person}@example.org",)]
        assert to_them == [each.raw for each in letters[person::PEOPLE]]
    rows = list_outbox(house, None, MAILS)
    assert {(row.status, row.tries) for row in rows} == {("sent", 1)}
