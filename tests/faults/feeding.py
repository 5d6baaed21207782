"""People who go on mailing whatever happens, and what must have come of it in the end."""

import smtplib
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from pathlib import Path

from argon2 import PasswordHasher
from sqlalchemy import func, select

from pbmserv.commands.server import Server
from pbmserv.mail.sending.maildir import read_all
from pbmserv.services.app import App
from pbmserv.store.engine import open_engine, reading
from pbmserv.store.tables import inbox, letters, matches, outbox
from tests.cli.processes import PATIENCE, PBMSERV, wait_for
from tests.conftest import ADDRESS, make_house
from tests.services.post import Post

NOT_NOW = 451
TRY_LATER = 75
BETWEEN_MAILS = 0.05
"""Seconds, so that a worker can keep up."""

PASSWORD = "sesame"

CHALLENGES = 5
"""Of each: who has too many games is refused, and refusals are answered up to a number only."""


@dataclass
class Feeding:
    """Players who challenge each other a few times, and then change a setting to and fro, again and again.

    What changes something is answered without end, and nothing else is.
    """

    port: int
    people: Sequence[str]
    brought: int = 0
    replies: Counter[int] = field(default_factory=Counter)
    over: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def bring(self, name: str, number: int) -> None:
        """Brings one mail until it is taken, as a sending mail server does; its bytes are always the same."""
        other = self.people[self.people.index(name) - 1]
        setting = f"set {name} {PASSWORD} html {'on' if number % 2 == 0 else 'off'}"
        command = f"cephalopod challenge {name} {other}" if number < CHALLENGES else setting
        wait_for(lambda: self.try_once(mail(name, command, number)) == 250)
        with self.lock:
            self.brought += 1

    def try_once(self, raw: bytes) -> int:
        """The code that answers a mail; 0 where nobody does."""
        try:
            with smtplib.SMTP("127.0.0.1", self.port, "client.test", timeout=PATIENCE) as link:
                link.sendmail("somebody@example.org", [ADDRESS], raw)
                code = 250
        except smtplib.SMTPResponseException as error:
            code = error.smtp_code
        except OSError:
            code = 0
        with self.lock:
            self.replies[code] += 1
        return code

    def wait_for_more(self, code: int, count: int = 3) -> None:
        """Until more mails were answered so."""
        wanted = self.replies[code] + count
        wait_for(lambda: self.replies[code] >= wanted)


def challenge(name: str, other: str, number: int) -> bytes:
    """A mail that makes a board."""
    return mail(name, f"cephalopod challenge {name} {other}", number)


def mail(name: str, command: str, number: int) -> bytes:
    """A player's mail with one command."""
    return (
        f"From: {name}@example.org\r\nTo: {ADDRESS}\r\nMessage-ID: <{name}-{number}@example.org>\r\n"
        f"Subject: {command}\r\n\r\n"
    ).encode()


def house_at(url: str) -> App:
    """A house on the empty database there."""
    return make_house(
        url,
        PasswordHasher(time_cost=1, memory_cost=8, parallelism=1),
        Server(ADDRESS, variants=True, confirm="from"),
    )


def sign_up(url: str, people: Sequence[str]) -> None:
    """Makes the tables there, and the players."""
    house = house_at(url)
    Post(house).people(**dict.fromkeys(people, PASSWORD))
    house.engine.dispose()


@contextmanager
def feeding(port: int, people: Sequence[str], most: int = 10**6) -> Iterator[Feeding]:
    """Everybody mails, one mail after the other, until the block ends or each has sent so many."""
    feed, pace = Feeding(port, people), threading.Event()

    def go_on(name: str) -> None:
        for number in range(most):
            if feed.over:
                return
            feed.bring(name, number)
            pace.wait(BETWEEN_MAILS)

    threads = [threading.Thread(target=go_on, args=(name,)) for name in people]
    for thread in threads:
        thread.start()
    try:
        yield feed
    finally:
        feed.over = True
        for thread in threads:
            thread.join(PATIENCE)


def receive(settings: dict[str, str], folder: Path, raw: bytes) -> int:
    """The exit code of the pipe for MTAs."""
    done = subprocess.run(
        [PBMSERV, "receive"],
        input=raw,
        env=settings,
        cwd=folder,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode


def wait_until_quiet(url: str, patience: float = PATIENCE) -> None:
    """Until nothing waits in the inbox and no letter is due; nobody had to do anything for it."""
    engine = open_engine(url)

    def is_quiet() -> bool:
        with reading(engine) as connection:
            is_handled = connection.execute(select(inbox.c.id).where(inbox.c.status == "waiting")).first() is None
            due = select(letters.c.id).where(letters.c.due_at < datetime.now(UTC) + timedelta(hours=1))
            return is_handled and connection.execute(due).first() is None

    wait_for(is_quiet, patience)
    engine.dispose()


def assert_each_handled_once(url: str, mails: int, by_one_clock: bool = True) -> None:
    """So many mails were handled, each player's in order; each was answered once, and made one board at most."""
    engine = open_engine(url)
    with reading(engine) as connection:
        boards = connection.execute(select(func.count()).select_from(matches)).scalar_one()
        rows = connection.execute(select(inbox).order_by(inbox.c.handled_at, inbox.c.id)).all()
        pairs = select(inbox.c.sender, inbox.c.id).join(outbox, outbox.c.inbox_id == inbox.c.id)
        letters = [(row.sender, row.id) for row in connection.execute(pairs.order_by(outbox.c.id))]
    engine.dispose()
    fates = Counter(row.status for row in rows)
    assert fates["handled"] == mails, fates
    assert {row.status for row in rows} <= {"handled", "duplicate"}
    assert {(row.tries, row.kills) for row in rows} == {(0, 0)}
    handled = [(row.sender, row.id) for row in rows if row.status == "handled"]
    if by_one_clock:
        assert sorted(handled, key=itemgetter(0)) == sorted(handled), "in the order in which they came"
    answered = Counter(letters)
    assert answered.keys() == {(row.sender, row.id) for row in rows if row.status == "handled"}
    assert Counter(answered.values()) == Counter({1: mails - boards, 2: boards}), "a board is mailed to both"


def message_ids(maildir: Path) -> Counter[str]:
    """How often each mail was sent."""
    return Counter(letter.header("Message-ID") for letter in read_all(maildir))
