"""Logging in by token: to a mailbox and to a relay that take them, refuse them, and take the next one."""

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from pbmserv.mail.receiving.imap_address import MailboxAddress
from pbmserv.mail.receiving.imap_mailbox import Disposition, ImapError, LoginRefused, open_mailbox
from pbmserv.mail.sending.destination import open_transport
from pbmserv.mail.sending.transport import Closed, Delivered, Outcome, Outgoing
from tests.free_port import free_port
from tests.mail.oauth.conftest import USER, Holder
from tests.mail.one_by_one import deliver_one
from tests.roads.imap.fake_imap import FakeImap, fake_imap

MAIL = Outgoing("pbm@club.test", "ann@a.test", b"Subject: hello\r\n\r\nyour turn\r\n")
COMPLAINT = base64.b64encode(b'{"status":"401"}').decode()


def token_in(words: str) -> str:
    """The token that a client shows, in either mechanism; only in a form that is right to the last byte."""
    for begin in (f"user={USER}\x01", f"n,a={USER},\x01host=127.0.0.1\x01port="):
        if words.startswith(begin) and words.endswith("\x01\x01"):
            return words[len(begin) : -2].partition("auth=Bearer ")[2]
    return ""


@pytest.fixture(params=["XOAUTH2", "OAUTHBEARER"])
def mailbox(request: pytest.FixtureRequest, holder: Holder) -> Iterator[FakeImap]:
    """A server that takes tokens alone, by one mechanism, and tells why it refuses one."""
    with fake_imap() as server:
        server.capabilities = f"IMAP4rev1 IDLE MOVE UIDPLUS AUTH={request.param}"
        usual = server.reply

        def reply(tag: str, rest: str) -> bytes | None:
            if rest:
                return usual(tag, rest)
            earlier = next(line.split(" ")[0] for line in reversed(server.said) if "AUTHENTICATE" in line)
            if tag in ("", "AQ=="):
                return f"{earlier} NO [AUTHENTICATIONFAILED] no {server.said[-2]}\r\n".encode()
            if holder.authority.is_good(token_in(base64.b64decode(tag).decode())):
                return f"{earlier} OK in\r\n".encode()
            return f"+ {COMPLAINT}\r\n".encode()

        server.reply = reply  # type: ignore[method-assign]
        yield server


def enter(mailbox: FakeImap, holder: Holder) -> None:
    """Opens the mailbox and leaves."""
    address = MailboxAddress("127.0.0.1", mailbox.port, USER, "INBOX", "none")
    open_mailbox(address, holder.tokens(), Disposition()).close()


def test_a_mailbox_takes_a_token(mailbox: FakeImap, holder: Holder) -> None:
    enter(mailbox, holder)
    assert mailbox.connections == 1


def test_a_mailbox_refuses_a_token_and_takes_the_next(mailbox: FakeImap, holder: Holder) -> None:
    holder.authority.revoke_access()
    enter(mailbox, holder)
    assert mailbox.connections == 2
    assert len(holder.authority.grants("refresh_token")) == 1


def test_a_mailbox_that_takes_none(mailbox: FakeImap, holder: Holder) -> None:
    """One renewal, one more try, and then it is told, without the token."""
    holder.authority.is_good = lambda token: False  # type: ignore[method-assign]
    with pytest.raises(LoginRefused, match="AUTHENTICATIONFAILED") as error:
        enter(mailbox, holder)
    assert "Xy7zzy" not in str(error.value)
    assert mailbox.connections == 2
    assert len(holder.authority.grants("refresh_token")) == 1


def test_a_mailbox_that_knows_no_tokens(mailbox: FakeImap, holder: Holder) -> None:
    mailbox.capabilities = "IMAP4rev1 AUTH=PLAIN"
    with pytest.raises(LoginRefused, match="takes no login by OAuth2"):
        enter(mailbox, holder)
    assert "AUTHENTICATE" not in mailbox.commands()


def test_signing_in_again_mends_a_mailbox(mailbox: FakeImap, holder: Holder) -> None:
    holder.authority.revoke_access()
    holder.authority.revoke_refresh()
    holder.now += 4000
    with pytest.raises(LoginRefused, match="run `pbmserv login`"):
        enter(mailbox, holder)
    holder.sign_in()
    enter(mailbox, holder)


def test_a_provider_in_trouble_is_no_refusal(mailbox: FakeImap, holder: Holder) -> None:
    holder.authority.failures = [(503, "")]
    holder.now += 4000
    with pytest.raises(ImapError, match="HTTP 503") as error:
        enter(mailbox, holder)
    assert not isinstance(error.value, LoginRefused)


class TokenRelay:
    """A relay that takes tokens alone, and counts the mails that came."""

    def __init__(self, is_good: Callable[[str], bool]) -> None:
        self.is_good, self.shown, self.mails = is_good, list[str](), 0

    async def auth_XOAUTH2(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802
        """As Microsoft does it: a token in the line of AUTH, or after a 334; a refusal tells why first."""
        self.shown.append(" ".join(args))
        given = args[1].encode() if len(args) > 1 else await self._line(server, "334 ")
        token = token_in(base64.b64decode(given).decode())
        if self.is_good(token):
            return AuthResult(success=True, auth_data=token)
        assert await self._line(server, f"334 {COMPLAINT}") == b""
        await server.push(f"535 5.7.3 unsuccessful {token}")
        return AuthResult(success=False, handled=True)

    async def _line(self, server: SMTP, prompt: str) -> bytes:
        await server.push(prompt)
        line: bytes = await server._reader.readline()
        return line.rstrip(b"\r\n")

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """One more."""
        assert session.authenticated
        self.mails += 1
        return "250 OK"


@contextmanager
def running(relay: TokenRelay) -> Iterator[int]:
    """Its port, while it runs."""
    more: dict[str, Any] = {"auth_require_tls": False, "auth_exclude_mechanism": ["PLAIN", "LOGIN"]}
    controller = Controller(relay, hostname="127.0.0.1", port=free_port(), **more)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def sent(relay: TokenRelay, holder: Holder) -> Outcome:
    """What becomes of a mail."""
    with running(relay) as port:
        url = f"smtp://{USER.replace('@', '%40')}@127.0.0.1:{port}?starttls=no"
        road = open_transport(url, password=holder.tokens(), hostname="club.test", timeout=20)
        try:
            return deliver_one(road, MAIL)
        finally:
            road.close()


def test_a_relay_takes_a_token(holder: Holder) -> None:
    relay = TokenRelay(holder.authority.is_good)
    assert sent(relay, holder) == Delivered()
    assert relay.mails == 1
    assert len(relay.shown[0].split()) == 2


def test_a_long_token_waits_for_its_line(holder: Holder) -> None:
    """Microsoft's have some two thousand characters, and a command 512; aiosmtpd reads a thousand in a line."""
    stored = holder.file.path.read_text()
    long = "access-1-Xy7zzy" + "z" * 500
    holder.file.path.write_text(stored.replace("access-1-Xy7zzy", long))
    relay = TokenRelay(lambda token: token == long)
    assert sent(relay, holder) == Delivered()
    assert relay.shown == ["XOAUTH2"]


def test_a_relay_refuses_a_token_and_takes_the_next(holder: Holder) -> None:
    holder.authority.revoke_access()
    relay = TokenRelay(holder.authority.is_good)
    assert sent(relay, holder) == Delivered()
    assert len(relay.shown) == 2


def test_a_relay_that_takes_none(holder: Holder) -> None:
    relay = TokenRelay(lambda token: False)
    outcome = sent(relay, holder)
    assert isinstance(outcome, Closed)
    assert outcome.reason.endswith(": it refuses the login: 535")
    assert relay.mails == 0


def test_a_relay_and_nobody_who_signed_in(holder: Holder) -> None:
    holder.authority.revoke_refresh()
    holder.now += 4000
    outcome = sent(TokenRelay(holder.authority.is_good), holder)
    assert isinstance(outcome, Closed)
    assert "run `pbmserv login`" in outcome.reason
    assert "Xy7zzy" not in outcome.reason
