"""Robots at the boards of a house: by the same commands as people, through the steward's duty."""

import logging
import threading
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import update

from pbmserv.robots.levels import Level, move_of
from pbmserv.robots.robot import PROGRAMS, userid_of
from pbmserv.robots.thought import Thought
from pbmserv.services import robots
from pbmserv.services.admin.act import run_as
from pbmserv.services.robots import play_robots
from pbmserv.services.thinking import ThinkingPlan
from pbmserv.services.views import list_players, load_board
from pbmserv.store import robots as stored
from pbmserv.store.engine import reading, writing
from pbmserv.store.tables import players
from tests.services.post import Post, text_of

ALICE = "alice@example.org"


@pytest.fixture
def club(post: Post) -> Post:
    """Alice and bob among robots, with small boards."""
    play_robots(post.house, post.clock())
    post.people(alice="sesame", bob="poppy")
    return post


def kinds(post: Post, board: int = 101) -> list[str]:
    """What happened on a board, by whom."""
    seen = load_board(post.house, board)
    assert seen is not None
    return [f"{entry.kind} {entry.seat}" for entry in seen.match.entries]


def to_the_end(post: Post) -> int:
    """Lets the robots act as long as they have something to do; in how many rounds they had."""
    rounds = 0
    while play_robots(post.house, post.clock()):
        rounds += 1
        assert rounds < 500
    return rounds


def test_they_are_there_once_and_cannot_be_written_to(club: Post) -> None:
    """However often it is looked; without address and password, under names that nobody may take."""
    for _ in range(2):
        play_robots(club.house, club.clock())
    found = [player for player in list_players(club.house) if player.robot]
    assert sorted((each.userid, each.robot, each.address) for each in found) == sorted(
        (userid_of(program), program, "") for program in PROGRAMS
    )
    for line in ("signup robot tahini", "signup robot.master tahini", "signup robotnik tahini"):
        assert "or a robot" in text_of(club.mail("mallory@example.org", line)[0]), line
    before = len(club.letters())
    for line in ("signoff robot tahini", "signoff robot -", "forgot robot"):
        assert {letter.recipient for letter in club.mail(ALICE, line)} == {ALICE}, line
    assert [player for player in list_players(club.house) if player.robot] == found
    assert "" not in [letter.recipient for letter in club.letters()[before:]]


def test_a_newcomer_is_answered_at_once(club: Post) -> None:
    """The robot's move comes as the mail of any board, and nothing is mailed to it."""
    club.mail(ALICE, "challenge robot alice -size=3x3")
    before = len(club.letters())
    assert play_robots(club.house, club.clock())
    (letter,) = club.letters()[before:]
    assert letter.recipient == ALICE
    assert text_of(letter).startswith(f"robot played {club.moves()[0]}. Your turn. You have 21 days.\n")
    assert kinds(club) == ["played 0"]
    assert not play_robots(club.house, club.clock())
    club.answer(letter, "c3" if club.moves() != ["C3"] else "a1")
    assert play_robots(club.house, club.clock())
    assert kinds(club) == ["played 0", "played 1", "played 0"]


def test_who_has_the_name_already_keeps_it(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    """A person of an older database is called robot: the robot takes another name, and the operator is told."""
    post.people(rob="sesame")
    with writing(post.house.engine) as connection:
        connection.execute(update(players).values(userid="Robot", userid_lower="robot"))
    play_robots(post.house, post.clock())
    found = {player.userid: player.robot for player in list_players(post.house)}
    assert found == {
        "Robot": None,
        "robot.fitting": "fitting",
        **{userid_of(program): program for program in PROGRAMS[1:]},
    }
    assert "player=robot robot=robot.fitting" in caplog.text


def test_robots_play_to_the_end(club: Post) -> None:
    """Against each other, and beside a person who gives up."""
    run_as(club.house, "robot", "challenge robot robot.random -size=3x3", club.clock())
    club.mail(ALICE, "challenge robot alice robot.random -size=3x3")
    to_the_end(club)
    seen = load_board(club.house, 101)
    assert seen is not None
    assert seen.state.status == "finished"
    assert kinds(club, 102) == ["played 0"]
    club.mail(ALICE, "move 102 " + ("a1" if club.moves(102) != ["A1"] else "c3"))
    to_the_end(club)
    club.mail(ALICE, "resign 102")
    to_the_end(club)
    seen = load_board(club.house, 102)
    assert seen is not None
    assert seen.state.status == "finished"
    with reading(club.house.engine) as connection:
        assert stored.waiting(connection, club.clock()) == []


def test_two_stewards_play_no_ply_twice(club: Post) -> None:
    """At once, on the same board: each ply once, in turn, and nothing is told to the operator as a failure."""
    run_as(club.house, "robot", "challenge robot robot.random -size=3x3", club.clock())
    failed: list[BaseException] = []

    def go_round() -> None:
        try:
            for _ in range(200):
                with reading(club.house.engine) as connection:
                    if not stored.waiting(connection, club.clock()):
                        return
                play_robots(club.house, club.clock())
        except BaseException as error:
            failed.append(error)

    stewards = [threading.Thread(target=go_round) for _ in range(2)]
    for each in stewards:
        each.start()
    for each in stewards:
        each.join()
    assert failed == []
    seen = load_board(club.house, 101)
    assert seen is not None
    assert seen.state.status == "finished"
    assert [turn.ply for turn in seen.state.turns] == list(range(1, seen.state.plies + 1))
    assert not club.house.thinking.failing.rests(101, club.clock())


def test_what_was_chosen_too_late_is_not_played(sqlite_post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a robot thinks, another steward plays on until it is its turn again: its move is for another board."""
    house, clock = sqlite_post.house, sqlite_post.clock
    play_robots(house, clock())
    run_as(house, "robot", "challenge robot robot.random -size=3x3", clock())

    def slow(level: Level, game: Any, position: Any, seed: int, iterations: int) -> tuple[Any, int]:
        monkeypatch.setattr(robots, "move_of", move_of)
        # As another process would, after the time is up for which this one has claimed the board.
        later = clock() + 2 * robots.CLAIMED_FOR
        assert play_robots(replace(house, thinking=Elsewhere(clock=lambda: 0.0)), later)
        assert play_robots(replace(house, thinking=Elsewhere(clock=lambda: 0.0)), later)
        return next(
            move for move in game.moves(position) if game.write(position, move) not in sqlite_post.moves()
        ), 1

    monkeypatch.setattr(robots, "move_of", slow)
    assert not play_robots(house, clock())
    assert kinds(sqlite_post) == ["played 0", "played 1"]
    assert not house.thinking.failing.rests(101, clock())


def test_robots_answer_offers(club: Post) -> None:
    """A take-back is agreed to, a draw only by a robot that is behind."""
    club.mail(ALICE, "challenge robot.random alice -size=3x3")
    play_robots(club.house, club.clock())
    club.mail(ALICE, "move 101 " + ("a1" if club.moves() != ["A1"] else "c3"))
    club.mail(ALICE, "undo 101")
    to_the_end(club)
    assert kinds(club)[:4] == ["played 0", "played 1", "asked 1", "accepted 0"]
    club.mail(ALICE, "propose 101")
    to_the_end(club)
    assert kinds(club)[-2:] == ["proposed 1", "rejected 0"]


class Elsewhere(ThinkingPlan):
    """Another process."""

    @property
    def holder(self) -> str:
        """As it would call itself."""
        return "another host 1"


@pytest.fixture
def stupid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever searches has no idea for a while."""

    def think(game: Any, position: Any, seed: int, iterations: int) -> Thought:
        raise ValueError("no idea")

    monkeypatch.setattr("pbmserv.robots.cephalopod.thinker.think", think)


def test_a_robot_that_fails_stops_nobody(club: Post, stupid: None, caplog: pytest.LogCaptureFixture) -> None:
    """It is told once, tried again after a minute, then after two; the other robot plays on meanwhile."""
    club.mail(ALICE, "challenge robot alice -size=3x3")
    club.mail(ALICE, "challenge robot.random alice -size=3x3")
    caplog.set_level(logging.ERROR)
    assert play_robots(club.house, club.clock())
    assert kinds(club, 101) == []
    assert kinds(club, 102) == ["played 0"]
    for _ in range(10):
        assert not play_robots(club.house, club.clock())
        club.clock.move(minutes=1)
    assert [record.getMessage() for record in caplog.records] == [
        "a robot cannot play board=101 robot=robot error=ValueError"
    ]


def test_a_robot_that_is_mended_plays_on(
    club: Post, stupid: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """After the rest that its board was given."""
    club.mail(ALICE, "challenge robot alice -size=3x3")
    play_robots(club.house, club.clock())
    monkeypatch.undo()
    assert not play_robots(club.house, club.clock())
    club.clock.move(minutes=1)
    assert play_robots(club.house, club.clock())
    assert kinds(club) == ["played 0"]
