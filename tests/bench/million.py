"""Houses with any number of matches, put straight into the tables: what a page costs there shows what it reads.

Most matches have no log but its last entry, only what listings tell of them; the last few can be looked at. A
robot sits in a third of all, few of some twenty thousand players have more than some hundred. Everything but the
day follows from the seed.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from sqlalchemy import Engine

from pbmserv.commands.command import Decision
from pbmserv.commands.move import MovePlayed
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.replay import replay
from pbmserv.store import matches, rankings
from pbmserv.store.engine import open_engine, writing
from pbmserv.store.schema import migrate
from tests.bench.club import PLIES, random_games

FIRST: Final = 101
SHOWN: Final = 6
"""The last boards, which have a whole log; they are the ones that were played on last."""

# Players by their ids; the robots that a house has by itself come first.
ROBOT, BUSY, LIGHT, PARTNER = 1, 11, 12, 13
ROBOTS_SHARE: Final = 1 / 3
PLAY: Final = {BUSY: 200, LIGHT: 60}
"""How many boards some have, however many there are."""

RUNNING_SHARE: Final = 0.02
LEAST_RUNNING: Final = 75
"""So that a page of them is full in a small house too."""

USERIDS: Final = {ROBOT: "robot", BUSY: "busy", LIGHT: "light", PARTNER: "partner"}

_MOST_PLAYERS: Final = 20_000
_AT_ONCE: Final = 10_000
_TEN_YEARS: Final = timedelta(days=3650)
_CLOCK: Final = json.dumps({"nag": 604800.0, "forfeit": 1814400.0, "total": None, "increment": 0.0})

_INDEXES: Final = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE INDEX %' ORDER BY rowid"
)

Row = tuple[object, ...]

_STATEMENTS: Final = {
    "players": "INSERT INTO players (id, userid, userid_lower, skeleton, password_hash, created_at, robot)"
    " VALUES (?1, ?2, ?2, ?2, '-', ?3, ?4)",
    "addresses": "INSERT INTO addresses (address, player_id, is_first, confirmed_at) VALUES (?, ?, 1, ?)",
    "matches": "INSERT INTO matches (number, game, rules, options, rated, started_by, started_at, clock, status,"
    " to_move, plies, last_at, last_move)"
    " VALUES (?, 'cephalopod', 'cephalopod/1', '{}', 1, ?, ?, ?, ?, ?, ?, ?, 'C3')",
    "seats": "INSERT INTO seats (match, seat, player_id, ended_at) VALUES (?, ?, ?, ?)",
    "entries": "INSERT INTO entries (match, seq, at, kind, seat, text) VALUES (?, ?, ?, 'resigned', ?, '')",
    "clocks": "INSERT INTO clocks (match, turn, plies, player_id, started_at, next_at, deadline_at, lasts,"
    " reminders) VALUES (?, ?, ?, ?, ?, ?, ?, 1814400, 0)",
    "rating_changes": "INSERT INTO rating_changes (match, player_id, pool, at, rank, mu_before, sigma_before, mu,"
    " sigma, counted, won) VALUES (?, ?, 'cephalopod', ?, ?, ?, 80.0, ?, 80.0, 1, 1)",
    "ratings": "INSERT INTO ratings (pool, player_id, mu, sigma, counted, won, last_at)"
    " VALUES ('cephalopod', ?, ?, ?, ?, 1, ?)",
}


def build(path: Path, count: int, progress: Callable[[int], None] = lambda done: None) -> Engine:
    """A SQLite house with so many matches in a new file; `progress` is told how many are there.

    The last SHOWN of them have a log.
    """
    engine = open_engine(f"sqlite:///{path}")
    migrate(engine)
    now = datetime.now(UTC)
    everybody = min(_MOST_PLAYERS, max(50, count // 10))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        # They are soonest made at the end, all at once, and in the order in which a house has them.
        indexes = connection.execute(_INDEXES).fetchall()
        for name, _ in indexes:
            connection.execute(f"DROP INDEX {name}")
        _insert(connection, "players", _players(everybody, now))
        _insert(connection, "addresses", _addresses(everybody, now))
        _insert(connection, "ratings", _ratings(everybody, now))
        numbers = iter(range(FIRST, FIRST + count - SHOWN))
        chance = Random(count)
        while some := list(islice(numbers, _AT_ONCE)):
            rows: dict[str, list[Row]] = {table: [] for table in _STATEMENTS}
            for number in some:
                for table, added in _match(chance, number, count, everybody, now):
                    rows[table] += added
            for table, all_added in rows.items():
                _insert(connection, table, all_added)
            progress(some[-1] - FIRST + 1)
        for _, made in indexes:
            connection.execute(made)
    with writing(engine) as writer:
        rankings.renew_counts(writer, "cephalopod")
    # Its connections remember the indexes as they were.
    engine.dispose()
    _play_shown(engine, FIRST + count - SHOWN, now)
    return engine


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    connection.executemany(_STATEMENTS[table], rows)


def _players(everybody: int, now: datetime) -> Iterator[Row]:
    for each in range(ROBOT, everybody + 1):
        yield each, _userid(each), _at(now - _TEN_YEARS), "greedy" if each == ROBOT else None


def _addresses(everybody: int, now: datetime) -> Iterator[Row]:
    for each in range(ROBOT, everybody + 1):
        yield f"{_userid(each)}@example.org", each, _at(now - _TEN_YEARS)


def _userid(each: int) -> str:
    return USERIDS.get(each, f"player{each}")


def _ratings(everybody: int, now: datetime) -> Iterator[Row]:
    chance = Random(everybody)
    for each in range(ROBOT, everybody + 1):
        last = now - timedelta(days=chance.uniform(0, 400))
        yield each, chance.gauss(25, 4), chance.uniform(4, 8.3), chance.randrange(1, 100), _at(last)


def _match(
    chance: Random, number: int, count: int, everybody: int, now: datetime
) -> Iterator[tuple[str, list[Row]]]:
    share = (number - FIRST) / count
    running = max(RUNNING_SHARE, LEAST_RUNNING / count)
    # Half of the newest.
    runs = share > 1 - 2 * running and chance.random() < 0.5
    began = now - _TEN_YEARS * (1 - share)
    last = now - timedelta(days=chance.uniform(0, 20)) if runs else min(began + timedelta(days=30), now)
    last -= timedelta(seconds=chance.uniform(60, 86400))
    plies, one, other = chance.randrange(2, 140), *_pair(chance, number, count, everybody)
    status, to_move, ended = ("active", 0, None) if runs else ("finished", None, _at(last))
    yield "matches", [(number, one, _at(began), _CLOCK, status, to_move, plies, _at(last))]
    yield "seats", [(number, 0, one, ended), (number, 1, other, ended)]
    yield "entries", [(number, plies + 1, _at(last), 1)]
    if runs and one != ROBOT:
        until = _at(last + timedelta(days=21))
        yield "clocks", [(number, plies, plies, one, _at(last), until, until)]
    if not runs:
        changes = ((number, player, ended, rank, 1500.0, 1510.0) for rank, player in ((1, one), (2, other)))
        yield "rating_changes", list(changes)


def _pair(chance: Random, number: int, count: int, everybody: int) -> list[int]:
    regular = (known for place, (known, boards) in enumerate(PLAY.items()) if number % (count // boards) == place)
    anybody = ROBOT if chance.random() < ROBOTS_SHARE else chance.randrange(PARTNER, everybody + 1)
    known = next(regular, anybody)
    others = (PARTNER if known == LIGHT else chance.randrange(PARTNER, everybody), everybody)
    return chance.sample([known, next(each for each in others if each != known)], 2)


def _play_shown(engine: Engine, first: int, now: datetime) -> None:
    """The boards that can be looked at: in the middle of a game, played on just now."""
    with writing(engine) as connection:
        for number in range(first, first + SHOWN):
            moves = random_games()[number % len(random_games())][:PLIES]
            began = now - timedelta(hours=PLIES)
            userids = USERIDS[LIGHT], USERIDS[PARTNER]
            empty = Match(number, "cephalopod", "cephalopod/1", (), True, userids, userids[0], began)
            log = tuple(
                Entry(number, ply, began + timedelta(hours=ply), "played", (ply - 1) % 2, move)
                for ply, move in enumerate(moves, 1)
            )
            after = replay(empty.with_entries(log))
            matches.write(connection, Decision(MovePlayed(number, ""), opened=empty, entries=log, boards=(after,)))


def _at(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S.%f")
