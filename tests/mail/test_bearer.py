"""Logging in by token: commands that print one or fail, mailboxes and relays that take or refuse it."""

import base64
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from pbmserv.mail import bearer
from pbmserv.mail.bearer import NoToken, TokenCommand
from pbmserv.mail.mail_urls import MailboxAddress
from pbmserv.mail.receiving.imap_mailbox import Disposition, ImapError, LoginRefused, open_mailbox
from pbmserv.mail.sending.destination import open_transport
from pbmserv.mail.sending.transport import Closed, Delivered, Outcome, Outgoing
from tests.every import for_each
from tests.free_port import free_port
from tests.mail.one_by_one import deliver_one
from tests.roads.imap.fake_imap import FakeImap, fake_imap

USER = "club@example.org"
TOKEN = "access-1-Xy7zzy-abcdefghijklmnop"
MAIL = Outgoing("pbm@club.test", "ann@a.test", b"Subject: hello\r\n\r\nyour turn\r\n")
COMPLAINT = base64.b64encode(b'{"status":"401"}').decode()


def printing(text: str = TOKEN) -> TokenCommand:
    """A command that prints a text."""
    return TokenCommand((sys.executable, "-c", f"print({text!r})"), USER)


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], TokenCommand]:
    """Makes a command of a shell script, which is told the user."""

    def make(text: str) -> TokenCommand:
        file = tmp_path / "token"
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(stat.S_IRWXU)
        return TokenCommand((str(file), "{user}"), USER)

    return make


def test_command_prints_a_token(script: Callable[[str], TokenCommand]) -> None:
    """It is told the user, and may end its line."""
    assert script('echo "t-$1"').token() == f"t-{USER}"


def test_command_sees_no_secret_of_ours(
    script: Callable[[str], TokenCommand], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our settings hold passwords."""
    monkeypatch.setenv("PBMSERV_OUT_PASSWORD", "poppy")
    assert script('echo "t$PBMSERV_OUT_PASSWORD"').token() == "t"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("echo 'no credentials for you' >&2; exit 3", "failed with exit code 3: no credentials for you"),
        (f"echo 'cannot renew {TOKEN}' >&2; exit 1", r"failed with exit code 1: cannot renew \*\*\*$"),
        ("exit 1", "failed with exit code 1$"),
        ("printf 'a\\033[31mb\\n' >&2; exit 1", "exit code 1: a .31mb"),
        ("true", "printed no token, or more than one"),
        ("echo one two", "printed no token, or more than one"),
        ("echo one; echo two", "printed no token, or more than one"),
        ("sleep 30", "gave no answer in"),
    ],
)
def test_command_fails(
    script: Callable[[str], TokenCommand], text: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Why is told in its own words, without what may be a secret."""
    command = script(text)
    monkeypatch.setattr(bearer, "ANSWERS_WITHIN", 0.3 if text == "sleep 30" else 20.0)
    with pytest.raises(NoToken, match=told):
        command.token()


def test_command_is_not_there() -> None:
    """Told without a path, which the operator knows."""
    with pytest.raises(NoToken, match="cannot be run: No such file"):
        TokenCommand(("/nonexistent/token",), USER).token()


def token_in(words: str) -> str:
    """The token that a client shows, in either mechanism; only in a form that is right to the last byte."""
    for begin in (f"user={USER}\x01", f"n,a={USER},\x01host=127.0.0.1\x01port="):
        if words.startswith(begin) and words.endswith("\x01\x01"):
            return words[len(begin) : -2].partition("auth=Bearer ")[2]
    return ""


@pytest.fixture(params=["XOAUTH2", "OAUTHBEARER"])
def mailbox(request: pytest.FixtureRequest) -> Iterator[FakeImap]:
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
            if token_in(base64.b64decode(tag).decode()) == TOKEN:
                return f"{earlier} OK in\r\n".encode()
            return f"+ {COMPLAINT}\r\n".encode()

        server.reply = reply  # type: ignore[method-assign]
        yield server


def enter(mailbox: FakeImap, tokens: TokenCommand) -> None:
    """Opens the mailbox and leaves."""
    address = MailboxAddress("127.0.0.1", mailbox.port, USER, "INBOX", "none")
    open_mailbox(address, tokens, Disposition()).close()


def test_a_mailbox_takes_a_token(mailbox: FakeImap) -> None:
    """By either mechanism."""
    enter(mailbox, printing())
    assert mailbox.connections == 1


def test_a_mailbox_refuses_a_token(mailbox: FakeImap) -> None:
    """Told like a wrong password, without the token."""
    with pytest.raises(LoginRefused, match="AUTHENTICATIONFAILED") as error:
        enter(mailbox, printing("wrong-Xy7zzy"))
    assert "Xy7zzy" not in str(error.value)


def test_a_mailbox_that_knows_no_tokens(mailbox: FakeImap) -> None:
    """No token leaves the house."""
    mailbox.capabilities = "IMAP4rev1 AUTH=PLAIN"
    with pytest.raises(LoginRefused, match="takes no login by OAuth2"):
        enter(mailbox, printing())
    assert "AUTHENTICATE" not in mailbox.commands()


def test_a_command_that_fails_is_no_refusal(mailbox: FakeImap) -> None:
    """It may work in a minute."""
    with pytest.raises(ImapError, match="no token") as error:
        enter(mailbox, printing(""))
    assert not isinstance(error.value, LoginRefused)


class TokenRelay:
    """A relay that takes tokens alone, and counts the mails that came."""

    def __init__(self, good: str = TOKEN) -> None:
        self.good, self.shown, self.mails = good, list[str](), 0

    async def auth_XOAUTH2(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802
        """As Microsoft does it: a token in the line of AUTH, or after a 334; a refusal tells why first."""
        self.shown.append(" ".join(args))
        given = args[1].encode() if len(args) > 1 else await self._line(server, "334 ")
        token = token_in(base64.b64decode(given).decode())
        if token == self.good:
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


def sent(relay: TokenRelay, tokens: TokenCommand) -> Outcome:
    """What becomes of a mail."""
    with running(relay) as port:
        url = f"smtp://{USER.replace('@', '%40')}@127.0.0.1:{port}?starttls=no"
        road = open_transport(url, password=tokens, hostname="club.test", timeout=20)
        try:
            return deliver_one(road, MAIL)
        finally:
            road.close()


def test_a_relay_takes_a_token() -> None:
    """In the line of AUTH."""
    relay = TokenRelay()
    assert sent(relay, printing()) == Delivered()
    assert relay.mails == 1
    assert len(relay.shown[0].split()) == 2


def test_a_long_token_waits_for_its_line() -> None:
    """Microsoft's have some two thousand characters, and a command 512; aiosmtpd reads a thousand in a line."""
    long = f"{TOKEN}{'z' * 500}"
    relay = TokenRelay(long)
    assert sent(relay, printing(long)) == Delivered()
    assert relay.shown == ["XOAUTH2"]


@for_each(
    ("tokens", "told"), [(printing("wrong"), "it refuses the login: 535"), (printing(""), "printed no token")]
)
def test_a_relay_is_closed(tokens: TokenCommand, told: str) -> None:
    """A token that is refused or not there costs no mail a try."""
    relay = TokenRelay()
    outcome = sent(relay, tokens)
    assert isinstance(outcome, Closed)
    assert told in outcome.reason
    assert relay.mails == 0
