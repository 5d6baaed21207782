"""A house whose post is attacked: a From address proves nothing there."""

import pytest

from pbmserv.commands.server import Server
from pbmserv.services.app import App
from tests.conftest import ADDRESS, Clock
from tests.services.post import Post


@pytest.fixture
def club(sqlite_house: App, clock: Clock) -> Post:
    """Alice and bob, who have played on board 101, and a player whom nobody knows."""
    post = Post(
        App(sqlite_house.engine, Server(ADDRESS, variants=True), sqlite_house.new_token, sqlite_house.hasher),
        clock,
    )
    post.people(alice="sesame", bob="poppy", carl="lotus")
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    post.clock.move(hours=2)
    return post
