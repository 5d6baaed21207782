"""`pbmserv tidy`, the part of `serve` that does the same, and `admin inbox discard`."""

import logging
import threading
from datetime import timedelta
from unittest.mock import patch

import pytest
from sqlalchemy import text

from pbmserv.server.scheduler import purging
from pbmserv.services.app import App
from pbmserv.services.views import list_inbox
from pbmserv.store.engine import writing
from tests.cli.processes import PATIENCE, wait_for
from tests.cli.terminal import RealClock, Terminal
from tests.services.post import Post

NEVER = 10**6


@pytest.fixture
def post(sqlite_house: App) -> Post:
    """By the clock on the wall, as the part goes."""
    return Post(sqlite_house, RealClock())


def age(house: App, days: int) -> None:
    """All mails are so much older than they are, and sent."""
    with writing(house.engine) as connection:
        for table, column in (("inbox", "handled_at"), ("outbox", "created_at")):
            statement = f"UPDATE {table} SET {column} = datetime({column}, '-{days} days')"
            connection.execute(text(statement))
        connection.execute(text("UPDATE outbox SET status = 'sent'"))


def words_kept(house: App) -> int:
    """How many mails taken in still say something."""
    return sum(mail.raw != b"" for mail in list_inbox(house, None, 1000))


def test_from_a_timer(club: Terminal) -> None:
    """One line; what is younger than the setting stays."""
    post = club.post()
    nothing = "0 received mails, 0 sent mails and 0 bounces were deleted"
    assert club.succeed("tidy") == f"Older than 90 days: {nothing}.\n"
    age(post.house, 80)
    assert club.succeed("tidy") == f"Older than 90 days: {nothing}.\n"
    club.settings["PBMSERV_KEEP_DAYS"] = "79"
    said = club.succeed("tidy")
    assert said == "Older than 79 days: 4 received mails, 6 sent mails and 0 bounces were deleted.\n"
    assert words_kept(post.house) == 0
    assert club.succeed("tidy") == f"Older than 79 days: {nothing}.\n"
    assert club.succeed("admin", "check") == "No differences.\n"
    assert "It is bob's turn." in club.succeed("admin", "show", "101")
    post.house.engine.dispose()


def test_as_a_part_of_serve(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    """Again and again, one line where something was done; trouble is told and waited out."""
    house = post.house
    caplog.set_level(logging.INFO)
    post.people(alice="sesame")
    stop = threading.Event()
    part = purging(house, timedelta(days=90), first_after=0, every=0.01)
    thread = threading.Thread(target=part, args=(stop,))
    with patch("pbmserv.server.scheduler.PURGE_AGAIN_AFTER", 0.01):
        thread.start()
        try:
            age(house, 100)
            wait_for(lambda: words_kept(house) == 0)
            wait_for(lambda: "old mail was deleted count=2" in caplog.text)
            with writing(house.engine) as connection:
                connection.execute(text("ALTER TABLE bounces RENAME TO elsewhere"))
            wait_for(lambda: "no such table: bounces" in caplog.text)
            with writing(house.engine) as connection:
                connection.execute(text("ALTER TABLE elsewhere RENAME TO bounces"))
            post.mail("alice@example.org", "list")
            age(house, 100)
            wait_for(lambda: words_kept(house) == 0)
        finally:
            stop.set()
            thread.join(PATIENCE)
    assert not thread.is_alive()
    assert not [record for record in caplog.records if record.exc_info]


def test_a_part_that_waits_ends_when_told(post: Post) -> None:
    post.people(alice="sesame")
    age(post.house, 100)
    stop = threading.Event()
    thread = threading.Thread(target=purging(post.house, timedelta(days=90), NEVER), args=(stop,))
    thread.start()
    stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert words_kept(post.house) == 1


def test_a_mail_set_aside_is_discarded(club: Terminal) -> None:
    post = club.post()
    mail_id = post.put(post.write("alice@example.org", "as alice sesame"))
    with writing(post.house.engine) as connection:
        connection.execute(text(f"UPDATE inbox SET status = 'set aside' WHERE id = {mail_id}"))
    assert club.succeed("admin", "inbox", "discard", str(mail_id), "--yes") == f"Mail {mail_id} is discarded.\n"
    done = club.run("admin", "inbox", "discard", str(mail_id), "--yes")
    assert done.code == 1
    assert f"no mail {mail_id} is set aside" in done.sentence
    assert post.row(mail_id).raw == b""
    assert club.succeed("admin", "inbox") == "No mails set aside or held up.\n"
    post.house.engine.dispose()


@pytest.mark.parametrize("days", ["13", "0", "-1", "ever"])
def test_too_few_days_to_keep(terminal: Terminal, days: str) -> None:
    """Fewer than a mail may be on its way, and than limits look back."""
    terminal.settings["PBMSERV_KEEP_DAYS"] = days
    done = terminal.run("config")
    assert done.code == 78
    assert "PBMSERV_KEEP_DAYS" in done.sentence
