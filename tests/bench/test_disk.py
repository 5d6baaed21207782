"""Bytes a game on disk: games of 71 plies by mail, with all texts, after retention, and when they are over.

Pages in use are counted, those on the free list are not: SQLite fills them again. Run without `--benchmark-only`,
two short games show that all of it works.
"""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from pytest_benchmark.fixture import BenchmarkFixture
from sqlalchemy import update

from pbmserv.commands.server import Server
from pbmserv.matches.queries import ListingQuery
from pbmserv.services.app import App
from pbmserv.services.scheduler.retention import purge
from pbmserv.services.views import list_boards
from pbmserv.store.engine import writing
from pbmserv.store.tables import outbox
from tests.bench.club import random_games
from tests.bench.test_million import say
from tests.conftest import ADDRESS, make_house
from tests.services.post import Post

PLIES = 71
GAMES = 40
KEEP = timedelta(days=90)
AIM = 12_000
PAIRS = 4
"""Two players may have ten games with each other."""


@pytest.mark.benchmark(group="bytes on disk")
@pytest.mark.parametrize("receipts", ["daily", "on"])
def test_bytes_of_a_game(
    receipts: str,
    tmp_path: Path,
    quick_hasher: PasswordHasher,
    benchmark: BenchmarkFixture,
    request: pytest.FixtureRequest,
) -> None:
    """What forty games take, without what the house takes before them."""
    measures = bool(request.config.getoption("benchmark_only"))
    games, plies = (GAMES, PLIES) if measures else (2, 3)
    house = _house(tmp_path, quick_hasher)
    post = Post(house)
    for name in (f"{side}{pair}" for pair in range(PAIRS) for side in ("alice", "bob")):
        post.mail(f"{name}@example.org", f"signup {name} sesame")
        post.mail(f"{name}@example.org", f"set receipts {receipts}")
    before = used(house)
    taken = {}

    def play_all() -> None:
        for number in range(101, 101 + games):
            _play(post, number, plies)
        _hand_over(house)
        taken["with all texts"] = used(house)
        post.clock.move(days=91)
        post.mail("alice0@example.org", "list")
        _hand_over(house)
        _retain(post)
        taken["texts deleted, game running"] = used(house)
        for number in range(101, 101 + games):
            post.mail(f"alice{number % PAIRS}@example.org", f"{number} resign")
        _hand_over(house)
        post.clock.move(days=91)
        post.mail("alice0@example.org", "list")
        _hand_over(house)
        _retain(post)
        taken["game over, texts deleted"] = used(house)
        assert _finished(house) == games

    benchmark.pedantic(play_all, rounds=1)  # type: ignore[no-untyped-call]
    lines = [f"{state:30} {_bytes(pages, before) / games:10,.0f}" for state, pages in taken.items()]
    last = taken["game over, texts deleted"]
    tables = sorted(last, key=lambda name: before.get(name, 0) - last[name])[:14]
    parts = [f"    {name:40} {(last[name] - before.get(name, 0)) / games:10,.0f}" for name in tables]
    if measures:
        say(request, f"bytes a game of {PLIES} plies, receipts {receipts}", *lines, *parts)
        assert _bytes(last, before) / games < AIM
    assert _bytes(last, before) < _bytes(taken["with all texts"], before)
    house.engine.dispose()


def _finished(house: App) -> int:
    return list_boards(house, ListingQuery(filter="finished")).total


def used(house: App) -> dict[str, int]:
    """Bytes of the pages of each table and index."""
    with closing(sqlite3.connect(house.engine.url.database or "")) as connection:
        return dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall())


def _house(folder: Path, hasher: PasswordHasher) -> App:
    server = Server(ADDRESS, variants=True, confirm="from", site_url="https://club.example")
    return make_house(f"sqlite:///{folder}/club.db", hasher, server)


def _bytes(pages: dict[str, int], before: dict[str, int]) -> int:
    """What each table has more than before. The mails of the sign-ups go meanwhile, which no game has saved."""
    return sum(max(0, size - before.get(name, 0)) for name, size in pages.items())


def _play(post: Post, number: int, plies: int) -> None:
    """A game by answers to personal addresses."""
    moves = random_games()[number % len(random_games())][:plies]
    names = [f"{side}{number % PAIRS}" for side in ("alice", "bob")]
    letters = post.mail(f"{names[0]}@example.org", f"challenge {' '.join(names)}")
    for ply, move in enumerate(moves):
        theirs = f"{names[ply % 2]}@example.org"
        asked = next(each for each in letters if each.recipient == theirs)
        letters = post.answer(asked, move)
        post.clock.move(minutes=1)
    assert post.moves(number) == moves


def _hand_over(house: App) -> None:
    with writing(house.engine) as connection:
        connection.execute(update(outbox).where(outbox.c.status == "waiting").values(status="sent"))


def _retain(post: Post) -> None:
    for _ in purge(post.house, post.clock() - KEEP, post.clock()):
        pass
