"""What `doctor` says of relays that do not let us in, each in its own way."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from pbmserv.commands.server import Server
from pbmserv.mail.sending.destination import open_transport
from pbmserv.services.admin.doctor.pages import see_relay
from pbmserv.services.admin.findings import Finding, Verdict
from tests.free_port import free_port

SERVER = Server("club@club.test")
SECRET = "sesame"


class Doorkeeper:
    """Says to RCPT what it is told to say."""

    def __init__(self, reply: str = "250 OK") -> None:
        self.reply = reply
        self.commands: list[str] = []

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Notes it (aiosmtpd)."""
        self.commands.append(f"{envelope.mail_from} {address}")
        envelope.rcpt_tos.append(address)
        return self.reply

    async def handle_RSET(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Notes it (aiosmtpd)."""
        self.commands.append("rset")
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Never reached (aiosmtpd)."""
        self.commands.append("data")
        return "250 OK"


@contextmanager
def keeping(door: Doorkeeper) -> Iterator[int]:
    """A relay that wants the right password of those who give one; its port."""

    def check(server: SMTP, session: Session, envelope: Envelope, mechanism: str, login: object) -> AuthResult:
        is_right = getattr(login, "password", b"") == SECRET.encode()
        return AuthResult(success=is_right, handled=False)

    controller = Controller(
        door, hostname="127.0.0.1", port=free_port(), authenticator=check, auth_require_tls=False
    )
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def see(url: str, password: str = "") -> Finding:
    found = see_relay(open_transport(url, password=password, timeout=5), "the relay", SERVER)
    assert password == "" or password not in str(found)
    return found


def test_it_lets_us_in() -> None:
    """No mail is sent."""
    door = Doorkeeper()
    with keeping(door) as port:
        found = see(f"smtp://club@127.0.0.1:{port}?starttls=no", SECRET)
    assert (found.verdict, found.found) == (Verdict.FINE, "the relay takes mail from club+b.doctor@club.test")
    assert door.commands == ["club+b.doctor@club.test club@club.test", "rset"]


def test_a_wrong_password() -> None:
    with keeping(Doorkeeper()) as port:
        found = see(f"smtp://club@127.0.0.1:{port}?starttls=no", "another")
    assert found.verdict is Verdict.BROKEN
    assert found.found == "the relay: it refuses the login: 535"
    assert "out_password_file" in found.mend


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [("550 5.1.1 no such user", Verdict.BROKEN), ("451 4.7.1 greylisted", Verdict.ATTENTION)],
)
def test_our_own_address_is_refused(reply: str, verdict: Verdict) -> None:
    with keeping(Doorkeeper(reply)) as port:
        found = see(f"smtp://127.0.0.1:{port}")
    assert (found.verdict, found.found) == (
        verdict,
        f"the relay: does not take mail to our own address club@club.test: {reply}",
    )


def test_no_starttls() -> None:
    """We do not go on in the clear."""
    door = Doorkeeper()
    with keeping(door) as port:
        found = see(f"smtp://127.0.0.1:{port}?starttls=yes")
    assert found.verdict is Verdict.BROKEN
    assert "no STARTTLS" in found.found
    assert door.commands == []


def test_tls_at_a_port_without() -> None:
    with keeping(Doorkeeper()) as port:
        found = see(f"smtps://127.0.0.1:{port}")
    assert "TLS fails" in found.found
    assert "smtp:// is STARTTLS" in found.mend


def test_it_is_silent_or_hangs_up() -> None:
    """A port that is open is no relay yet."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            listener.accept()[0].close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        found = see(f"smtp://127.0.0.1:{listener.getsockname()[1]}")
        thread.join()
    assert found.verdict is Verdict.BROKEN
    assert found.found.startswith("the relay: ")
    assert found.mend
