"""Houses with their post."""

import pytest

from pbmserv.commands.server import Server
from pbmserv.services.app import App
from tests.conftest import ADDRESS, Clock
from tests.services.hashing import CountingHasher
from tests.services.post import Post


@pytest.fixture
def post(house: App, clock: Clock) -> Post:
    """On either kind of database, where a From address is proof."""
    return Post(house, clock)


@pytest.fixture
def sqlite_post(sqlite_house: App, clock: Clock) -> Post:
    """On SQLite, where a From address is proof."""
    return Post(sqlite_house, clock)


@pytest.fixture
def asking_post(sqlite_house: App, clock: Clock) -> Post:
    """On SQLite, where a From address proves nothing."""
    house = App(sqlite_house.engine, Server(ADDRESS, variants=True), sqlite_house.new_token, sqlite_house.hasher)
    return Post(house, clock)


@pytest.fixture
def hasher() -> CountingHasher:
    """Weak, and counting."""
    return CountingHasher(time_cost=1, memory_cost=8, parallelism=1)
