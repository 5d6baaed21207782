"""What `status` finds when a real mailbox or relay is broken: as the poller and the sender meet it."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from pbmserv.mail.mail_urls import mailbox_address
from pbmserv.mail.receiving.imap_mailbox import Disposition, ImapError, UntrustedCertificate, open_mailbox
from pbmserv.mail.sending.destination import open_transport
from pbmserv.server.parts import Part, sending
from pbmserv.server.poller import MailboxHealth, polling
from pbmserv.services.admin.findings import Verdict
from pbmserv.services.admin.status import Premises, look_around
from pbmserv.services.app import App, utc_now
from pbmserv.services.views import list_outbox
from tests.cli.processes import wait_for
from tests.cli.terminal import RealClock
from tests.free_port import free_port
from tests.servers.certificate import make_certificate
from tests.servers.dovecot import PASSWORD, Dovecot, running_dovecot
from tests.servers.postfix import Postfix, running_postfix
from tests.services.post import Post

pytestmark = pytest.mark.slow

PREMISES = Premises(Path("/"), ())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that nobody vouches for."""
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def auth_port() -> int:
    """Where Dovecot answers Postfix whether a password is right."""
    return free_port()


@pytest.fixture(scope="module")
def secure_port() -> int:
    """Where Dovecot speaks TLS from the start."""
    return free_port()


@pytest.fixture(scope="module")
def dovecot(certificate: Path, auth_port: int, secure_port: int) -> Iterator[Dovecot]:
    more = f"""
ssl = yes
ssl_cert = <{certificate}
ssl_key = <{certificate.with_name("key")}
service imap-login {{
  inet_listener imaps {{
    address = 127.0.0.1
    port = {secure_port}
    ssl = yes
  }}
}}
service auth {{
  inet_listener {{
    address = 127.0.0.1
    port = {auth_port}
  }}
}}
"""
    with running_dovecot(more) as server:
        yield server


@pytest.fixture(scope="module")
def postfix(dovecot: Dovecot, certificate: Path, auth_port: int) -> Iterator[Postfix]:
    """A relay that wants a login where one is tried, and offers STARTTLS; it keeps what it takes."""
    settings = {
        "smtpd_sasl_auth_enable": "yes",
        "smtpd_sasl_type": "dovecot",
        "smtpd_sasl_path": f"inet:127.0.0.1:{auth_port}",
        "smtpd_tls_cert_file": str(certificate),
        "smtpd_tls_key_file": str(certificate.with_name("key")),
        "smtpd_tls_security_level": "may",
    }
    with running_postfix(dovecot.lmtp_port, free_port(), **settings) as server:
        yield server


@contextmanager
def running(part: Part) -> Iterator[None]:
    stop = threading.Event()
    thread = threading.Thread(target=part, args=(stop,), name="part")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def poller(house: App, url: str, password: str) -> Part:
    address = mailbox_address(url)
    return polling(
        lambda: open_mailbox(address, password, Disposition()), address.place, house, 10**6, threading.Event()
    )


def trouble(house: App, name: str) -> str:
    """What is said of a mailbox or relay that is broken, half a minute from now; empty if it is not."""
    found = {each.name: each for each in look_around(house, PREMISES, utc_now() + timedelta(seconds=31))}
    return found[name].found if name in found and found[name].verdict is Verdict.BROKEN else ""


@pytest.mark.parametrize(
    ("url", "password", "said"),
    [
        ("imap://club@127.0.0.1:{port}?starttls=no", "wrong", "the login is refused"),
        ("imap://club@127.0.0.1:{closed}?starttls=no", PASSWORD, "refused"),
        ("imap://club@no-such-host.invalid:{port}?starttls=yes", PASSWORD, "no-such-host.invalid"),
        ("imap://club@127.0.0.1:{port}?starttls=yes", PASSWORD, "certificate is not trusted: self-signed"),
        ("imaps://club@127.0.0.1:{secure}", PASSWORD, "certificate is not trusted: self-signed"),
    ],
    ids=["password", "port", "host", "starttls", "imaps"],
)
def test_a_broken_mailbox(
    sqlite_house: App,
    dovecot: Dovecot,
    secure_port: int,
    caplog: pytest.LogCaptureFixture,
    url: str,
    password: str,
    said: str,
) -> None:
    """It is an error in the log, and `status` says what the poller met; it is fine again once it is mended."""
    where = url.format(port=dovecot.imap_port, secure=secure_port, closed=free_port())
    with running(poller(sqlite_house, where, password)):
        wait_for(lambda: said in trouble(sqlite_house, "mailbox"))
    assert [level for _, level, line in caplog.record_tuples if "mailbox" in line][:1] == [logging.ERROR]
    with running(poller(sqlite_house, f"imap://club@127.0.0.1:{dovecot.imap_port}?starttls=no", PASSWORD)):
        wait_for(lambda: not trouble(sqlite_house, "mailbox"))


def test_a_certificate_that_ends_while_it_runs(caplog: pytest.LogCaptureFixture) -> None:
    """An error, though the mailbox was read before: it does not mend itself."""
    health = MailboxHealth("the mailbox")
    health.connected()
    health.pause_after(ImapError("the connection broke"))
    health.pause_after(UntrustedCertificate("its certificate is not trusted: certificate has expired"))
    levels = [level for name, level, _ in caplog.record_tuples if name.endswith("poller")]
    assert levels == [logging.WARNING, logging.ERROR]


def sender(house: App, url: str, password: str = "") -> Part:
    return sending(house, lambda: open_transport(url, password=password, hostname="club.test"), threading.Event())


@pytest.mark.parametrize(
    ("url", "password", "said"),
    [
        ("smtp://127.0.0.1:{closed}", "", "127.0.0.1:{closed}: it cannot be reached: Connection refused"),
        ("smtp://no-such-host.invalid:{port}", "", "no-such-host.invalid:{port}: there is no host of that name"),
        ("smtp://club@127.0.0.1:{port}?starttls=no", "wrong", "127.0.0.1:{port}: it refuses the login: 535"),
        (
            "smtp://club@127.0.0.1:{port}?starttls=yes",
            PASSWORD,
            "127.0.0.1:{port}: its certificate is not trusted: self-signed certificate",
        ),
    ],
    ids=["dead", "host", "password", "certificate"],
)
def test_a_broken_relay(
    sqlite_house: App, postfix: Postfix, caplog: pytest.LogCaptureFixture, url: str, password: str, said: str
) -> None:
    """Mail waits, the log has an error, and `status` says why; once it is mended, mail goes and all is fine."""
    Post(sqlite_house).mail("alice@example.org", "help")
    closed = free_port()
    where, words = (each.format(port=postfix.port, closed=closed) for each in (url, said))
    with running(sender(sqlite_house, where, password)):
        wait_for(lambda: trouble(sqlite_house, "relay") != "")
    assert trouble(sqlite_house, "relay").startswith(f"the way out is closed: {words} (for ")
    (first,) = [level for _, level, line in caplog.record_tuples if "the way out is closed" in line]
    assert first == logging.ERROR
    with running(sender(sqlite_house, f"smtp://club@127.0.0.1:{postfix.port}?starttls=no", PASSWORD)):
        wait_for(lambda: not trouble(sqlite_house, "relay"))
        wait_for(lambda: {mail.status for mail in list_outbox(sqlite_house, None, 10)} == {"sent"})


def test_a_relay_that_puts_everything_off(sqlite_house: App, postfix: Postfix) -> None:
    """Each mail waits for its next try and none is due; an hour later `status` knows better."""
    for name in ("alice", "bob"):
        Post(sqlite_house, RealClock()).mail(f"{name}@example.org", "help")
    postfix.set(smtpd_recipient_restrictions="defer")
    try:
        with running(sender(sqlite_house, f"smtp://127.0.0.1:{postfix.port}?starttls=no")):
            wait_for(lambda: all(mail.tries for mail in list_outbox(sqlite_house, None, 10)))
    finally:
        postfix.set(smtpd_recipient_restrictions="")
    found = look_around(sqlite_house, PREMISES, utc_now() + timedelta(minutes=70))
    (told,) = [each for each in found if each.name == "mail out"]
    assert told.verdict is Verdict.BROKEN
    assert told.found.startswith("none has gone out for 70 minutes, 2 tried in vain: 45")
