"""The poller through everything that happens to a mailbox in months: the next mail is always found."""

import logging
import os
import re
import signal
import threading
import time

import pytest
from sqlalchemy.exc import OperationalError

from pbmserv.mail.receiving import imap_mailbox as imap
from pbmserv.mail.receiving.imap_mailbox import ImapError, LoginRefused, Silence
from pbmserv.server import poller
from pbmserv.server.poller import MailboxHealth
from pbmserv.services.app import App
from pbmserv.services.receive import receive_mail
from tests.cli.processes import wait_for
from tests.conftest import ADDRESS
from tests.roads.imap.box import Box, inbox_of, mail, subjects_in
from tests.servers.dovecot import Dovecot, running_dovecot
from tests.services.post import Post

LONG = 10**6
is_soak = os.environ.get("PBMSERV_SOAK") == "1"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less patience than in life, except in the long tests."""
    if not is_soak:
        monkeypatch.setattr(imap, "CHECK_EVERY", 1.0)
        monkeypatch.setattr(poller, "ANSWER_WITHIN", 1.0)
        monkeypatch.setattr(poller, "SETTLED_AFTER", 0.5)


REAL = imap.CHECK_EVERY + poller.ANSWER_WITHIN + poller.FIRST_PAUSE


def test_trouble_is_over_within_ten_seconds() -> None:
    """As long as a session that hangs is believed, and a server that was away is left alone."""
    assert REAL < 10
    assert poller.LONGEST_PAUSE < 10


def test_mails_are_kept_as_they_come_and_the_worker_is_told(
    box: Box, sqlite_house: App, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    box.deliver("one")
    with box.polled(sqlite_house) as polled:
        polled.wait_for("one")
        assert polled.bell.wait(60)
        polled.bell.clear()
        box.wait_until_idle()
        box.deliver("two")
        polled.wait_for("one", "two")
        assert polled.bell.wait(60)
    assert box.subjects("Kept") == ["one", "two"]
    assert [kept.recipients for kept in inbox_of(sqlite_house)] == [(ADDRESS,)] * 2
    assert f"mailbox=imap://{box.user}@127.0.0.1:" in caplog.text
    assert "stored mail=2 " in caplog.text


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
def test_a_session_that_ends_or_hangs_is_made_anew(
    box: Box, sqlite_house: App, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "READ_WITHIN", LONG)  # it is in idling that a hanging session is noticed
    with box.polled(sqlite_house) as polled:
        try:
            box.wait_until_idle()
            assert box.server.kill_sessions(number) == 1
            box.deliver("one")
            polled.wait_for("one")
        finally:
            box.server.kill_sessions(signal.SIGCONT)


def test_a_server_that_stops_and_starts(sqlite_house: App, caplog: pytest.LogCaptureFixture) -> None:
    """It is looked for all the time, without haste and without many words."""
    caplog.set_level(logging.INFO)
    length = 30 if is_soak else 2  # there must be a while to measure
    with running_dovecot() as server:
        box = Box(server)
        with box.polled(sqlite_house) as polled:
            box.wait_until_idle()
            server.stop()
            used, began = time.process_time(), time.monotonic()
            threading.Event().wait(length)
            share = (time.process_time() - used) / (time.monotonic() - began)
            assert share < 0.3, "it is in haste"
            server.start()
            box.deliver("one")
            polled.wait_for("one")
            wait_for(lambda: "all is well again" in caplog.text)
    assert caplog.text.count("refused") == 1
    assert caplog.text.count("connected to the mailbox") == 1


def test_waiting_costs_nothing(box: Box, sqlite_house: App) -> None:
    with box.polled(sqlite_house):
        box.wait_until_idle()
        used, began = time.process_time(), time.monotonic()
        threading.Event().wait(3)
        assert (time.process_time() - used) / (time.monotonic() - began) < 0.3


def test_a_folder_that_is_deleted_and_made_again(box: Box, sqlite_house: App) -> None:
    box.folder = "Club"
    with box.client() as client:
        client.create_folder("Club")
    with box.polled(sqlite_house) as polled:
        for subject in ("one", "two", "three"):
            with box.client() as client:
                client.append("Club", mail(subject))
            wait_for(lambda each=subject: each in polled.subjects())  # type: ignore[misc]
            with box.client() as client:
                client.delete_folder("Club")
                client.create_folder("Club")
        polled.wait_for("one", "two", "three")


def test_a_server_without_idle_is_asked_now_and_then(sqlite_house: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imap, "POLL_EVERY", 0.2)
    with running_dovecot("imap_capability = IMAP4rev1 LITERAL+ UIDPLUS MOVE\n") as server:
        box = Box(server)
        with box.polled(sqlite_house) as polled:
            for number in range(1, 3):
                box.deliver(f"m{number}")
                polled.wait_for(*(f"m{each}" for each in range(1, number + 1)))
        assert "IDLE" not in server.log


def test_the_whole_folder_is_looked_at_now_and_then(
    box: Box, sqlite_house: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not be moved is moved once it can."""
    monkeypatch.setattr(poller, "RENEW_EVERY", 0.5)
    box.refuse_to_keep()
    box.deliver("one")
    with box.polled(sqlite_house) as polled:
        polled.wait_for("one")
        (box.server.folder / "mail" / box.user / ".Kept").unlink()
        wait_for(lambda: box.subjects("Kept") == ["one"])
    assert subjects_in(sqlite_house) == ["one"]


class Away:
    """A database that is away for a while."""

    def __init__(self, box: Box) -> None:
        self.box, self.is_away, self.calls = box, True, 0

    def __call__(self, *arguments: object) -> int:
        """Keeps a mail if it can."""
        self.calls += 1
        if self.is_away:
            raise OperationalError("INSERT", {}, Exception("gone"))
        return receive_mail(*arguments)  # type: ignore[arg-type]


def test_a_database_that_is_away_is_waited_for(
    box: Box, sqlite_house: App, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is moved meanwhile, and the session may die under it."""
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(poller, "DATABASE_PAUSE", 0.01)
    monkeypatch.setattr(poller, "LONGEST_DATABASE_PAUSE", 0.05)
    away = Away(box)
    monkeypatch.setattr(poller, "receive_mail", away)
    box.deliver("one", "two")
    with box.polled(sqlite_house) as polled:
        wait_for(lambda: away.calls > 3)
        assert box.subjects() == ["one", "two"]
        box.server.kill_sessions(signal.SIGKILL)
        away.is_away = False
        polled.wait_for("one", "two")
        wait_for(lambda: box.subjects("Kept") == ["one", "two"])
    assert caplog.text.count("the database is away") == 1
    assert caplog.text.count("the database is back") == 1


def test_told_to_stop_it_does_not_wait_for_the_database(
    box: Box, sqlite_house: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = Away(box)
    monkeypatch.setattr(poller, "receive_mail", away)
    monkeypatch.setattr(poller, "DATABASE_PAUSE", LONG)
    box.deliver("one")
    with box.polled(sqlite_house):
        wait_for(lambda: away.calls > 0)
    assert box.subjects() == ["one"]


def test_told_to_stop_it_does_not_wait_for_news(
    box: Box, sqlite_house: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "CHECK_EVERY", LONG)
    with box.polled(sqlite_house):
        box.wait_until_idle()


def test_two_roads_bring_one_mail(box: Box, sqlite_house: App) -> None:
    """By the listener and by the mailbox; the second is a success without effect."""
    post = Post(sqlite_house)
    post.put(mail("help"), "alice@example.org")
    box.deliver("help")
    with box.polled(sqlite_house) as polled:
        polled.wait_for("help", "help")
    post.clock.move(days=36_500)  # the poller went by the real clock
    post.work()
    assert post.fates() == ["handled", "duplicate"]
    assert len(post.letters()) == 1


def test_a_wrong_password_is_told_once_and_tried_again(
    dovecot: Dovecot, sqlite_house: App, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr("tests.roads.imap.box.PASSWORD", "Xy7zzy-Q")
    monkeypatch.setattr(poller, "FIRST_PAUSE_OF_LOGIN", 0.1)
    box = Box(dovecot)
    with box.polled(sqlite_house):
        wait_for(lambda: len(re.findall(rf"auth failed.*user=<{box.user}>", dovecot.log)) > 1)
    assert caplog.text.count("the login is refused") == 1
    assert 'error="[AUTHENTICATIONFAILED]' in caplog.text
    assert "Xy7zzy" not in caplog.text


def test_no_mail_and_no_password_is_in_the_log(
    box: Box, sqlite_house: App, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    box.server.deliver(box.user, mail("one", "Xy7zzy-Q"))
    with box.polled(sqlite_house) as polled:
        polled.wait_for("one")
    assert "stored mail=" in caplog.text
    for secret in ("Xy7zzy", "LOGIN", "AUTHENTICATE", "alice@example.org"):
        assert secret not in caplog.text


def test_pauses_grow_and_are_never_quite_the_same() -> None:
    health = MailboxHealth("there")
    pauses = [health.pause_after(ImapError("broken")) for _ in range(20)]
    for pause, most in zip(pauses, [1, 2, 4] + [8] * 17, strict=True):
        assert most / 2 <= pause <= most
    assert len(set(pauses)) > 10
    pauses = [health.pause_after(LoginRefused("no")) for _ in range(10)]
    for pause, most in zip(pauses, [10, 20, 40, 80, 160] + [300] * 5, strict=True):
        assert most / 2 <= pause <= most


def test_a_connection_that_always_breaks_is_made_ever_more_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one that has lasted makes it forget the trouble."""
    clock = [0.0]
    monkeypatch.setattr("pbmserv.server.poller.time.monotonic", lambda: clock[0])
    health = MailboxHealth("there")
    for _ in range(3):
        health.connected()
        health.fetched_all()
        pause = health.pause_after(ImapError("broken"))
    assert pause >= 2
    health.connected()
    clock[0] += 11
    health.fetched_all()
    assert health.pause_after(ImapError("broken")) <= 1


def test_a_slow_server_gets_more_patience() -> None:
    health = MailboxHealth("there", patience=3.0)
    for patience in (6, 12, 24, 30, 30):
        health.pause_after(Silence("no answer"))
        assert health.patience == patience
