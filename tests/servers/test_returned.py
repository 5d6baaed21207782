"""Mail that comes back by a real Postfix: it is refused behind it, and a report of that reaches our listener."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from argon2 import PasswordHasher

from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.services.bounces import see_suspended
from pbmserv.services.views import list_inbox
from pbmserv.store.engine import open_engine
from tests.cli.processes import running, wait_for
from tests.conftest import ADDRESS
from tests.free_port import free_port
from tests.servers.postfix import Postfix, running_postfix
from tests.servers.sink import Sink


@dataclass
class RefusingSink(Sink):
    """Knows nobody of the name in `unknown`."""

    unknown: str = ""

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Refuses the one (aiosmtpd)."""
        if address == self.unknown:
            return f"550 5.1.1 <{address}>: Recipient address rejected: User unknown"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    def sent_to(self, recipient: str) -> list[str]:
        """The Subjects of what came for somebody."""
        return [taken.message["Subject"] for taken in self.mails if recipient in taken.recipients]


@contextmanager
def refusing_sink(unknown: str) -> Iterator[RefusingSink]:
    sink = RefusingSink(free_port(), unknown=unknown)
    controller = Controller(sink, hostname="127.0.0.1", port=sink.port, server_hostname="sink.test")
    controller.start()
    try:
        yield sink
    finally:
        controller.stop()


def write(postfix: Postfix, sender: str, subject: str, number: int) -> None:
    head = f"From: {sender}\r\nTo: {ADDRESS}\r\nSubject: {subject}\r\nMessage-ID: <in-{number}@example.org>"
    postfix.send(f"{head}\r\n\r\n".encode(), sender, ADDRESS)


def test_a_mailbox_that_is_gone_and_comes_back(tmp_path: Path) -> None:
    """Three boards are refused and returned: alice is told, and bob, who writes again, is sent his boards."""
    alice, bob = "alice@example.org", "bob@example.org"
    port = free_port()
    with (
        refusing_sink(unknown=bob) as sink,
        running_postfix(port, sink.port) as postfix,
        running(
            {
                "PBMSERV_DATA": str(tmp_path),
                "PBMSERV_ADDRESS": ADDRESS,
                "PBMSERV_LISTEN": f"lmtp://127.0.0.1:{port}",
                "PBMSERV_OUT": f"smtp://127.0.0.1:{postfix.port}",
                "PBMSERV_WEB": "",
                "PBMSERV_VARIANTS": "true",
                "PBMSERV_CONFIRM": "from",
            },
            tmp_path,
            "serve",
        ) as server,
    ):
        server.wait_for("lmtp://")
        engine = open_engine(f"sqlite:///{tmp_path / 'pbmserv.db'}")
        house = App(engine, Server(ADDRESS, variants=True), str, PasswordHasher())
        try:
            sink.unknown = ""
            write(postfix, alice, "signup alice sesame", 1)
            write(postfix, bob, "signup bob poppy", 2)
            wait_for(lambda: bool(sink.sent_to(alice) and sink.sent_to(bob)))
            sink.unknown = bob
            for number in (3, 4, 5):
                write(postfix, alice, "challenge alice bob -size=3x3", number)
            wait_for(lambda: bool(see_suspended(house)))
            (suspended,) = see_suspended(house)
            assert suspended.userid == "bob"
            assert "550 5.1.1" in suspended.reasons[0]
            assert "User unknown" in suspended.reasons[0]
            wait_for(lambda: "pbmserv: mail to bob" in sink.sent_to(alice))
            assert sum(kept.status == "report" for kept in list_inbox(house, None, 100)) == 3

            write(postfix, alice, "move 101 b2", 6)
            wait_for(lambda: see_suspended(house)[0].withheld == 1)
            sink.unknown = ""
            assert len(sink.sent_to(bob)) == 1
            write(postfix, bob, "games bob", 7)
            wait_for(lambda: len(sink.sent_to(bob)) == 5)
            boards = [f"Cephalopod variant Board {number}: alice vs bob" for number in (101, 102, 103)]
            assert sorted(sink.sent_to(bob)[1:]) == [*boards, "pbmserv: games"]
            assert not see_suspended(house)
            assert server.log.count("is held back after hard bounces") == 1
        finally:
            engine.dispose()
