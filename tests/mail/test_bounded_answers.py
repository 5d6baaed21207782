"""Servers whose answers never end, or come an octet at a time: relays, mailboxes, pages. None keeps us."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import repeat

import pytest

from pbmserv.commands.server import Server as OurServer
from pbmserv.mail.bounded_answers import bounded_response
from pbmserv.mail.mail_urls import mailbox_address
from pbmserv.mail.receiving import imap_client
from pbmserv.mail.receiving.imap_mailbox import Disposition, ImapError, open_mailbox
from pbmserv.mail.sending.destination import open_transport
from pbmserv.mail.sending.transport import Closed, Deferred, Outgoing
from pbmserv.services.admin.doctor import pages
from pbmserv.services.admin.findings import Verdict
from tests.every import for_each
from tests.mail.fake_relay import Relay
from tests.mail.one_by_one import deliver_one

MAIL = Outgoing("pbm@club.test", "ann@a.test", b"Subject: hello\r\n\r\nyour turn\r\n")
SOON = 0.3
"""Seconds that an answer may take here."""

Speech = Callable[[], Iterator[tuple[bytes, float]]]
"""What a server says: octets, and seconds after each."""


class Server:
    """Says its speech to each client, whatever that says, and then hangs up; how many octets it got rid of."""

    def __init__(self, speech: Speech) -> None:
        self._speech, self._listening, self._stop = (
            speech,
            socket.create_server(("127.0.0.1", 0)),
            threading.Event(),
        )
        self.port = self._listening.getsockname()[1]
        self.said = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Says no more."""
        self._stop.set()
        self._listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while not self._stop.is_set():
                connection = self._listening.accept()[0]
                threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            for octets, pause in self._speech():
                connection.sendall(octets)
                self.said += len(octets)
                if self._stop.wait(pause) if pause else self._stop.is_set():
                    return


@pytest.fixture
def serve() -> Iterator[Callable[[Speech], Server]]:
    """Puts up servers."""
    there: list[Server] = []

    def begin(speech: Speech) -> Server:
        there.append(Server(speech))
        return there[-1]

    yield begin
    for each in there:
        each.close()


def endless(line: bytes) -> Speech:
    """The same line again and again."""
    return lambda: repeat((line * 1000, 0.0))


def dripping(octets: bytes) -> Speech:
    """An octet at a time, each soon enough for any timeout of a socket."""
    return lambda: ((octets[place : place + 1], SOON / 4) for place in range(len(octets)))


@pytest.mark.parametrize(
    "speech", [endless(b"220-welcome\r\n"), endless(b"220-" + b"x" * 500), dripping(b"220-" + b"welcome " * 20)]
)
def test_a_relay_whose_greeting_does_not_end(serve: Callable[[Speech], Server], speech: Speech) -> None:
    """It is as good as away. What it says is not kept: the rest lies in the system's buffers."""
    server = serve(speech)
    way = open_transport(f"smtp://127.0.0.1:{server.port}", password="", hostname="club.test", timeout=SOON)
    assert isinstance(deliver_one(way, MAIL), Closed)
    assert server.said < 2**24
    way.close()


@for_each("step", ["ehlo", "mail", "dot"])
def test_a_relay_whose_reply_does_not_end(step: str) -> None:
    """At any step: the mail is tried again."""
    relay = Relay({step: ["250-going on\r\n" * 20_000 + "250 done"]})
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=relay.serve, args=(listening,), daemon=True).start()
        url = f"smtp://127.0.0.1:{listening.getsockname()[1]}"
        way = open_transport(url, password="", hostname="club.test", timeout=20)
        assert isinstance(deliver_one(way, MAIL), Closed | Deferred)
        way.close()


@pytest.mark.parametrize("speech", [endless(b"* OK welcome\r\n"), dripping(b"* OK " + b"welcome " * 20)])
def test_a_mailbox_whose_answer_does_not_end(
    serve: Callable[[Speech], Server], speech: Speech, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The greeting, and what comes instead of an answer."""
    monkeypatch.setattr(imap_client, "WHOLE_WITHIN", SOON)
    monkeypatch.setattr(imap_client, "MOST_OF_AN_ANSWER", 100_000)
    server = serve(speech)
    with pytest.raises(ImapError):
        open_mailbox(mailbox_address(f"imap://ann@127.0.0.1:{server.port}"), "sesame", Disposition())
    assert server.said < 2**24


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Long: "


@pytest.mark.parametrize("speech", [dripping(HEAD + b"x" * 100), dripping(HEAD + b"x\r\n\r\n{" + b" " * 100)])
def test_a_page_that_does_not_end(
    serve: Callable[[Speech], Server], speech: Speech, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Head or body, while `doctor` looks whether our pages are there."""
    monkeypatch.setattr(pages._Connection, "response_class", bounded_response(SOON, 10_000))
    server = serve(speech)
    found = pages.see_pages(f"http://127.0.0.1:{server.port}", OurServer("pbmserv@club.test"))
    assert found.verdict is Verdict.BROKEN
    assert "does not answer" in found.found
    assert server.said < len(HEAD) + 50
