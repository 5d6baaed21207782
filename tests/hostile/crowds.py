"""Many sockets at once, and what becomes of them."""

import contextlib
import http.client
import itertools
import re
import resource
import select
import smtplib
import socket
import time
from collections.abc import Iterator, Sequence

PATIENCE = 60.0
MAIL = b"From: ann@a.test\r\nSubject: help\r\n\r\nhelp\r\n"


@contextlib.contextmanager
def crowd(port: int, count: int, says: bytes = b"", source: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    """So many connections to a port of this machine, each of which said the same, open while the block lasts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, count + 1000)), hard))
    with contextlib.ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        clients = [stack.enter_context(connected(port, source)) for _ in range(count)]
        for client in clients:
            with contextlib.suppress(OSError):  # it may be cut off already
                client.sendall(says)
        yield clients


def connected(port: int, source: str = "127.0.0.1") -> socket.socket:
    """A connection from an address of this machine."""
    return socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))


def page_status(port: int, path: str = "/help") -> int:
    """What a reader gets who does nothing odd, and tries a few times."""
    for _ in range(3):
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            try:
                connection.request("GET", path)
                return connection.getresponse().status
            finally:
                connection.close()
    return 0


def mail_reply(port: int, raw: bytes = MAIL, recipient: str = "pbm@club.test") -> int:
    """The code that a mail gets, brought as mail servers do."""
    try:
        with smtplib.SMTP("127.0.0.1", port, "client.test", timeout=PATIENCE) as link:
            link.sendmail("ann@a.test", [recipient], raw)
            return 250
    except smtplib.SMTPResponseException as error:
        return error.smtp_code


def all_said(client: socket.socket) -> bytes:
    """All that the other side says until it ends the connection."""
    said = b""
    client.settimeout(PATIENCE)
    with contextlib.suppress(ConnectionError):
        while piece := client.recv(65536):
            said += piece
    return said


def ask_without_reading(client: socket.socket, request: bytes) -> None:
    """Asks again and again and reads nothing, until the connection is ended.

    Not with a smaller receive buffer: a window that shrinks drops what is under way, and then the system does not
    take the server's reset for one, and finds out only when it asks again, after up to as long as it has waited.
    """
    with contextlib.suppress(ConnectionError):
        while True:
            client.sendall(request)


def trickle(client: socket.socket, piece: bytes, pause: float = 0.05) -> bytes:
    """Says a piece again and again until the connection is ended; gives what was said to it."""
    said = b""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if select.select([client], [], [], pause)[0]:
            try:
                heard = client.recv(65536)
            except ConnectionError:
                return said
            if not heard:
                return said
            said += heard
        with contextlib.suppress(ConnectionError):
            client.sendall(piece)
    raise AssertionError("nobody has ended this connection")


def said_in_turns(client: socket.socket, *commands: bytes, first: tuple[bytes, ...] = ()) -> bytes:
    """Gives SMTP commands, the next after each reply, until the connection is ended; gives all replies.

    Those that come `first` are given once, the others round and round.

    Whoever sends while the server ends a connection may lose its last words: a reset overtakes them.
    """
    said, each = b"", itertools.chain(first, itertools.cycle(commands))
    client.settimeout(PATIENCE)
    with contextlib.suppress(ConnectionError):
        while piece := client.recv(65536):
            said += piece
            if re.search(rb"(?m)^\d{3} .*\r\n\Z", said):
                client.sendall(next(each))
    return said


def still_open(clients: Sequence[socket.socket]) -> int:
    """How many connections the other side has not ended; nothing is read but what is there."""
    count = 0
    for client in clients:
        client.setblocking(False)
        try:
            while heard := client.recv(65536):
                pass
        except BlockingIOError:
            heard = b"?"
        except OSError:
            heard = b""
        count += bool(heard)
    return count
