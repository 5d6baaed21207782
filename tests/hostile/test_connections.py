"""Visitors of the pages who hold connections instead of reading: mail is taken, other readers are served."""

import contextlib
import errno
import logging
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pbmserv.commands.server import Server
from pbmserv.server import connections
from pbmserv.server.listener import Listener
from pbmserv.services.app import App
from pbmserv.web import server
from pbmserv.web.server import WebPart
from pbmserv.web.site import Site
from tests.cli.processes import Running, running, wait_for
from tests.conftest import ADDRESS
from tests.free_port import free_port
from tests.hostile.crowds import (
    all_said,
    ask_without_reading,
    connected,
    crowd,
    mail_reply,
    page_status,
    still_open,
    trickle,
)
from tests.mail.keeping import keep_nothing

SILENT = 1100
BEGUN = b"GET /help HTTP/1.1\r\nHost: club.test\r\n"
FORM = b"POST /mailbox/write HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
QUICK = 1.0


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    """Those of a server on free ports."""
    return {
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_DATA": str(tmp_path / "data"),
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{free_port()}",
        "PBMSERV_WEB": f"127.0.0.1:{free_port()}",
    }


@contextlib.contextmanager
def serving_with(settings: dict[str, str], folder: Path, descriptors: int) -> Iterator[tuple[Running, int, int]]:
    """A whole server that may have so many descriptors open, with its ports for mail and for pages."""
    mail, pages = (int(settings[name].rpartition(":")[2]) for name in ("PBMSERV_LISTEN", "PBMSERV_WEB"))
    behind = ("sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh")
    with running(settings, folder, "serve", behind=behind) as server:
        server.wait_for("Press Ctrl-C to stop it.")
        yield server, mail, pages
        assert server.stop() == 0
        assert "Traceback" not in server.log


@contextlib.contextmanager
def shown(house: App) -> Iterator[int]:
    """The pages of a house, and their port."""
    part, stop = WebPart(Site(house), "127.0.0.1", 0), threading.Event()
    thread = threading.Thread(target=part.run, args=(stop,), daemon=True)
    thread.start()
    try:
        yield urlsplit(part.url).port or 0
    finally:
        stop.set()
        thread.join(20)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits fifteen seconds in a test."""
    assert server.REQUEST_WITHIN == 15
    monkeypatch.setattr(server, "REQUEST_WITHIN", QUICK)
    monkeypatch.setattr(server, "ANSWER_WITHIN", QUICK)


@pytest.fixture
def pages(quick: None, sqlite_house: App) -> Iterator[int]:
    """The port of pages whose patience is short."""
    with shown(sqlite_house) as port:
        yield port


@pytest.mark.slow
def test_silent_connections_by_the_thousand(settings: dict[str, str], tmp_path: Path) -> None:
    """1,100 connections to the pages that never say a word, to a server that may open 1,024 files."""
    with serving_with(settings, tmp_path, 1024) as (server, mail, pages):
        with crowd(pages, SILENT) as clients:
            assert page_status(pages) == 200
            assert mail_reply(mail, recipient=ADDRESS) == 250
            wait_for(lambda: still_open(clients) <= connections.MOST_VISITORS)
            assert page_status(pages) == 200
        assert page_status(pages) == 200
        assert mail_reply(mail, recipient=ADDRESS) == 250
        assert len(server.log) < 10_000


@pytest.mark.slow
def test_headers_begun_by_the_thousand(settings: dict[str, str], tmp_path: Path) -> None:
    """1,100 connections that each begin a request and never end it."""
    with serving_with(settings, tmp_path, 1024) as (server, mail, pages), crowd(pages, SILENT, BEGUN):
        assert page_status(pages) == 200
        assert mail_reply(mail, recipient=ADDRESS) == 250
        assert len(server.log) < 10_000


@pytest.mark.slow
def test_a_crowd_where_few_files_may_be_open(settings: dict[str, str], tmp_path: Path) -> None:
    """A crowd at both doors of a server that may open but 64 files."""
    with serving_with(settings, tmp_path, 64) as (server, mail, pages):
        with crowd(pages, 60), crowd(mail, 60):
            assert page_status(pages) == 200
            assert mail_reply(mail, recipient=ADDRESS) == 250
        assert "Too many open files" not in server.log


def test_no_connection_can_be_accepted(
    sqlite_house: App, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """All descriptors are in use by whatever: each door says so once, and goes on when it is over."""
    accept, full, failed = socket.socket.accept, threading.Event(), list[int]()

    def accept_or_fail(listening: socket.socket) -> tuple[socket.socket, object]:
        if full.is_set():
            failed.append(listening.fileno())
            raise OSError(errno.EMFILE, "Too many open files")
        return accept(listening)

    monkeypatch.setattr(socket.socket, "accept", accept_or_fail)
    monkeypatch.setattr(connections, "TRY_AGAIN_AFTER", 0.05)
    monkeypatch.setattr(connections, "SETTLED_AFTER", 0.0)
    listener = Listener("smtp://127.0.0.1:0", Server("pbm@club.test", variants=True), keep_nothing)
    listener.start()
    with caplog.at_level(logging.INFO), shown(sqlite_house) as pages:
        full.set()
        with crowd(pages, 20), crowd(listener.port, 20):
            wait_for(lambda: len(failed) > 10)
            full.clear()
            assert page_status(pages) == 200
            assert mail_reply(listener.port) == 250
        listener.stop()
    said = [each.getMessage() for each in caplog.records]
    assert len(set(failed)) == 2
    assert sum("connections cannot be accepted" in each and "Too many open files" in each for each in said) == 2
    assert sum("connections are accepted again" in each for each in said) == 2
    assert [each for each in caplog.records if each.name == "asyncio"] == []


def test_a_letter_of_the_headers_at_a_time(pages: int) -> None:
    """Slowloris: a request's headers come a letter at a time, without end."""
    with connected(pages) as client:
        client.sendall(BEGUN + b"X-A: ")
        assert trickle(client, b"a") == b""


def test_a_letter_of_the_first_line_at_a_time(pages: int) -> None:
    """The very first line of a request comes a letter at a time."""
    with connected(pages) as client:
        assert trickle(client, b"G") == b""


@pytest.mark.parametrize("how", [b"Content-Length: 50000\r\n\r\na=", b"Transfer-Encoding: chunked\r\n\r\n"])
def test_a_letter_of_a_form_at_a_time(pages: int, how: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """R-U-Dead-Yet: the body of a form comes a letter at a time, its length told or in chunks."""
    with connected(pages) as client:
        client.sendall(FORM + how)
        trickle(client, b"1\r\nb\r\n" if b"chunked" in how else b"b")
    assert page_status(pages) == 200
    assert "Traceback" not in caplog.text


def test_a_body_for_a_page_that_takes_none(pages: int) -> None:
    """A page that is answered before the body has come, whose body then comes a letter at a time."""
    with connected(pages) as client:
        client.sendall(b"POST /help HTTP/1.1\r\nHost: club.test\r\nContent-Length: 50000\r\n\r\na")
        assert trickle(client, b"b").startswith(b"HTTP/1.1 405 ")


def test_the_second_request_is_slow(pages: int) -> None:
    """A connection that was served once begins a second request and never ends it."""
    with connected(pages) as client:
        client.sendall(BEGUN + b"\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
        client.sendall(BEGUN)
        said = trickle(client, b"X-A: b\r\n")
        assert b"HTTP/1.1" not in said


def test_a_reader_who_does_not_read(pages: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask for the same page a thousand times on one connection, and read none of them: few are made."""
    made: list[server.Visitor] = []
    complete = server.Visitor.on_response_complete

    def counted(visitor: server.Visitor) -> None:
        made.append(visitor)
        complete(visitor)

    monkeypatch.setattr(server.Visitor, "on_response_complete", counted)
    with connected(pages) as client:
        ask_without_reading(client, (BEGUN + b"\r\n") * 20)
    assert len(made) < 200
    assert page_status(pages) == 200


def test_octets_that_are_no_http(pages: int, caplog: pytest.LogCaptureFixture) -> None:
    """Send what is no HTTP, again and again, to fill the log."""
    with caplog.at_level(logging.INFO):
        for said in (b"\x16\x03\x01\x02\x00\r\n\r\n", b"EHLO client.test\r\n\r\n") * 20:
            with connected(pages) as client:
                client.sendall(said)
                assert all_said(client).startswith(b"HTTP/1.1 400 ")
        with connected(pages) as client:
            client.sendall(BEGUN + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n")
            assert client.recv(65536).startswith(b"HTTP/1.1 ")
    assert [each for each in caplog.records if "uvicorn" in each.name] == []


def test_one_host_takes_no_more_than_its_places(sqlite_house: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """One host of the world outside opens 300 connections: it has 40 of them, and who was there before stays."""
    monkeypatch.setattr(connections, "host_of", lambda address: connections.Host(address, is_ours=False))
    with (
        shown(sqlite_house) as port,
        crowd(port, 5, source="127.0.0.3") as others,
        crowd(port, 300, source="127.0.0.2") as clients,
    ):
        wait_for(lambda: still_open(clients) == server.MOST_OF_A_HOST)
        assert still_open(others) == 5


def test_many_hosts_take_their_own_places(sqlite_house: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve hosts fill all places: who comes takes one from the host that has most, not from a lone reader."""
    monkeypatch.setattr(connections, "host_of", lambda address: connections.Host(address, is_ours=False))
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(shown(sqlite_house))
        (reader,) = stack.enter_context(crowd(port, 1))
        crowds = [stack.enter_context(crowd(port, 40, source=f"127.0.0.{each}")) for each in range(2, 14)]
        wait_for(lambda: sum(map(still_open, crowds)) < connections.MOST_VISITORS)
        reader.settimeout(20)
        reader.sendall(BEGUN + b"\r\n")
        assert reader.recv(65536).startswith(b"HTTP/1.1 200 ")
