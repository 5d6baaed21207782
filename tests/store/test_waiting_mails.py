"""Databases that 0.5.0, 0.9.0 and 0.13.0 left with mails on their way: each comes once, and all play on.

`waiting-VERSION.sql.gz` are dumps of SQLite databases that those versions have written themselves. Alice plays
with bob on board 101, with carol on 102, and with a robot on 103. Mail to carol comes back. Alice has moved on
all three, and no sender has looked since: two answers and a board wait to be sent, a board is withheld from
carol, and a third answer waits, which 0.9.0 and 0.13.0 hold for the robot. A move of bob's and a sign-up of
dora's are not handled yet.
"""

import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from pbmserv.commands.server import Server
from pbmserv.mail.sending.transport import Delivered, Outcome, Outgoing
from pbmserv.services.admin.check import check, renew
from pbmserv.services.app import App, WordMakers
from pbmserv.services.bounces import lift
from pbmserv.services.robots import play_robots
from pbmserv.services.writer import write_due
from pbmserv.store.engine import open_engine
from tests.conftest import ADDRESS, NOON, Clock, Counting
from tests.mail.one_by_one import OneByOne
from tests.services.post import Post
from tests.services.sending import deliver_due

ALICE, BOB, CAROL, DORA = (f"{name}@example.org" for name in ("alice", "bob", "carol", "dora"))
VERSIONS = ("0.5.0", "0.9.0", "0.13.0")
LAST_USED = NOON + timedelta(minutes=8)


class Taking(OneByOne):
    """A way out that takes everything, and the recipient and text of each mail that has gone."""

    def __init__(self) -> None:
        self.gone: list[tuple[str, bytes]] = []

    def outcome_of(self, mail: Outgoing) -> Outcome:
        self.gone.append((mail.recipient, mail.raw))
        return Delivered()


@pytest.fixture(params=VERSIONS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The database as that version left it."""
    file = tmp_path / "pbmserv.db"
    dump = gzip.decompress((Path(__file__).parent / f"waiting-{request.param}.sql.gz").read_bytes())
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(dump.decode())
    return file


@pytest.fixture
def club(database: Path, quick_hasher: PasswordHasher) -> Iterator[Post]:
    """The same, upgraded, a minute later."""
    engine = open_engine(f"sqlite:///{database}")
    renew(engine)
    makers = WordMakers(key=Counting("x"), thread_word=Counting("y"), bounce_word=Counting("z"))
    app = App(engine, Server(ADDRESS, variants=True, confirm="from"), Counting("n"), quick_hasher, makers=makers)
    clock = Clock()
    clock.now = LAST_USED
    clock.move(minutes=1)
    yield Post(app, clock, written=1000)
    engine.dispose()


def on_their_way(database: Path, status: str) -> list[tuple[str, bytes]]:
    """The recipients and texts of the mails in the outbox with that status, as the old version wrote them."""
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT recipient, raw FROM outbox WHERE status = ? ORDER BY id"
        return connection.execute(query, (status,)).fetchall()


def test_each_comes_once(database: Path, club: Post) -> None:
    """What was written goes as it is, what was withheld when that is lifted; what waited to be handled is."""
    waiting, withheld = on_their_way(database, "waiting"), on_their_way(database, "withheld")
    assert [recipient for recipient, _ in waiting] == [ALICE, ALICE, BOB, ALICE]
    assert [recipient for recipient, _ in withheld] == [CAROL]
    way = Taking()

    def brought() -> list[tuple[str, bytes]]:
        """What goes out once all that can be done is done."""
        before = len(way.gone)
        club.work()
        while write_due(club.house, club.clock()):
            pass
        deliver_due(club.house, way, club.clock)
        return way.gone[before:]

    first = brought()
    assert [first.count(each) for each in waiting] == [1, 1, 1, 1]
    assert sorted(recipient for recipient, raw in first if (recipient, raw) not in waiting) == [ALICE, BOB, DORA]
    assert club.moves(101) == ["B2", "A1", "C1", "A3"]
    assert brought() == []
    while play_robots(club.house, club.clock()):
        pass
    assert [recipient for recipient, _ in brought()] == [ALICE]
    assert len(club.moves(103)) == 2
    assert lift(club.house, "carol", club.clock()) == CAROL
    lifted = brought()
    assert withheld[0] in lifted
    assert {recipient for recipient, _ in lifted} == {CAROL}
    club.clock.move(hours=1)
    assert brought() == []
    words = [raw.partition(b"\r\nMessage-ID: ")[2].partition(b"\r\n")[0] for _, raw in way.gone]
    assert len(set(words)) == len(words)
    assert check(club.house) == []


def test_old_mails_can_be_answered(club: Post) -> None:
    """By their tokens: the board that was withheld from carol, and the one on which bob has moved."""
    club.work()
    asking = club.with_server(confirm="ask")
    boards = {each.recipient: each for each in asking.letters() if each.kind == "board" and each.status != "sent"}
    asking.answer(boards[CAROL], "a1")
    assert asking.moves(102) == ["B2", "A1"]
    asking.answer(boards[ALICE], "c3")
    assert asking.moves(101)[4:] == ["C3"]
    assert check(asking.house) == []
