"""What `status` finds when a real mailbox or relay is broken: as the poller and the sender meet it."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from pbmserv.mail.receiving.imap_address import mailbox_address
from pbmserv.mail.receiving.imap_mailbox import Disposition, open_mailbox
from pbmserv.mail.sending.destination import open_transport
from pbmserv.server.parts import Part, sending
from pbmserv.server.poller import polling
from pbmserv.services.admin.findings import Verdict
from pbmserv.services.admin.status import Premises, look_around
from pbmserv.services.app import App, utc_now
from tests.cli.processes import wait_for
from tests.free_port import free_port
from tests.servers.dovecot import PASSWORD, Dovecot, running_dovecot
from tests.services.post import Post

pytestmark = pytest.mark.slow

PREMISES = Premises(Path("/"), ())


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    with running_dovecot() as server:
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
        ("imap://club@127.0.0.1:{port}?starttls=yes", PASSWORD, "STARTTLS"),
    ],
    ids=["password", "port", "host", "tls"],
)
def test_a_broken_mailbox(
    sqlite_house: App, dovecot: Dovecot, caplog: pytest.LogCaptureFixture, url: str, password: str, said: str
) -> None:
    """It is an error in the log, and `status` says what the poller met; it is fine again once it is mended."""
    where = url.format(port=dovecot.imap_port, closed=free_port())
    with running(poller(sqlite_house, where, password)):
        wait_for(lambda: said in trouble(sqlite_house, "mailbox"))
    assert [level for _, level, line in caplog.record_tuples if "mailbox" in line][:1] == [logging.ERROR]
    with running(poller(sqlite_house, f"imap://club@127.0.0.1:{dovecot.imap_port}?starttls=no", PASSWORD)):
        wait_for(lambda: not trouble(sqlite_house, "mailbox"))


def test_a_dead_relay(sqlite_house: App) -> None:
    """Mail waits, and `status` says why."""
    Post(sqlite_house).mail("alice@example.org", "help")
    url = f"smtp://127.0.0.1:{free_port()}"
    with running(
        sending(sqlite_house, lambda: open_transport(url, password="", hostname="club.test"), threading.Event())
    ):
        wait_for(lambda: "the way out is closed" in trouble(sqlite_house, "relay"))
