"""Evaluations in spare time, analyses that were asked for, and the last mail: in a house with its post."""

import itertools
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from pbmserv.matches.evaluations import Evaluation, is_complete
from pbmserv.matches.replay import GameState, positions
from pbmserv.services import teaching
from pbmserv.services.app import App, TeachingBacklog
from pbmserv.services.teaching import teach
from pbmserv.services.views import load_evaluations, load_game_state
from pbmserv.store import letters
from pbmserv.store.engine import reading
from pbmserv.store.tables import analysis_requests, evaluations, outbox
from tests.operating import operate
from tests.services.post import Post, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
GAME = ("d1", "a1", "d2", "a2", "d3", "a3", "g1", "a4")
"""Red could win with the seventh move, and lets yellow do so."""


def at_a_glance() -> Callable[[], float]:
    """A clock that jumps: one thing is found out at a time."""
    return itertools.count(step=10).__next__


@pytest.fixture
def club(post: Post) -> Post:
    """Alice and bob at a board of four in a row, where robots evaluate in their spare time."""
    post.house = replace(post.house, backlog=TeachingBacklog(is_eager=True))
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "four-in-a-row challenge alice bob --unrated")
    return post


def play(post: Post, moves: tuple[str, ...]) -> None:
    """Alice and bob in turn, from where the board stands."""
    board = loaded(post)
    for number, move in enumerate(moves, board.state.plies):
        post.mail((ALICE, BOB)[number % 2], f"move 101 {move}")


def loaded(post: Post, number: int = 101) -> GameState:
    """A board."""
    board = load_game_state(post.house, number)
    assert board is not None
    return board


def known(post: Post) -> tuple[Evaluation, ...]:
    """What is known of the board."""
    return tuple(load_evaluations(post.house, loaded(post)))


def think(post: Post, clock: Callable[[], float] = time.monotonic) -> int:
    """Lets the robots think as long as there is something to think about; how often they had to."""
    for times in range(500):
        if not teach(post.house, post.clock(), clock):
            return times
    raise AssertionError("they never come to an end")


def count(house: App, table: object) -> int:
    """How many rows a table has."""
    with reading(house.engine) as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_running_game_is_evaluated_as_it_goes_on(club: Post) -> None:
    """Each position once, whenever a move has come; and nothing is mailed about it."""
    play(club, GAME[:3])
    letters = len(club.letters())
    assert think(club) > 0
    assert is_complete(known(club), loaded(club))
    assert [each.played for each in known(club)] == ["D1", "A1", "D2", ""]
    assert think(club) == 0
    play(club, GAME[3:4])
    before = known(club)
    assert think(club) > 0
    assert [each.chances for each in known(club)[:4]] == [each.chances for each in before]
    assert len(known(club)) == 5
    assert len(club.letters()) == letters + 2


@pytest.mark.slow
def test_it_goes_on_where_it_was_cut_off(club: Post) -> None:
    """One position at a time comes to the same as all at once, also when the game goes on."""
    for moves in (GAME[:2], GAME[2:3]):
        play(club, moves)
        assert think(club, at_a_glance()) > 0
        assert is_complete(known(club), loaded(club))
    slowly = known(club)
    assert slowly == teaching.extended(loaded(club), (), lambda: True) or len(slowly) == 4
    assert [each.best for each in slowly] == [
        each.best for each in teaching.extended(loaded(club), (), lambda: True)
    ]


def test_the_last_mail_tells_where_it_turned(club: Post) -> None:
    """With a curve of the reader's own chances, though the last positions were not evaluated yet."""
    play(club, GAME[:7])
    think(club)
    bob, alice = club.mail(BOB, "move 101 a4")
    assert "Your chances after each move" in text_of(bob)
    said = " ".join(text_of(alice).split())
    assert "Move 7: you played G1 instead of D4, and your chances fell from 100 to" in said
    assert "100 |" in text_of(alice)
    assert max(map(len, text_of(alice).split("\n"))) <= 72
    assert len(alice.raw) < 16_000
    again = club.mail(ALICE, "show 101")[0]
    assert "chances" not in text_of(again), "only the last mail does"


@pytest.mark.slow
def test_without_evaluations_the_last_mail_names_the_command(club: Post) -> None:
    """And the command has it mailed, once, however often it was asked for."""
    play(club, GAME)
    assert "analyse 101" in text_of(club.letters()[-1])
    for _ in range(2):
        (letter,) = club.mail(BOB, "analyse 101")
        assert "follows in a mail of its own" in " ".join(text_of(letter).split())
    assert count(club.house, analysis_requests) == 1
    before = len(club.letters())
    think(club)
    (mailed,) = club.letters()[before:]
    assert mailed.recipient == BOB
    assert "Your chances after each move" in text_of(mailed)
    assert count(club.house, analysis_requests) == 0
    assert think(club) == 0
    (letter,) = club.mail(BOB, "analyse 101")
    assert "Your chances after each move" in text_of(letter)


@pytest.mark.slow
def test_nothing_is_lost_in_between(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever happens before the commit in which the analysis is stored: it is mailed in the next one."""
    play(club, GAME)
    club.mail(BOB, "analyse 101")
    before = len(club.letters())

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(letters, "add", die)
        with pytest.raises(KeyboardInterrupt):
            think(club)
    assert count(club.house, analysis_requests) == 1
    think(club)
    assert len(club.letters()) == before + 1


@pytest.mark.slow
def test_only_on_request_where_the_operator_wants_that(club: Post) -> None:
    """With `analysis = false`."""
    club.house = replace(club.house, backlog=TeachingBacklog())
    play(club, GAME)
    assert think(club) == 0
    club.mail(ALICE, "analyse 101")
    assert think(club) > 0
    assert count(club.house, evaluations) == 1


@pytest.mark.slow
def test_what_is_taken_back_is_evaluated_anew(club: Post) -> None:
    """No wrong row is left, whatever the operator does."""
    play(club, GAME[:4])
    think(club)
    operate(club.house, "undo 101 2 Mistake", club.clock())
    assert [each.played for each in known(club)] == ["D1", "A1", ""]
    play(club, ("e1",))
    think(club)
    assert [each.played for each in known(club)] == ["D1", "A1", "E1", ""]


@pytest.mark.slow
def test_a_game_that_goes_on_again_is_not_mailed(club: Post) -> None:
    """Somebody has asked, and then the operator takes the end back."""
    play(club, GAME)
    club.mail(ALICE, "analyse 101")
    operate(club.house, "undo 101 5 Mistake", club.clock())
    before = len(club.letters())
    think(club)
    assert len(club.letters()) == before
    assert count(club.house, analysis_requests) == 0


def test_the_board_that_changed_last_comes_first(club: Post) -> None:
    """But one that somebody waits for comes before it."""
    play(club, GAME)
    club.mail(ALICE, "four-in-a-row challenge alice bob --unrated")
    glance = at_a_glance()
    teach(club.house, club.clock(), glance)
    assert [len(load_evaluations(club.house, loaded(club, number))) for number in (101, 102)] == [0, 1]
    club.mail(BOB, "analyse 101")
    club.mail(BOB, "move 102 a1")
    teach(club.house, club.clock(), glance)
    assert len(known(club)) == 1


@pytest.mark.slow
def test_one_broken_board_is_told_once(
    club: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It rests, and the others are evaluated."""
    play(club, GAME[:1])
    club.mail(ALICE, "four-in-a-row challenge alice bob --unrated")

    def breaking(match: object) -> object:
        if getattr(match, "number", 0) == 101:
            raise LookupError("broken")
        return positions(match)  # type: ignore[arg-type]

    monkeypatch.setattr(teaching, "positions", breaking)
    with caplog.at_level(logging.ERROR):
        think(club)
        think(club)
    assert [each.getMessage() for each in caplog.records] == [
        "a board cannot be evaluated board=101 error=LookupError"
    ]
    assert len(load_evaluations(club.house, loaded(club, 102))) == 1
    club.clock.move(minutes=2)
    monkeypatch.undo()
    think(club)
    assert len(known(club)) == 2


def test_old_boards_are_left_alone(club: Post) -> None:
    """A server that is new to this does not begin with years of games."""
    play(club, GAME)
    club.clock.move(seconds=teaching.FIRST_LOOK.total_seconds() + 60)
    assert think(club) == 0
    assert club.house.backlog.since is not None
    assert club.house.backlog.since - club.clock() < timedelta()


@pytest.mark.slow
def test_an_unproven_request_is_mailed_as_such(club: Post) -> None:
    """It counts for the limit of mail that nobody proven has asked for."""
    play(club, GAME)
    club.house = replace(club.house, server=replace(club.house.server, confirm="ask"))
    club.mail(ALICE, "analyse 101")
    before = len(club.letters())
    think(club)
    assert len(club.letters()) == before + 1
    with reading(club.house.engine) as connection:
        proven = connection.execute(select(outbox.c.proven).order_by(outbox.c.id.desc()).limit(2)).scalars().all()
    assert proven == [False, False]
