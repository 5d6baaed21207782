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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pbmserv.mail.sending.destination import Transport, open_transport
from pbmserv.mail.sending.transport import Closed, Deferred, Delivered, Failed, Outgoing
from tests.cli.processes import PATIENCE, wait_for
from tests.mail.fake_relay import DROP, GOOD, HANG, Relay
from tests.mail.one_by_one import deliver_one

MAIL = Outgoing("pbm+b.7@club.test", "ann@a.test", b"Subject: hello\r\n\r\nyour turn\r\n")
LOGIN = b64encode(b"\0pbm\0hunter2").decode()


@dataclass
class Scene:
    """A relay at work, and a road to it."""

    relay: Relay
    road: Transport


Play = Callable[..., Scene]


@pytest.fixture(params=[False, True], ids=["one by one", "pipelining"])
def pipelines(request: pytest.FixtureRequest) -> bool:
    """Whether the relay offers PIPELINING."""
    offers: bool = request.param
    return offers


@pytest.fixture
def play(pipelines: bool) -> Iterator[Play]:
    with contextlib.ExitStack() as stack:

        def begin(
            relay: Relay,
            scheme: str = "smtp",
            user: str = "",
            password: str = "",
            wish: str = "",
            timeout: float = 20,
        ) -> Scene:
            relay.features += ("PIPELINING",) * pipelines
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            threading.Thread(target=relay.serve, args=(listening,), daemon=True).start()
            setting = f"{scheme}://{user}127.0.0.1:{listening.getsockname()[1]}{wish}"
            way = open_transport(setting, password=password, hostname="club.test", timeout=timeout)
            stack.callback(listening.shutdown, socket.SHUT_RDWR)
            stack.callback(way.close)
            return Scene(relay, way)

        yield begin


def test_a_mail_is_sent_to_one_recipient(play: Play) -> None:
    scene = play(Relay())
    assert deliver_one(scene.road, MAIL) == Delivered()
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
        assert deliver_one(scene.road, MAIL) == Delivered()
    scene.road.close()
    assert scene.relay.connections == 1
    assert scene.relay.heard[-1] == "quit"
    assert deliver_one(scene.road, MAIL) == Delivered()
    assert len(scene.relay.mails) == 6


@pytest.mark.parametrize("sender", ["", "<>"])
def test_the_null_sender(sender: str, play: Play) -> None:
    scene = play(Relay(features=()))
    assert deliver_one(scene.road, Outgoing(sender, "ann@a.test", b"x")) == Delivered()
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
    assert deliver_one(scene.road, Outgoing("pbm@club.test", "ann@a.test", raw)) == Delivered()
    assert scene.relay.mails == [sent]
    assert deliver_one(scene.road, MAIL) == Delivered()


def test_8bitmime_is_said_where_it_is_offered_and_needed(play: Play) -> None:
    eight = Outgoing("pbm@club.test", "ann@a.test", b"\r\n\xe9\r\n")
    scene = play(Relay(features=("8BITMIME",)))
    assert deliver_one(scene.road, eight) == Delivered()
    assert deliver_one(scene.road, MAIL) == Delivered()
    bare = play(Relay(features=()))
    assert deliver_one(bare.road, eight) == Delivered()
    assert [line.endswith("BODY=8BITMIME") for line in scene.relay.heard if line.startswith("mail")] == [
        True,
        False,
    ]
    assert "mail FROM:<pbm@club.test>" in bare.relay.heard
    assert bare.relay.mails == [eight.raw]


@pytest.mark.parametrize("step", ["mail", "rcpt", "data", "dot"])
@pytest.mark.parametrize(
    ("answer", "reason", "connections"),
    [
        ("450 4.2.0 greylisted", "450 4.2.0 greylisted", 1),
        ("452-4.5.3 too\tmany\x1b\r\n452 of them", "452 4.5.3 too many? of them", 1),
        ("nonsense", "-1 ense", 2),
        ("550 " + "x" * 9000, "500 Line too long.", 2),
        ("999 what", "999 what", 2),
        ("150 wait", "150 wait", 2),
        ("334 what?", "334 what?", 2),
    ],
)
def test_a_mail_that_is_not_taken_now(
    step: str, answer: str, reason: str, connections: int, pipelines: bool, play: Play
) -> None:
    more = pipelines and step != "dot" and connections == 2
    scene = play(Relay({step: [answer] * more + [answer, GOOD[step]]}))
    assert deliver_one(scene.road, MAIL) == Deferred(reason)
    assert deliver_one(scene.road, MAIL) == Delivered()
    assert scene.relay.connections == connections + more


def test_a_yes_where_the_mail_was_to_come_first(pipelines: bool, play: Play) -> None:
    """Nobody knows what a relay took for a mail that it never asked for: the connection is of no use any more."""
    scene = play(Relay({"data": ["250 OK"] * pipelines + ["250 OK", GOOD["data"]]}))
    assert deliver_one(scene.road, MAIL) == Deferred("250 OK")
    assert deliver_one(scene.road, MAIL) == Delivered()
    assert scene.relay.connections == 2 + pipelines


GOING = ["421 4.3.2 going down", "503 5.5.1 out of order", "530 5.7.0 log in first"]


@pytest.mark.parametrize("step", ["rcpt", "data", "dot"])
@pytest.mark.parametrize("answer", GOING)
def test_a_session_that_is_over_in_the_middle_of_a_mail(
    step: str, answer: str, pipelines: bool, play: Play
) -> None:
    more = pipelines and step != "dot" and answer[:3] == "503"
    scene = play(Relay({step: [answer] * more + [answer, GOOD[step]]}))
    assert deliver_one(scene.road, MAIL) == Deferred(answer)
    assert deliver_one(scene.road, MAIL) == Delivered()
    assert scene.relay.connections == 2 + more


@pytest.mark.parametrize("answer", GOING)
def test_a_session_that_is_over_before_the_mail(answer: str, play: Play) -> None:
    scene = play(Relay({"mail": [answer, GOOD["mail"]]}))
    assert deliver_one(scene.road, MAIL) == Closed(answer, at_mail=not answer.startswith("530"))
    assert deliver_one(scene.road, MAIL) == Delivered()
    assert scene.relay.connections == 2


def test_a_relay_that_takes_only_so_many_mails_over_one_connection(play: Play) -> None:
    scene = play(Relay({"mail": [GOOD["mail"], GOOD["mail"], "421 4.7.0 too many", GOOD["mail"]]}))
    assert [deliver_one(scene.road, MAIL) for _ in range(4)] == [Delivered()] * 4
    assert scene.relay.connections == 2


@pytest.mark.parametrize(
    ("step", "answer", "outcome"),
    [
        ("rcpt", "550 5.1.1 no such user", Failed("550 5.1.1 no such user", refuses_recipient=True)),
        ("rcpt", "550-5.1.1 no\r\n550 such user", Failed("550 5.1.1 no such user", refuses_recipient=True)),
        ("rcpt", "550 no such user", Failed("550 no such user", refuses_recipient=True)),
        ("rcpt", "552 5.3.4 too large", Failed("552 5.3.4 too large")),
        ("rcpt", "552 5.2.2 full", Deferred("552 5.2.2 full")),
        ("rcpt", "554 5.7.1 relay access denied", Deferred("554 5.7.1 relay access denied", is_ours=True)),
        ("rcpt", "550 relay not permitted", Deferred("550 relay not permitted", is_ours=True)),
        ("rcpt", "550 5.1.0 sender rejected", Deferred("550 5.1.0 sender rejected", is_ours=True)),
        ("rcpt", "504 5.5.2 bad HELO name", Deferred("504 5.5.2 bad HELO name", is_ours=True)),
        ("mail", "550 5.1.1 no such sender", Deferred("550 5.1.1 no such sender", is_ours=True)),
        ("mail", "553 5.7.1 not yours", Deferred("553 5.7.1 not yours", is_ours=True)),
        ("mail", "552 5.3.4 too large", Failed("552 5.3.4 too large")),
        ("mail", "552 too large", Failed("552 too large")),
        ("mail", "553 5.6.7 no such letters", Failed("553 5.6.7 no such letters")),
        ("data", "554 5.5.1 no", Deferred("554 5.5.1 no", is_ours=True)),
        ("mail", "552 5.2.2 your quota is used up", Deferred("552 5.2.2 your quota is used up", is_ours=True)),
        ("mail", "552 sending limit of the day", Deferred("552 sending limit of the day", is_ours=True)),
        ("dot", "550 5.1.1 no such user", Failed("550 5.1.1 no such user", refuses_recipient=True)),
        ("dot", "552 5.2.2 mailbox full", Deferred("552 5.2.2 mailbox full")),
        ("dot", "552 too large", Failed("552 too large")),
        ("dot", "552 5.3.4 too large", Failed("552 5.3.4 too large")),
        ("dot", "554 5.6.0 malformed", Failed("554 5.6.0 malformed")),
    ],
)
def test_a_refusal_for_good_is_one_only_where_it_is_not_about_us(
    step: str, answer: str, outcome: Failed | Deferred, play: Play
) -> None:
    scene = play(Relay({step: [answer, GOOD[step]]}))
    assert deliver_one(scene.road, MAIL) == outcome
    assert deliver_one(scene.road, MAIL) == Delivered()
    assert scene.relay.connections == 1


@pytest.mark.parametrize("step", ["data", "dot"])
@pytest.mark.parametrize(
    "said",
    [
        "550 5.7.26 your mail has been blocked because the sender is unauthenticated",
        "554 5.7.1 spam",
        "554 your message looks like spam",
        "550 5.7.1 Service unavailable; client host blocked using a list",
        "550 listed in an RBL",
        "550 5.4.5 daily user sending limit exceeded",
        "550 administrative prohibition",
        "554 5.2.252 may not send as",
        "554 transaction failed",
        "550 rejected",
    ],
)
def test_what_is_about_us_waits_though_other_mail_is_taken(said: str, step: str, play: Play) -> None:
    scene = play(Relay({step: [GOOD[step], said, GOOD[step]]}))
    outcomes = [deliver_one(scene.road, MAIL) for _ in range(3)]
    assert outcomes == [Delivered(), Deferred(said, is_ours=True), Delivered()]
    assert scene.relay.connections == 1


@pytest.mark.parametrize("step", ["connect", "ehlo"])
@pytest.mark.parametrize("answer", ["554 5.7.1 go away", "450 later", "421 busy", "nonsense", DROP])
def test_a_refusal_of_us_is_no_fault_of_the_mail(step: str, answer: str, play: Play) -> None:
    scene = play(Relay({step: [answer, GOOD.get(step, "250 relay.test")]}))
    assert isinstance(deliver_one(scene.road, MAIL), Closed)
    assert deliver_one(scene.road, MAIL) == Delivered()
    assert scene.relay.connections == 2


def test_a_long_greeting(play: Play) -> None:
    scene = play(Relay({"connect": ["220-relay.test\r\n220-no spam\r\n220 please"]}))
    assert deliver_one(scene.road, MAIL) == Delivered()


@pytest.mark.parametrize("answer", ["221 bye", "421 bye", "500 what?", "nonsense", DROP, HANG])
def test_a_leave_that_is_not_returned(answer: str, play: Play) -> None:
    scene = play(Relay({"quit": [answer]}), timeout=0.2)
    assert deliver_one(scene.road, MAIL) == Delivered()
    scene.road.close()
    scene.road.close()
    assert scene.relay.heard[-1] == "quit"


@pytest.mark.parametrize("step", ["mail", "rcpt", "data", "dot"])
def test_a_dropped_connection_is_made_anew(step: str, pipelines: bool, play: Play) -> None:
    more = pipelines and step != "dot"
    scene = play(Relay({step: [DROP] * more + [DROP, GOOD[step]]}))
    assert isinstance(deliver_one(scene.road, MAIL), Deferred)
    assert deliver_one(scene.road, MAIL) == Delivered()
    assert scene.relay.connections == 2 + more


@pytest.mark.parametrize("step", ["connect", "ehlo"])
def test_a_relay_that_says_nothing_at_all(step: str, play: Play) -> None:
    outcome = deliver_one(play(Relay({step: [HANG]}), timeout=0.05).road, MAIL)
    assert isinstance(outcome, Closed)
    assert "timed out" in outcome.reason


@pytest.mark.parametrize("step", ["mail", "rcpt", "data", "dot"])
def test_a_relay_that_falls_silent(step: str, play: Play) -> None:
    outcome = deliver_one(play(Relay({step: [HANG]}), timeout=0.05).road, MAIL)
    assert isinstance(outcome, Deferred)
    assert "timed out" in outcome.reason


@pytest.mark.parametrize("step", ["connect", "ehlo", "mail", "rcpt", "data", "dot"])
def test_a_relay_that_is_hung_up_on(step: str, play: Play) -> None:
    scene = play(Relay({step: [HANG, GOOD.get(step, "250 relay.test")]}))
    with ThreadPoolExecutor(1) as other:
        outcome = other.submit(deliver_one, scene.road, MAIL)
        wait_for(lambda: scene.relay.hangs)
        scene.road.hang_up()
        ended = outcome.result(PATIENCE)
    assert isinstance(ended, Closed if step in ("connect", "ehlo") else Deferred)
    assert "timed out" not in ended.reason
    assert deliver_one(scene.road, MAIL) == Delivered()


def test_a_connection_that_is_hung_up_on_before_a_mail_is_not_made_anew(play: Play) -> None:
    scene = play(Relay({"rset": [HANG, GOOD["rset"]]}))
    assert deliver_one(scene.road, MAIL) == Delivered()
    with ThreadPoolExecutor(1) as other:
        outcome = other.submit(deliver_one, scene.road, MAIL)
        wait_for(lambda: scene.relay.hangs)
        scene.road.hang_up()
        assert isinstance(outcome.result(PATIENCE), Closed)
    assert scene.relay.connections == 1
    assert deliver_one(scene.road, MAIL) == Delivered()


def test_what_is_hung_up_on_while_it_connects_goes_no_further(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before there is a socket to shut: it waits for a name, or for TCP."""
    scene = play(Relay())
    connect = socket.create_connection

    def hung_up_on(*where: Any, **manner: Any) -> socket.socket:
        scene.road.hang_up()
        return connect(*where, **manner)

    with monkeypatch.context() as patched:
        patched.setattr(socket, "create_connection", hung_up_on)
        assert isinstance(deliver_one(scene.road, MAIL), Closed)
    assert scene.relay.heard == []
    assert deliver_one(scene.road, MAIL) == Delivered()


@pytest.mark.parametrize("answer", ["421 4.4.2 idle for too long", DROP, "500 what?"])
def test_a_connection_that_went_stale_costs_no_mail(answer: str, play: Play) -> None:
    scene = play(Relay({"rset": [answer, GOOD["rset"]]}))
    assert [deliver_one(scene.road, MAIL) for _ in range(3)] == [Delivered()] * 3
    assert scene.relay.connections == 2


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    way = open_transport(f"smtp://127.0.0.1:{port}", timeout=20)
    outcome = deliver_one(way, MAIL)
    assert isinstance(outcome, Closed)
    assert "refused" in outcome.reason


def test_a_non_ascii_recipient(play: Play) -> None:
    mail = Outgoing("pbm@club.test", "änn@a.test", b"\r\nhello\r\n")
    scene = play(Relay(features=("8BITMIME", "SMTPUTF8")))
    assert deliver_one(scene.road, mail) == Delivered()
    assert scene.relay.heard[1:3] == ["mail FROM:<pbm@club.test> SMTPUTF8 BODY=8BITMIME", "rcpt TO:<änn@a.test>"]
    scene = play(Relay(features=("8BITMIME",)))
    assert deliver_one(scene.road, mail) == Failed("the relay takes no non-ASCII address")
    assert deliver_one(scene.road, MAIL) == Delivered()


@pytest.mark.parametrize(
    "recipient",
    ["", "a", "a@b.test\r\nDATA", "a@b.test> NOTIFY=NEVER", "a@b.test, c@d.test", "a(c)@b.test", "\udcff@b.test"],
)
def test_a_malformed_recipient_is_never_sent_to(recipient: str, play: Play) -> None:
    scene = play(Relay())
    assert deliver_one(scene.road, Outgoing("pbm@club.test", recipient, b"x")) == Failed(
        f"malformed address {recipient!a}"
    )
    assert scene.relay.connections == 0


def make_certificate(folder: Path, name: str) -> Path:
    """A key and a certificate that nobody trusts for the host of that name, in one file."""
    if shutil.which("openssl") is None and not os.environ.get("CI"):
        pytest.skip("the openssl command makes the certificate, and is not installed")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=x")
    names = ("-addext", f"subjectAltName={name}", "-addext", "keyUsage=critical,digitalSignature,keyCertSign")
    command = ("openssl", "req", "-x509", *key, *names, "-keyout", "key", "-out", "certificate")
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key").read_bytes() + (folder / "certificate").read_bytes())
    return both


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1."""
    return make_certificate(tmp_path_factory.mktemp("tls"), "IP:127.0.0.1")


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
    assert deliver_one(scene.road, MAIL) == Delivered()
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
    outcome = deliver_one(play(relay, scheme, "pbm@", "hunter2").road, MAIL)
    assert isinstance(outcome, Closed)
    assert "certificate" in outcome.reason.lower()
    assert not any(line.startswith(("AUTH", "mail")) for line in relay.heard)


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_certificate_of_another_host_gets_neither_login_nor_mail(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, play: Play
) -> None:
    others = make_certificate(tmp_path, "DNS:relay.test")
    monkeypatch.setenv("SSL_CERT_FILE", str(others))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(others)
    relay = Relay(features=OFFERS, context=context, implicit=scheme == "smtps")
    outcome = deliver_one(play(relay, scheme, "pbm@", "hunter2").road, MAIL)
    assert isinstance(outcome, Closed)
    assert "mismatch" in outcome.reason
    assert not any(line.startswith(("AUTH", "mail")) for line in relay.heard)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("relay", "why"),
    [
        (Relay(features=("AUTH PLAIN",)), "it offers no STARTTLS"),
        (Relay({"starttls": ["454 4.7.0 not now"]}, OFFERS), "454 4.7.0 not now"),
        (Relay({"starttls": ["554 5.7.0 never"]}, OFFERS), "554 5.7.0 never"),
        (Relay({"starttls": ["nonsense"]}, OFFERS), "-1 ense"),
        (Relay({"starttls": [DROP]}, OFFERS), "closed"),
        (Relay({"starttls": [HANG]}, OFFERS), "timed out"),
    ],
    ids=["not offered", "not now", "refused", "nonsense", "dropped", "silent"],
)
@pytest.mark.parametrize("user", ["", "pbm@"])
def test_there_is_no_way_back_to_clear_text(user: str, relay: Relay, why: str, play: Play) -> None:
    relay = Relay(dict(relay.answers), relay.features)
    password = "hunter2" if user else ""
    timeout = 0.5 if why == "timed out" else 20
    outcome = deliver_one(play(relay, "smtp", user, password, "?starttls=yes", timeout).road, MAIL)
    assert isinstance(outcome, Closed)
    assert why in outcome.reason
    assert not any(line.startswith(("AUTH", "mail")) for line in relay.heard)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    "answer", [f"535 5.7.8 no: {LOGIN} hunter2", "454 4.7.0 later", "421 bye", "nonsense", DROP, HANG]
)
def test_a_refused_login_is_no_fault_of_the_mail(answer: str, context: ssl.SSLContext, play: Play) -> None:
    relay = Relay({"auth": [answer]}, OFFERS, context)
    outcome = deliver_one(play(relay, "smtp", "pbm@", "hunter2", timeout=2 if answer == HANG else 20).road, MAIL)
    assert isinstance(outcome, Closed)
    told = outcome.reason.partition(": ")[2]
    assert told.startswith(("it refuses the login: ", "the login fails: ")), outcome.reason
    assert "hunter2" not in outcome.reason
    assert LOGIN not in outcome.reason
    assert not any(line.startswith("mail") for line in relay.heard)


@pytest.mark.usefixtures("trusted")
def test_a_relay_without_login(context: ssl.SSLContext, play: Play) -> None:
    scene = play(Relay(features=("STARTTLS",), context=context), "smtp", "pbm@", "hunter2")
    outcome = deliver_one(scene.road, MAIL)
    assert isinstance(outcome, Closed)
    assert outcome.reason.endswith(": it offers no login that we know")
