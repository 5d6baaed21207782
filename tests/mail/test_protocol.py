"""What a client of the listener sees on its socket, octet by octet, and what reaches `keep`."""

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from pbmserv.commands.server import Server
from pbmserv.mail.receiving.smtp_handler import ReceiveTimeouts
from pbmserv.server.listener import Listener
from tests.mail.keeping import Kept, one_by_one

MAX_SIZE = 2000
HELLO = {"smtp": b"EHLO client.test", "lmtp": b"LHLO client.test"}
MAIL = b"From: ann@a.test\r\nSubject: move\r\n\r\nmove 101 c3\r\n"


@dataclass
class Desk:
    """A `keep` that notes what it is given; an `error` is raised instead; it waits while `open` is not set."""

    kept: list[Kept] = field(default_factory=list)
    error: BaseException | None = None
    open: threading.Event = field(default_factory=threading.Event)
    called: threading.Event = field(default_factory=threading.Event)

    def __call__(self, raw: bytes, sender: str, recipients: tuple[str, ...]) -> None:
        self.called.set()
        assert self.open.wait(60)
        if self.error is not None:
            raise self.error
        self.kept.append((raw, sender, recipients))


class Client:
    """A socket that talks in lines; it waits for an answer, but not for ever."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self._file = self.socket.makefile("rb")

    def send(self, octets: bytes) -> None:
        self.socket.sendall(octets)

    def line(self) -> str:
        return self._file.readline().decode().rstrip("\r\n")

    def say(self, command: bytes) -> str:
        """A command, and the last line of its reply."""
        self.send(command + b"\r\n")
        while (reply := self.line())[3:4] == "-":
            pass
        return reply

    def begin(self, kind: str, *recipients: bytes, sender: bytes = b"ann@a.test") -> None:
        """Everything up to DATA."""
        assert self.line().startswith("220 ")
        assert self.say(HELLO[kind]).startswith("250")
        assert self.say(b"MAIL FROM:<" + sender + b">").startswith("250")
        for each in recipients or (b"pbm@club.test",):
            assert self.say(b"RCPT TO:<" + each + b">").startswith("250")
        assert self.say(b"DATA").startswith("354")

    def close(self) -> None:
        self._file.close()
        self.socket.close()


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    desk.open.set()
    yield desk
    desk.open.set()


@pytest.fixture(params=["smtp", "lmtp"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@contextlib.contextmanager
def meeting(kind: str, desk: Desk, timeout: float = 20, max_size: int = MAX_SIZE) -> Iterator[Client]:
    server = Server("pbm@club.test", variants=True)
    patience = ReceiveTimeouts(idle=timeout, data=timeout, store=timeout)
    listener = Listener(f"{kind}://127.0.0.1:0", server, one_by_one(desk), max_size=max_size, patience=patience)
    listener.start()
    client = Client(listener.port)
    try:
        yield client
    finally:
        client.close()
        desk.open.set()
        listener.stop()


@pytest.fixture
def client(kind: str, desk: Desk) -> Iterator[Client]:
    with meeting(kind, desk) as client:
        yield client


@pytest.fixture
def lmtp(desk: Desk) -> Iterator[Client]:
    with meeting("lmtp", desk) as client:
        yield client


def greeted(client: Client, kind: str) -> Client:
    assert client.line().startswith("220 club.test")
    assert client.say(HELLO[kind]).startswith("250 ")
    return client


def test_a_mail_is_kept_as_it_was_sent(client: Client, kind: str, desk: Desk) -> None:
    raw = b"Subject: \xff\x00\x80\r\nX:\ty \r\n\r\n.dot\r\n..two\r\n.\xe9\r\n\r\n" + bytes(range(256)).replace(
        b"\n", b""
    )
    client.begin(kind)
    client.send(raw.replace(b"\r\n.", b"\r\n..") + b"\r\n.\r\n")
    assert client.line() == "250 2.0.0 stored mail=1"
    assert desk.kept == [(raw + b"\r\n", "ann@a.test", ("pbm@club.test",))]


def test_a_mail_that_comes_octet_by_octet(client: Client, kind: str, desk: Desk) -> None:
    client.begin(kind)
    client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for octet in MAIL + b"..\r\n.\r\n":
        client.send(bytes([octet]))
    assert client.line() == "250 2.0.0 stored mail=1"
    assert [raw for raw, _, _ in desk.kept] == [MAIL + b".\r\n"]


def test_two_mails_on_one_connection_and_commands_that_came_early(client: Client, kind: str, desk: Desk) -> None:
    client.begin(kind)
    again = b"MAIL FROM:<bob@b.test>\r\nRCPT TO:<pbm@club.test>\r\nDATA\r\n"
    client.send(MAIL + b".\r\n" + again + b"\r\n2\r\n.\r\nQUIT\r\n")
    assert [client.line()[:3] for _ in range(6)] == ["250", "250", "250", "354", "250", "221"]
    assert [(raw, sender) for raw, sender, _ in desk.kept] == [(MAIL, "ann@a.test"), (b"\r\n2\r\n", "bob@b.test")]


@pytest.mark.parametrize("end", [b"\n.\n", b"\r.\r", b"\n.\r\n", b"\r\n.\n", b"\r\n.\r", b"\r.\r\n", b"\n\r.\r\n"])
def test_only_crlf_dot_crlf_ends_a_mail(end: bytes, client: Client, kind: str, desk: Desk) -> None:
    smuggled = b"MAIL FROM:<evil@e.test>\r\nRCPT TO:<pbm@club.test>\r\nDATA\r\nresign 101\r\n"
    client.begin(kind)
    client.send(b"Subject: one\r\n\r\nhello" + end + smuggled + b".\r\n")
    assert client.line() == "250 2.0.0 stored mail=1"
    assert client.say(b"NOOP").startswith("250")
    [(raw, sender, _)] = desk.kept
    assert sender == "ann@a.test"
    unstuffed = end.replace(b"\r\n.", b"\r\n")
    assert raw == b"Subject: one\r\n\r\nhello" + unstuffed + smuggled


@pytest.mark.parametrize("rest", [b"\r\n", b"y\r\n", b".\r\n"])
def test_a_dot_within_a_line_too_long_for_the_buffer(rest: bytes, kind: str, desk: Desk) -> None:
    line = b"x" * (2**16 + 1) + b"."
    with meeting(kind, desk, max_size=2**20) as client:
        client.begin(kind)
        client.send(line)
        time.sleep(0.1)  # so that what is buffered ends with the dot
        client.send(rest + b"more\r\n.\r\n")
        assert client.line() == "250 2.0.0 stored mail=1"
        assert client.say(b"NOOP") == "250 OK"
    assert [raw for raw, _, _ in desk.kept] == [line + rest + b"more\r\n"]


def test_a_mail_cut_off_is_not_kept(client: Client, kind: str, desk: Desk) -> None:
    client.begin(kind)
    client.send(MAIL)
    client.socket.shutdown(socket.SHUT_WR)
    assert client.line() == ""
    assert desk.kept == []


def test_each_lmtp_recipient_gets_a_reply_and_the_mail_is_kept_once(lmtp: Client, desk: Desk) -> None:
    lmtp.begin("lmtp", b"pbm@club.test", b"pbm+a@club.test", b"pbm@club.test")
    lmtp.send(MAIL + b".\r\nNOOP\r\n")
    assert [lmtp.line() for _ in range(4)] == ["250 2.0.0 stored mail=1"] * 3 + ["250 OK"]
    assert desk.kept == [(MAIL, "ann@a.test", ("pbm@club.test", "pbm+a@club.test", "pbm@club.test"))]


def test_smtp_replies_once_whatever_the_number_of_recipients(desk: Desk) -> None:
    with meeting("smtp", desk) as client:
        client.begin("smtp", b"pbm@club.test", b"pbm+a@club.test")
        client.send(MAIL + b".\r\nNOOP\r\n")
        assert [client.line() for _ in range(2)] == ["250 2.0.0 stored mail=1", "250 OK"]


TOO_LARGE = b"x" * 70 + b"\r\n"
LOOP = b"Received: from a by b\r\n" * 51


@pytest.mark.parametrize(
    ("mail", "reply"),
    [
        (TOO_LARGE * 100, "552 5.3.4"),
        (b"x" * (MAX_SIZE + 1) + b"\r\n", "552 5.3.4"),
        (b"." + b"x" * 15_000 + b".\r\n", "552 5.3.4"),
        (LOOP.replace(b"R", b"r") + b"\r\nhello\r\n", "554 5.4.6"),
    ],
)
def test_a_refused_mail(mail: bytes, reply: str, kind: str, desk: Desk) -> None:
    with meeting(kind, desk) as client:
        client.begin(kind, b"pbm@club.test", b"pbm+a@club.test")
        client.send(mail + b".\r\nNOOP\r\n")
        for _ in range(2 if kind == "lmtp" else 1):
            assert client.line().startswith(reply)
        assert client.line() == "250 OK"
        assert desk.kept == []


@pytest.mark.parametrize(
    "raw",
    [
        b"x" * (MAX_SIZE - 2) + b"\r\n",
        (b"..\r\n" * (MAX_SIZE // 3)).replace(b"..", b"."),
        LOOP[: len(LOOP) // 51 * 50] + b"\r\n" + LOOP[:300] + b"\r\n",
    ],
    ids=[
        "a line of the largest size",
        "as large as may be without its stuffed dots",
        "50 hops and a quoted header",
    ],
)
def test_a_mail_that_is_just_good_enough(raw: bytes, client: Client, kind: str, desk: Desk) -> None:
    client.begin(kind)
    client.send((b"\r\n" + raw).replace(b"\r\n.", b"\r\n..")[2:] + b".\r\n")
    assert client.line() == "250 2.0.0 stored mail=1"
    assert [kept[0] for kept in desk.kept] == [raw]


def test_an_endless_mail_is_refused_before_its_end(lmtp: Client, desk: Desk) -> None:
    lmtp.begin("lmtp", b"pbm@club.test", b"pbm+a@club.test")
    lmtp.send(b"x\r\n" * (MAX_SIZE * 8 // 3 + 1))
    assert [lmtp.line()[:3] for _ in range(4)] == ["552", "552", "421", ""]
    assert desk.kept == []


def test_an_endless_line_is_not_read_for_ever(client: Client, kind: str, desk: Desk) -> None:
    client.begin(kind)
    with pytest.raises(ConnectionError):
        client.send(b"x" * 2**26)
    assert desk.kept == []


@pytest.mark.parametrize(
    "error",
    [
        OSError("the mail says: password hunter2"),
        ValueError("hunter2"),
        TimeoutError("hunter2"),
        SystemExit("hunter2"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_cannot_be_kept_is_to_come_again(
    error: BaseException, kind: str, desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.error = error
    with meeting(kind, desk) as client, caplog.at_level(logging.DEBUG):
        client.begin(kind, b"pbm@club.test", b"pbm+a@club.test")
        client.send(MAIL + b".\r\nNOOP\r\n")
        for _ in range(2 if kind == "lmtp" else 1):
            assert client.line() == "451 4.3.0 not now, please try again later"
        assert client.line() == "250 OK"
    assert type(error).__name__ in caplog.text
    assert "hunter2" not in caplog.text


def test_a_mail_is_accepted_only_when_it_is_kept(client: Client, kind: str, desk: Desk) -> None:
    desk.open.clear()
    client.begin(kind)
    client.send(MAIL + b".\r\n")
    assert desk.called.wait(20)
    client.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        client.socket.recv(1)
    client.socket.settimeout(20)
    desk.open.set()
    assert client.line() == "250 2.0.0 stored mail=1"


def test_a_store_without_an_answer(kind: str, desk: Desk) -> None:
    desk.open.clear()
    with meeting(kind, desk, timeout=1) as client:
        client.begin(kind, b"pbm@club.test", b"pbm+a@club.test")
        client.send(MAIL + b".\r\n")
        for _ in range(2 if kind == "lmtp" else 1):
            assert client.line().startswith("451 4.3.0")


@pytest.mark.parametrize("before", [b"", b"NO", b"NOOP\r\n"])
def test_a_silent_client_is_sent_away(before: bytes, desk: Desk) -> None:
    with meeting("lmtp", desk, timeout=1) as client:
        client.send(before)
        lines = [client.line() for _ in range(3 if before.endswith(b"\n") else 2)]
        assert lines[-1].startswith("421 4.4.2")
        assert client.line() == ""


def test_a_client_that_trickles_a_mail_is_sent_away(kind: str, desk: Desk) -> None:
    with meeting(kind, desk, timeout=1) as client:
        client.begin(kind)
        stop = threading.Event()

        def trickle() -> None:
            with contextlib.suppress(OSError):
                while not stop.wait(0.02):
                    client.send(b"x\r\n")

        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            assert client.line().startswith("421 4.4.2")
        finally:
            stop.set()
            thread.join()
        assert desk.kept == []


def test_no_secret_is_logged(client: Client, kind: str, desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        client.begin(kind, b"pbm+t0ken@club.test")
        client.send(b"Subject: s3cret\r\n\r\n.\r\n")
        client.line()
        client.say(b"s3cret")
    assert "stored" in caplog.text
    assert "t0ken" not in caplog.text
    assert "s3cret" not in caplog.text
