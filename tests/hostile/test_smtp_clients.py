"""Clients of the listener who talk, or do not, and bring no mail."""

import contextlib
import threading
import time
from collections.abc import Iterator

import pytest

from pbmserv.commands.server import Server
from pbmserv.mail.receiving.smtp_handler import ReceiveTimeouts
from pbmserv.server import connections
from pbmserv.server.listener import MOST_OF_A_HOST, Listener
from tests.cli.processes import wait_for
from tests.hostile.crowds import MAIL, all_said, connected, crowd, mail_reply, said_in_turns, still_open, trickle
from tests.mail.keeping import Kept, one_by_one

BEGIN = b"EHLO client.test\r\nMAIL FROM:<ann@a.test>\r\nRCPT TO:<pbm@club.test>\r\nDATA\r\n"


@contextlib.contextmanager
def listening(kind: str = "smtp", patience: ReceiveTimeouts | None = None) -> Iterator[tuple[int, list[Kept]]]:
    """A listener's port, and what it has kept."""
    kept: list[Kept] = []
    keep = one_by_one(lambda *mail: kept.append(mail))
    listener = Listener(
        f"{kind}://127.0.0.1:0",
        Server("pbm@club.test", variants=True),
        keep,
        patience=patience or ReceiveTimeouts(),
    )
    listener.start()
    try:
        yield listener.port, kept
    finally:
        listener.stop()


@pytest.mark.parametrize("kind", ["smtp", "lmtp"])
@pytest.mark.parametrize(
    "command",
    [
        b"NOOP\r\n",
        b"RSET\r\n",
        b"VRFY pbm\r\n",
        b"EHLO a\r\n",
        b"LHLO a\r\n",
        b"MAIL FROM:<a@a.test>\r\n",
        b"\r\n",
    ],
)
def test_commands_for_ever(command: bytes, kind: str) -> None:
    """The same command for ever, and never a mail."""
    with listening(kind) as (port, _), connected(port) as client:
        said = said_in_turns(client, command)
    assert said.count(b"\r\n") < 150
    assert b"421 4.7.0 too many commands without a mail" in said or b"502 5.5.1 Too many" in said


def test_commands_all_at_once() -> None:
    """100,000 commands in one piece, without waiting for answers."""
    with listening() as (port, _), connected(port) as client:
        with contextlib.suppress(ConnectionError):
            client.sendall(b"NOOP\r\n" * 100_000)
        assert all_said(client).count(b"250 OK") <= 50
        assert mail_reply(port) == 250


def test_addresses_are_tried_out() -> None:
    """One recipient after the other that is not there, to find those that are."""
    with listening() as (port, _), connected(port) as client:
        greeting = (b"EHLO client.test\r\n", b"MAIL FROM:<a@a.test>\r\n")
        said = said_in_turns(client, b"RCPT TO:<bob@club.test>\r\n", first=greeting)
        assert said.count(b"550 5.1.1") <= 50
        assert b"421 4.7.0" in said


def test_recipients_taken_back_for_ever() -> None:
    """Recipients that are taken, and the mail taken back before it comes, again and again."""
    with listening() as (port, _), connected(port) as client:
        recipients = [b"RCPT TO:<pbm@club.test>\r\n"] * 20
        begun = b"MAIL FROM:<a@a.test>\r\n"
        said = said_in_turns(client, begun, *recipients, b"RSET\r\n", first=(b"EHLO client.test\r\n",))
        assert b"421 4.7.0" in said


def test_a_hundred_clients_that_hold_all_places() -> None:
    """100 clients that greet and then say NOOP now and then: a mail is taken at once all the same."""
    with listening() as (port, kept), crowd(port, 100, b"EHLO client.test\r\nNOOP\r\n") as clients:
        assert mail_reply(port) == 250
        assert [mail[0] for mail in kept] == [MAIL]
        assert still_open(clients) == 99


def test_a_hundred_clients_in_the_midst_of_a_mail() -> None:
    """100 clients that each begin a mail and never end it: another's mail is taken all the same."""
    with listening() as (port, kept), crowd(port, 100, BEGIN + b"Subject: x\r\n"):
        assert mail_reply(port) == 250
        assert [mail[0] for mail in kept] == [MAIL]


def test_a_client_that_is_always_about_to_begin() -> None:
    """A command shortly before each time that a silent client would be sent away."""
    with (
        listening(patience=ReceiveTimeouts(idle=5, without_mail=1, commands=10**9)) as (port, _),
        connected(port) as client,
    ):
        assert b"421 4.4.2 nothing heard for too long" in trickle(client, b"NOOP\r\n")


def test_a_mail_a_letter_at_a_time() -> None:
    """A mail that comes a letter at a time, without end."""
    patience = ReceiveTimeouts(data=1, octets=1000)
    with listening(patience=patience) as (port, kept), connected(port) as client:
        client.sendall(BEGIN)
        assert b"421 4.4.2 nothing heard for too long" in trickle(client, b"x", pause=0.01)
        assert kept == []


def test_a_large_mail_is_given_its_time() -> None:
    """No attack: who brings much may take longer than who brings little."""
    with listening(patience=ReceiveTimeouts(data=0.3, octets=100)) as (port, kept), connected(port) as client:
        client.sendall(BEGIN)
        for _ in range(12):
            client.sendall(b"x" * 98 + b"\r\n")
            time.sleep(0.05)
        client.sendall(b".\r\nQUIT\r\n")
        assert b"250 2.0.0 stored" in all_said(client)
        assert len(kept) == 1


def test_answers_that_are_not_read() -> None:
    """Commands without end from a client that reads no answer."""
    with listening(patience=ReceiveTimeouts(idle=1, commands=10**9)) as (port, _), connected(port) as client:
        stop = threading.Event()

        def send() -> None:
            with contextlib.suppress(OSError):
                while not stop.is_set():
                    client.sendall(b"HELP\r\n" * 1000)

        sending = threading.Thread(target=send)
        sending.start()
        sending.join(60)
        stop.set()
        assert not sending.is_alive()
        assert mail_reply(port) == 250


def test_one_host_has_no_more_than_its_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """One host of the world outside opens 60 connections: it has 20, and an MTA of ours keeps all of its own."""
    monkeypatch.setattr(
        connections, "host_of", lambda address: connections.Host(address, is_ours=address == "127.0.0.1")
    )
    with listening() as (port, _), crowd(port, 40) as ours, crowd(port, 60, source="127.0.0.2") as clients:
        wait_for(lambda: still_open(clients) == MOST_OF_A_HOST)
        assert still_open(ours) == 40


def test_hosts_enough_to_fill_all_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six hosts with 20 connections each: strangers are sent away for one another, an MTA of ours is not."""
    monkeypatch.setattr(
        connections, "host_of", lambda address: connections.Host(address, is_ours=address == "127.0.0.1")
    )
    with contextlib.ExitStack() as stack:
        port, _ = stack.enter_context(listening())
        ours = stack.enter_context(crowd(port, 10))
        crowds = [stack.enter_context(crowd(port, 20, source=f"127.0.0.{each}")) for each in range(2, 8)]
        wait_for(lambda: sum(map(still_open, crowds)) == 90)
        assert still_open(ours) == 10
        assert mail_reply(port) == 250


def test_more_than_fifty_recipients_and_many_mails_are_no_attack() -> None:
    """No attack: a hundred recipients, and a hundred mails on one connection."""
    with listening() as (port, kept), connected(port) as client:
        many = b"MAIL FROM:<ann@a.test>\r\n" + b"RCPT TO:<pbm@club.test>\r\n" * 100 + b"DATA\r\n\r\nx\r\n.\r\n"
        one = b"MAIL FROM:<ann@a.test>\r\nRCPT TO:<pbm@club.test>\r\nDATA\r\n\r\nx\r\n.\r\n"
        client.sendall(b"EHLO client.test\r\n" + many + one * 100 + b"QUIT\r\n")
        assert all_said(client).count(b"250 2.0.0 stored") == 101
        assert len(kept) == 101
