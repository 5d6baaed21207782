"""The listener with real clients: who may send what to whom, and its own coming and going."""

import contextlib
import smtplib
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pbmserv.commands.server import Server
from pbmserv.mail.receiving.smtp_handler import SmtpHandler
from pbmserv.server import connections
from pbmserv.server.listener import CannotListen, Listener
from tests.every import for_each
from tests.mail.keeping import Kept, keep_nothing, one_by_one

MAIL = b"Subject: move\r\n\r\nmove 101 c3\r\n"


@contextlib.contextmanager
def listening(
    kept: list[Kept], server: Server | None = None, kind: str = "smtp", max_size: int = 2000
) -> Iterator[Listener]:
    keep = one_by_one(lambda *mail: kept.append(mail))
    listener = Listener(
        f"{kind}://127.0.0.1:0", server or Server("pbm@club.test", variants=True), keep, max_size=max_size
    )
    listener.start()
    try:
        yield listener
    finally:
        listener.stop()


def connected(listener: Listener) -> smtplib.SMTP:
    return smtplib.SMTP("127.0.0.1", listener.port, "client.test", timeout=20)


@pytest.fixture
def kept() -> list[Kept]:
    return []


@pytest.fixture
def smtp(kept: list[Kept]) -> Iterator[smtplib.SMTP]:
    with (
        listening(kept) as listener,
        connected(listener) as client,
    ):
        client.ehlo()
        yield client


def test_a_mail_by_smtp(smtp: smtplib.SMTP, kept: list[Kept]) -> None:
    assert smtp.sendmail("ann@a.test", ["pbm@club.test", "pbm+b.1@club.test"], MAIL) == {}
    assert kept == [(MAIL, "ann@a.test", ("pbm@club.test", "pbm+b.1@club.test"))]


def test_a_mail_by_lmtp(kept: list[Kept]) -> None:
    with (
        listening(kept, kind="lmtp") as listener,
        smtplib.LMTP("127.0.0.1", listener.port, "client.test", timeout=20) as client,
    ):
        assert client.sendmail("ann@a.test", ["pbm@club.test"], MAIL) == {}
    assert kept == [(MAIL, "ann@a.test", ("pbm@club.test",))]


def test_lmtp_knows_lhlo_alone(kept: list[Kept]) -> None:
    with listening(kept, kind="lmtp") as listener, connected(listener) as client:
        assert client.docmd("MAIL", "FROM:<ann@a.test>")[0] == 503
        assert client.docmd("EHLO", "client.test")[0] == 500
        assert client.docmd("HELO", "client.test")[0] == 500
        assert client.docmd("MAIL", "FROM:<ann@a.test>")[0] == 503
        assert client.docmd("LHLO", "client.test")[0] == 250


def test_smtp_knows_no_lhlo(smtp: smtplib.SMTP) -> None:
    assert smtp.docmd("LHLO", "client.test")[0] == 500


def test_what_is_offered(smtp: smtplib.SMTP) -> None:
    assert set(smtp.esmtp_features) == {"size", "8bitmime", "smtputf8", "help"}
    assert smtp.esmtp_features["size"] == "2000"
    assert smtp.docmd("STARTTLS")[0] == 454
    assert smtp.docmd("AUTH", "PLAIN AGEAYg==")[0] == 538


@pytest.mark.parametrize("sender", ["", "<>"])
def test_the_null_sender(sender: str, smtp: smtplib.SMTP, kept: list[Kept]) -> None:
    smtp.sendmail(sender, ["pbm@club.test"], MAIL)
    assert [mail[1] for mail in kept] == ["<>"]


@pytest.mark.parametrize(
    "recipient",
    [
        "pbm@club.test",
        "PBM@Club.Test",
        "pbm+b.1@club.test",
        "Pbm-3f9c@club.test",
        "pbm+@club.test",
        "pbm+a+b-c@club.test",
        "pbm+k3v5q2wztj4m6x7abcde@club.test",
        "PBM+K3V5Q2WZTJ4M6X7ABCDE@CLUB.TEST",
        "pbm-k3v5q2wztj4m6x7abcde@club.test",
        "pbm+nobody.made.this_one=ever!@club.test",
        "pbm+" + "t" * 200 + "@club.test",
        "postmaster@club.test",
        "PostMaster@CLUB.test",
        "postmaster",
        "POSTMASTER",
    ],
)
def test_a_known_recipient(recipient: str, smtp: smtplib.SMTP, kept: list[Kept]) -> None:
    smtp.sendmail("ann@a.test", [recipient], MAIL)
    assert [mail[2] for mail in kept] == [(recipient,)]


@pytest.mark.parametrize(
    "recipient",
    [
        "bob@club.test",
        "pbmx@club.test",
        "xpbm@club.test",
        "pbm=a@club.test",
        "pbm@other.test",
        "pbm@club.test.evil.test",
        "pbm",
        "postmaster@other.test",
        "postmaster+a@club.test",
        "pbm@evil.test@club.test",
    ],
)
def test_an_unknown_recipient(recipient: str, smtp: smtplib.SMTP) -> None:
    smtp.mail("ann@a.test")
    code, text = smtp.docmd("RCPT", f"TO:<{recipient}>")
    assert (code, text[:5]) in [(550, b"5.1.1"), (553, b"5.1.3")]
    assert smtp.docmd("DATA")[0] == 503


@for_each(
    ("delimiter", "known", "unknown"), [("=", "pbm=a", "pbm_a"), ("", "pbm+a", "pbma"), ("-", "pbm+a", "pbm=a")]
)
def test_the_delimiter_of_the_settings_is_known_too(delimiter: str, known: str, unknown: str) -> None:
    with listening([], Server("pbm@club.test", delimiter)) as listener, connected(listener) as client:
        client.ehlo()
        client.mail("ann@a.test")
        assert client.rcpt(f"{known}@club.test")[0] == 250
        assert client.rcpt(f"{unknown}@club.test")[0] == 550


def test_one_unknown_recipient_takes_nothing_from_the_others(smtp: smtplib.SMTP, kept: list[Kept]) -> None:
    refused = smtp.sendmail("ann@a.test", ["bob@club.test", "pbm@club.test"], MAIL)
    assert list(refused) == ["bob@club.test"]
    assert [mail[2] for mail in kept] == [("pbm@club.test",)]


def test_the_declared_size(smtp: smtplib.SMTP) -> None:
    assert smtp.docmd("MAIL", "FROM:<ann@a.test> SIZE=2001")[0] == 552
    assert smtp.docmd("MAIL", "FROM:<ann@a.test> SIZE=2000")[0] == 250


def test_a_non_ascii_address_wants_smtputf8(smtp: smtplib.SMTP, kept: list[Kept]) -> None:
    smtp.command_encoding = "utf-8"
    assert smtp.docmd("MAIL", "FROM:<änn@a.test>")[0] == 553
    smtp.mail("ann@a.test")
    assert smtp.docmd("RCPT", "TO:<pbm+ä@club.test>")[0] == 553
    smtp.rset()
    smtp.sendmail("änn@a.test", ["pbm+ä@club.test"], MAIL, ["SMTPUTF8"])
    assert [mail[1:] for mail in kept] == [("änn@a.test", ("pbm+ä@club.test",))]


@pytest.mark.parametrize(
    "command",
    [
        b"MAIL FROM:<a\xff@a.test> SMTPUTF8",
        b"MAIL FROM:<=?utf-8?q?a=0D=0Ab?=@a.test>",
        b"MAIL FROM:<a@",
        b"MAIL FROM:<",
        b"MAIL FROM:<a\x00b@a.test>",
        b"MAIL FROM:<a\rb@a.test>",
    ],
)
def test_a_malformed_address(command: bytes, smtp: smtplib.SMTP) -> None:
    smtp.send(command + b"\r\n")
    assert smtp.getreply()[0] == 553


def test_a_long_command_is_read_to_its_end(smtp: smtplib.SMTP, kept: list[Kept]) -> None:
    assert smtp.docmd("MAIL", f"FROM:<{'a' * 1100}@a.test>")[0] == 500
    assert smtp.docmd("NOOP", "x" * 300_000)[0] == 500
    assert smtp.sendmail(f"{'a' * 900}@a.test", ["pbm@club.test"], MAIL, ["SIZE=1900"]) == {}
    assert len(kept) == 1


def test_recipients_are_bounded(smtp: smtplib.SMTP) -> None:
    smtp.mail("ann@a.test")
    codes = [smtp.rcpt(f"pbm+{number}@club.test")[0] for number in range(101)]
    assert codes == [250] * 100 + [452]


def test_many_clients_at_once(kept: list[Kept]) -> None:
    with listening(kept) as listener:

        def client(number: int) -> None:
            with connected(listener) as smtp:
                for each in range(5):
                    smtp.sendmail(f"{number}.{each}@a.test", ["pbm@club.test"], MAIL)

        with ThreadPoolExecutor(10) as pool:
            list(pool.map(client, range(10)))
    assert {mail[1] for mail in kept} == {f"{number}.{each}@a.test" for number in range(10) for each in range(5)}


def test_who_comes_takes_the_place_of_who_waits_longest() -> None:
    with listening([]) as listener, contextlib.ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(("127.0.0.1", listener.port), timeout=20))
            for _ in range(101)
        ]
        greetings = [client.recv(1000)[:3] for client in clients]
        assert greetings == [b"220"] * 101
        assert clients[0].recv(1000)[:3] == b"421"
        assert clients[0].recv(1000) == b""
        clients[1].sendall(b"NOOP\r\n")
        assert clients[1].recv(1000)[:3] == b"250"


def test_too_many_clients_are_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose mail is being kept is not sent away for another."""
    monkeypatch.setattr(connections, "MOST_CLIENTS", 1)
    begun, go_on = threading.Event(), threading.Event()

    def keep(raw: bytes, sender: str, recipients: tuple[str, ...]) -> None:
        begun.set()
        assert go_on.wait(20)

    listener = Listener("smtp://127.0.0.1:0", Server("pbm@club.test", variants=True), one_by_one(keep))
    listener.start()
    with ThreadPoolExecutor(1) as pool, connected(listener) as busy:
        sending = pool.submit(busy.sendmail, "ann@a.test", ["pbm@club.test"], MAIL)
        assert begun.wait(20)
        with socket.create_connection(("127.0.0.1", listener.port), timeout=20) as other:
            assert other.recv(1000) == b"421 4.3.2 too many connections, please try again later\r\n"
            assert other.recv(1000) == b""
        go_on.set()
        assert sending.result(20) == {}
    listener.stop()


def test_stopping_lets_the_mail_in_hand_finish_and_sends_the_others_away() -> None:
    begun, go_on, kept = threading.Event(), threading.Event(), list[bytes]()

    def keep(raw: bytes, sender: str, recipients: tuple[str, ...]) -> None:
        begun.set()
        assert go_on.wait(20)
        kept.append(raw)

    listener = Listener("smtp://127.0.0.1:0", Server("pbm@club.test", variants=True), one_by_one(keep))
    listener.start()
    assert listener.alive
    idle = connected(listener)
    busy = connected(listener)
    with ThreadPoolExecutor(2) as pool:
        sending = pool.submit(busy.sendmail, "ann@a.test", ["pbm@club.test"], MAIL)
        assert begun.wait(20)
        stopping = pool.submit(listener.stop)
        assert idle.getreply()[0] == 421
        assert not stopping.done()
        go_on.set()
        assert sending.result(20) == {}
        stopping.result(20)
    assert kept == [MAIL]
    assert not listener.alive
    assert busy.getreply()[0] == 421
    idle.close()
    busy.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", listener.port), timeout=20)
    listener.stop()


def test_a_stopped_listener_starts_again_at_its_port(kept: list[Kept]) -> None:
    with listening(kept) as listener:
        url = listener.url
        with contextlib.closing(connected(listener)) as idle:
            listener.stop()
            assert idle.getreply()[0] == 421
        listener.start()
        assert listener.url == url
        with connected(listener) as client:
            client.sendmail("ann@a.test", ["pbm@club.test"], MAIL)
    assert len(kept) == 1


def test_a_port_in_use_is_told_in_one_sentence() -> None:
    with listening([]) as listener:
        other = Listener(listener.url, Server("pbm@club.test", variants=True), keep_nothing)
        with pytest.raises(CannotListen, match=rf"cannot take mail at {listener.url}: .*in use"):
            other.start()
        assert not other.alive
        other.stop()


@for_each(
    "url", ["", "smtp", "http://127.0.0.1", "smtp://", "lmtp://h:x", "lmtp://h:99999", "smtp://u@h", "lmtp://h/p"]
)
def test_any_other_url(url: str) -> None:
    with pytest.raises(ValueError, match="a listener is smtp://HOST:PORT or lmtp://HOST:PORT, not "):
        Listener(url, Server("pbm@club.test", variants=True), keep_nothing)


@for_each(
    ("url", "whole"),
    [
        ("smtp://h.test", "smtp://h.test:25"),
        ("lmtp://[::1]", "lmtp://[::1]:24"),
        ("lmtp://h.test:1", "lmtp://h.test:1"),
    ],
)
def test_the_whole_url(url: str, whole: str) -> None:
    assert Listener(url, Server("pbm@club.test", variants=True), keep_nothing).url == whole


def test_what_aiosmtpd_looks_through_has_no_slots() -> None:
    """On Python 3.11.0 to 3.11.2 a dataclass with slots raises there, and no mail is taken at all."""
    assert "__slots__" not in vars(SmtpHandler)
