"""Sending through a relay that is played by the test: what it does at each step, and what becomes of the mail."""

import contextlib
import os
import shutil
import socket
import ssl
import subprocess
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbmserv.mail.road import Road, road
from pbmserv.mail.smtp import Deferred, Failed, Outgoing, Sent
from tests.mail.fake_relay import DROP, GOOD, HANG, Relay

MAIL = Outgoing("pbm+b.7@club.test", "ann@a.test", b"Subject: hello\r\n\r\nyour turn\r\n")
LOGIN = b64encode(b"\0pbm\0hunter2").decode()


@dataclass
class Scene:
    """A relay at work, and a road to it."""

    relay: Relay
    road: Road


Play = Callable[..., Scene]


@pytest.fixture
def play() -> Iterator[Play]:
    with contextlib.ExitStack() as stack:

        def begin(
            relay: Relay,
            scheme: str = "smtp",
            user: str = "",
            password: str = "",
            wish: str = "",
            timeout: float = 20,
        ) -> Scene:
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            threading.Thread(target=relay.serve, args=(listening,), daemon=True).start()
            setting = f"{scheme}://{user}127.0.0.1:{listening.getsockname()[1]}{wish}"
            way = road(setting, password=password, hostname="club.test", timeout=timeout)
            stack.callback(listening.shutdown, socket.SHUT_RDWR)
            stack.callback(way.close)
            return Scene(relay, way)

        yield begin


def test_a_mail_is_sent_to_one_recipient(play: Play) -> None:
    scene = play(Relay())
    assert scene.road.deliver(MAIL) == Sent()
    assert scene.relay.heard == [
        "ehlo club.test",
        f"mail FROM:<pbm+b.7@club.test> SIZE={len(MAIL.raw)}",
        "rcpt TO:<ann@a.test>",
        "data",
    ]
    assert scene.relay.mails == [MAIL.raw]


def test_one_connection_for_many_mails(play: Play) -> None:
    scene = play(Relay())
    for _ in range(5):
        assert scene.road.deliver(MAIL) == Sent()
    scene.road.close()
    assert scene.relay.connections == 1
    assert scene.relay.heard[-1] == "quit"
    assert scene.road.deliver(MAIL) == Sent()
    assert len(scene.relay.mails) == 6


@pytest.mark.parametrize("sender", ["", "<>"])
def test_the_null_sender(sender: str, play: Play) -> None:
    scene = play(Relay(features=()))
    assert scene.road.deliver(Outgoing(sender, "ann@a.test", b"x")) == Sent()
    assert "mail FROM:<>" in scene.relay.heard


@pytest.mark.parametrize(
    ("raw", "sent"),
    [
        (b"A: b\r\n\r\nno end", b"A: b\r\n\r\nno end\r\n"),
        (b"A: b\n\n.one\n..two\n.\nthree\n", b"A: b\r\n\r\n..one\r\n...two\r\n..\r\nthree\r\n"),
        (b"A: b\r\n\r\nmac\rend\r\n.\r.\r\n", b"A: b\r\n\r\nmac\r\nend\r\n..\r\n..\r\n"),
        (b"A: b\r\n\r\n\xe9\x00\xff\r\n\r\n", b"A: b\r\n\r\n\xe9\x00\xff\r\n\r\n"),
        (b".", b"..\r\n"),
    ],
)
def test_what_goes_over_the_wire(raw: bytes, sent: bytes, play: Play) -> None:
    scene = play(Relay())
    assert scene.road.deliver(Outgoing("pbm@club.test", "ann@a.test", raw)) == Sent()
    assert scene.relay.mails == [sent]
    assert scene.road.deliver(MAIL) == Sent()


def test_8bitmime_is_said_where_it_is_offered_and_needed(play: Play) -> None:
    eight = Outgoing("pbm@club.test", "ann@a.test", b"\r\n\xe9\r\n")
    scene = play(Relay(features=("8BITMIME",)))
    assert scene.road.deliver(eight) == Sent()
    assert scene.road.deliver(MAIL) == Sent()
    bare = play(Relay(features=()))
    assert bare.road.deliver(eight) == Sent()
    assert [line.endswith("BODY=8BITMIME") for line in scene.relay.heard if line.startswith("mail")] == [
        True,
        False,
    ]
    assert "mail FROM:<pbm@club.test>" in bare.relay.heard
    assert bare.relay.mails == [eight.raw]


@pytest.mark.parametrize("step", ["mail", "rcpt", "data", "dot"])
@pytest.mark.parametrize(
    ("answer", "outcome", "connections"),
    [
        ("550 5.1.1 no\tsuch\x1b user", Failed("550 5.1.1 no such? user"), 1),
        ("552-5.3.4 too\r\n552 large", Failed("552 5.3.4 too large"), 1),
        ("450 4.2.0 greylisted", Deferred("450 4.2.0 greylisted"), 1),
        ("421 4.3.2 going down", Deferred("421 4.3.2 going down"), 2),
        ("503 5.5.1 out of order", Deferred("503 5.5.1 out of order"), 2),
        ("530 5.7.0 log in first", Deferred("530 5.7.0 log in first"), 2),
        ("nonsense", Deferred("-1 ense"), 2),
        ("550 " + "x" * 9000, Deferred("500 Line too long."), 2),
        ("999 what", Deferred("999 what"), 2),
    ],
)
def test_a_refusal_of_the_mail(
    step: str, answer: str, outcome: Failed | Deferred, connections: int, play: Play
) -> None:
    scene = play(Relay({step: [answer, GOOD[step]]}))
    assert scene.road.deliver(MAIL) == outcome
    assert scene.road.deliver(MAIL) == Sent()
    assert scene.relay.connections == connections


@pytest.mark.parametrize("step", ["connect", "ehlo"])
@pytest.mark.parametrize("answer", ["554 5.7.1 go away", "450 later", "421 busy", "nonsense", DROP])
def test_a_refusal_of_us_is_no_fault_of_the_mail(step: str, answer: str, play: Play) -> None:
    scene = play(Relay({step: [answer, GOOD.get(step, "250 relay.test")]}))
    assert isinstance(scene.road.deliver(MAIL), Deferred)
    assert scene.road.deliver(MAIL) == Sent()
    assert scene.relay.connections == 2


@pytest.mark.parametrize("step", ["mail", "rcpt", "data", "dot"])
def test_a_dropped_connection_is_made_anew(step: str, play: Play) -> None:
    scene = play(Relay({step: [DROP, GOOD[step]]}))
    assert isinstance(scene.road.deliver(MAIL), Deferred)
    assert scene.road.deliver(MAIL) == Sent()
    assert scene.relay.connections == 2


@pytest.mark.parametrize("step", ["connect", "ehlo", "mail", "rcpt", "data", "dot"])
def test_a_relay_that_falls_silent(step: str, play: Play) -> None:
    scene = play(Relay({step: [HANG]}), timeout=0.05)
    outcome = scene.road.deliver(MAIL)
    assert isinstance(outcome, Deferred)
    assert "timed out" in outcome.reason


@pytest.mark.parametrize("answer", ["421 4.4.2 idle for too long", DROP, "500 what?"])
def test_a_connection_that_went_stale_costs_no_mail(answer: str, play: Play) -> None:
    scene = play(Relay({"rset": [answer, GOOD["rset"]]}))
    assert [scene.road.deliver(MAIL) for _ in range(3)] == [Sent()] * 3
    assert scene.relay.connections == 2


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    way = road(f"smtp://127.0.0.1:{port}", timeout=20)
    outcome = way.deliver(MAIL)
    assert isinstance(outcome, Deferred)
    assert "refused" in outcome.reason


def test_a_non_ascii_recipient(play: Play) -> None:
    mail = Outgoing("pbm@club.test", "änn@a.test", b"\r\nhello\r\n")
    scene = play(Relay(features=("8BITMIME", "SMTPUTF8")))
    assert scene.road.deliver(mail) == Sent()
    assert scene.relay.heard[1:3] == ["mail FROM:<pbm@club.test> SMTPUTF8 BODY=8BITMIME", "rcpt TO:<änn@a.test>"]
    scene = play(Relay(features=("8BITMIME",)))
    assert scene.road.deliver(mail) == Failed("the relay takes no non-ASCII address")
    assert scene.road.deliver(MAIL) == Sent()


@pytest.mark.parametrize(
    "recipient",
    ["", "a", "a@b.test\r\nDATA", "a@b.test> NOTIFY=NEVER", "a@b.test, c@d.test", "a(c)@b.test", "\udcff@b.test"],
)
def test_a_malformed_recipient_is_never_sent_to(recipient: str, play: Play) -> None:
    scene = play(Relay())
    assert scene.road.deliver(Outgoing("pbm@club.test", recipient, b"x")) == Failed(
        f"malformed address {recipient!a}"
    )
    assert scene.relay.connections == 0


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for 127.0.0.1 that nobody trusts, in one file."""
    if shutil.which("openssl") is None and not os.environ.get("CI"):
        pytest.skip("the openssl command makes the certificate, and is not installed")
    folder = tmp_path_factory.mktemp("tls")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=x")
    names = ("-addext", "subjectAltName=IP:127.0.0.1", "-addext", "keyUsage=critical,digitalSignature,keyCertSign")
    command = ("openssl", "req", "-x509", *key, *names, "-keyout", "key", "-out", "certificate")
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key").read_bytes() + (folder / "certificate").read_bytes())
    return both


@pytest.fixture
def context(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.fixture
def trusted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))


OFFERS = ("STARTTLS", "AUTH PLAIN")


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("scheme", "wish", "user", "login"),
    [
        ("smtp", "", "pbm@", [f"AUTH PLAIN {LOGIN}"]),
        ("smtp", "?starttls=yes", "", []),
        ("smtps", "", "pbm@", [f"AUTH PLAIN {LOGIN}"]),
        ("smtps", "", "", []),
    ],
)
def test_login_and_mail_go_through_tls(
    scheme: str, wish: str, user: str, login: list[str], context: ssl.SSLContext, play: Play
) -> None:
    relay = Relay(features=OFFERS, context=context, implicit=scheme == "smtps")
    scene = play(relay, scheme, user, "hunter2" if user else "", wish)
    assert scene.road.deliver(MAIL) == Sent()
    assert relay.in_tls == [
        "ehlo club.test",
        *login,
        "mail FROM:<pbm+b.7@club.test>",
        "rcpt TO:<ann@a.test>",
        "data",
    ]
    assert relay.mails == [MAIL.raw]


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_an_untrusted_certificate_gets_neither_login_nor_mail(
    scheme: str, context: ssl.SSLContext, play: Play
) -> None:
    relay = Relay(features=OFFERS, context=context, implicit=scheme == "smtps")
    outcome = play(relay, scheme, "pbm@", "hunter2").road.deliver(MAIL)
    assert isinstance(outcome, Deferred)
    assert "certificate" in outcome.reason.lower()
    assert not any(line.startswith(("AUTH", "mail")) for line in relay.heard)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    "relay",
    [
        Relay(features=("AUTH PLAIN",)),
        Relay({"starttls": ["454 4.7.0 not now"]}, OFFERS),
        Relay({"starttls": ["554 5.7.0 never"]}, OFFERS),
        Relay({"starttls": [DROP]}, OFFERS),
    ],
    ids=["not offered", "not now", "refused", "dropped"],
)
@pytest.mark.parametrize("user", ["", "pbm@"])
def test_there_is_no_way_back_to_clear_text(user: str, relay: Relay, play: Play) -> None:
    relay = Relay(dict(relay.answers), relay.features)
    outcome = play(relay, "smtp", user, "hunter2" if user else "", "?starttls=yes").road.deliver(MAIL)
    assert isinstance(outcome, Deferred)
    assert not any(line.startswith(("AUTH", "mail")) for line in relay.heard)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("answer", [f"535 5.7.8 no: {LOGIN} hunter2", "454 4.7.0 later", "421 bye", DROP])
def test_a_refused_login_is_no_fault_of_the_mail(answer: str, context: ssl.SSLContext, play: Play) -> None:
    relay = Relay({"auth": [answer]}, OFFERS, context)
    outcome = play(relay, "smtp", "pbm@", "hunter2").road.deliver(MAIL)
    assert isinstance(outcome, Deferred)
    assert "login refused" in outcome.reason
    assert "hunter2" not in outcome.reason
    assert LOGIN not in outcome.reason
    assert not any(line.startswith("mail") for line in relay.heard)


@pytest.mark.usefixtures("trusted")
def test_a_relay_without_login(context: ssl.SSLContext, play: Play) -> None:
    outcome = play(Relay(features=("STARTTLS",), context=context), "smtp", "pbm@", "hunter2").road.deliver(MAIL)
    assert outcome == Deferred("SMTPException: login refused: SMTPNotSupportedError")
