"""A club that version 0.5.0 has served for seven weeks is upgraded: no board changes, and all goes on.

`club-0.5.0.sql.gz` is the dump of its SQLite database (schema 0005). `club-0.5.0.json.gz` holds the record of each
board as that version wrote it. Five people, one of whom has left, and a robot have played 21 boards by mail: games
of two, three and four to their ends, resigned, forfeited, drawn, declined, voided, awarded, taken back and paused.
Nine are running. A queue, a submitted move, a draw, a take-back and two open offers are pending, and bob is away.
"""

import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher

from pbmserv.commands.server import Server
from pbmserv.rendering.record import record_of
from pbmserv.services.admin.check import check, renew
from pbmserv.services.app import App, WordMakers
from pbmserv.services.views import load_board, load_game_state
from pbmserv.store import ratings
from pbmserv.store.engine import open_engine, reading
from pbmserv.store.schema import migrate
from tests.conftest import ADDRESS, Clock, Counting
from tests.every import every
from tests.services.post import Post

HERE = Path(__file__).parent
DUMP = HERE / "club-0.5.0.sql.gz"
RECORDS: list[dict[str, Any]] = json.loads(gzip.decompress((HERE / "club-0.5.0.json.gz").read_bytes()))
LAST_USED = datetime(2026, 2, 17, 8, 54, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The database as 0.5.0 left it."""
    file = tmp_path / "pbmserv.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(gzip.decompress(DUMP.read_bytes()).decode())
    return file


@pytest.fixture
def club(database: Path, quick_hasher: PasswordHasher) -> Iterator[Post]:
    """The same club, upgraded, a little later."""
    engine = open_engine(f"sqlite:///{database}")
    renew(engine)
    # Tokens of 0.5.0 were t0001 and so on.
    app = App(
        engine,
        Server(ADDRESS, variants=True, confirm="from", site_url="https://club.test"),
        Counting("n"),
        quick_hasher,
        makers=WordMakers(key=Counting("x"), thread_word=Counting("y")),
    )
    clock = Clock()
    clock.now = LAST_USED
    clock.move(hours=1)
    yield Post(app, clock, written=1000)
    engine.dispose()


def test_every_board_replays_alike(club: Post) -> None:
    """Moves, result, position and log, all of the record."""

    def check_board(record: dict[str, Any]) -> None:
        board = load_game_state(club.house, record["board"])
        assert board is not None
        assert record_of(board, club.house.server) == record

    every(RECORDS, check_board, name=lambda record: f"board {record['board']}")
    assert load_board(club.house, RECORDS[-1]["board"] + 1) is None


def test_the_club_has_all_kinds_of_boards() -> None:
    """So that the test above says something."""
    endings = {record["ending"] for record in RECORDS if record["status"] == "finished"}
    assert endings == {"played", "resigned", "agreed", "awarded", "forfeited"}
    assert {record["status"] for record in RECORDS} == {"active", "finished", "declined", "annulled"}
    assert {len(record["players"]) for record in RECORDS} == {2, 3, 4}
    kinds = {entry["kind"] for record in RECORDS for entry in record["log"]}
    assert len(kinds) >= 10, kinds


def test_nothing_is_wrong_with_it(club: Post) -> None:
    """Summaries and ratings follow from the logs."""
    assert check(club.house) == []


def test_each_size_gets_its_own_ratings(database: Path, club: Post) -> None:
    """What counted for Cephalopod then counts for its size now, and nothing is lost."""
    with closing(sqlite3.connect(":memory:")) as before, closing(sqlite3.connect(database)) as after:
        before.executescript(gzip.decompress(DUMP.read_bytes()).decode())
        counted = "SELECT match, player_id, rank FROM rating_changes ORDER BY match, player_id"
        assert after.execute(counted).fetchall() == before.execute(counted).fetchall()
        sizes = after.execute("SELECT pool, count(DISTINCT match) FROM rating_changes GROUP BY pool").fetchall()
        assert sorted(sizes) == [("cephalopod 3x3", 8), ("cephalopod 3x5", 1)]
        assert after.execute("SELECT * FROM recounts").fetchall() == []


def test_until_it_is_recounted_a_tally_is_the_last_one(database: Path) -> None:
    """The migration alone leaves a sound database, which any process can go on with."""
    engine = open_engine(f"sqlite:///{database}")
    migrate(engine)
    with reading(engine) as connection:
        pools = ratings.pools(connection)
        assert set(ratings.recounted(connection)) == pools == {"cephalopod 3x3", "cephalopod 3x5"}
        for pool in pools:
            last = ratings.latest(ratings.stored_changes(connection, pool))
            assert ratings.stored_tallies(connection, pool) == last
        assert ratings.never_rated(connection) == []
    engine.dispose()


def test_what_waited_goes_on(club: Post) -> None:
    """A queued move answers, a submitted one is confirmed, offers are agreed to and taken."""
    club.mail("bob@example.org", "move 116 a2xa1,a3")
    assert club.moves(116)[-2:] == ["A2xA1,A3", "A1"]
    club.mail("dave@example.org", "confirm 119")
    assert club.moves(119) == ["C3"]
    club.mail("carol@example.org", "accept 118")
    drawn = load_board(club.house, 118)
    assert drawn is not None
    assert drawn.state.ending == "agreed"
    taken_back = club.moves(117)
    club.mail("carol@example.org", "accept 117")
    undone = load_board(club.house, 117)
    assert undone is not None
    assert len(undone.state.turns) == len(taken_back) - 1
    club.mail("alice@example.org", "accept 2")
    begun = load_board(club.house, 122)
    assert begun is not None
    assert {*begun.match.userids} == {"alice", "bob"}
    assert check(club.house) == []
