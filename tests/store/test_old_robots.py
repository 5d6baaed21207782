"""Robots of schema 0012: `robot` was greedy and `robot.search` thought. Their boards are played on."""

import pytest
from sqlalchemy import delete, text, update

from pbmserv.robots.robot import PROGRAMS, userid_of
from pbmserv.services.admin.check import check
from pbmserv.services.app import App
from pbmserv.services.robots import play_robots
from pbmserv.services.views import list_players
from pbmserv.store.engine import reading, writing
from pbmserv.store.schema import migrate
from pbmserv.store.tables import players
from tests.conftest import Clock
from tests.services.post import Post, text_of
from tests.store.test_upgrade import go_back

ALICE = "alice@example.org"
THERE = {"fitting": "robot", "random": "robot.random", "search": "robot.search"}


@pytest.fixture
def club(house: App, clock: Clock) -> Post:
    """Alice has begun a board with each of the two; the database is that of the version before."""
    post = Post(house, clock)
    play_robots(house, clock())
    post.people(alice="sesame")
    with writing(house.engine) as connection:
        search = update(players).where(players.c.robot == "club")
        connection.execute(search.values(robot="search", userid="robot.search", userid_lower="robot.search"))
        connection.execute(delete(players).where(players.c.robot.not_in([*THERE])))
    for robot in ("robot", "robot.search"):
        post.mail(ALICE, f"challenge alice {robot} -size=3x3")
    go_back(post, version="0012")
    with reading(house.engine) as connection:
        query = text("SELECT robot, userid FROM players WHERE robot IS NOT NULL")
        assert dict(tuple(row) for row in connection.execute(query)) == {
            "greedy" if program == "fitting" else program: userid for program, userid in THERE.items()
        }
    migrate(house.engine)
    return post


def test_their_boards_are_played_on(club: Post) -> None:
    """The one begins again at the foot of the ladder; the others are new."""
    club.mail(ALICE, "move 101 a1")
    club.mail(ALICE, "move 102 a1")
    while play_robots(club.house, club.clock()):
        pass
    assert [len(club.moves(board)) for board in (101, 102)] == [2, 2]
    programs = {each.robot: each.userid for each in list_players(club.house) if each.robot}
    assert programs == {program: userid_of(program) for program in PROGRAMS} | THERE
    assert check(club.house) == []


def test_who_is_gone_is_told_of_no_more(club: Post) -> None:
    """It can still be played again, by whoever remembers it."""
    play_robots(club.house, club.clock())
    (told,) = club.mail(ALICE, "help robots")
    assert "robot.search" not in text_of(told)
    (refused,) = club.mail(ALICE, "tic-tac-toe challenge alice robot.league")
    assert "robot.search" not in text_of(refused)
    (begun,) = club.mail(ALICE, "tic-tac-toe challenge alice robot.search")
    assert "has started" in text_of(begun)
