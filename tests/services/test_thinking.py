"""Robots that think: which rung plays, who thinks about which board, and how long while many wait."""

import logging
import re
from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest
from sqlalchemy import insert, select, update

from pbmserv.robots.robot import FITTING
from pbmserv.services.admin.act import run_as
from pbmserv.services.robots import CLAIMED_FOR, play_robots
from pbmserv.services.thinking import ThinkingPlan
from pbmserv.services.views import list_players, load_board
from pbmserv.store import robots as stored
from pbmserv.store.engine import reading, writing
from pbmserv.store.robots import Waiting
from pbmserv.store.tables import players, robot_claims, robot_rungs
from tests.conftest import NOON
from tests.services.post import Post, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"


@pytest.fixture
def club(post: Post, monkeypatch: pytest.MonkeyPatch) -> Post:
    """Alice and bob among robots, of which three play each game."""
    monkeypatch.setattr("pbmserv.robots.levels._knowing", dict)
    play_robots(post.house, post.clock())
    post.people(alice="sesame", bob="poppy")
    return post


def to_the_end(post: Post) -> None:
    """Lets the robots act as long as they have something to do."""
    while play_robots(post.house, post.clock()):
        pass


def begun(post: Post, board: int, sender: str = ALICE, line: str = "challenge robot alice -size=3x3") -> str:
    """Begins a board, has the robots move, and gives what the last mail to the sender says."""
    post.mail(sender, line)
    to_the_end(post)
    return text_of(post.sent_to(sender)[-1])


def finish(post: Post, board: int, loser: str, sender: str = ALICE) -> None:
    """Everybody moves once, and then one gives up."""
    free = next(cell for cell in ("a1", "c3", "b2", "a3", "c1") if cell.upper() not in post.moves(board))
    post.mail(sender, f"move {board} {free}")
    to_the_end(post)
    post.clock.move(hours=1)
    run_as(post.house, loser, f"resign {board}", post.clock())
    seen = load_board(post.house, board)
    assert seen is not None


def rung(post: Post, board: int) -> str | None:
    """As which rung `robot` plays there."""
    with reading(post.house.engine) as connection:
        found: str | None = connection.execute(
            select(robot_rungs.c.rung).where(robot_rungs.c.match == board)
        ).scalar_one_or_none()
        return found


@pytest.mark.slow
def test_robot_gets_stronger_and_weaker(club: Post) -> None:
    """The player is told so with the robot's first move, and only then; what was chosen holds for the board."""
    assert "On this board robot plays like robot.beginner, to suit you.\n" in begun(club, 101)
    finish(club, 101, "robot")
    assert "plays like" not in text_of(club.sent_to(ALICE)[-1])
    assert "plays like robot.club," in begun(club, 102)
    begun(club, 103)
    finish(club, 102, "alice")
    finish(club, 103, "alice")
    assert "plays like robot.beginner," in begun(club, 104)
    assert [rung(club, board) for board in (101, 102, 103, 104)] == ["beginner", "club", "club", "beginner"]


def test_another_game_begins_low(club: Post) -> None:
    """What somebody can do in one game says nothing of the next one; nor do declined games."""
    begun(club, 101)
    finish(club, 101, "robot")
    assert "plays like robot.beginner," in begun(club, 102, line="tic-tac-toe challenge robot alice")
    club.mail(ALICE, "resign 102")
    assert "plays like robot.beginner," in begun(club, 103, line="tic-tac-toe challenge robot alice")


@pytest.mark.slow
def test_of_several_people_the_strongest_counts(club: Post) -> None:
    """In games with as many seats, since others are other games."""
    club.mail(BOB, "challenge bob robot robot.random -size=3x3")
    finish(club, 101, "robot", BOB)
    run_as(club.house, "robot.random", "resign 101", club.clock())
    begun(club, 102, BOB, "challenge robot bob robot.random -size=3x3")
    begun(club, 103, ALICE, "challenge robot alice robot.random -size=3x3")
    begun(club, 104, ALICE, "challenge robot alice bob -size=3x3")
    begun(club, 105, BOB, "challenge robot bob -size=3x3")
    assert [rung(club, board) for board in (102, 103, 104, 105)] == ["club", "beginner", "club", "beginner"]


@pytest.mark.slow
def test_games_against_rungs_count_as_well(club: Post) -> None:
    """Also those against the robot of an earlier version that was called `search`, which plays like `club` now."""
    with writing(club.house.engine) as connection:
        connection.execute(update(players).where(players.c.robot == "club").values(robot="search"))
    club.mail(ALICE, "challenge robot.club alice -size=3x3")
    to_the_end(club)
    assert len(club.moves()) == 1
    finish(club, 101, "robot.club")
    assert "plays like robot.master," in begun(club, 102)


def test_a_board_in_which_a_rung_plays_no_more(club: Post) -> None:
    """It was begun when that rung played this game: the nearest one below plays on."""
    club.mail(ALICE, "challenge robot.club alice -size=3x3")
    with writing(club.house.engine) as connection:
        league = players.c.robot == "league"
        connection.execute(update(players).where(league).values(robot="gone"))
        connection.execute(update(players).where(players.c.robot == "club").values(robot="league"))
        connection.execute(update(players).where(players.c.robot == "gone").values(robot="club"))
    to_the_end(club)
    assert len(club.moves()) == 1


def test_nobody_thinks_about_what_another_thinks_about(club: Post) -> None:
    """Until the time is up for which a board is claimed: the other one may have been killed."""
    club.mail(ALICE, "challenge robot.random alice -size=3x3")
    until = club.clock() + CLAIMED_FOR
    with writing(club.house.engine) as connection:
        connection.execute(insert(robot_claims), {"holder": "another", "match": 101, "until_at": until})
    assert not play_robots(club.house, club.clock())
    with writing(club.house.engine) as connection:
        now = club.clock()
        assert not stored.claim(connection, 101, "me", now, now + CLAIMED_FOR)
    club.clock.move(seconds=CLAIMED_FOR.total_seconds() + 1)
    assert play_robots(club.house, club.clock())
    assert len(club.moves()) == 1


def test_a_claim_is_given_up_with_the_next_one(club: Post) -> None:
    """One process has one board in hand."""
    for _ in range(2):
        club.mail(ALICE, "challenge robot.random alice -size=3x3")
    now = club.clock()
    with writing(club.house.engine) as connection:
        assert stored.claim(connection, 101, "one", now, now + CLAIMED_FOR)
        assert stored.claim(connection, 102, "one", now, now + CLAIMED_FOR)
        assert stored.claim(connection, 101, "two", now, now + CLAIMED_FOR)
        assert not stored.claim(connection, 102, "two", now, now + CLAIMED_FOR)


class Slow:
    """A clock on which a second passes each time it is looked at."""

    def __init__(self) -> None:
        self._seconds = count()

    def __call__(self) -> float:
        return float(next(self._seconds))


def test_a_shortened_thought_is_told_in_the_log(club: Post, caplog: pytest.LogCaptureFixture) -> None:
    """With board, robot, iterations and how many wait; a level that has all its time is not mentioned."""
    for _ in range(3):
        club.mail(ALICE, "challenge robot.club alice -size=3x3")
        club.clock.move(days=2)
    caplog.set_level(logging.INFO)
    slow = replace(club.house, thinking=ThinkingPlan(clock=Slow()))
    assert play_robots(slow, club.clock())
    told = re.search(r"fewer iterations.* board=101 robot=robot\.club count=(\d+) most=(\d+) left=3", caplog.text)
    assert told is not None
    assert int(told[1]) < int(told[2])
    quick = replace(club.house, thinking=ThinkingPlan(clock=lambda: 0.0))
    assert play_robots(quick, club.clock())
    caplog.clear()
    # Its speed is known now, and no time passes.
    assert play_robots(quick, club.clock())
    assert "iterations" not in caplog.text
    assert [len(club.moves(board)) for board in (101, 102, 103)] == [1, 1, 1]


def test_the_seconds_thought_are_on_the_board(club: Post) -> None:
    """A move is made when it was found, not when the robot began to think."""
    club.mail(ALICE, "challenge robot.club alice -size=3x3")
    play_robots(replace(club.house, thinking=ThinkingPlan(clock=Slow())), club.clock())
    seen = load_board(club.house, 101)
    assert seen is not None
    assert seen.state.last_at == club.clock() + timedelta(seconds=1)


def test_which_board_comes_first(club: Post) -> None:
    """The one that has waited longest, whoever plays there."""
    for robot in ("robot.master", "robot.random", "robot"):
        club.mail(ALICE, f"challenge {robot} alice -size=3x3")
        club.clock.move(seconds=1)
    with reading(club.house.engine) as connection:
        waiting = stored.waiting(connection, club.clock())
    assert [each.robot for each in waiting] == ["master", "random", FITTING]
    assert (waiting[0].game, waiting[0].seats, waiting[0].options) == ("cephalopod", 2, (("size", "3x3"),))


def waits(board: int, starter: int, is_proven: bool = True, robot: str = "master") -> Waiting:
    """A board that waits for a robot, since before those with larger numbers."""
    since = NOON + timedelta(seconds=board)
    return Waiting(board, f"robot.{robot}", robot, "cephalopod", (), 2, since, starter, is_proven)


def served(mind: ThinkingPlan, due: list[Waiting], seconds: float = 10.0) -> list[int]:
    """The starters of the boards in the order in which they are answered, each after so many seconds."""
    order = []
    while due:
        first = mind.in_turn(due, NOON)[0]
        mind.took(first, 0.0 if first.robot == "random" else seconds)
        order.append(first.starter)
        due = [each for each in due if each is not first]
    return order


ALICE_ID, BOB_ID = 101, 102


def test_no_number_of_names_makes_a_larger_share() -> None:
    """Nine boards against the slowest robot, opened in nine names, before two players who have moved. All nine
    have a third of the time together, and what robots think about the others is not cut short for them."""
    forged = [waits(number, starter=number, is_proven=False) for number in range(1, 10)]
    theirs = [waits(20, ALICE_ID), waits(21, ALICE_ID), waits(22, BOB_ID), waits(23, BOB_ID)]
    order = served(ThinkingPlan(), [*forged, *theirs])
    assert sorted(order[:3]) == [1, ALICE_ID, BOB_ID]
    assert sorted(order[3:6]) == [2, ALICE_ID, BOB_ID]
    assert order[6:] == [3, 4, 5, 6, 7, 8, 9]
    mind = ThinkingPlan()
    assert mind.part([*forged, *theirs[::2]], 1, NOON, proven=True) > mind.part([*forged, *theirs[::2]], 1, NOON)


def test_who_shares_the_share_of_the_unproven() -> None:
    """One name with many boards is not before another with one."""
    many = [waits(number, 1, is_proven=False) for number in range(5)]
    assert served(ThinkingPlan(), [*many, waits(9, 2, is_proven=False)])[:2] == [1, 2]


def test_a_quick_robot_does_not_wait_for_slow_ones() -> None:
    """But a slow one is not passed for ever: whoever has been thought about is behind."""
    assert served(ThinkingPlan(), [waits(1, 1), waits(2, 2), waits(3, ALICE_ID, robot="random")])[0] == ALICE_ID
    mind, slow = ThinkingPlan(), waits(1, 1)
    passed = 0
    while mind.in_turn(due := [slow, waits(2 + passed, 500 + passed, robot="beginner")], NOON)[0] is not slow:
        mind.took(due[1], 5.0)
        passed += 1
        assert passed < 100
    assert passed > 0


def test_a_board_is_proven_by_a_move_of_a_person(club: Post) -> None:
    """Not by having been opened: that takes no more than a From address."""
    club.mail(ALICE, "challenge robot alice -size=3x3")

    def waiting() -> Waiting:
        with reading(club.house.engine) as connection:
            (found,) = stored.waiting(connection, club.clock())
        return found

    alice = next(each for each in list_players(club.house) if each.userid == "alice")
    assert (waiting().starter, waiting().is_proven) == (alice.id, False)
    to_the_end(club)
    club.mail(ALICE, f"move 101 {'a1' if club.moves() != ['A1'] else 'c3'}")
    assert waiting().is_proven
